package tokenhttp

import (
	"encoding/json"
	"net/http"
	"time"

	"savedq/internal/auth"
	"savedq/internal/http/httpjson"
	"savedq/sqlq"
)

// List is what a token that manages tokens sees of a server.
type List struct {
	Tokens []Token `json:"tokens" doc:"The tokens of the server, by name. Signed tokens are not among them."`
	// Obstacle is the reason for which tokens cannot be created or revoked.
	Obstacle string  `json:"obstacle" doc:"Why tokens cannot be created and revoked on this server. Empty if they can be."`
	Scopes   []Scope `json:"scopes" doc:"What a token can be allowed besides saved queries."`
	// Choices are what limits can name.
	Choices Choices `json:"choices"`
}

// Token is a token of the server.
type Token struct {
	Name        string     `json:"name" doc:"Name of the token in logs."`
	State       string     `json:"state" enum:"valid,expired" doc:"Whether requests with the token are accepted."`
	Current     bool       `json:"current" doc:"Whether it is the token of the request."`
	Revocable   bool       `json:"revocable" doc:"Whether the tokens file has it. Tokens of environment variables cannot be revoked."`
	Created     *time.Time `json:"created" doc:"When the token was created. Null if it is unknown."`
	Expires     *time.Time `json:"expires" doc:"When the token expires. Null means never."`
	LastUsed    *time.Time `json:"lastUsed" doc:"Time of the latest request since the server started. Null for none."`
	LastDay     *string    `json:"lastDay" format:"date" doc:"Latest of the last 30 days, in UTC, on which the token ran a saved query. Null for none."`
	Scopes      []string   `json:"scopes" doc:"What the token may do besides running saved queries."`
	Endpoints   []string   `json:"endpoints" doc:"The only saved queries that the token may run, by names, ids or aliases. Null means all."`
	Projects    []string   `json:"projects" doc:"The only projects that the token may query. Null means all."`
	ProjectTier *string    `json:"projectTier" doc:"Highest project tier that the token may use. Null means any."`
	Sources     []string   `json:"sources" doc:"The only log sources whose events the token may send. Null means all."`
	Rate        *float64   `json:"rate" doc:"Requests per second. Null means any number."`
	Burst       *int       `json:"burst" doc:"Requests at once. Null means any number."`
	BudgetHour  Amounts    `json:"budgetHour" doc:"What may be spent in an hour of UTC. Amounts of 0 are not limited."`
	BudgetDay   Amounts    `json:"budgetDay" doc:"The same for a day of UTC."`
	Today       Today      `json:"today"`
}

// Amounts are what a budget allows. Amounts of 0 are not limited.
type Amounts struct {
	Requests      int64   `json:"requests" doc:"Requests that start a run of the engine."`
	Rows          int64   `json:"rows" doc:"Rows that the runs return."`
	Bytes         int64   `json:"bytes" doc:"Bytes that the engine bills for."`
	EngineSeconds float64 `json:"engineSeconds" doc:"How long the runs take."`
}

// Today is what a token used since the beginning of the day in UTC.
type Today struct {
	Requests      int64   `json:"requests" doc:"Requests for saved queries."`
	Runs          int64   `json:"runs" doc:"Runs of the engine."`
	Bytes         int64   `json:"bytes" doc:"Bytes that the engine bills for; 0 if it does not count."`
	EngineSeconds float64 `json:"engineSeconds" doc:"How long the engine ran."`
}

// Scope is what a token can be allowed.
type Scope struct {
	Name      string `json:"name" doc:"Name of the scope, a key of the tokens file."`
	Allows    string `json:"allows" doc:"What it allows."`
	Grantable bool   `json:"grantable" doc:"Whether the token of the request has it, and so may grant it."`
}

// Choices are what the limits of a token can name.
type Choices struct {
	Endpoints    []string `json:"endpoints" doc:"Names of the saved queries."`
	ProjectTiers []string `json:"projectTiers" doc:"Project tiers, lowest first."`
	Sources      []string `json:"sources" doc:"Log sources."`
}

// Created is a new token with its secret, which no later response has.
type Created struct {
	Name   string `json:"name" doc:"Name of the token."`
	Secret string `json:"secret" doc:"The token itself. No later response has it."`
}

// CreateRequest asks for a token. A limit that is absent or null is none.
type CreateRequest struct {
	Name        string         `json:"name" doc:"Name of the token in logs: letters, digits, dots, dashes and underscores."`
	Scopes      []string       `json:"scopes,omitempty" doc:"What the token may do besides running saved queries. The token of the request must have each scope."`
	Expires     *string        `json:"expires,omitempty" doc:"When the token expires: a date, at whose start in UTC it does, a time, or one relative to now, such as now+90d. Not after the token of the request. Absent means never."`
	Endpoints   []string       `json:"endpoints,omitempty" doc:"The only saved queries that the token may run. Absent means all."`
	Projects    []string       `json:"projects,omitempty" doc:"The only projects that the token may query. Absent means all."`
	ProjectTier *string        `json:"projectTier,omitempty" doc:"Highest project tier that the token may use. Absent means any."`
	Sources     []string       `json:"sources,omitempty" doc:"The only log sources whose events the token may send. Absent means all."`
	Rate        *float64       `json:"rate,omitempty" doc:"Requests per second. Absent means any number."`
	Burst       *int           `json:"burst,omitempty" doc:"Requests at once. Absent means the rate."`
	BudgetHour  map[string]any `json:"budgetHour,omitempty" doc:"What runs of the engine may cost in an hour of UTC: requests, rows, bytes and engine_seconds. Absent means any amount."`
	BudgetDay   map[string]any `json:"budgetDay,omitempty" doc:"The same for a day of UTC."`
}

const (
	// maxBodyBytes limits the body of a request.
	maxBodyBytes = 64 << 10
	// createExample shows the body of a request.
	createExample = `a JSON object such as {"name": "dashboard", "projects": ["acme"], "rate": 20, "budgetDay": {"bytes": "10GiB"}, "scopes": ["refresh"]}; only name is required`
)

func readCreate(r *http.Request) (CreateRequest, error) {
	var request CreateRequest
	err := httpjson.Read(r, &request, maxBodyBytes, createExample)
	return request, err
}

// Draft returns the draft of the token.
func (c *CreateRequest) Draft() (*auth.Draft, error) {
	draft := &auth.Draft{
		Name: c.Name, Expires: c.Expires, Endpoints: c.Endpoints, Projects: c.Projects, ProjectTier: c.ProjectTier,
		Rate: c.Rate, Burst: c.Burst, Scopes: c.Scopes, Sources: c.Sources,
	}
	var err error
	if draft.BudgetHour, err = amountsOf(auth.FieldBudgetHour, c.BudgetHour); err != nil {
		return nil, err
	}
	draft.BudgetDay, err = amountsOf(auth.FieldBudgetDay, c.BudgetDay)
	return draft, err
}

// amountsOf returns the amounts of a budget as texts.
func amountsOf(field string, values map[string]any) (map[string]string, error) {
	if values == nil {
		return nil, nil //nolint:nilnil // No budget is not an empty one, which is a mistake.
	}
	texts := make(map[string]string, len(values))
	for key, value := range values {
		switch value := value.(type) {
		case string:
			texts[key] = value
		case json.Number:
			texts[key] = value.String()
		default:
			return nil, sqlq.ParamErrorf(field, "%s must be a number, or a string such as \"10GiB\"", key)
		}
	}
	return texts, nil
}
