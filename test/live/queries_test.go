package live_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fourthYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11
name: functions.slowest
description: The slowest function invocations of a project.
max_rows: 2
params:
  - name: project
    type: STRING
    scope: project
    required: true
    description: Project reference.
columns:
  - name: function_id
    type: STRING
    description: Function id.
  - name: execution_time_ms
    type: FLOAT64
    description: Execution time in milliseconds.
`

const fourthSQL = `SELECT function_id, execution_time_ms
FROM function_invocations
WHERE project_ref = $project
ORDER BY execution_time_ms DESC;
`

// writeQuery makes a directory with one folder of a saved query.
func writeQuery(t *testing.T, yaml, sql string) string {
	t.Helper()
	directory := t.TempDir()
	folder := filepath.Join(directory, "slowest")
	require.NoError(t, os.Mkdir(folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(yaml), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"), []byte(sql), 0o600))
	return directory
}

// A user's fourth saved query is served and listed with no change of code.
func TestFourthSavedQuery(t *testing.T) {
	t.Parallel()
	data, queries := filepath.Join(t.TempDir(), "data"), writeQuery(t, fourthYAML, fourthSQL)
	loadSamples(t, data)
	s := serve(t, "--data", data, "--queries", queries)
	byName := s.get(t, "/api/endpoints/functions.slowest?project=acme")
	assert.Regexp(t, `^\{"result":\[\{"function_id":"[^"]+","execution_time_ms":\d+\}\]\}$`, byName)
	assert.Equal(t, byName, s.get(t, "/api/endpoints/query/0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11?project=acme"))
	var list struct{ Endpoints []struct{ Name, SQL string } }
	s.graphql(t, `{ endpoints { name sql } }`, &list)
	require.Len(t, list.Endpoints, 9)
	assert.Equal(t, "functions.slowest", list.Endpoints[2].Name)
	assert.Equal(t, 0, s.stop(t), s.stderr)
	assert.Contains(t, run(t, "endpoints", "--queries", queries).stdout, "functions.slowest           0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11  ")
}
