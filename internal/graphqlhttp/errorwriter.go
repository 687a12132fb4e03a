package graphqlhttp

import (
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// ErrorWriter writes GraphQL errors for requests that are rejected before they reach the
// handler: {"errors":[{"message":"…","extensions":{"code":"…"}}]}.
type ErrorWriter struct {
	presenter presenter
}

// NewErrorWriter returns an error writer that logs the details that callers must not see.
func NewErrorWriter(logger *slog.Logger) *ErrorWriter {
	return &ErrorWriter{presenter: presenter{logger: logger}}
}

// Write writes the error's message and code, with the status of the code (D15), in the
// media type that the client prefers. 429 and 503 have a Retry-After header of 5 seconds
// unless the error sets another. Causes of server errors are logged.
func (e *ErrorWriter) Write(w http.ResponseWriter, r *http.Request, err error) {
	mediaType, _ := responseMediaType(r.Header["Accept"])
	failure := sqlq.AsError(err)
	presented := e.presenter.presentFailure(r.Context(), err, gqlerror.Wrap(err))
	response := errorResponse(httpstatus.Of(failure.Code), &graphql.Response{Errors: gqlerror.List{presented}})
	response.retryAfter = httpstatus.RetryAfter(failure)
	write(w, r, mediaType, response)
}
