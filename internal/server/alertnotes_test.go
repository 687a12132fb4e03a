package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/alerthttp"
	"savedq/internal/auth"
	"savedq/internal/operations/alert"
)

// alertServer is a server with an alert that fires, and tokens.
type alertServer struct {
	*reloads
	guarded http.Handler
}

// newAlertServer returns a server with the alert mine.changing high, which fires.
func newAlertServer(t *testing.T, change func(*Config)) *alertServer {
	t.Helper()
	r := newReloads(t, func(config *Config) {
		alertFiles(t, config, "http://127.0.0.1:1")
		config.Engine = explorableEngine{config.Engine, t}
		change(config)
	})
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf("full")},
			{Token: auth.Token{Name: "oncall", Alerts: true, Endpoints: []string{"mine.changing"}}, Hash: auth.HashOf("oncall")},
			{Token: auth.Token{Name: "elsewhere", Alerts: true, Endpoints: []string{"projects.list"}}, Hash: auth.HashOf("elsewhere")},
			{Token: auth.Token{Name: "reader"}, Hash: auth.HashOf("reader")},
		}, nil
	})
	require.NoError(t, err)
	return &alertServer{r, auth.Handler(r.handlers().Alerts, auth.HandlerConfig{Keyring: keyring, Clock: r.config.Clock, Logger: r.config.Logger, WriteError: r.errors.Write})}
}

// post sends a body with a token, and returns the status and the body of the response.
func (a *alertServer) post(token, path, body string) (int, string) {
	a.t.Helper()
	request := httptest.NewRequestWithContext(a.t.Context(), http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("X-Api-Key", token)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	a.guarded.ServeHTTP(response, request)
	return response.Code, response.Body.String()
}

// list returns what a token sees.
func (a *alertServer) list(token string) alerthttp.Body {
	a.t.Helper()
	request := httptest.NewRequestWithContext(a.t.Context(), http.MethodGet, alerthttp.Path, nil)
	request.Header.Set("X-Api-Key", token)
	response := httptest.NewRecorder()
	a.guarded.ServeHTTP(response, request)
	var body alerthttp.Body
	require.NoError(a.t, json.Unmarshal(response.Body.Bytes(), &body), response.Body)
	return body
}

// fire waits until the alert fires.
func (a *alertServer) fire() alert.Listed {
	a.t.Helper()
	definition, found := a.alerts.book.Find("mine.changing", "high")
	require.True(a.t, found)
	require.NoError(a.t, a.alerts.book.Checked(&definition, alert.Check{At: a.config.Clock(), Outcome: "met", Rows: alert.Rows{Rows: json.RawMessage("[]")}}))
	return a.list("full").Alerts[0]
}

// Tokens with alerts silence and acknowledge the alerts that they see.
func TestAlertNotes(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, func(*Config) {})
	require.Equal(t, alert.Firing, a.fire().State)
	until := a.config.Clock().Add(time.Hour).UTC().Truncate(time.Second)
	silence := `{"query":"mine.changing","name":"high","until":"` + until.Format(time.RFC3339) + `","reason":"deploying"}`
	status, body := a.post("oncall", alerthttp.SilencePath, silence)
	require.Equal(t, http.StatusNoContent, status, body)
	status, body = a.post("oncall", alerthttp.AcknowledgePath, `{"query":"mine.changing","name":"high","reason":"on it"}`)
	require.Equal(t, http.StatusNoContent, status, body)
	seen := a.list("full")
	assert.True(t, seen.Manages)
	assert.Equal(t, []any{until, "deploying", "oncall"}, []any{seen.Alerts[0].Silence.Until, seen.Alerts[0].Silence.Reason, seen.Alerts[0].Silence.By})
	assert.Equal(t, []any{"on it", "oncall"}, []any{seen.Alerts[0].Acknowledged.Reason, seen.Alerts[0].Acknowledged.By})
	limited := a.list("oncall").Alerts[0]
	assert.Equal(t, []any{"", "", "deploying"}, []any{limited.Silence.By, limited.Acknowledged.By, limited.Silence.Reason}, "names of tokens are the operator's")
	assert.False(t, a.list("reader").Manages)
	assert.Contains(t, a.log.String(), `msg="an alert was silenced" endpoint=mine.changing alert=high token=oncall`)

	status, _ = a.post("full", alerthttp.SilencePath, `{"query":"mine.changing","name":"high","until":null}`)
	assert.Equal(t, http.StatusNoContent, status)
	status, _ = a.post("full", alerthttp.AcknowledgePath, `{"query":"mine.changing","name":"high","undo":true}`)
	assert.Equal(t, http.StatusNoContent, status)
	seen = a.list("full")
	assert.Nil(t, seen.Alerts[0].Silence)
	assert.Nil(t, seen.Alerts[0].Acknowledged)
}

