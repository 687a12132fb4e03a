// Package httpstatus says what errors are over HTTP, whatever the interface (D15).
package httpstatus

import (
	"net/http"
	"strconv"
	"time"

	"savedq/sqlq"
)

// ClientClosedRequest says that the caller left before the answer. It is no standard
// code, but the one that logs and proxies know.
const ClientClosedRequest = 499

// usualRetryAfter is when a caller may try again where the error does not say.
const usualRetryAfter = 5 * time.Second

// Of is the one place that maps codes to statuses.
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

// RetryAfter is how long a caller does well to wait after a failure before asking
// again; zero where that is not for the server to say.
func RetryAfter(failure *sqlq.Error) time.Duration {
	switch {
	case failure.Code != sqlq.ResourceExhausted && failure.Code != sqlq.Unavailable:
		return 0
	case failure.RetryAfter > 0:
		return failure.RetryAfter
	default:
		return usualRetryAfter
	}
}

// SetRetryAfter tells a caller how long to wait, unless that is zero.
func SetRetryAfter(header http.Header, wait time.Duration) {
	if wait > 0 {
		header.Set("Retry-After", strconv.FormatInt(WholeSeconds(wait), 10))
	}
}

// WholeSeconds rounds up, so that who waits for as long is not too early.
func WholeSeconds(wait time.Duration) int64 { return int64((wait + time.Second - 1) / time.Second) }
