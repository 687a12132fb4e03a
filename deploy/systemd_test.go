package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// systemdAnalyze runs systemd-analyze on the unit, with a program that exists in the
// place of one that is not installed, and returns what it prints.
func systemdAnalyze(t *testing.T, arguments ...string) string {
	t.Helper()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed: the unit is not checked")
	}
	text, err := os.ReadFile("savedq.service")
	require.NoError(t, err)
	const program = "/usr/local/bin/savedq"
	require.Contains(t, string(text), "ExecStart="+program)
	unit := filepath.Join(t.TempDir(), "savedq.service")
	require.NoError(t, os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "ExecStart="+program, "ExecStart=/bin/true")), 0o600))
	output, err := exec.CommandContext(t.Context(), analyze, append(arguments, unit)...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// systemd finds nothing to say about the unit.
func TestUnit(t *testing.T) {
	t.Parallel()
	assert.Empty(t, systemdAnalyze(t, "verify"))
}

// The tokens file is readable for root only. What the service reads is a copy in its own directory,
// made at the start and at each reload, before the signal: a revoked token must not go on working.
func TestUnitKeepsTokensFromOtherUsers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("savedq.service")
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	assert.Contains(t, lines, "#   install -D -m 0600 tokens.yaml /etc/savedq/tokens.yaml")
	assert.Contains(t, lines, "DynamicUser=yes")
	const copied = "+/usr/bin/install -m 0444 /etc/savedq/tokens.yaml %t/savedq/tokens.yaml"
	assert.Contains(t, lines, "ExecStartPre="+copied)
	assert.Contains(t, string(text), "\nExecReload="+copied+"\nExecReload=/bin/kill -HUP $MAINPID\n")
	assert.Contains(t, lines, "RuntimeDirectoryMode=0700")
	assert.Contains(t, lines, "Environment=SAVEDQ_TOKENS=%t/savedq/tokens.yaml")
}

// What is left to the service is little: systemd's exposure level goes from 0 to 10,
// and counts in tenths here. A service of the network cannot get below 1.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	systemdAnalyze(t, "security", "--offline=true", "--no-pager", "--threshold=15")
}
