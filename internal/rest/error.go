package rest

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// statusClientClosedRequest says that the caller left before the answer. It is
// no standard code, but the one that logs and proxies know.
const statusClientClosedRequest = 499

// retryAfter is when a caller may try again where the error does not say.
const retryAfter = 5 * time.Second

// ErrorWriter answers with an error body, {"error":"…","code":"…"} (D15).
type ErrorWriter struct {
	logger *slog.Logger
}

// NewErrorWriter returns an error writer that logs what callers are not told.
func NewErrorWriter(logger *slog.Logger) *ErrorWriter { return &ErrorWriter{logger: logger} }

// Write answers with the error's status, message and code, and logs its cause
// where the server is to blame.
func (e *ErrorWriter) Write(w http.ResponseWriter, r *http.Request, err error) {
	failure := sqlq.AsError(err)
	status := statusOf(failure.Code)
	if failure.Code.IsServerFault() {
		e.logger.LogAttrs(r.Context(), levelOf(failure), "request failed", slog.String("path", r.URL.Path),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
	if comeAgain := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests; comeAgain && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", retryAfterSeconds(failure))
	}
	w.Header().Set("Cache-Control", "no-store")
	body := sqlq.AppendValue([]byte(`{"error":`), sqlq.String, failure.PublicText(failure.Param))
	body = append(body, `,"code":"`+string(failure.Code)+`"}`...)
	writeJSON(w, status, body)
}

// WriteMethodNotAllowed answers 405 and says which methods are allowed.
func (e *ErrorWriter) WriteMethodNotAllowed(w http.ResponseWriter, r *http.Request, allowed ...string) {
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	e.Write(w, r, sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not take the method %s; use one of %s", r.Method, list))
}

// levelOf is the log level of a failure: to turn callers away is none of the server.
func levelOf(failure *sqlq.Error) slog.Level {
	if failure.RetryAfter > 0 {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// retryAfterSeconds is when a caller may try again, in the whole seconds that HTTP
// has for it.
func retryAfterSeconds(failure *sqlq.Error) string {
	wait := failure.RetryAfter
	if wait == 0 {
		wait = retryAfter
	}
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}

// statusOf is the one place that maps codes to statuses (D15).
func statusOf(code sqlq.Code) int {
	switch code {
	case sqlq.InvalidArgument:
		return http.StatusBadRequest
	case sqlq.Unauthenticated:
		return http.StatusUnauthorized
	case sqlq.PermissionDenied:
		return http.StatusForbidden
	case sqlq.NotFound:
		return http.StatusNotFound
	case sqlq.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case sqlq.ResourceExhausted:
		return http.StatusTooManyRequests
	case sqlq.Cancelled:
		return statusClientClosedRequest
	case sqlq.Unavailable:
		return http.StatusServiceUnavailable
	case sqlq.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case sqlq.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}
