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

// response is what a request is answered with.
type response struct {
	status int
	body   *responseBody
	// responses are those to the fields of the body that ran a saved query.
	responses []*runner.Response
	// personal reports whether the body is for its caller alone.
	personal bool
	// retryAfter is set where the whole request was turned away.
	retryAfter time.Duration
}

// failed is a response that has nothing but errors.
func failed(status int, given *graphql.Response) response {
	body, _ := newResponseBody(given, nil)
	return response{status: status, body: body}
}

// mayBeKept reports whether the body may be kept for other callers. One with errors may
// not, nor one for its caller alone, nor one in which the rows of a field are not kept or
// should be newer. One without rows costs too little to be worth it.
func (r response) mayBeKept() bool {
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

// write sends a response in a media type. The headers about freshness are for GET and
// HEAD, whose responses HTTP caches may store.
func write(w http.ResponseWriter, r *http.Request, mediaType string, made response) {
	header := w.Header()
	header.Set("Content-Type", mediaType+"; charset=utf-8")
	httpcache.AddVary(header, "Accept, Accept-Encoding, "+httpcache.Credentials)
	httpstatus.SetRetryAfter(header, made.retryAfter)
	switch {
	case made.body.failed:
		header.Set("Cache-Control", "no-store")
	case r.Method != http.MethodPost && len(made.responses) == 0:
		header.Set("Cache-Control", "private, no-cache") // it tells what the token may know of
	case r.Method != http.MethodPost:
		httpcache.SetFreshness(header, made.responses...)
		header.Set("ETag", made.body.etag())
		if httpcache.NotModified(r, made.body.etag()) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head, tail := made.body.head, made.body.tail(made.responses)
	coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(head)+len(tail))
	if coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
	}
	body := made.body.encode(coding, tail)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(made.status)
	onewrite.Write(w, r, body)
}
