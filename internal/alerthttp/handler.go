// Package alerthttp serves the states of alerts.
package alerthttp

import (
	"context"
	"encoding/json"
	"net/http"

	"savedq/internal/alert"
	"savedq/internal/http/httperror"
)

// Path is the path of the handler.
const Path = "/api/alerts"

// Body is the body of a response.
type Body struct {
	Alerts []alert.Listed `json:"alerts"`
}

// NewHandler returns a handler that serves the alerts that the token of a request may see, as JSON.
func NewHandler(list func(ctx context.Context) []alert.Listed, errors *httperror.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
			return
		}
		body, err := json.Marshal(Body{Alerts: list(r.Context())})
		if err != nil {
			errors.Write(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store") // it is for this token and this moment
		_, _ = w.Write(body)                        // an error means that the client has gone
	})
}
