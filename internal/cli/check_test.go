package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeFolder writes a saved query to a new directory and returns the directory.
func writeFolder(t *testing.T, params, sql string) string {
	t.Helper()
	directory := t.TempDir()
	folder := filepath.Join(directory, "mine")
	require.NoError(t, os.Mkdir(folder, 0o750))
	yaml := "id: 00000000-0000-4000-8000-000000000001\nname: mine\ndescription: A test.\n" + params +
		"columns:\n  - {name: x, type: STRING, description: Anything.}\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(yaml), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"), []byte(sql), 0o600))
	return directory
}

// "check" warns about a saved query that tokens limited to projects cannot run, and continues.
func TestCheckWarnsOfNoScope(t *testing.T) {
	t.Parallel()
	for params, warned := range map[string]bool{
		"params:\n  - {name: project, type: STRING, description: A project.}\n":                 true,
		"params:\n  - {name: project, type: STRING, scope: project, description: A project.}\n": false,
	} {
		directory := writeFolder(t, params, "SELECT $project AS x")
		var stdout, stderr strings.Builder
		assert.Equal(t, statusOK, Run(t.Context(), []string{"check", "--omit-shipped=all", "--queries", directory}, &stdout, &stderr), stderr.String())
		want := ""
		if warned {
			want = "warning: " + directory + "/mine/query.yaml:2:7: no parameter has scope: project, so tokens that are limited to projects cannot run mine\n"
		}
		assert.Equal(t, want, stderr.String())
		assert.Contains(t, stdout.String(), "\nmine ")
	}
}

// Columns that have the same name in Prometheus are a mistake, also where no request has that format yet.
func TestCheckNamesInPrometheus(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"INT64", "STRING"} {
		directory := writeFolder(t, "", "SELECT 'a' AS x, CAST('1' AS "+map[string]string{"INT64": "BIGINT", "STRING": "VARCHAR"}[typ]+") AS \"ä\", \"ä\" AS \"ö\"")
		file := filepath.Join(directory, "mine", "query.yaml")
		yaml, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(yaml, "  - {name: ä, type: "+typ+", description: One.}\n  - {name: ö, type: "+typ+", description: Two.}\n"...), 0o600))
		status, stdout, stderr := runCommand(t, "check", "--omit-shipped=all", "--queries", directory)
		assert.Equal(t, statusFailed, status)
		assert.Contains(t, stderr, file+":7:6: the columns \"ä\" and \"ö\" are both "+map[string]string{"INT64": "savedq_mine__", "STRING": "_"}[typ]+" in Prometheus' format; rename one with AS\n")
		assert.Contains(t, stdout, "\nmine ")
	}
	status, _, stderr := runCommand(t, "check")
	assert.Equal(t, statusOK, status, stderr)
}

// A token can be limited to the tiers that saved queries declare.
func TestTokenNewAcceptsDeclaredTiers(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "params:\n  - {name: plan, type: STRING, scope: tier, allowed: [SMALL, LARGE], description: A plan.}\n", "SELECT $plan AS x")
	var stdout, stderr strings.Builder
	assert.Equal(t, statusFailed, Run(t.Context(), []string{"token", "new", "--name=a", "--project-tier=LARGE"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "--project-tier: the project tier must be one of FREE, PRO, PAYG, ENTERPRISE")
	stderr.Reset()
	assert.Equal(t, statusOK, Run(t.Context(), []string{"token", "new", "--name=a", "--project-tier=LARGE", "--queries", directory}, &stdout, &stderr), stderr.String())
	assert.Contains(t, stdout.String(), "    project_tier: \"LARGE\"\n")
}

// The file that --against names must exist.
func TestCheckAgainst(t *testing.T) {
	t.Parallel()
	checked := writeFolder(t, "", "SELECT 'a' AS x")
	for against, test := range map[string]struct {
		status int
		want   string
	}{
		"nosuch":             {statusUsage, "--against: nosuch is neither a directory nor a URL such as http://127.0.0.1:8080"},
		"http://":            {statusUsage, `--against: "http://" is not a URL such as http://127.0.0.1:8080`},
		"http://127.0.0.1:1": {statusFailed, "connection refused; start the server, or correct the URL\n"},
		"EMPTY":              {statusFailed, "--against: the saved queries to compare with have mistakes:\nEMPTY: has no folder with a query.yaml; \"savedq new NAME --sql FILE --queries DIR\" writes one"},
	} {
		directory := t.TempDir()
		status, _, stderr := runCommand(t, "check", "--omit-shipped=all", "--queries", checked, "--against", strings.ReplaceAll(against, "EMPTY", directory))
		assert.Equal(t, test.status, status, against)
		assert.Contains(t, strings.ReplaceAll(stderr, directory, "EMPTY"), test.want)
	}
}

// Unknown targets are reported together with other mistakes in the same files.
func TestCheckReportsTargetsWithOtherMistakes(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "max_row: 5\nalerts:\n  high: {every: 1s, when: any, notify: [opps]}\n", "SELECT '' AS x")
	notify := filepath.Join(directory, "notify.yaml")
	require.NoError(t, os.WriteFile(notify, []byte("targets:\n  ops: {form: slak, url: https://example.com}\n"), 0o600))
	status, _, stderr := runCommand(t, "check", "--omit-shipped=all", "--queries", directory, "--notify", notify)
	assert.Equal(t, statusFailed, status)
	assert.Equal(t, `savedq: the saved queries cannot be used:
DIR/mine/query.yaml:4:1: unknown key "max_row"; the keys are id, name, aliases, description, deprecated, max_rows, stream, cache, warm, sandbox, tool, graphql, params, columns, series, pages, alerts
DIR/mine/query.yaml:6:17: every must be at least 10s
DIR/mine/query.yaml:6:41: target "opps" is not in the file of --notify; did you mean ops?
DIR/notify.yaml:2:15: form "slak" is unknown; use one of savedq, slack, alertmanager
`, strings.ReplaceAll(stderr, directory, "DIR"))
	require.NoError(t, os.WriteFile(notify, []byte("target: {}\n"), 0o600))
	_, _, stderr = runCommand(t, "check", "--omit-shipped=all", "--queries", directory, "--notify", notify)
	assert.NotContains(t, stderr, "opps", "the targets are unknown")
}
