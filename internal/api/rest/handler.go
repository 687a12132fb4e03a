// Package rest serves saved queries by id and by name, on the REST paths of the
// original service (specification D8 to D16).
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"savedq/internal/api/describe"
	"savedq/internal/api/format"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/onewrite"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Runner runs saved queries; [*runner.Runner] is one.
type Runner interface {
	// Find returns the saved query that has a name, an id or an alias. The error is what the
	// caller gets if there is none that the caller may see.
	Find(ctx context.Context, endpoint string) (*sqlq.SavedQuery, error)
	Run(ctx context.Context, request runner.Request) (*runner.Response, error)
	// Queries returns the saved queries that the caller may see, by name.
	Queries(ctx context.Context) []*sqlq.SavedQuery
}

var _ Runner = (*runner.Runner)(nil)

// Path is the prefix of the paths of all saved queries.
const Path = "/api/endpoints/"

// LegacyPath is another prefix, under which old callers of the original service find saved
// queries by name and by id.
const LegacyPath = "/endpoints/query/"

// NextHeader has the cursor of a page that can have rows after it: the parameter after of the next request.
const NextHeader = "X-Next"

// RowsHeader and BytesHeader have the number of rows that the engine has computed for a response and
// how many bytes it has read, and how many of each it did not because rows of an earlier run
// were reused (D31). The latter is absent if the engine does not count bytes.
const (
	RowsHeader  = "X-Rows"
	BytesHeader = "X-Bytes"
)

// redactHeader, as net/http spells it, asks the original service to redact personal data (D37).
const redactHeader = "Lf-Endpoint-Redact-Pii"

// NewHandler returns a handler that serves GET, HEAD and POST on
//
//	/api/endpoints/query/<endpoint_id>
//	/api/endpoints/query/<endpoint_name>
//	/api/endpoints/<endpoint_name>
//
// and, for old callers of the original service, on
//
//	/api/endpoints/query/name/<endpoint_name>
//	/endpoints/query/<endpoint_id>
//	/endpoints/query/<endpoint_name>
//
// with {"result":[…]} (D12) or another format that the caller prefers, the list of saved
// queries on /api/endpoints, and everything else with an error (D15). Each path can end in a
// slash. The list shows parameters as bound limits them for the caller; nil limits none.
func NewHandler(runner Runner, bound func(ctx context.Context) describe.Bound, logger *slog.Logger) http.Handler {
	return &handler{runner: runner, bound: bound, errors: httperror.NewWriter(logger), logger: logger, codings: contentcoding.NewDecoder(maxBodyBytes)}
}

type handler struct {
	runner  Runner
	bound   func(ctx context.Context) describe.Bound
	errors  *httperror.Writer
	logger  *slog.Logger
	codings *contentcoding.Decoder
}

// ServeHTTP serves one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.serve(w, r)
	if rejected, ok := errors.AsType[*rejection](err); ok {
		h.errors.WriteStatus(w, r, rejected.status, rejected.error)
	} else if err != nil {
		h.errors.Write(w, r, err)
	}
}

// serve writes the response, unless it returns an error.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) error {
	endpoint, found := endpointOf(r.URL.Path)
	if !found {
		return h.servePathWithoutEndpoint(w, r)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
		h.errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead, http.MethodPost)
		return nil
	}
	if redact := r.Header.Get(redactHeader); redact != "" && redact != "false" {
		return sqlq.Errorf(sqlq.InvalidArgument, "the header LF-ENDPOINT-REDACT-PII is not supported: responses are not redacted; leave it out")
	}
	params, err := h.readParams(w, r)
	if err != nil {
		return err
	}
	query, err := h.runner.Find(r.Context(), endpoint)
	if err != nil {
		return err
	}
	output, err := outputOf(query, params, r.Header["Accept"])
	if err != nil {
		return err
	}
	request := runner.Request{Query: query, NoCache: httpcache.NoCache(r)}
	if query.Sandboxed {
		if request.SQL, err = params.takeSQL(query); err != nil {
			return err
		}
	}
	request.Params, request.Faults = params.values, params.faults
	if query.Stream {
		return h.serveStream(w, r, request, output)
	}
	response, err := h.runner.Run(r.Context(), request)
	if err != nil {
		return err
	}
	// HTTP caches must not store the response to a POST, or to a request with a body, because
	// their key would be the URL alone.
	return h.writeResponse(w, r, response, output, r.Method != http.MethodPost && !params.inBody)
}

// endpointOf returns the endpoint name or id in a path.
func endpointOf(path string) (endpoint string, found bool) {
	path = strings.TrimSuffix(path, "/")
	for _, prefix := range [...]string{LegacyPath, Path + "query/name/", Path + "query/", Path} {
		if endpoint, found = strings.CutPrefix(path, prefix); found {
			break
		}
	}
	return endpoint, found && endpoint != "" && !strings.Contains(endpoint, "/")
}

// servePathWithoutEndpoint serves the list of saved queries, or an error that shows the paths.
func (h *handler) servePathWithoutEndpoint(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path == Path || r.URL.Path+"/" == Path {
		h.errors.ForGet(h.serveList).ServeHTTP(w, r)
		return nil
	}
	return sqlq.Errorf(sqlq.NotFound,
		"nothing is served at this path; paths of saved queries end in /api/endpoints/<name> or /api/endpoints/query/<id>, and the path that receives events ends in /api/logs")
}

// writeResponse sends the rows, or 304 if the client already has them. If HTTP caches must not
// store the response, there is no entity tag either. Requests that share a cache entry share its
// encoded body.
func (h *handler) writeResponse(w http.ResponseWriter, r *http.Request, response *runner.Response, output format.Format, cacheable bool) error {
	body, err := encodeFor(r, response, output)
	if err != nil {
		return err
	}
	header := w.Header()
	if response.Result.Truncated {
		header.Set(format.TruncatedHeader, "true")
	}
	setNext(header, r, response.Result.Next, cacheable)
	httpcache.SetFreshness(header, response)
	if cacheable {
		setValidator(header, body)
		if httpcache.NotModified(r, body.Texts[etagHeader][0]) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	} else {
		header.Del("Expires")
		header.Set("Cache-Control", "no-store")
	}
	for name, values := range body.Texts {
		if name != etagHeader {
			header[name] = values
		}
	}
	w.WriteHeader(http.StatusOK)
	onewrite.Write(w, r, body.Body)
	return nil
}

// setNext says how to get the next page: its cursor, and its URL for a request that is nothing but one.
func setNext(header http.Header, r *http.Request, cursor string, isURL bool) {
	if cursor == "" {
		return
	}
	header.Set(NextHeader, cursor)
	if !isURL {
		return
	}
	query := r.URL.Query()
	query.Set(sqlq.AfterParam, cursor)
	header.Set("Link", "<?"+query.Encode()+`>; rel="next"`)
}

// encodeFor returns the rows in a format and the content coding that the caller prefers.
func encodeFor(r *http.Request, response *runner.Response, output format.Format) (*cache.Encoded, error) {
	body, err := identityBody(response, output)
	if err != nil || output.Compressed {
		return body, err
	}
	if coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(body.Body)); coding != contentcoding.Identity {
		return codedBody(response, output, coding)
	}
	return body, nil
}
