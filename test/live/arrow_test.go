package live_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	everyTypeYAML = `
max_rows: 10
columns:
  - {name: text, type: STRING, description: A column.}
  - {name: whole, type: INT64, description: A column.}
  - {name: real, type: FLOAT64, description: A column.}
  - {name: amount, type: NUMERIC, description: A column.}
  - {name: flag, type: BOOL, description: A column.}
  - {name: at, type: TIMESTAMP, description: A column.}
  - {name: bucket, type: DATETIME, description: A column.}
  - {name: day, type: DATE, description: A column.}
  - {name: more, type: JSON, description: A column.}
  - {name: tags, type: ARRAY<STRING>, description: A column.}
  - {name: one, type: STRUCT, description: A column., fields: [{name: path, type: STRING, description: A field.}, {name: price, type: NUMERIC, description: A field.}, {name: sizes, type: ARRAY<INT64>, description: A field.}]}
  - {name: several, type: ARRAY<STRUCT>, description: A column., fields: [{name: n, type: INT64, description: A field.}]}
`
	everyTypeSQL = `SELECT * FROM (VALUES
  ('é "a"', 9223372036854775807, 0.1, '-12345678901234567890123456789.123456789'::DECIMAL(38, 9), true, TIMESTAMP '2026-11-24 09:30:00.678901', TIMESTAMP '1969-12-31 23:59:59.999999',
   DATE '1969-12-31', '{"a":[1,null]}', ['x', NULL, ''], {'path': '/', 'price': 0.5::DECIMAL(3, 2), 'sizes': [1, NULL]}, [{'n': 1}, NULL, {'n': NULL}]),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
) v("text", whole, "real", amount, flag, "at", bucket, "day", more, tags, one, several) WHERE NOT `
	everyTypeArrow = `text Utf8
whole Int64
real Float64
amount Decimal[38e+9]
flag Bool
at Timestamp<MICROSECOND, UTC>
bucket Timestamp<MICROSECOND>
day Date32<DAY>
more Utf8
tags List<Utf8>
one Struct<{path:Utf8, price:Decimal[38e+9], sizes:List<Int64>}>
several List<Struct<{n:Int64}>>
`
	everyTypeRows = `"é \"a\"" 9223372036854775807 0.1 -12345678901234567890123456789.123456789 true 1795512600678901 -1 "1969-12-31" "{\"a\":[1,null]}" ["x",null,""] {"path":"/","price":0.5,"sizes":[1,null]} [{"n":1},null,{"n":null}]
null null null null null null null null null [] null []
`
)

// apache-arrow for JavaScript reads every type, NULL of each, and no rows, whether or not the rows are a stream.
func TestArrowInJavaScript(t *testing.T) {
	t.Parallel()
	requireNode(t, "notebook")
	queries := t.TempDir()
	for name, query := range map[string]struct{ yaml, sql string }{
		"whole":  {"id: 00000000-0000-4000-8000-000000000001", "false"},
		"stream": {"id: 00000000-0000-4000-8000-000000000002\nstream: true", "false"},
		"none":   {"id: 00000000-0000-4000-8000-000000000003", "true"},
	} {
		require.NoError(t, os.Mkdir(filepath.Join(queries, name), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(queries, name, "query.yaml"), []byte("name: "+name+"\ndescription: A test.\n"+query.yaml+everyTypeYAML), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(queries, name, "duckdb.sql"), []byte(everyTypeSQL+query.sql), 0o600))
	}
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--queries", queries)
	reader, err := os.ReadFile("testdata/arrow.mjs")
	require.NoError(t, err)
	client := copyClient(t, "notebook")
	require.NoError(t, os.WriteFile(filepath.Join(client, "arrow.mjs"), reader, 0o600))
	const endpoints, arrow = "/api/endpoints/", "?format=arrow"
	node := exec.CommandContext(t.Context(), "node", "arrow.mjs",
		s.url+endpoints+"whole"+arrow, s.url+endpoints+"stream"+arrow, s.url+endpoints+"none"+arrow)
	node.Dir = client
	node.Env = append(os.Environ(), "SAVEDQ_TOKEN="+s.token)
	printed, err := node.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	assert.Equal(t, everyTypeArrow+everyTypeRows+everyTypeArrow+everyTypeRows+everyTypeArrow, string(printed))
	require.Zero(t, s.stop(t))
}
