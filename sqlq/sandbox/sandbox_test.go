package sandbox_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sandbox"
)

const queryYAML = `id: 11111111-1111-4111-8111-111111111111
name: mine.logs
description: Logs.
cache: 900s
warm: 300s
sandbox: enabled
params:
  - {name: project, type: STRING, scope: project, required: true, description: Project.}
  - {name: least, type: INT64, description: Least.}
columns:
  - {name: n, type: INT64, description: N.}
`

// read reads a saved query with a sandbox.
func read(dialect sqlq.Dialect, yaml, sql string) (*sqlq.SavedQuery, error) {
	read, err := catalog.Read(dialect, catalog.Directory{Path: "mine", FS: fstest.MapFS{"logs/query.yaml": {Data: []byte(yaml)}, "logs/query.sql": {Data: []byte(sql)}}})
	if err != nil {
		return nil, err
	}
	query, _ := read.Find("mine.logs")
	return query, nil
}

const querySQL = `WITH
  all_logs AS (SELECT id, timestamp FROM edge_logs WHERE project = @project),
  late AS (SELECT id FROM all_logs WHERE EXTRACT(HOUR FROM timestamp) >= @least),
  clock AS (SELECT CURRENT_TIMESTAMP() AS now)
SELECT COUNT(*) AS n FROM late`

// D40: SQL of a caller has the WITH clauses that it reads, their parameters, and columns of its own. The same text
// serves both engines.
func TestQuery(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sql, google string
		params      []string
		columns     []sqlq.Column
	}{
		"a clause": {
			"select id from ALL_LOGS -- all", "WITH all_logs AS (SELECT id, timestamp FROM edge_logs WHERE project = @project)\nselect id from ALL_LOGS",
			[]string{"project"},
			[]sqlq.Column{{Name: "id", Type: sqlq.String, Nullable: true}},
		},
		"a clause of a clause": {
			"WITH x AS (SELECT 'it\\'s\\n' AS a)  SELECT COUNT(*) AS m FROM late, x;",
			"WITH all_logs AS (SELECT id, timestamp FROM edge_logs WHERE project = @project),\nlate AS (SELECT id FROM all_logs WHERE EXTRACT(HOUR FROM timestamp) >= @least),\n" +
				"x AS (SELECT 'it\\'s\\u000a' AS a)\nSELECT COUNT(*) AS m FROM late, x",
			[]string{"project", "least"},
			[]sqlq.Column{{Name: "m", Type: sqlq.Int64, Nullable: true}},
		},
		"none": {"SELECT [@least] AS l", "\nSELECT [@least] AS l", []string{"least"}, []sqlq.Column{{Name: "l", Type: sqlq.ArrayOf(sqlq.Int64)}}},
		"the clock": {
			"SELECT `now` FROM clock", "WITH clock AS (SELECT @now AS now)\nSELECT `now` FROM clock", nil,
			[]sqlq.Column{{Name: "now", Type: sqlq.Timestamp, Nullable: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, dialect := range []sqlq.Dialect{duckdbsql.Dialect{}, googlesql.Dialect{}} {
				saved, err := read(dialect, queryYAML, querySQL)
				require.NoError(t, err)
				sandboxes := sandbox.New(dialect, 0)
				derived, err := sandboxes.Query(saved, test.sql, nil)
				require.NoError(t, err)
				var params []string
				for _, param := range derived.Params {
					params = append(params, param.Name)
				}
				assert.Equal(t, test.params, params)
				assert.Equal(t, test.columns, derived.Columns)
				assert.Same(t, saved, derived.Callers.Saved)
				assert.Zero(t, derived.Warm, "nothing is refreshed for a caller")
				written, _ := derived.Written()
				assert.Equal(t, test.sql, written)
				if dialect == (googlesql.Dialect{}) {
					assert.Equal(t, test.google, derived.SQL)
				}
				again, err := sandboxes.Query(saved, test.sql, nil)
				require.NoError(t, err)
				assert.Same(t, derived, again)
			}
		})
	}
}

