package live_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mcpClients is where the clients of MCP are installed.
const mcpClients = "internal/api/mcp/clients"

// The client of examples/mcp reads rows as the other clients do.
func TestMCPExample(t *testing.T) {
	t.Parallel()
	requireNode(t, "mcp")
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	s := serve(t, "--data", data)
	assert.Equal(t, activity(t, s), follow(t, copyClient(t, "mcp"), s))
}

// node runs a program of the clients of MCP, and returns what it prints.
func node(t *testing.T, program string, args ...string) (printed string, err error) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	path, err := filepath.Abs(filepath.Join(root, mcpClients, "node_modules", "@modelcontextprotocol", program))
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("run %q in %s first", install, mcpClients)
	}
	const patience = 2 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "node", append([]string{path}, args...)...)
	command.Dir = t.TempDir()
	output, err := command.CombinedOutput()
	return string(output), err
}

// The official Inspector lists and calls tools over HTTP, over standard input and output of a running
// server, and over a store that no server has open.
func TestMCPInspector(t *testing.T) {
	t.Parallel()
	data, other := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	loadSamples(t, other)
	s := serve(t, "--data", data)
	for name, target := range map[string][]string{
		"HTTP":             {s.url + "/mcp", "--transport", "http", "--header", "X-API-KEY: " + s.token},
		"a running server": {binary, "mcp", "--url", s.url, "-e", "SAVEDQ_TOKEN=" + s.token},
		"a store":          {binary, "mcp", "--data", other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inspect := func(method string, args ...string) string {
				t.Helper()
				printed, err := node(t, "inspector/clients/launcher/build/index.js", append(append([]string{"--cli"}, append(target, "--method", method)...), args...)...)
				require.NoError(t, err, printed)
				return printed
			}
			listed := inspect("tools/list")
			assert.Contains(t, listed, `"name": "functions_invocation-stats"`)
			assert.Contains(t, listed, `"outputSchema"`)
			var result struct {
				StructuredContent struct {
					Rows      []struct{ Count int64 }
					Truncated bool
				}
			}
			require.NoError(t, json.Unmarshal([]byte(inspect("tools/call", "--tool-name", "functions_invocation-stats", "--tool-arg", "project=acme", "interval=7day")), &result))
			assert.Len(t, result.StructuredContent.Rows, 8)
			assert.False(t, result.StructuredContent.Truncated)
			if name == "HTTP" { // which has the same resources as the others
				assert.Contains(t, inspect("resources/list"), `"savedq://tables"`)
				assert.Contains(t, inspect("resources/read", "--uri", "savedq://queries/logs.all"), "# logs.all")
			}
		})
	}
}

// The server passes the scenarios of the official conformance suite that need no tools of the suite's
// own server. They send no token.
func TestMCPConformance(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--no-auth")
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"} {
		printed, err := node(t, "conformance/dist/index.js", "server", "--url", s.url+"/mcp", "--scenario", scenario)
		require.NoError(t, err, printed)
		assert.Contains(t, printed, ", 0 failed, 0 warnings", scenario)
		assert.NotContains(t, printed, "FAILURE")
	}
}
