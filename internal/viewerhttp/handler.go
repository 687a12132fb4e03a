// Package viewerhttp serves what the token of a request allows.
package viewerhttp

import (
	"context"
	"net/http"
	"time"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
)

// Path is the path of the handler.
const Path = "/api/viewer"

// Viewer is what the token of a request allows.
type Viewer struct {
	// Token is the name of the token in logs.
	Token string `json:"token"`
	// Subject is the subject of a signed token; empty for others.
	Subject string `json:"subject,omitempty"`
	// Expires is nil for a token that never ends.
	Expires *time.Time `json:"expires"`
	// Endpoints are the names of the saved queries that the token may run.
	Endpoints []string `json:"endpoints"`
	// BoundParameters are the only values of parameters.
	BoundParameters map[string][]string `json:"boundParameters"`
	Limits          Limits              `json:"limits"`
	// Budget has each part of the budget with what was spent of it.
	Budget []Budget `json:"budget"`
}

// Limits are further limits; nil means none.
type Limits struct {
	// Rate is requests per second, and Burst requests at once.
	Rate  *float64 `json:"rate"`
	Burst *int     `json:"burst"`
	// ProjectTier is the highest tier.
	ProjectTier *string `json:"projectTier"`
	Refresh     bool    `json:"refresh"`
	// Sandbox reports whether SQL may be sent to saved queries with a sandbox.
	Sandbox bool `json:"sandbox"`
	// Explore reports whether any SELECT over the tables may be run.
	Explore bool `json:"explore"`
	Tail    bool `json:"tail"`
	// Usage reports whether what all tokens used may be read.
	Usage bool `json:"usage"`
}

// Budget is the budget of a period. Zero amounts of Allowed mean no limit.
type Budget struct {
	Period   string    `json:"period"`
	Allowed  Amounts   `json:"allowed"`
	Spent    Amounts   `json:"spent"`
	ResetsAt time.Time `json:"resetsAt"`
}

// Amounts are what runs of the engine cost.
type Amounts struct {
	Requests      int64   `json:"requests"`
	Rows          int64   `json:"rows"`
	Bytes         int64   `json:"bytes"`
	EngineSeconds float64 `json:"engineSeconds"`
}

// NewHandler returns a handler that serves the viewer of a request as JSON.
func NewHandler(viewer func(ctx context.Context) Viewer, errors *httperror.Writer) http.Handler {
	return httpjson.NewGetter(func(ctx context.Context) any {
		return struct {
			Result Viewer `json:"result"`
		}{viewer(ctx)}
	}, errors)
}