// A saved query cannot have a sandbox in which callers would read what it excludes.
func TestCheck(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT COUNT(*) AS n FROM edge_logs WHERE project = @project AND @least = 1":                                                                              "mine/logs/query.sql:1:1: sandbox: callers can read the WITH clauses only, and there is none; begin with WITH name AS (SELECT …)",
		"WITH RECURSIVE a AS (SELECT 1 AS n) SELECT n FROM a WHERE @project = 'a' AND @least = 1":                                                                  "mine/logs/query.sql:1:1: sandbox: WITH RECURSIVE is not supported",
		"WITH a AS (SELECT 1 AS n FROM `cloudflare.logs.prod` WHERE @least = 1) SELECT n FROM a WHERE @project = 'a'":                                              "mine/logs/query.sql:1:31: sandbox: callers could read rows of every project in edge_logs here; add project = @project to the WHERE of this SELECT, by AND and outside of OR, NOT and CASE",
		"WITH a AS (SELECT id FROM edge_logs WHERE project = @project),\nb AS (SELECT id FROM a WHERE EXISTS (SELECT 1 FROM auth_logs)) SELECT @least AS n FROM b": "mine/logs/query.sql:2:52: sandbox: callers could read rows of every project in auth_logs here; add project = @project to the WHERE of this SELECT, by AND and outside of OR, NOT and CASE",
		"WITH edge_logs AS (SELECT id FROM edge_logs) SELECT @least AS n FROM edge_logs WHERE @project = 'a'":                                                      "mine/logs/query.sql:1:35: sandbox: callers could read rows of every project in edge_logs here; add project = @project to the WHERE of this SELECT, by AND and outside of OR, NOT and CASE",
		"WITH a AS (SELECT 1 AS n) SELECT n FROM a WHERE @project = 'a' AND @least = 1":                                                                            "",
	} {
		_, err := read(duckdbsql.Dialect{}, queryYAML, sql)
		if want == "" {
			require.NoError(t, err, sql)
			continue
		}
		require.EqualError(t, err, want, sql)
	}
	_, err := read(duckdbsql.Dialect{}, strings.ReplaceAll(queryYAML, "least", "sql"), strings.ReplaceAll(querySQL, "@least", "@sql"))
	require.EqualError(t, err, "mine/logs/query.yaml:9:12: callers send their SQL as sql, so no parameter of a query with a sandbox has that name")
}

// third is the dialect of an engine that is neither BigQuery nor DuckDB.
type third struct{ duckdbsql.Dialect }

func (third) Name() string { return "third" }

// Except on BigQuery, the text is resolved once. What runs is what the text behind the WITH clauses translates to for its columns.
func TestTranslation(t *testing.T) {
	t.Parallel()
	const with = "WITH logs AS (SELECT id, metadata FROM edge_logs WHERE project = @project AND @least > 0)"
	saved, err := read(duckdbsql.Dialect{}, queryYAML, with+" SELECT COUNT(*) AS n FROM logs")
	require.NoError(t, err)
	for _, sql := range []string{
		"SELECT metadata FROM logs",
		"SELECT b'ab' AS b, NUMERIC '1.5' AS n, m.region AS r, m.request AS q, CAST(m.x AS INT64) AS x FROM logs, UNNEST(metadata) AS m",
		"SELECT m.region AS n FROM logs, UNNEST(metadata) AS m UNION ALL SELECT 'x' ORDER BY 1",
		"SELECT STRUCT(m.region AS a, 1 AS b) AS s, m.request[0] AS y FROM logs, UNNEST(metadata) AS m",
	} {
		for _, dialect := range []sqlq.Dialect{duckdbsql.Dialect{}, third{}} {
			const rowBytes = 1000 // the dialect does not know it
			derived, err := sandbox.New(dialect, rowBytes).Query(saved, sql, nil)
			require.NoError(t, err, sql)
			want, err := dialect.FromGoogleSQL(derived, with+"\n"+sql)
			require.NoError(t, err, sql)
			assert.Equal(t, strings.ReplaceAll(want.SQL, "131072", "  1000"), derived.SQL, sql)
		}
	}
}
