package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/operations/usage"
)

// get requests a URL and returns the body of the response.
func get(t *testing.T, url, accept string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept", accept)
	_, body := send(t, request)
	return string(body)
}

// A server counts requests over all interfaces, and goes on counting after a restart.
func TestUsageSurvivesRestarts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	const columns = "by=token,endpoint"
	for _, want := range []string{
		"no-auth,projects.list,2,1,0,0,1,0,",
		"no-auth,projects.list,4,2,0,0,2,0,",
	} {
		t.Run("started", func(t *testing.T) { // the second server goes on with the directory of the first
			address := serveData(t, data)
			get(t, address+"/api/endpoints/projects.list", "")
			get(t, address+"/graphql?query=%7BprojectsList%7Bproject%7D%7D", "")
			used := get(t, address+"/api/usage?"+columns, "text/csv")
			assert.True(t, strings.HasPrefix(used, "token,endpoint,requests,hits,errors,rows,runs,bytes,engine_seconds\n"+want), used)
			assert.Contains(t, get(t, address+"/metrics", ""), "savedq_usage_write_failures_total 0")
		})
	}
}

// "savedq usage" prints the rows of the server.
func TestUsageCommand(t *testing.T) {
	t.Parallel()
	address := serveData(t, t.TempDir())
	get(t, address+"/api/endpoints/projects.list", "")
	get(t, address+"/api/endpoints/projects.list", "")
	get(t, address+"/api/endpoints/functions.list?project=acme", "")
	used := func(args ...string) string {
		t.Helper()
		status, stdout, stderr := runCommand(t, append([]string{"usage", "--url", address, "--format=csv"}, args...)...)
		require.Equal(t, statusOK, status, stderr)
		return stdout
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--by=endpoint"}, `^endpoint,requests,hits,errors,rows,runs,bytes,engine_seconds\nfunctions.list,1,0,0,0,1,0,\S+\nprojects.list,2,1,0,0,1,0,\S+\n$`},
		{[]string{"--by=token,day", "--endpoint=projects.list"}, `^day,token,requests,.*\n\d{4}-\d\d-\d\d,no-auth,2,1,0,0,1,0,\S+\n$`},
		{nil, `^day,token,subject,endpoint,requests`},
		{[]string{"--from=2020-01-01", "--to=2020-01-02", "--by=day"}, `^day,requests,hits,errors,rows,runs,bytes,engine_seconds\n$`},
	} {
		assert.Regexp(t, test.want, used(test.args...), test.args)
	}
}

// A server whose usage could not be stored does not start.
func TestUsageNeedsDirectory(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	path := filepath.Join(data, "usage")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out strings.Builder
	assert.Equal(t, statusFailed, Run(ctx, []string{"serve", "--addr=127.0.0.1:0", "--data", data}, &out, &out))
	assert.Contains(t, out.String(), "--data: usage and budgets cannot be stored in "+path)
}

// A token whose budget is used up gets 429 with Retry-After over REST, the code in GraphQL, and
// cached responses over both.
func TestBudget(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	tokens := filepath.Join(directory, "tokens.yaml")
	secret := strings.Repeat("s", 43)
	token := auth.Token{Name: "web", Budget: usage.Budget{Day: usage.Amounts{Requests: 1}}}
	require.NoError(t, os.WriteFile(tokens, []byte("tokens:\n"+auth.EntryYAML(token, auth.HashOf(secret))), 0o600))
	address := serveWith(t, "--data", directory, "--tokens", tokens)
	ask := func(path string) (status int, retryAfter, body string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("X-Api-Key", secret)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		content, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, response.Header.Get("Retry-After"), string(content)
	}
	for range 2 {
		status, _, body := ask("/api/endpoints/projects.list")
		assert.Equal(t, http.StatusOK, status, body)
	}
	status, retryAfter, body := ask("/api/endpoints/logs.all?project=acme")
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.NotEmpty(t, retryAfter)
	assert.Contains(t, body, `the budget of requests per day is used up: 1 of 1`)
	_, _, body = ask("/graphql?query=%7BprojectsList%7Bproject%7D%20logs(project:%22acme%22)%7Bid%7D%7D")
	assert.Contains(t, body, `"code":"RESOURCE_EXHAUSTED"`)
	status, _, _ = ask("/api/usage")
	assert.Equal(t, http.StatusForbidden, status)
}

// A backup, of a server or of a data directory, has the usage and what was spent of budgets, and a
// server goes on with it.
func TestBackupHasUsage(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	ofServer, ofDirectory := filepath.Join(t.TempDir(), "server"), filepath.Join(t.TempDir(), "directory")
	t.Run("server", func(t *testing.T) { // it stops at the end
		address := serveData(t, data)
		get(t, address+"/api/endpoints/projects.list", "")
		runStore(t, statusOK, "backup", ofServer, "--url", address)
		get(t, address+"/api/endpoints/projects.list", "")
	})
	require.NoError(t, os.WriteFile(filepath.Join(data, "usage", "note.txt"), nil, 0o600))
	runStore(t, statusOK, "backup", ofDirectory, "--data", data)
	for restored, want := range map[string]string{
		ofServer:    "no-auth,projects.list,1,0,0,0,1,0,",
		ofDirectory: "no-auth,projects.list,2,1,0,0,1,0,",
	} {
		used := get(t, serveData(t, restored)+"/api/usage?by=token,endpoint", "text/csv")
		assert.Contains(t, used, "\n"+want, restored)
		assert.NoFileExists(t, filepath.Join(restored, "usage", "note.txt"))
	}
}
