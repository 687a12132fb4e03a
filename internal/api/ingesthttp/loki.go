package ingesthttp

import (
	"fmt"
	"net/http"

	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

// lokiPush is the path of Loki's push API.
const lokiPush = "/loki/api/v1/push"

// lokiHandler serves the push API of Loki. Its errors are text.
type lokiHandler struct{ *receiver }

// ServeHTTP receives the events of one request.
func (h *lokiHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != lokiPush {
		h.writeError(w, r, sqlq.Errorf(sqlq.NotFound,
			"of Loki's API, only %s is served, which receives logs; they are read with saved queries, and not with LogQL", lokiPush))
		return
	}
	if err := h.push(w, r); err != nil {
		h.writeError(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}

// push stores the events of a request. As Loki does, it returns an error about those that are rejected, although others
// are stored.
func (h *lokiHandler) push(w http.ResponseWriter, r *http.Request) error {
	params, err := h.params(r, true)
	if err != nil {
		return err
	}
	format, err := lokiFormat(r)
	if err != nil {
		return err
	}
	outcome, err := h.receive(w, r, format, params)
	switch {
	case err != nil:
		return err
	case outcome.refused:
		return sqlq.Errorf(sqlq.InvalidArgument, "%s", outcome.reason())
	case len(outcome.rejected) > 0:
		return sqlq.Errorf(sqlq.InvalidArgument, "%s", outcome.partly())
	}
	return nil
}

// partly says how many events are stored and how many are rejected.
func (o *outcome) partly() string {
	first := o.rejected[0]
	return fmt.Sprintf("%s rejected, and all others are stored; at position %d: %s", areEvents(len(o.rejected)), first.Position, first.Reason)
}

// lokiFormat returns the format of a request. As in Loki, it is Protobuf if the request names none.
func lokiFormat(r *http.Request) (logbody.Format, error) {
	switch media := mediaOf(r); {
	case media == mediaJSON:
		return logbody.LokiJSON, nil
	case media == mediaProtobuf, r.Header.Get("Content-Type") == "":
		return logbody.LokiProtobuf, nil
	}
	return 0, &statusError{http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
		"the Content-Type is not one of Loki; use %s, compressed with snappy, or %s", mediaProtobuf, mediaJSON)}
}

// writeError writes an error as text.
func (h *lokiHandler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	h.writePlainFailure(w, r, err)
}
