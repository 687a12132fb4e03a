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

// The audits of the npm package graphql-http must find no error. The remaining warnings are
// listed here with their reasons.
func TestGraphQLOverHTTPAudit(t *testing.T) {
	t.Parallel()
	const (
		audits        = 61
		deliberate422 = "a rejected document has status 422 in application/json too, which the specification allows: proxies, logs and clients " +
			"that read only the status recognize the error. Clients can accept application/graphql-response+json instead"
	)
	accepted := map[string]string{
		"572B": deliberate422, // of a document that cannot be parsed
		"FDE2": deliberate422, // of a document that is not valid
		"7B9B": deliberate422, // of a variable that is not valid
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed")
	}
	if _, err := os.Stat("audit/node_modules/graphql-http"); err != nil {
		t.Skip("SKIPPED: run \"npm ci --ignore-scripts\" in internal/graphqlhttp/audit first")
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
		if _, expected := accepted[result.ID]; expected {
			assert.Equal(t, "warn", result.Status, "%s %s", result.ID, result.Name)
			continue
		}
		assert.Equal(t, "ok", result.Status, "%s %s: %s", result.ID, result.Name, result.Reason)
	}
}
