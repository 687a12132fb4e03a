package rest

import (
	"log/slog"
	"net/http"
	"strings"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// ErrorWriter writes error responses, {"error":"…","code":"…"} (D15).
type ErrorWriter struct {
	logger *slog.Logger
}

// NewErrorWriter returns an error writer that logs the causes that callers must not see.
func NewErrorWriter(logger *slog.Logger) *ErrorWriter { return &ErrorWriter{logger: logger} }

// Write writes the error's status, message and code. It logs the cause of a server
// error.
func (e *ErrorWriter) Write(w http.ResponseWriter, r *http.Request, err error) {
	failure := sqlq.AsError(err)
	if failure.Code.IsServerFault() {
		e.logger.LogAttrs(r.Context(), failure.LogLevel(), "request failed", slog.String("path", r.URL.Path),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
	httpstatus.SetRetryAfter(w.Header(), httpstatus.RetryAfter(failure))
	w.Header().Set("Cache-Control", "no-store")
	body := sqlq.AppendValue([]byte(`{"error":`), sqlq.String, failure.PublicText(failure.Param))
	body = append(body, `,"code":"`+string(failure.Code)+`"}`...)
	writeJSON(w, httpstatus.Of(failure.Code), body)
}

// WriteMethodNotAllowed writes a 405 response that lists the allowed methods.
func (e *ErrorWriter) WriteMethodNotAllowed(w http.ResponseWriter, r *http.Request, allowed ...string) {
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	e.Write(w, r, sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not take the method %s; use one of %s", r.Method, list))
}
