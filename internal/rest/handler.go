// Package rest serves saved queries by id and by name, on the REST paths of the
// original service (specification part 4, D8 to D16).
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"savedq/internal/format"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/onewrite"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Runner runs saved queries; [*runner.Runner] is one.
type Runner interface {
	Run(ctx context.Context, request runner.Request) (*runner.Response, error)
}

var _ Runner = (*runner.Runner)(nil)

// Path is the prefix of the paths of all saved queries.
const Path = "/api/endpoints/"

// TruncatedHeader is "true" on a response that was cut to max rows (D24).
const TruncatedHeader = "X-Truncated"

// NewHandler returns a handler that serves GET and HEAD on
//
//	/api/endpoints/query/<endpoint_id>
//	/api/endpoints/query/<endpoint_name>
//	/api/endpoints/<endpoint_name>
//
// with {"result":[…]} (D12) or another format that the caller prefers, and everything else
// with an error (D15).
func NewHandler(runner Runner, logger *slog.Logger) http.Handler {
	return &handler{runner: runner, errors: httperror.NewWriter(logger)}
}

type handler struct {
	runner Runner
	errors *httperror.Writer
}

// ServeHTTP serves one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	endpoint, found := endpointOf(r.URL.Path)
	if !found {
		h.errors.Write(w, r, sqlq.Errorf(sqlq.NotFound,
			"nothing is served at this path; saved queries are at /api/endpoints/<name> and /api/endpoints/query/<id>"))
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
		return
	}
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		h.errors.Write(w, r, sqlq.Errorf(sqlq.InvalidArgument,
			"the query string cannot be read: %s; percent-encode each value", strings.TrimPrefix(err.Error(), "invalid URL escape ")))
		return
	}
	response, err := h.runner.Run(r.Context(), runner.Request{
		Endpoint: endpoint, Params: params, NoCache: httpcache.NoCache(r),
	})
	if err != nil {
		h.errors.Write(w, r, err)
		return
	}
	writeResponse(w, r, response)
}

// endpointOf returns the endpoint name or id in a path.
func endpointOf(path string) (endpoint string, found bool) {
	endpoint, found = strings.CutPrefix(path, Path)
	endpoint = strings.TrimPrefix(endpoint, "query/")
	return endpoint, found && endpoint != "" && !strings.Contains(endpoint, "/")
}

// writeResponse sends the rows, or 304 if the client already has them. Requests that
// share a cache entry share its encoded body.
func writeResponse(w http.ResponseWriter, r *http.Request, response *runner.Response) {
	output := format.Negotiate(r.Header["Accept"])
	encoded := identityBody(response, output)
	if coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(encoded.bytes)); coding != contentcoding.Identity {
		encoded = codedBody(response, output, coding)
	}
	header := w.Header()
	if response.Result.Truncated {
		header.Set(TruncatedHeader, "true")
	}
	httpcache.SetFreshness(header, response)
	if httpcache.NotModified(r, encoded.etag[0]) {
		encoded.setValidator(header)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	encoded.setHeader(header)
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, encoded.bytes)
}
