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
)

// get requests a URL and returns the body of the response.
func get(t *testing.T, url, accept string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
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
			usage := get(t, address+"/api/usage?"+columns, "text/csv")
			assert.True(t, strings.HasPrefix(usage, "token,endpoint,requests,hits,errors,rows,runs,bytes,engine_seconds\n"+want), usage)
			assert.Contains(t, get(t, address+"/metrics", ""), "savedq_usage_write_failures_total 0")
		})
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
