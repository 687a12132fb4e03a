package graphqlhttp

import (
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
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
// message and code, in the media type that the caller likes best. 429 and 503 say
// Retry-After, 5 seconds unless the error says otherwise. The cause is logged where the
// server is to blame.
func (e *ErrorWriter) Write(w http.ResponseWriter, r *http.Request, err error) {
	mediaType, _ := responseMediaType(r.Header["Accept"])
	failure := sqlq.AsError(err)
	presented := e.presenter.presentFailure(r.Context(), err, gqlerror.Wrap(err))
	made := failed(httpstatus.Of(failure.Code), &graphql.Response{Errors: gqlerror.List{presented}})
	made.retryAfter = httpstatus.RetryAfter(failure)
	write(w, r, mediaType, made)
}
