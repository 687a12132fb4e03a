// Package alerthttp serves the states of alerts.
package alerthttp

import (
	"context"
	"net/http"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
	"savedq/internal/operations/alert"
)

// Path is the path of the handler.
const Path = "/api/alerts"

// Body is the body of a response.
type Body struct {
	Alerts []alert.Listed `json:"alerts"`
}

// NewHandler returns a handler that serves the alerts that the token of a request may see, as JSON.
func NewHandler(list func(ctx context.Context) []alert.Listed, errors *httperror.Writer) http.Handler {
	return httpjson.NewGetter(func(ctx context.Context) any { return Body{Alerts: list(ctx)} }, errors)
}
