// Package httpstatus maps errors to HTTP statuses and headers for all interfaces (D15).
package httpstatus

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"savedq/sqlq"
)

// ClientClosedRequest means that the client closed the connection before the response.
// The code is not standard, but nginx introduced it and log tools know it.
const ClientClosedRequest = 499

// defaultRetryAfter is the wait of errors that do not set one.
const defaultRetryAfter = 5 * time.Second

// ErrSlowBody is the error of a request body that arrives too slowly.
var ErrSlowBody = sqlq.Errorf(sqlq.InvalidArgument,
	"the request body did not arrive in time; send smaller bodies, or over a faster connection")

// OfError returns the HTTP status of an error.
func OfError(err error) int {
	if errors.Is(err, ErrSlowBody) {
		return http.StatusRequestTimeout
	}
	return Of(sqlq.AsError(err).Code)
}

// Of returns the HTTP status of an error code.
func Of(code sqlq.Code) int {
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
		return ClientClosedRequest
	case sqlq.Unavailable:
		return http.StatusServiceUnavailable
	case sqlq.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case sqlq.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// RetryAfter returns how long the caller should wait before retrying after a failure. It
// returns zero for failures that a retry does not solve.
func RetryAfter(failure *sqlq.Error) time.Duration {
	switch {
	case failure.Code != sqlq.ResourceExhausted && failure.Code != sqlq.Unavailable:
		return 0
	case failure.RetryAfter > 0:
		return failure.RetryAfter
	default:
		return defaultRetryAfter
	}
}

// SetRetryAfter sets the Retry-After header unless the wait is zero.
func SetRetryAfter(header http.Header, wait time.Duration) {
	if wait > 0 {
		header.Set("Retry-After", strconv.FormatInt(WholeSeconds(wait), 10))
	}
}

// RetryAfterOf returns how long the Retry-After header of a response asks to wait, in seconds or
// until a date. It returns zero if the response does not ask for it.
func RetryAfterOf(header http.Header, now time.Time) time.Duration {
	asked := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(asked, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(asked); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// WholeSeconds returns a wait in seconds. It rounds up, so that callers do not retry early.
func WholeSeconds(wait time.Duration) int64 { return int64((wait + time.Second - 1) / time.Second) }
