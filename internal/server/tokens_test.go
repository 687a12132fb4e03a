package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/tokenhttp"
	"savedq/internal/auth"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/requestlog"
)

// tokenServer is a server with a tokens file.
type tokenServer struct {
	*reloads
	file    string
	handler http.Handler
}

// Secrets of the tokens of the file, and of the variable.
const (
	adminSecret   = "savedq_the-admins-own-secret"
	webSecret     = "savedq_the-secret-of-web"
	allSecret     = "savedq_may-ingest-and-run-all"
	outsideSecret = "savedq_of-the-environment"
)

func newTokenServer(t *testing.T) *tokenServer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	entries := []byte("tokens:\n")
	for secret, token := range map[string]auth.Token{
		adminSecret: {Name: "admin", Created: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), ManageTokens: true, Explore: true},
		webSecret:   {Name: "web", Projects: []string{"acme"}, Rate: 20, Expires: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
		allSecret:   {Name: "all", Ingest: true},
	} {
		entries = append(entries, auth.EntryYAML(token, auth.HashOf(secret))...)
	}
	require.NoError(t, os.WriteFile(file, entries, 0o600))
	s := &tokenServer{file: file}
	s.reloads = newReloads(t, func(config *Config) {
		config.NoAuth, config.Tokens = false, file
		config.Logger = slog.New(requestlog.LogHandler(config.Logger.Handler()))
		config.Getenv = func(name string) string { return map[string]string{TokenVariable: outsideSecret}[name] }
	})
	s.handler = httpserver.NewHandler(s.handlers())
	return s
}

func (s *tokenServer) send(method, path, secret, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	request := httptest.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+secret)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response := httptest.NewRecorder()
	s.handler.ServeHTTP(response, request)
	if strings.HasPrefix(path, tokenhttp.Path) {
		assert.Equal(s.t, "no-store", response.Header().Get("Cache-Control"), "%s %s", method, path)
	}
	return response
}

func (s *tokenServer) list(secret string) tokenhttp.List {
	s.t.Helper()
	response := s.send(http.MethodGet, tokenhttp.Path, secret, "")
	require.Equal(s.t, http.StatusOK, response.Code, response.Body)
	var body struct{ Result tokenhttp.List }
	require.NoError(s.t, json.Unmarshal(response.Body.Bytes(), &body))
	return body.Result
}

