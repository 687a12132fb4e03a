package auth_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/observe/requestlog"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// counted is a runner with a ledger.
type counted struct {
	finding
	*usage.Ledger
	engine *sqlqtest.FakeEngine
}

func newCounted(t *testing.T) counted {
	t.Helper()
	ledger, err := usage.Open(usage.Config{Directory: filepath.Join(t.TempDir(), "usage"), Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, ledger.Close()) })
	engine := &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: statement.Query.Columns}, nil
	}}
	config := sqlqtest.Config(readCatalog(t), engine, time.Now)
	return counted{finding{newScoped(runner.New(config), config.Catalog, slog.New(slog.DiscardHandler)).WithUsage(ledger)}, ledger, engine}
}

// with calls run with the context of a request of a token.
func with(t *testing.T, token auth.Token, run func(r *http.Request)) {
	t.Helper()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: token, Hash: auth.HashOf("secret")}}, nil
	})
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	request.Header.Set("X-Api-Key", "secret")
	auth.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { run(r) }), auth.HandlerConfig{
		Keyring: keyring, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
	}).ServeHTTP(httptest.NewRecorder(), request)
}

// Requests for saved queries that exist and that the token allows are counted for the token
// and the subject, whatever their outcome.
func TestRunnerCountsUsage(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	with(t, auth.Token{Name: "web", Endpoints: []string{"optional", "everybody"}}, func(r *http.Request) {
		for _, request := range []runner.Request{
			{Query: named("everybody")},
			{Query: named("everybody")},
			{Query: named("optional"), Params: map[string][]string{"project": {"a", "b"}}}, // a mistake
			{Query: named("number")}, // denied
			{Query: named("nosuch")},
		} {
			_, _ = c.Run(r.Context(), request)
		}
	})
	with(t, auth.FullAccess("full"), func(r *http.Request) { _, _ = c.Run(r.Context(), runner.Request{Query: named("nosuch")}) })
	rows, _, err := c.Report(t.Context(), usage.Query{From: time.Now(), To: time.Now(), By: []usage.Dimension{usage.ByToken, usage.BySubject, usage.ByEndpoint}})
	require.NoError(t, err)
	for i := range rows {
		rows[i].EngineTime = 0
	}
	id := usage.ID{Token: "web"}
	assert.Equal(t, []usage.Row{
		{ID: id, Endpoint: "everybody", Totals: usage.Totals{Requests: 2, Hits: 1, Runs: 1}},
		{ID: id, Endpoint: "optional", Totals: usage.Totals{Requests: 1, Errors: 1}},
	}, rows)
}

// A token whose budget is used up gets cached responses, and RESOURCE_EXHAUSTED for what needs
// the engine. A token before and after a reload has the same budget.
func TestRunnerEnforcesBudgets(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	token := auth.Token{Name: "web", Budget: usage.Budget{Day: usage.Amounts{Requests: 2}}, Refresh: true}
	run := func(r *http.Request, project string) error {
		_, err := c.Run(r.Context(), runner.Request{Query: named("optional"), Params: map[string][]string{"project": {project}}})
		return err
	}
	for range 2 {
		with(t, token, func(r *http.Request) {
			require.NoError(t, run(r, "acme"))
			require.NoError(t, run(r, "globex"))
			err := run(r, "initech")
			require.ErrorContains(t, err, "the budget of requests per day is used up: 2 of 2")
			assert.Equal(t, sqlq.ResourceExhausted, sqlq.AsError(err).Code)
			spending := c.Spending(r.Context())
			require.Len(t, spending, 1)
			assert.Equal(t, usage.Amounts{Requests: 2}, usage.Amounts{Requests: spending[0].Spent.Requests})
		})
	}
	assert.Equal(t, 2, c.engine.Runs())
	with(t, auth.Token{Name: "app"}, func(r *http.Request) {
		require.NoError(t, run(r, "initech"))
		assert.Nil(t, c.Spending(r.Context()))
	})
	assert.Nil(t, c.Spending(t.Context()))
}

// A request beyond a budget leaves the audit line of a denied request, with the saved query,
// and as few lines as one beyond a rate. Other requests of the token are logged without limit.
func TestRunnerLogsExhaustedBudgets(t *testing.T) {
	t.Parallel()
	const (
		allowed = 1
		denied  = 200
		hits    = 60
	)
	ledger, err := usage.Open(usage.Config{Directory: filepath.Join(t.TempDir(), "usage"), Clock: noon})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, ledger.Close()) })
	engine := &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		if statement.Args[0].Value == "large" {
			return nil, sqlq.Errorf(sqlq.ResourceExhausted, "the rows are too large")
		}
		return &sqlq.Result{Columns: statement.Query.Columns}, nil
	}}
	var log bytes.Buffer
	logger := newLogger(&log)
	limited := finding{newScoped(runner.New(sqlqtest.Config(readCatalog(t), engine, noon)), readCatalog(t), logger).WithUsage(ledger)}
	limiter := requestlog.NewLimiter(logger)
	serve := func(token auth.Token, project string) error {
		keyring := newKeyring(t, credential("secret", token))
		var err error
		handler := requestlog.Handler(auth.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err = limited.Run(r.Context(), runner.Request{Query: named("optional"), Params: map[string][]string{"project": {project}}})
		}), auth.HandlerConfig{Keyring: keyring, Clock: noon, Logger: logger}), logger, limiter, noon, func(*http.Request, int, time.Duration) {})
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/optional?secret", http.NoBody)
		request.Header.Set("X-Api-Key", "secret")
		handler.ServeHTTP(httptest.NewRecorder(), request)
		return err
	}
	lines := func() []string {
		defer log.Reset()
		return strings.Split(strings.TrimSpace(log.String()), "\n")
	}
	web := auth.Token{Name: "web", Budget: usage.Budget{Day: usage.Amounts{Requests: allowed}}}
	require.NoError(t, serve(web, "acme"))
	assert.Len(t, lines(), 1)
	require.Error(t, serve(web, "globex"))
	first := lines()
	require.Len(t, first, 2)
	assert.JSONEq(t, `{"level":"WARN","msg":"request denied","code":"RESOURCE_EXHAUSTED",
		"reason":"the budget of requests per day is used up: 1 of 1; it resets in 43200 s, at 2026-11-21T00:00:00Z; cached responses are free",
		"method":"GET","path":"/api/endpoints/optional","remote":"192.0.2.1:1234","endpoint":"optional","token":"web"}`, first[0])
	for range denied {
		require.Error(t, serve(web, "globex"))
	}
	limiter.Close()
	assert.LessOrEqual(t, len(lines()), 2*(50+2)+2)
	for range hits {
		require.NoError(t, serve(web, "acme"))
	}
	assert.Len(t, lines(), hits, "cached responses are free, and their requests are logged")

	require.Error(t, serve(auth.Token{Name: "app"}, "large"))
	assert.Len(t, lines(), 1, "what the engine rejects is not denied to the token")
}
