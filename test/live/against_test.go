package live_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const againstYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11
name: functions.slowest
aliases: [slowest]
description: The slowest function invocations of a project.
max_rows: 20
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project reference.}
  - {name: sort, type: STRING, allowed: [up, down, no-order], fallback: up, default: down, description: Order.}
  - {name: text, type: STRING, max_length: 20, pattern: "x.*", description: Text.}
  - {name: number, type: INT64, min: 1, max: 10, default: 5, description: Number.}
  - {name: ids, type: ARRAY<STRING>, max_items: 5, default: [x, y], description: Ids.}
  - {name: since, type: TIMESTAMP, default: now-7d, min: 2020-01-01, description: Since.}
columns:
  - {name: function_id, type: STRING, nullable: false, description: Function id.}
  - {name: total, type: INT64, description: Total.}
  - name: nested
    type: ARRAY<STRUCT>
    description: Nested.
    fields:
      - {name: a, type: STRING, nullable: false, description: A.}
      - name: deep
        type: STRUCT
        description: Deep.
        fields: [{name: b, type: INT64, description: B.}]
`

const againstSQL = `SELECT $project AS function_id, $number AS total, [{'a': $sort, 'deep': {'b': 1}}] AS nested
FROM (SELECT 1) WHERE $text IS NULL AND len($ids) > 0 AND $since IS NOT NULL`

// "check --against" finds the same changes whether it compares with a directory or with the
// server that serves it, and none between a directory and its own server.
func TestCheckAgainst(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(againstYAML, ", min: 2020-01-01", "", 1) // a relative default has no bounds
	before := writeQuery(t, yaml, againstSQL)
	s := serve(t, "--data", t.TempDir(), "--queries", before)
	check := func(after, against string) outcome {
		t.Helper()
		result := s.run(t, "check", "--queries", after, "--against", against)
		return outcome{result.status, strings.ReplaceAll(result.stdout, against, "BEFORE"), strings.ReplaceAll(result.stderr, against, "BEFORE")}
	}
	for _, against := range []string{before, s.url + "/"} {
		same := check(before, against)
		assert.Equal(t, 0, same.status, same.stderr)
		assert.Contains(t, same.stdout, "No change breaks callers, compared with BEFORE.\n")
		assert.NotContains(t, same.stdout, "new: ")
	}

	after := writeQuery(t, strings.NewReplacer(
		"name: functions.slowest", "name: functions.slow", "aliases: [slowest]\n", "", "max_rows: 20", "max_rows: 19",
		"[up, down, no-order], fallback: up, default: down, description: Order.", "[up, no-order, new], default: up, description: Order., graphql: {argument: order, values: [{value: no-order, name: NONE}]}",
		"max_length: 20, pattern: \"x.*\"", "max_length: 19, pattern: x, format: regex",
		"min: 1, max: 10, default: 5", "min: 2, max: 9, required: true", "max_items: 5, default: [x, y]", "max_items: 4, default: [x]", "now-7d", "now-1d",
		"nullable: false, description: Function id.", "description: Function id.", "total, type: INT64", "total, type: STRING",
		"name: a, type: STRING, nullable: false", "name: a, type: STRING", "{name: b, type: INT64, description: B.}", "{name: c, type: INT64, description: C.}",
		", scope: project", "",
	).Replace(yaml), strings.NewReplacer("$number AS", "'x' || $number AS", "'b'", "'c'").Replace(againstSQL))
	fromDirectory, fromServer := check(after, before), check(after, s.url)
	assert.Equal(t, 1, fromDirectory.status)
	assert.Equal(t, fromDirectory, fromServer)
	file := filepath.Join(after, "slowest", "query.yaml")
	for _, want := range []string{
		file + `:2:7: name was functions.slowest and is functions.slow: callers by name break`,
		file + `:2:7: GraphQL field was functionsSlowest and is functionsSlow: GraphQL documents`,
		file + `:14:6: column "total" was INT64 and is STRING: callers that read it break`,
		`field "nested.deep.b" is removed`, `default was [x, y] and is x`, `allowed value "down" is removed`,
	} {
		assert.Contains(t, fromServer.stderr, want)
	}
	assert.Equal(t, 27, strings.Count(warningsRemoved(fromServer.stderr), "\n"+file), fromServer.stderr)
	assert.Contains(t, fromServer.stdout, `new: `+file+`:7:105: allowed value "new" of parameter "sort"`)

	s.token = "wrong"
	refused := check(after, s.url)
	assert.Equal(t, 1, refused.status)
	assert.Equal(t, "savedq: --against: BEFORE does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens\n", warningsRemoved(refused.stderr))
	require.Equal(t, 0, s.stop(t))
	assert.Contains(t, check(after, s.url).stderr, "savedq: --against: reach the server: ")
}

// warningsRemoved returns the text without lines of warnings.
func warningsRemoved(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "warning: ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
