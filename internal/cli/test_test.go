package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The shipped queries pass their cases.
func TestTestShipped(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := runCommand(t, "test")
	assert.Equal(t, statusOK, status, stderr)
	assert.Regexp(t, `^ok    functions\.invocation-stats  5 cases passed in \d+ ms\n(?s:.*)ok    logs\.all  6 cases passed in \d+ ms\n(?s:.*)\d+ cases passed in \d+ ms\n$`, stdout)
	status, stdout, _ = runCommand(t, "test", "logs.all")
	assert.Equal(t, statusOK, status)
	assert.NotContains(t, stdout, "usage.api-counts")
}

// "test" runs the cases in folders of --queries, reports differences, and records them with
// --update. The exit status is 1 if a case fails, and 2 if the cases cannot be run.
func TestTest(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "params:\n  - {name: project, type: STRING, description: A project.}\n", "SELECT id AS x FROM edge_logs WHERE project = $project ORDER BY id")
	cases := writeFile(t, filepath.Join(directory, "mine", "tests", "a.yaml"), `cases:
  - name: one
    now: 2026-11-20T12:00:00Z
    params: {project: acme}
    events:
      edge_logs: [{id: a, project: acme, event_message: hi}]
    expect:
      rows: [{x: b}]
`)
	junit := filepath.Join(t.TempDir(), "junit.xml")
	args := []string{"test", "--queries", directory, "--junit", junit}
	status, stdout, stderr := runCommand(t, args...)
	assert.Equal(t, statusFailed, status, stderr)
	assert.Empty(t, stderr)
	assert.Equal(t, "FAIL  mine  1 case, 1 failed, in # ms\n  "+cases+":2:5: one\n    row 1, column x: expected \"b\", got \"a\"\n1 case, 1 failed, in # ms\n",
		regexp.MustCompile(`\d+ ms`).ReplaceAllString(stdout, "# ms"))
	text, err := os.ReadFile(junit)
	require.NoError(t, err)
	assert.Contains(t, string(text), `failures="1"`)

	status, stdout, stderr = runCommand(t, append(args, "--update")...)
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, "Updated 1 of 1 cases in "+cases+". Review the change.\n", stdout)
	status, _, stderr = runCommand(t, args...)
	assert.Equal(t, statusOK, status, stderr)

	for _, step := range []struct {
		change func()
		args   []string
		want   string
	}{
		{func() {}, []string{"nosuch"}, `there is no saved query "nosuch"`},
		{func() { writeFile(t, cases, "cases:\n  - x\n") }, nil, cases + `:2:5: must be a mapping with the keys name`},
		{func() { require.NoError(t, os.Remove(cases)) }, nil, "mine has no cases; write them to " + directory + "/mine/tests/*.yaml\nsavedq: there are no cases to run"},
		{func() { writeFile(t, cases, "cases:\n  - {name: a, now: 2026-11-20T12:00:00Z}\n") }, []string{"--update"}, "--update: " + cases + `:2:6: case "a" is written in braces`},
		{func() { writeFile(t, filepath.Join(directory, "mine", "duckdb.sql"), "SELECT $project AS y") }, nil, "mine/query.yaml:7:6: declares the columns x"},
		{func() {}, []string{"--junit", filepath.Join(directory, "no", "x")}, ""},
	} {
		step.change()
		status, _, stderr := runCommand(t, append([]string{"test", "--queries", directory}, step.args...)...)
		assert.Equal(t, statusUsage, status, step.want)
		assert.Contains(t, stderr, step.want)
	}
}

// A case has the same rows whatever ran before it (D29): lists that are empty first, and lists
// that are not.
func TestTestInEveryOrder(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "params:\n  - {name: methods, type: ARRAY<STRING>, description: Methods.}\n",
		"SELECT method AS x FROM (VALUES ('GET'), ('PUT')) AS known(method) WHERE len($methods) = 0 OR list_contains($methods, method) ORDER BY 1")
	calls := []struct{ params, rows string }{
		{"{}", "[{x: GET}, {x: PUT}]"}, {"{methods: []}", "[{x: GET}, {x: PUT}]"}, {"{methods: [PUT]}", "[{x: PUT}]"}, {"{methods: [PUT, GET]}", "[{x: GET}, {x: PUT}]"},
	}
	var cases strings.Builder
	cases.WriteString("cases:\n")
	for n := range 24 {
		left := slices.Clone(calls)
		for k := n; len(left) > 0; {
			i := k % len(left)
			k /= len(left)
			_, _ = fmt.Fprintf(&cases, "  - {name: order %d call %d, now: 2026-11-20T12:00:00Z, params: %s, expect: {rows: %s}}\n", n, len(left), left[i].params, left[i].rows)
			left = slices.Delete(left, i, i+1)
		}
	}
	writeFile(t, filepath.Join(directory, "mine", "tests", "a.yaml"), cases.String())
	status, stdout, stderr := runCommand(t, "test", "--queries", directory)
	assert.Equal(t, statusOK, status, stdout+stderr)
}
