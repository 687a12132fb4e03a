package ingesthttp

import (
	"net/http"
	"strings"
	"time"

	"savedq/internal/http/httperror"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

const (
	// elasticsearchPrefix begins the paths for clients that also send other requests than bulk requests.
	elasticsearchPrefix = "/elasticsearch"
	bulkPath            = "/_bulk"
	// refreshPath ends the paths with which clients wait until they can read what they sent.
	refreshPath = "/_refresh"
	// catHealthPath is also served without the prefix, for rsyslog.
	catHealthPath = "/_cat/health"
	// elasticsearchVersion is the version whose bulk API is served. Clients compare it with their own.
	elasticsearchVersion = "8.19.0"
)

// elasticsearchHandler serves the bulk API of Elasticsearch, and what its clients read before they send.
type elasticsearchHandler struct{ *receiver }

// ServeHTTP receives the events of one request, or answers what clients read.
func (h *elasticsearchHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, elasticsearchPrefix)
	if index, isBulk := strings.CutSuffix(path, bulkPath); isBulk {
		h.bulk(w, r, strings.TrimPrefix(index, "/"))
		return
	}
	body, found := elasticsearchAnswers()[strings.TrimPrefix(path, "/")]
	if strings.HasSuffix(path, refreshPath) && (r.Method == http.MethodPost || r.Method == http.MethodGet) { // events can be read within a second anyway
		setProduct(w)
		writeBody(w, http.StatusOK, mediaJSON, []byte(`{"_shards":{"total":1,"successful":1,"failed":0}}`))
		return
	}
	switch {
	case !found:
		h.writeError(w, r, sqlq.Errorf(sqlq.NotFound,
			"of Elasticsearch's API, only %[1]s and <index>%[1]s are served, which receive logs; turn the setup of templates, index lifecycles and pipelines off", bulkPath))
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.writeError(w, r, sqlq.Errorf(sqlq.MethodNotAllowed, "this path does not support the method %s; use GET", r.Method))
	default:
		setProduct(w)
		writeBody(w, http.StatusOK, mediaJSON, httperror.Encode(body))
	}
}

// elasticsearchAnswers returns the responses to what clients read before they send: the version, the license and
// whether the server is healthy.
func elasticsearchAnswers() map[string]any {
	type object = map[string]any
	license := object{"type": "basic", "mode": "basic", "status": "active"}
	health := object{"cluster_name": "savedq", "status": "green", "number_of_nodes": 1}
	return map[string]any{
		"": object{
			"name": "savedq", "cluster_name": "savedq", "tagline": "You Know, for Search",
			"version": object{"number": elasticsearchVersion, "build_flavor": "default"},
		},
		"_license":        object{"license": license},
		"_xpack":          object{"license": license, "features": object{}},
		"_cluster/health": health,
		"_cat/health":     []any{health},
	}
}

// setProduct sets the header without which clients of Elasticsearch refuse a response.
func setProduct(w http.ResponseWriter) { w.Header().Set("X-Elastic-Product", "Elasticsearch") }

// bulk receives the events of one request.
func (h *elasticsearchHandler) bulk(w http.ResponseWriter, r *http.Request, index string) {
	began := h.Clock()
	params, err := h.params(r, true)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	params.index = index
	outcome, err := h.receive(w, r, logbody.Bulk, params)
	if err == nil && outcome.strict && outcome.refused {
		err = sqlq.Errorf(sqlq.InvalidArgument, "%s", outcome.reason())
	}
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	setProduct(w)
	writeBody(w, http.StatusOK, mediaJSON, httperror.Encode(bulkResponse{
		Took: h.Clock().Sub(began) / time.Millisecond, Errors: len(outcome.rejected) > 0, Items: bulkItems(outcome.items),
	}))
}

// bulkResponse is the response to a bulk request.
type bulkResponse struct {
	// Took is how long it took, in milliseconds.
	Took   time.Duration         `json:"took"`
	Errors bool                  `json:"errors"`
	Items  []map[string]bulkItem `json:"items"`
}

// bulkItem is what became of an action.
type bulkItem struct {
	Index  string             `json:"_index"`
	ID     string             `json:"_id,omitempty"`
	Result string             `json:"result,omitempty"`
	Status int                `json:"status"`
	Error  *elasticsearchBase `json:"error,omitempty"`
}

// elasticsearchBase is the type and the reason of an error.
type elasticsearchBase struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// bulkItems returns what became of each action. An event that the source has already counts as created: the store is the
// same as if it had been sent once.
func bulkItems(items []logbody.BulkItem) []map[string]bulkItem {
	responses := make([]map[string]bulkItem, 0, len(items))
	for _, item := range items {
		response := bulkItem{Index: item.Index, ID: item.ID, Result: "created", Status: http.StatusCreated}
		if item.Fault != "" {
			status := faultStatus(item.Fault)
			response.Result, response.Status = "", status
			response.Error = &elasticsearchBase{elasticsearchType(status), item.Reason}
			if item.Fault == logbody.InvalidDocument {
				response.Error.Type = "document_parsing_exception"
			}
		}
		responses = append(responses, map[string]bulkItem{item.Action: response})
	}
	return responses
}

// faultStatus returns the status of an action whose document is rejected. Clients do not repeat any of them.
func faultStatus(fault logbody.BulkFault) int {
	switch fault {
	case logbody.UnknownIndex:
		return http.StatusNotFound
	case logbody.DeniedIndex:
		return http.StatusForbidden
	case logbody.UnsupportedAction, logbody.InvalidDocument:
	}
	return http.StatusBadRequest
}

// elasticsearchType returns the type of an error of a status.
func elasticsearchType(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "security_exception"
	case http.StatusNotFound:
		return "index_not_found_exception"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "es_rejected_execution_exception"
	}
	if status >= http.StatusInternalServerError {
		return "internal_server_error"
	}
	return "illegal_argument_exception"
}

// writeError writes an error as Elasticsearch does.
func (h *elasticsearchHandler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	setProduct(w)
	h.writeFailure(w, r, err, mediaJSON, func(status int, message string) []byte {
		base := elasticsearchBase{elasticsearchType(status), message}
		return httperror.Encode(struct {
			Error struct {
				elasticsearchBase

				RootCause []elasticsearchBase `json:"root_cause"`
			} `json:"error"`
			Status int `json:"status"`
		}{Error: struct {
			elasticsearchBase

			RootCause []elasticsearchBase `json:"root_cause"`
		}{base, []elasticsearchBase{base}}, Status: status})
	})
}
