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

	"savedq/sqlq"
)

// Runner runs saved queries; [*sqlq.Runner] is one.
type Runner interface {
	Run(ctx context.Context, nameOrID string, raw map[string][]string) (*sqlq.Answer, error)
}

var _ Runner = (*sqlq.Runner)(nil)

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
	h := &handler{runner: runner, errors: NewErrorWriter(logger)}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/endpoints/query/{endpoint}", h.serveEndpoint)
	mux.HandleFunc("/api/endpoints/{endpoint}", h.serveEndpoint)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.errors.Write(w, r, sqlq.Errorf(sqlq.NotFound,
			"nothing is served at this path; saved queries are at /api/endpoints/<name> and /api/endpoints/query/<id>"))
	})
	return mux
}

type handler struct {
	runner Runner
	errors *ErrorWriter
}

func (h *handler) serveEndpoint(w http.ResponseWriter, r *http.Request) {
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
	answer, err := h.runner.Run(r.Context(), r.PathValue("endpoint"), params)
	if err != nil {
		h.errors.Write(w, r, err)
		return
	}
	if answer.Result.Truncated {
		w.Header().Set(TruncatedHeader, "true")
	}
	body := append(answer.Result.AppendJSON([]byte(`{"result":`)), '}')
	writeJSON(w, http.StatusOK, body)
}

// writeJSON sends a body. That the caller has gone is no failure of ours.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // It is JSON, and says so.
}
