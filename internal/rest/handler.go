// Package rest serves saved queries on the REST paths of the original service,
// by id and by name (specification part 4, D8 to D16).
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/onewrite"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Runner runs saved queries; [*runner.Runner] is one.
type Runner interface {
	Run(ctx context.Context, request runner.Request) (*runner.Response, error)
}

var _ Runner = (*runner.Runner)(nil)

// Path is what the paths of all saved queries begin with.
const Path = "/api/endpoints/"

// TruncatedHeader is "true" on an answer that was cut to max rows (D24).
const TruncatedHeader = "X-Truncated"

// NewHandler serves GET and HEAD on
//
//	/api/endpoints/query/<endpoint_id>
//	/api/endpoints/query/<endpoint_name>
//	/api/endpoints/<endpoint_name>
//
// with {"result":[…]} (D12), and everything else with an error (D15).
func NewHandler(runner Runner, logger *slog.Logger) http.Handler {
	return &handler{runner: runner, errors: NewErrorWriter(logger)}
}

type handler struct {
	runner Runner
	errors *ErrorWriter
}

// ServeHTTP answers one request.
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

// endpointOf returns the name or the id that a path asks for.
func endpointOf(path string) (endpoint string, found bool) {
	endpoint, found = strings.CutPrefix(path, Path)
	if below, isQuery := strings.CutPrefix(endpoint, "query/"); isQuery {
		endpoint = below
	}
	return endpoint, found && endpoint != "" && !strings.Contains(endpoint, "/")
}

// writeResponse sends the rows, encoded once for all callers who ask the same, or 304
// where the caller has them.
func writeResponse(w http.ResponseWriter, r *http.Request, response *runner.Response) {
	sent := identityBody(response)
	if coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(sent.bytes)); coding != contentcoding.Identity {
		sent = codedBody(response, coding)
	}
	header := w.Header()
	if response.Result.Truncated {
		header.Set(TruncatedHeader, "true")
	}
	httpcache.SetFreshness(header, response)
	if httpcache.NotModified(r, sent.etag[0]) {
		sent.setValidator(header)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	sent.setHeader(header)
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, sent.bytes)
}

// writeJSON sends a body. That the caller has gone is no failure of ours.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // It is JSON, and says so.
}
