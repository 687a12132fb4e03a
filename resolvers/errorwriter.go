package resolvers

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/sqlq"
)

const (
	// statusClientClosedRequest says that the caller left before the answer. It is
	// no standard code, but the one that logs and proxies know.
	statusClientClosedRequest = 499
	// usualRetryAfter is when a caller may try again where the error does not say.
	usualRetryAfter = 5 * time.Second
)

// ErrorWriter answers requests that are turned away before GraphQL is asked, in the
// form of GraphQL: {"errors":[{"message":"…","extensions":{"code":"…"}}]}.
type ErrorWriter struct {
	presenter presenter
}

// NewErrorWriter returns an error writer that logs what callers are not told.
func NewErrorWriter(logger *slog.Logger) *ErrorWriter {
	return &ErrorWriter{presenter: presenter{logger: logger}}
}

// Write answers with the status that D15 gives the error's code, and with its
// message and code, in the media type that the caller likes best. Headers that are
// set stay as they are: Retry-After is added to 429 and 503 where there is none, of 5
// seconds unless the error says otherwise. The cause is logged where the server is to blame.
func (e *ErrorWriter) Write(w http.ResponseWriter, r *http.Request, err error) {
	mediaType, _ := responseMediaType(r.Header["Accept"])
	failure := sqlq.AsError(err)
	status := statusOf(failure.Code)
	presented := e.presenter.presentFailure(r.Context(), err, gqlerror.Wrap(err))
	answer := failed(status, &graphql.Response{Errors: gqlerror.List{presented}})
	answer.retryAfter = retryAfter(failure)
	respond(w, r, mediaType, answer)
}

// retryAfter is how long a caller does well to wait after a failure before asking
// again; zero where that is not for the server to say.
func retryAfter(failure *sqlq.Error) time.Duration {
	switch {
	case failure.Code != sqlq.ResourceExhausted && failure.Code != sqlq.Unavailable:
		return 0
	case failure.RetryAfter > 0:
		return failure.RetryAfter
	default:
		return usualRetryAfter
	}
}

// statusOf is the one place that maps codes to statuses (D15). Errors of documents
// and fields have others: see [documentErrorStatus].
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
