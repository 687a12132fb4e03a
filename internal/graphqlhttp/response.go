package graphqlhttp

import (
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httpstatus"
	"savedq/internal/http/onewrite"
	"savedq/sqlq/runner"
)

// httpResponse is the response to a request, before it is written.
type httpResponse struct {
	status int
	body   *responseBody
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
	body, _ := newResponseBody(result, nil)
	return httpResponse{status: status, body: body}
}

// cacheable reports whether the body may be cached for other callers. It may not if it has
// errors, is for one caller only, or has rows that are stale or not cached. A body
// without rows is too cheap to be worth an entry.
func (r httpResponse) cacheable() bool {
	if r.body.failed || r.personal || len(r.responses) == 0 {
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
	case response.body.failed:
		header.Set("Cache-Control", "no-store")
	case r.Method != http.MethodPost && len(response.responses) == 0:
		header.Set("Cache-Control", "private, no-cache") // the response depends on what the token may see
	case r.Method != http.MethodPost:
		httpcache.SetFreshness(header, response.responses...)
		header.Set("ETag", response.body.etag())
		if httpcache.NotModified(r, response.body.etag()) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head, tail := response.body.head, response.body.tail(response.responses)
	coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(head)+len(tail))
	if coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
	}
	body := response.body.encode(coding, tail)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(response.status)
	onewrite.Write(w, r, body)
}