// A token is created, listed, used and revoked through a running server, which needs no reload. Neither the log nor the
// list has a secret.
func TestTokenPaths(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	created := s.send(http.MethodPost, tokenhttp.Path, adminSecret, `{"name":"dashboard","projects":["acme"],"scopes":["explore"],"rate":2.5,"budgetDay":{"requests":1000,"bytes":"1GiB"},"expires":"2999-01-01"}`)
	require.Equal(t, http.StatusCreated, created.Code, created.Body)
	var body struct{ Result tokenhttp.Created }
	require.NoError(t, json.Unmarshal(created.Body.Bytes(), &body))
	assert.Equal(t, "dashboard", body.Result.Name)
	secret := body.Result.Secret
	assert.True(t, auth.IsSecret(secret))
	assert.Equal(t, http.StatusOK, s.send(http.MethodGet, "/api/viewer", secret, "").Code)

	list := s.list(adminSecret)
	byName := make(map[string]tokenhttp.Token)
	names := make([]string, 0, len(list.Tokens))
	for _, token := range list.Tokens {
		names, byName[token.Name] = append(names, token.Name), token
	}
	assert.Equal(t, []string{"admin", "all", "dashboard", "environment", "web"}, names)
	assert.Empty(t, list.Obstacle)
	assert.Equal(t, []string{"mine.changing"}, list.Choices.Endpoints)
	assert.Contains(t, list.Choices.Sources, "edge_logs")
	grantable := map[string]bool{}
	for _, scope := range list.Scopes {
		grantable[scope.Name] = scope.Grantable
		assert.NotEmpty(t, scope.Allows)
	}
	assert.Equal(t, map[string]bool{"ingest": false, "refresh": false, "sandbox": false, "explore": true, "alerts": false, "metrics": false, "manage_tokens": true}, grantable)
	dashboard := byName["dashboard"]
	require.NotNil(t, dashboard.Created)
	require.NotNil(t, dashboard.LastUsed)
	assert.WithinDuration(t, time.Now(), *dashboard.Created, time.Minute)
	assert.WithinDuration(t, time.Now(), *dashboard.LastUsed, time.Minute)
	assert.Equal(t, []string{"explore"}, dashboard.Scopes)
	assert.Equal(t, []string{"acme"}, dashboard.Projects)
	assert.InDelta(t, 2.5, *dashboard.Rate, 0)
	assert.EqualValues(t, 1000, dashboard.BudgetDay.Requests)
	assert.EqualValues(t, 1<<30, dashboard.BudgetDay.Bytes)
	assert.True(t, dashboard.Revocable)
	assert.True(t, byName["admin"].Current)
	assert.False(t, byName["environment"].Revocable)
	assert.Equal(t, "expired", byName["web"].State)
	assert.Nil(t, byName["web"].LastUsed)

	assert.Equal(t, http.StatusNoContent, s.send(http.MethodDelete, tokenhttp.Path+"/dashboard", adminSecret, "").Code)
	assert.Equal(t, http.StatusUnauthorized, s.send(http.MethodGet, "/api/viewer", secret, "").Code)
	assert.Len(t, s.list(adminSecret).Tokens, 4)

	log := s.log.String()
	assert.Regexp(t, `msg="a token was created" created=dashboard scopes=\[explore\] projects=\[acme\] endpoints=\[\] expires=2999-01-01T00:00:00Z .*token=admin`, log)
	assert.Regexp(t, `msg="a token was revoked" revoked=dashboard .*token=admin`, log)
	listed := s.send(http.MethodGet, tokenhttp.Path, adminSecret, "").Body.String()
	for _, secret := range []string{secret, adminSecret, webSecret, outsideSecret} {
		hash := auth.HashOf(secret)
		assert.NotContains(t, log+listed, secret)
		assert.NotContains(t, log+listed, hash.String())
	}
}

// What a token used today is in the list.
func TestTokenPathsHaveUsage(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	for range 3 {
		require.Equal(t, http.StatusOK, s.send(http.MethodGet, "/api/endpoints/mine.changing?a1=x", allSecret, "").Code)
	}
	for _, token := range s.list(adminSecret).Tokens {
		if token.Name == "all" {
			assert.EqualValues(t, 3, token.Today.Requests)
			assert.EqualValues(t, 1, token.Today.Runs, "the others are cached")
			require.NotNil(t, token.LastDay)
			return
		}
	}
	assert.Fail(t, "the token is not listed")
}

