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
	Token           string              `json:"token" doc:"Name of the token in logs."`
	Subject         string              `json:"subject,omitempty" doc:"Subject of a signed token."`
	Expires         *time.Time          `json:"expires" doc:"When the token expires. Null means never."`
	Endpoints       []string            `json:"endpoints" doc:"Names of the saved queries that the token may run, in alphabetical order."`
	BoundParameters map[string][]string `json:"boundParameters" doc:"Parameters of which the token may use certain values only, with these values."`
	Limits          Limits              `json:"limits"`
	Budget          []Budget            `json:"budget" doc:"Parts of the token's budget. Empty without a budget."`
}

// Limits are further limits; nil means none.
type Limits struct {
	Rate         *float64 `json:"rate" doc:"Requests per second. Null means any number."`
	Burst        *int     `json:"burst" doc:"Requests at once. Null means any number."`
	ProjectTier  *string  `json:"projectTier" doc:"Highest project tier that the token may use. Null means any."`
	Refresh      bool     `json:"refresh" doc:"Whether the token may bypass the cache with Cache-Control: no-cache."`
	Sandbox      bool     `json:"sandbox" doc:"Whether the token may send SQL of its own to saved queries with a sandbox."`
	Explore      bool     `json:"explore" doc:"Whether the token may run any SELECT over the tables."`
	Alerts       bool     `json:"alerts" doc:"Whether the token may silence and acknowledge the alerts that it sees."`
	Tail         bool     `json:"tail" doc:"Whether the token may follow logs on this server."`
	Usage        bool     `json:"usage" doc:"Whether the token may read what all tokens used."`
	ManageTokens bool     `json:"manageTokens" doc:"Whether the token may list, create and revoke tokens of this server."`
}

// Budget is the budget of a period. Zero amounts of Allowed mean no limit.
type Budget struct {
	Period   string    `json:"period" doc:"Of UTC." enum:"hour,day"`
	Allowed  Amounts   `json:"allowed" doc:"What may be spent. Amounts of 0 are not limited."`
	Spent    Amounts   `json:"spent" doc:"What was spent."`
	ResetsAt time.Time `json:"resetsAt" doc:"When the period ends."`
}

// Amounts are what runs of the engine cost.
type Amounts struct {
	Requests      int64   `json:"requests" doc:"Requests that started a run."`
	Rows          int64   `json:"rows" doc:"Rows that the runs returned."`
	Bytes         int64   `json:"bytes" doc:"Bytes that the engine bills for."`
	EngineSeconds float64 `json:"engineSeconds" doc:"How long the runs took."`
}

// NewHandler returns a handler that serves the viewer of a request as JSON.
func NewHandler(viewer func(ctx context.Context) Viewer, errors *httperror.Writer) http.Handler {
	return httpjson.NewGetter(func(ctx context.Context) any {
		return struct {
			Result Viewer `json:"result"`
		}{viewer(ctx)}
	}, errors)
}
