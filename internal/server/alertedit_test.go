package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/alerthttp"
)

// developing makes a server write what its callers declare.
func developing(config *Config) { config.Dev = true }

// yaml returns the query.yaml of the saved query with the alert.
func (a *alertServer) yaml() string {
	a.t.Helper()
	data, err := os.ReadFile(filepath.Join(a.config.Queries.Directories[0], "mine.changing", queryFile))
	require.NoError(a.t, err)
	return string(data)
}

const lowAlert = `{"query":"mine.changing","name":"low","title":"N is low","every":"5m","condition":"first: n < 1","for":2,"notify":["ops"]}`

// An alert is added, changed and removed in query.yaml, whose other lines stay.
func TestSaveAlert(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, developing)
	seen := a.list("full")
	assert.Equal(t, []any{true, []string{"ops"}}, []any{seen.Saves, seen.Targets})
	status, body := a.post("full", alerthttp.CheckPath, lowAlert)
	assert.Equal(t, http.StatusOK, status)
	const lines = "  low:\n    title: N is low\n    every: 5m\n    when: {first: \"n < 1\"}\n    for: 2\n    notify: [ops]\n"
	assert.JSONEq(t, `{"mistakes":[],"yaml":"alerts:\n`+strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(lines)+`"}`, body)
	assert.Equal(t, alertQuery, a.yaml(), "a check writes nothing")
	status, body = a.post("full", alerthttp.SavePath, lowAlert)
	require.Equal(t, http.StatusNoContent, status, body)
	assert.Equal(t, alertQuery+lines, a.yaml())
	a.reload(t.Context(), false)
	require.Len(t, a.list("full").Alerts, 2)

	status, body = a.post("full", alerthttp.SavePath, strings.Replace(lowAlert, `"every":"5m"`, `"every":"10m","replace":true`, 1))
	require.Equal(t, http.StatusNoContent, status, body)
	assert.Equal(t, alertQuery+strings.Replace(lines, "5m", "10m", 1), a.yaml())
	a.reload(t.Context(), false)
	assert.Equal(t, 600, a.list("full").Alerts[1].Every)

	status, body = a.post("full", alerthttp.DeletePath, `{"query":"mine.changing","name":"low"}`)
	require.Equal(t, http.StatusNoContent, status, body)
	assert.Equal(t, alertQuery, a.yaml())
	assert.Contains(t, a.log.String(), `msg="an alert was removed" endpoint=mine.changing alert=low`)
	entries, err := os.ReadDir(a.config.Queries.Directories[0])
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left of the change")
}

func TestSaveAlertMistakes(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, developing)
	change := func(from, to string) string { return strings.Replace(lowAlert, from, to, 1) }
	for name, test := range map[string]struct {
		token, path, body string
		status            int
		want              string
	}{
		"a limited token":  {"oncall", alerthttp.SavePath, change(`,"notify":["ops"]`, ""), http.StatusForbidden, "alerts are written on a developer's own server"},
		"no right":         {"elsewhere", alerthttp.SavePath, lowAlert, http.StatusForbidden, "the token does not allow this endpoint"},
		"no query":         {"full", alerthttp.SavePath, change("mine.changing", "mine.chaning"), http.StatusNotFound, `did you mean "mine.changing"?`},
		"an empty query":   {"full", alerthttp.SavePath, change("mine.changing", ""), http.StatusBadRequest, `"argument":"query"`},
		"an interval":      {"full", alerthttp.SavePath, change("5m", "1s"), http.StatusBadRequest, `every: every must be at least 10s","argument":"every"`},
		"a name in use":    {"full", alerthttp.SavePath, change(`"low"`, `"high"`), http.StatusBadRequest, `mine.changing has an alert "high" already`},
		"a target":         {"full", alerthttp.SavePath, change(`["ops"]`, `["opps"]`), http.StatusBadRequest, `target "opps" is not in the file of --notify; did you mean ops?`},
		"nothing to edit":  {"full", alerthttp.SavePath, change(`"for":2`, `"replace":true`), http.StatusNotFound, `there is no alert "low"`},
		"nothing to drop":  {"full", alerthttp.DeletePath, `{"query":"mine.changing","name":"low"}`, http.StatusNotFound, `there is no alert "low"`},
		"to drop no name":  {"full", alerthttp.DeletePath, `{"query":"mine.changing"}`, http.StatusBadRequest, "name: is required"},
		"an unknown key":   {"full", alerthttp.SavePath, change(`"for"`, `"fro"`), http.StatusBadRequest, "the body must be a JSON object such as"},
		"a wrong JSON":     {"full", alerthttp.CheckPath, change(`2`, `"x"`), http.StatusBadRequest, "the body must be a JSON object such as"},
		"all its mistakes": {"full", alerthttp.CheckPath, change("5m", "1s")[:len(lowAlert)-1-len(`,"notify":["ops"]`)] + `,"notify":["opps"]}`, http.StatusOK, `{"field":"every"`},
	} {
		status, body := a.post(test.token, test.path, test.body)
		assert.Equal(t, test.status, status, "%s: %s", name, body)
		assert.Contains(t, strings.ReplaceAll(body, `\"`, `"`), test.want, name)
	}
	assert.Equal(t, alertQuery, a.yaml())
	other := newAlertServer(t, func(*Config) {})
	status, body := other.post("full", alerthttp.SavePath, lowAlert)
	assert.Equal(t, http.StatusForbidden, status, body)
	assert.False(t, other.list("full").Saves)
}

// A folder that cannot be used with the alert stays as it is.
func TestSaveAlertOfABrokenFolder(t *testing.T) {
	t.Parallel()
	a := newAlertServer(t, developing)
	broken := alertQuery + "tool: [no name]\n"
	a.writeFile(queryFile, broken)
	status, body := a.post("full", alerthttp.SavePath, lowAlert)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, body, "the saved query could not be used")
	assert.Equal(t, broken, a.yaml())
	a.writeFile(queryFile, strings.Replace(alertQuery, "alerts:\n  high: {every: 10s, when: {first: \"n > 1\"}, notify: [ops]}", "alerts: {high: {every: 10s, when: any}}", 1))
	_, body = a.post("full", alerthttp.SavePath, lowAlert)
	assert.Contains(t, body, "change them by hand")
	require.NoError(t, os.Rename(filepath.Join(a.config.Queries.Directories[0], "mine.changing"), filepath.Join(t.TempDir(), "gone")))
	_, body = a.post("full", alerthttp.SavePath, lowAlert)
	assert.Contains(t, body, "has no folder in the first directory of --queries")
}