func TestTokenPathsReject(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	for name, test := range map[string]struct {
		method, path, secret, body string
		headers                    []string
		status                     int
		want                       string
	}{
		"not by a token that may everything else": {http.MethodGet, "", allSecret, "", nil, http.StatusForbidden, "the token may not manage tokens; use one with manage_tokens, such as SAVEDQ_TOKEN"},
		"not without a token":                     {http.MethodGet, "", "wrong", "", nil, http.StatusUnauthorized, "the token is not valid"},
		"not by a page of another origin":         {http.MethodPost, "", adminSecret, `{"name":"a"}`, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, http.StatusForbidden, "pages of other origins may not manage tokens"},
		"nor revoked by one":                      {http.MethodDelete, "/web", adminSecret, "", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, http.StatusForbidden, "pages of other origins may not manage tokens"},
		"another method":                          {http.MethodPut, "", adminSecret, "", nil, http.StatusMethodNotAllowed, "use one of GET, HEAD, POST"},
		"another method below":                    {http.MethodGet, "/web", adminSecret, "", nil, http.StatusMethodNotAllowed, "DELETE"},
		"a form":                                  {http.MethodPost, "", adminSecret, "name=a", []string{"Content-Type", "application/x-www-form-urlencoded"}, http.StatusBadRequest, "the header Content-Type must be application/json"},
		"no JSON":                                 {http.MethodPost, "", adminSecret, "name", nil, http.StatusBadRequest, "the body must be a JSON object such as"},
		"a rate in quotes":                        {http.MethodPost, "", adminSecret, `{"name":"a","rate":"5"}`, nil, http.StatusBadRequest, "the body must be a JSON object such as"},
		"an unknown field":                        {http.MethodPost, "", adminSecret, `{"name":"a","project":"acme"}`, nil, http.StatusBadRequest, "project"},
		"a budget of lists":                       {http.MethodPost, "", adminSecret, `{"name":"a","budgetDay":{"rows":[1]}}`, nil, http.StatusBadRequest, `budgetDay: rows must be a number, or a string such as \"10GiB\"`},
		"a budget of nothing":                     {http.MethodPost, "", adminSecret, `{"name":"a","budgetHour":{}}`, nil, http.StatusBadRequest, "budgetHour: must have an amount"},
		"too large":                               {http.MethodPost, "", adminSecret, `{"name":"` + strings.Repeat("a", 70_000) + `"}`, nil, http.StatusBadRequest, "the body is larger than"},
		"an unknown project tier":                 {http.MethodPost, "", adminSecret, `{"name":"a","projectTier":"GOLD"}`, nil, http.StatusBadRequest, "projectTier: the project tier"},
		"more than its own":                       {http.MethodPost, "", adminSecret, `{"name":"a","scopes":["ingest"]}`, nil, http.StatusForbidden, "the token may not grant ingest, which it does not have"},
		"a taken name":                            {http.MethodPost, "", adminSecret, `{"name":"web"}`, nil, http.StatusBadRequest, "name: there is a token of this name already"},
		"revoke nothing":                          {http.MethodDelete, "/", adminSecret, "", nil, http.StatusMethodNotAllowed, "use one of GET, HEAD, POST"},
		"revoke what is not there":                {http.MethodDelete, "/nosuch", adminSecret, "", nil, http.StatusNotFound, `there is no token \"nosuch\"`},
		"revoke the variable's":                   {http.MethodDelete, "/environment", adminSecret, "", nil, http.StatusForbidden, `the token \"environment\" is not in the tokens file`},
	} {
		t.Run(name, func(t *testing.T) {
			response := s.send(test.method, tokenhttp.Path+test.path, test.secret, test.body, test.headers...)
			assert.Equal(t, test.status, response.Code)
			assert.Contains(t, response.Body.String()+response.Header().Get("Allow"), test.want)
			assert.NotContains(t, response.Body.String(), s.file, "paths are not for callers")
		})
	}
	assert.Len(t, s.list(outsideSecret).Tokens, 4, "nothing has changed")
}

// Where tokens cannot be changed, the list says why. A server without tokens offers no page.
func TestTokensCannotBeChanged(t *testing.T) {
	t.Parallel()
	r := newReloads(t, func(config *Config) {
		config.NoAuth = false
		config.Getenv = func(name string) string { return map[string]string{TokenVariable: outsideSecret}[name] }
	})
	s := &tokenServer{reloads: r, handler: httpserver.NewHandler(r.handlers())}
	list := s.list(outsideSecret)
	assert.Equal(t, "this server has no tokens file; start it with --tokens FILE", list.Obstacle)
	require.Len(t, list.Tokens, 1)
	assert.False(t, list.Tokens[0].Revocable)
	response := s.send(http.MethodPost, tokenhttp.Path, outsideSecret, `{"name":"a"}`)
	assert.Equal(t, http.StatusForbidden, response.Code)
	assert.Contains(t, response.Body.String(), "this server has no tokens file")
	viewer := s.send(http.MethodGet, "/api/viewer", outsideSecret, "").Body.String()
	assert.Contains(t, viewer, `"manageTokens":true`)

	open := newReloads(t, unchanged)
	s = &tokenServer{reloads: open, handler: httpserver.NewHandler(open.handlers())}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/viewer", http.NoBody)
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	assert.Contains(t, recorder.Body.String(), `"manageTokens":false`)
}
