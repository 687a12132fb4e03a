// Package httperror writes errors as JSON, for every path but GraphQL's (D15).
package httperror

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/http/causes"
	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// Writer writes error responses: a [Body] in JSON.
type Writer struct {
	logger *slog.Logger
}

// NewWriter returns a writer that logs the causes that callers must not see.
func NewWriter(logger *slog.Logger) *Writer { return &Writer{logger: logger} }

// Write writes the error's status, message and code. It logs the cause of a server
// error.
func (e *Writer) Write(w http.ResponseWriter, r *http.Request, err error) {
	err = sqlq.ErrorIn(r.Context(), err)
	e.WriteStatus(w, r, httpstatus.OfError(err), err)
}

// WriteStatus is like Write, with a status that is more precise than the error's
// code.
func (e *Writer) WriteStatus(w http.ResponseWriter, r *http.Request, status int, err error) {
	failure := sqlq.AsError(err)
	e.Log(r, err)
	httpstatus.SetRetryAfter(w.Header(), httpstatus.RetryAfter(failure))
	w.Header().Set("Cache-Control", "no-store")
	detail := DetailOf(failure)
	detail.Cause = causes.Of(r.Context(), failure)
	body := Encode(Body{Error: detail})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Log logs a server error with its cause. [Writer.Write] calls it. It is for responses in
// another form.
func (e *Writer) Log(r *http.Request, err error) { e.LogAt(r.Context(), r.URL.Path, err) }

// LogAt is like Log, for an error at a path.
func (e *Writer) LogAt(ctx context.Context, path string, err error) {
	if failure := sqlq.AsError(err); failure.Code.IsServerFault() {
		e.logger.LogAttrs(ctx, failure.LogLevel(), "request failed", slog.String("path", path),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
}

// WriteMethodNotAllowed writes a 405 response that lists the allowed methods.
func (e *Writer) WriteMethodNotAllowed(w http.ResponseWriter, r *http.Request, allowed ...string) {
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	if len(allowed) > 1 {
		list = "one of " + list
	}
	e.Write(w, r, sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not support the method %s; use %s", r.Method, list))
}

// ForGet returns a handler of GET and HEAD, which writes the error that serve returns.
func (e *Writer) ForGet(serve func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			e.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
		} else if err := serve(w, r); err != nil {
			e.Write(w, r, err)
		}
	})
}
