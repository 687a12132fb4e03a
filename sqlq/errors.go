package sqlq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Code is the kind of failure of an [Error]. The values are those that
// callers see (D15, D20).
type Code string

// The codes of D15. Each transport maps them to its own status in one switch.
const (
	InvalidArgument   Code = "INVALID_ARGUMENT"
	Unauthenticated   Code = "UNAUTHENTICATED"
	PermissionDenied  Code = "PERMISSION_DENIED"
	NotFound          Code = "NOT_FOUND"
	MethodNotAllowed  Code = "METHOD_NOT_ALLOWED"
	ResourceExhausted Code = "RESOURCE_EXHAUSTED"
	Cancelled         Code = "CANCELLED"
	Internal          Code = "INTERNAL"
	Unavailable       Code = "UNAVAILABLE"
	DeadlineExceeded  Code = "DEADLINE_EXCEEDED"
)

// Codes returns every code, in the order of D15.
func Codes() []Code {
	return []Code{
		InvalidArgument, Unauthenticated, PermissionDenied, NotFound, MethodNotAllowed,
		ResourceExhausted, Cancelled, Internal, Unavailable, DeadlineExceeded,
	}
}

// IsServerFault reports whether the server is at fault. The log then needs more details
// than the caller receives.
func (c Code) IsServerFault() bool {
	return c == Internal || c == Unavailable || c == DeadlineExceeded
}

// Error is a failure with a message that a caller may read. Its cause is only for
// the log: no SQL, driver text or file path reaches a caller (D15).
type Error struct {
	Code Code
	// Param is the parameter at fault, as the saved query spells it; empty when
	// no single parameter is.
	Param string
	// Message says what is wrong and what is allowed. It does not repeat Param,
	// because each interface spells parameter names its own way.
	Message string
	// Place is the place of a mistake in SQL that the caller sent; the zero place is unknown.
	Place Place
	// RetryAfter is how long the caller of a rejected request should wait before retrying;
	// zero for other errors. Interfaces send it as the header Retry-After, in whole
	// seconds, rounded up.
	RetryAfter time.Duration
	cause      error
}

// Errorf returns an error that no single parameter causes.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Rejectf returns an error for a request that the server rejects without trying it, to
// protect itself or the engine. The caller should retry after retryAfter.
func Rejectf(code Code, retryAfter time.Duration, format string, args ...any) *Error {
	err := Errorf(code, format, args...)
	err.RetryAfter = retryAfter
	return err
}

// Rejected reports whether the request was rejected without being tried, which is not a failure.
func (e *Error) Rejected() bool { return e.RetryAfter > 0 }

// LogLevel returns the level at which the log has an error that is the server's fault.
func (e *Error) LogLevel() slog.Level {
	if e.Rejected() {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// ParamErrorf returns an INVALID_ARGUMENT error that names a parameter.
func ParamErrorf(param, format string, args ...any) *Error {
	return &Error{Code: InvalidArgument, Param: param, Message: fmt.Sprintf(format, args...)}
}

// WithCause returns a copy of e that wraps the cause, for the log.
func (e *Error) WithCause(cause error) *Error {
	withCause := *e
	withCause.cause = cause
	return &withCause
}

// Error returns the message with its cause. It is for logs, not for callers.
func (e *Error) Error() string {
	text := e.PublicText(e.Param)
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// PublicText returns the message for a caller who knows the parameter as paramName.
func (e *Error) PublicText(paramName string) string {
	if paramName == "" {
		return e.Message
	}
	return paramName + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// ContextError returns the reason why the context has ended, as an [Error]. A server
// that cancels requests itself cancels their context with an [*Error] as the cause. Without
// such a cause the caller left (CANCELLED).
func ContextError(ctx context.Context) *Error {
	return AsError(context.Cause(ctx))
}

// ErrorIn returns err, or the reason why the context has ended if err is CANCELLED.
func ErrorIn(ctx context.Context, err error) error {
	if reason := ContextError(ctx); err != nil && AsError(err).Code == Cancelled && reason != nil {
		return reason
	}
	return err
}

// AsError returns err as an [Error]. A context that ended becomes CANCELLED or
// DEADLINE_EXCEEDED; whatever else has no code becomes INTERNAL, with a message
// that reveals nothing and the original as its cause.
func AsError(err error) *Error {
	var coded *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &coded):
		return coded
	case errors.Is(err, context.Canceled):
		return Errorf(Cancelled, "the request was cancelled by its caller").WithCause(err)
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(DeadlineExceeded, "the query took longer than the server allows").WithCause(err)
	default:
		return Errorf(Internal, "internal server error; the server's log has the cause under this request's id").WithCause(err)
	}
}