func TestAlertNotesMistakes(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, func(*Config) {})
	named := `{"query":"mine.changing","name":"high"`
	for name, test := range map[string]struct {
		token, path, body string
		status            int
		want              string
	}{
		"no right":         {"reader", alerthttp.SilencePath, named + `}`, http.StatusForbidden, "the token may not silence and acknowledge alerts; use one with alerts"},
		"no right to note": {"reader", alerthttp.AcknowledgePath, named + `}`, http.StatusForbidden, "use one with alerts"},
		"of others":        {"elsewhere", alerthttp.SilencePath, named + `}`, http.StatusNotFound, "there is no alert \"high\" of \"mine.changing\" that the token may see"},
		"unknown":          {"full", alerthttp.SilencePath, `{"query":"mine.changing","name":"low"}`, http.StatusNotFound, "there is no alert \"low\""},
		"no query":         {"full", alerthttp.SilencePath, `{"name":"high"}`, http.StatusBadRequest, `query: is required`},
		"no name":          {"full", alerthttp.AcknowledgePath, `{"query":"mine.changing"}`, http.StatusBadRequest, `name: is required`},
		"no time":          {"full", alerthttp.SilencePath, named + `,"until":"tomorrow"}`, http.StatusBadRequest, `until: "tomorrow" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`},
		"a past time":      {"full", alerthttp.SilencePath, named + `,"until":"2001-01-01T00:00:00Z"}`, http.StatusBadRequest, "until: is in the past"},
		"a far time":       {"full", alerthttp.SilencePath, named + `,"until":"2999-01-01T00:00:00Z"}`, http.StatusBadRequest, "until: is more than a year ahead"},
		"a long reason":    {"full", alerthttp.SilencePath, named + `,"reason":"` + strings.Repeat("é", 501) + `"}`, http.StatusBadRequest, "reason: is longer than 500 characters"},
		"an unknown key":   {"full", alerthttp.SilencePath, named + `,"for":1}`, http.StatusBadRequest, "the body must be a JSON object such as"},
		"no JSON":          {"full", alerthttp.SilencePath, "x", http.StatusBadRequest, "the body must be a JSON object such as"},
		"elsewhere":        {"full", alerthttp.Path + "/x", "{}", http.StatusNotFound, "nothing is served at this path; /api/alerts lists the alerts"},
	} {
		status, body := a.post(test.token, test.path, test.body)
		assert.Equal(t, test.status, status, name)
		assert.Contains(t, strings.ReplaceAll(body, `\"`, `"`), test.want, name)
	}
	r := newAlertServer(t, func(config *Config) { config.Alerts.Disabled = true })
	_, body := r.post("full", alerthttp.SilencePath, named+"}")
	assert.Contains(t, body, "this server checks no alerts")
	assert.False(t, r.list("full").Manages)
}

// A page of another origin cannot send a form: its requests have another content type.
func TestAlertNotesNeedJSON(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, func(*Config) {})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, alerthttp.SilencePath, strings.NewReader(`{"query":"mine.changing","name":"high"}`))
	request.Header.Set("X-Api-Key", "full")
	request.Header.Set("Content-Type", "text/plain")
	response := httptest.NewRecorder()
	a.guarded.ServeHTTP(response, request)
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Contains(t, response.Body.String(), "the header Content-Type must be application/json")
}

// A state that has not begun cannot be acknowledged.
func TestAcknowledgeNothing(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, func(config *Config) {
		require.NoError(t, os.WriteFile(filepath.Join(config.Queries.Directories[0], "mine.changing", "duckdb.sql"), []byte("SELECT 0 AS n"), 0o600))
	})
	definition, found := a.alerts.book.Find("mine.changing", "high")
	require.True(t, found)
	require.NoError(t, a.alerts.book.Checked(&definition, alert.Check{At: a.config.Clock(), Outcome: "unmet", Rows: alert.Rows{Rows: json.RawMessage("[]")}}))
	status, body := a.post("full", alerthttp.AcknowledgePath, `{"query":"mine.changing","name":"high"}`)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, body, "the alert is neither firing nor failing nor without data; there is nothing to acknowledge")
}
