package graphqlhttp

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httpstatus"
	"savedq/internal/http/onewrite"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// httpResponse is the response to a request, before it is written.
type httpResponse struct {
	status int
	head   *cache.Encoded
	// failed reports whether there are errors.
	failed bool
	// responses are the responses to the body's fields that ran a saved query.
	responses []*runner.Response
	// personal reports whether the body is for this caller only.
	personal bool
	// subscription is the request if it is rejected because its response would have no end.
	subscription *graphqlRequest
	// retryAfter is set if the whole request was rejected.
	retryAfter time.Duration
}

// errorResponse returns a response without data.
func errorResponse(status int, result *graphql.Response) httpResponse {
	head, _ := newHead(result, nil)
	return httpResponse{status: status, head: head, failed: true}
}

// cacheable reports whether the body may be cached for other callers. It may not if it has
// errors, is for one caller only, or has rows that are stale or not cached. A body
// without rows is too cheap to be worth an entry.
func (r httpResponse) cacheable() bool {
	if r.failed || r.personal || len(r.responses) == 0 {
		return false
	}
	for _, response := range r.responses {
		if response.Cache == runner.Off || response.Cache == runner.Stale {
			return false
		}
	}
	return true
}

// write sends a response in a media type. Freshness headers are sent for GET and HEAD only,
// because HTTP caches may store their responses.
func write(w http.ResponseWriter, r *http.Request, mediaType string, response httpResponse) {
	header := w.Header()
	header.Set("Content-Type", mediaType+"; charset=utf-8")
	httpcache.AddVary(header, "Accept, Accept-Encoding, "+httpcache.Credentials)
	httpstatus.SetRetryAfter(header, response.retryAfter)
	switch {
	case response.failed:
		header.Set("Cache-Control", "no-store")
	case r.Method != http.MethodPost && len(response.responses) == 0:
		header.Set("Cache-Control", "private, no-cache") // the response depends on what the token may see
	case r.Method != http.MethodPost:
		httpcache.SetFreshness(header, response.responses...)
		etag := response.etag()
		header.Set("ETag", etag)
		if httpcache.NotModified(r, etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body, coding := response.body(r.Header["Accept-Encoding"])
	if coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(response.status)
	onewrite.Write(w, r, body)
}

// ErrorWriter returns a function that writes GraphQL errors for requests that are rejected before they
// reach the handler: {"errors":[{"message":"…","extensions":{"code":"…"}}]}. It writes the error's message
// and code, with the status of the code (D15), in the media type that the client prefers. 429 and 503 have a
// Retry-After header of 5 seconds unless the error sets another. The logger receives the causes of server errors.
func ErrorWriter(logger *slog.Logger) func(w http.ResponseWriter, r *http.Request, err error) {
	presenter := presenter{logger: logger}
	return func(w http.ResponseWriter, r *http.Request, err error) {
		mediaType, _ := responseMediaType(r.Header["Accept"])
		failure := sqlq.AsError(err)
		presented := presenter.presentFailure(r.Context(), err, gqlerror.Wrap(err))
		response := errorResponse(httpstatus.Of(failure.Code), &graphql.Response{Errors: gqlerror.List{presented}})
		response.retryAfter = httpstatus.RetryAfter(failure)
		write(w, r, mediaType, response)
	}
}
