package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/alerthttp"
	"savedq/internal/auth"
	"savedq/internal/operations/alert"
)

const alertQuery = `id: 11111111-1111-4111-8111-111111111111
name: mine.changing
description: An alert.
columns:
  - {name: n, type: INT64, description: N.}
alerts:
  high: {every: 10s, when: {first: "n > 1"}, notify: [ops]}
`

// writeAlert writes a saved query with an alert.
func (r *reloads) writeAlert(yaml, sql string) {
	r.t.Helper()
	r.writeFile("query.yaml", yaml)
	r.writeFile("duckdb.sql", sql)
}

// alertFiles returns a directory of a saved query with an alert, and a file of targets.
func alertFiles(t *testing.T, config *Config, url string) {
	t.Helper()
	folder := filepath.Join(config.Queries.Directories[0], "mine.changing")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(alertQuery), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"), []byte("SELECT 2 AS n"), 0o600))
	config.Alerts.Notify = filepath.Join(t.TempDir(), "notify.yaml")
	require.NoError(t, os.WriteFile(config.Alerts.Notify, []byte("targets:\n  ops: {form: savedq, url: "+url+"}\n"), 0o600))
}

// listed returns the alerts that a token sees.
func (r *reloads) listed(t *testing.T) []alert.Listed {
	t.Helper()
	recorder := httptest.NewRecorder()
	auth.NoAuth(alerthttp.NewHandler(r.alertsConfig())).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, alerthttp.Path, nil))
	var body alerthttp.Body
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &body))
	return body.Alerts
}

// An alert of a folder is checked, its target is told, and it ends when the folder no longer declares it.
func TestAlertsOfAServer(t *testing.T) {
	t.Parallel()
	received := make(chan string, 10)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- string(body)
	}))
	t.Cleanup(target.Close)
	r := newReloads(t, func(config *Config) {
		alertFiles(t, config, target.URL)
		config.Alerts.PublicURL = "https://savedq.example.com"
	})
	begin := <-received
	for _, part := range []string{`"event":"begin"`, `"state":"firing"`, `"rows":[{"n":2}]`, `"link":"https://savedq.example.com/alerts?name=high\u0026query=mine.changing"`} {
		assert.Contains(t, begin, part)
	}
	listed := r.listed(t)
	require.Len(t, listed, 1)
	assert.Equal(t, []any{"mine.changing", alert.Firing, "ops"}, []any{listed[0].Query, listed[0].State, listed[0].Notify[0].Target})
	r.runs.Write(t.Context())
	var checks int
	require.NoError(t, r.engine.Store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM savedq_runs WHERE interface = 'alert' AND query = 'mine.changing' AND token IS NULL AND row_count = 1").Scan(&checks))
	assert.NotZero(t, checks)
	r.write(2)
	r.reload(t.Context(), false)
	end := <-received
	assert.Contains(t, end, `"event":"end"`)
	assert.Contains(t, end, `"now":"removed"`)
	assert.Empty(t, r.listed(t))
}

func TestTargetsOfAServer(t *testing.T) {
	t.Parallel()
	r := newReloads(t, func(config *Config) { alertFiles(t, config, "http://127.0.0.1:1") })
	notify := r.config.Alerts.Notify
	hangup := func() {
		hangups := make(chan os.Signal)
		stop := inBackground(t.Context(), func(ctx context.Context) { r.keepReloading(ctx, hangups) })
		hangups <- syscall.SIGHUP
		hangups <- syscall.SIGHUP
		stop()
	}
	write := func(text string) { require.NoError(t, os.WriteFile(notify, []byte(text), 0o600)) }
	write("targets:\n  team: {form: slack, url: http://127.0.0.1:1/}\n")
	hangup()
	assert.Contains(t, r.currentTargets(), "ops", "which the alert names")
	assert.Contains(t, r.log.String(), `the file of targets cannot be used, the previous targets stay in effect`)
	assert.Contains(t, r.log.String(), `query.yaml:7:55: target \"ops\" is not in the file of --notify; its targets are team`)
	r.writeAlert(strings.Replace(alertQuery, "[ops]", "[team]", 1), "SELECT 2 AS n")
	hangup()
	assert.Equal(t, []string{"team"}, keysOf(r.currentTargets()), "with the saved queries that name them")
	assert.Contains(t, r.log.String(), `msg="the targets of alerts were reloaded"`)
	write("targets: []\n")
	hangup()
	assert.Equal(t, []string{"team"}, keysOf(r.currentTargets()))
	r.writeAlert(strings.Replace(alertQuery, "[ops]", "[teem]", 1), "SELECT 2 AS n")
	r.reload(t.Context(), false)
	assert.Contains(t, r.log.String(), `mistake="target \"teem\" is not in the file of --notify; did you mean team?"`)
	config := r.config
	config.Registry = prometheus.NewRegistry()
	require.NoError(t, r.Close())
	write("targets:\n  team: {form: slack, url: http://127.0.0.1:1/}\n")
	require.ErrorContains(t, New(config).Run(t.Context()), `query.yaml:7:55: target "teem" is not in the file of --notify; did you mean team?`)
}

func keysOf(targets alert.Targets) []string {
	var names []string
	for name := range targets {
		names = append(names, name)
	}
	return names
}

// Without targets alerts are checked and listed, and a warning says that nobody is told. Without alerts
// they are only listed.
func TestAlertsWithoutTargets(t *testing.T) {
	t.Parallel()
	r := newReloads(t, func(config *Config) {
		alertFiles(t, config, "http://127.0.0.1:1")
		config.Alerts.Notify = ""
	})
	require.Eventually(t, func() bool { return r.listed(t)[0].State == alert.Firing }, time.Minute, 10*time.Millisecond)
	assert.Equal(t, 1, strings.Count(r.log.String(), "alerts name targets, but no messages are sent"))
	off := newReloads(t, func(config *Config) {
		alertFiles(t, config, "http://127.0.0.1:1")
		config.Alerts.Disabled = true
	})
	listed := off.listed(t)
	require.Len(t, listed, 1)
	assert.Equal(t, alert.Unknown, listed[0].State)
	assert.Nil(t, listed[0].Next)
	assert.NoDirExists(t, filepath.Join(off.config.Data, alertsDirectory))
}
