package live_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clickHouseClients is where ClickHouse's client for Node.js is installed.
const clickHouseClients = "internal/api/clickhousehttp/clients"

// ADR 070: ClickHouse's client for Node.js reads rows, sends parameters, and gets mistakes as exceptions.
func TestClickHouseClient(t *testing.T) {
	t.Parallel()
	requireNode(t, "mcp")
	directory := filepath.Join(root, clickHouseClients)
	if _, err := os.Stat(filepath.Join(directory, "node_modules")); err != nil {
		t.Skipf("run %q in %s first", install, clickHouseClients)
	}
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	s := serve(t, "--data", data)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "node", "query.js", s.url, s.token)
	command.Dir = directory
	var mistakes bytes.Buffer // the client logs them, too
	command.Stderr = &mistakes
	output, err := command.Output()
	require.NoError(t, err, mistakes.String())
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.Len(t, lines, 12, string(output))
	assert.Equal(t, "true", lines[0])
	assert.Contains(t, lines[1], `{"meta":[{"name":"source","type":"String"},{"name":"n","type":"UInt64"}],"data":[{"source":"auth_logs","n":`)
	for i, want := range []string{
		"true",
		`[{"name":"logs"}]`,
		`[{"text":"it's\ta \\ line\n","list":["it's","b,c"],"at":"2026-03-01 10:00:00","n":5,"none":null}]`,
		`[["n","isEmpty"],["UInt8","UInt8"],[0,0],[1,0],[2,0]]`,
		"500",
		`"\"a\"\n\"a\"\n"`,
	} {
		assert.Equal(t, want, lines[i+2])
	}
	assert.Contains(t, lines[8], `{"code":"62","type":"SYNTAX_ERROR","message":"sql: line 1, column 8: there is no column nosuch`)
	assert.Contains(t, lines[9], `{"code":"164","type":"READONLY","message":"INSERT is not allowed: this interface only reads`)
	assert.Contains(t, lines[10], `{"code":"164","type":"READONLY","message":"ALTER is not allowed`)
	assert.Contains(t, lines[11], `{"code":"516","type":"AUTHENTICATION_FAILED"`)
}
