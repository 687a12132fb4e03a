package graphqlhttp_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The audits of the npm package graphql-http must find neither an error nor a warning.
func TestGraphQLOverHTTPAudit(t *testing.T) {
	t.Parallel()
	const audits = 61
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed")
	}
	if _, err := os.Stat("audit/node_modules/graphql-http"); err != nil {
		t.Skip("SKIPPED: run \"npm ci --ignore-scripts\" in internal/api/graphqlhttp/audit first")
	}
	server := httptest.NewServer(newHandler(t, realRunner(t, engine{}), silent()))
	defer server.Close()
	audit := exec.CommandContext(t.Context(), node, "audit.js", server.URL+"/graphql")
	audit.Dir, audit.Stderr = "audit", os.Stderr
	output, err := audit.Output()
	require.NoError(t, err)
	var results []struct{ ID, Name, Status, Reason string }
	require.NoError(t, json.Unmarshal(output, &results), string(output))
	assert.Len(t, results, audits)
	for _, result := range results {
		assert.Equal(t, "ok", result.Status, "%s %s: %s", result.ID, result.Name, result.Reason)
	}
}
