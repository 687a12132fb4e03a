package ingesthttp

import (
	"net/http"
	"strconv"

	"savedq/internal/http/httperror"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

// Paths of Datadog's API for logs.
const (
	datadogPath    = "/api/v2/logs"
	datadogOldPath = "/v1/input"
)

// datadogHandler serves Datadog's API for logs.
type datadogHandler struct{ *receiver }

// ServeHTTP receives the events of one request. The API has no form for events that are rejected while others are stored, so
// they are only kept as rejected.
func (h *datadogHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	params, err := h.params(r, true)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	query := r.URL.Query()
	for _, name := range []string{"ddsource", "ddtags", "hostname", "service"} {
		if text := query.Get(name); text != "" {
			params.members = append(params.members, [2]string{name, text})
		}
	}
	outcome, err := h.receive(w, r, logbody.Datadog, params)
	if err == nil && outcome.refused {
		err = sqlq.Errorf(sqlq.InvalidArgument, "%s", outcome.reason())
	}
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	status := http.StatusAccepted
	if r.URL.Path == datadogOldPath {
		status = http.StatusOK
	}
	writeBody(w, status, mediaJSON, []byte("{}"))
}

// datadogError is an error in a response of Datadog.
type datadogError struct {
	Status string `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// writeError writes an error as Datadog does.
func (h *datadogHandler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	h.writeFailure(w, r, err, mediaJSON, func(status int, message string) []byte {
		return httperror.Encode(struct {
			Errors []datadogError `json:"errors"`
		}{[]datadogError{{strconv.Itoa(status), http.StatusText(status), message}}})
	})
}
