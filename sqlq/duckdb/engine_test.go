package duckdb_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
)

// savedQuery is a query with the columns, as a catalog would hold it.
func savedQuery(sql string, columns ...sqlq.Column) *sqlq.SavedQuery {
	return &sqlq.SavedQuery{Name: "test", MaxRows: 1000, Columns: columns, SQL: sql, SQLFile: "test/duckdb.sql"}
}

// Each declared type, from whatever DuckDB type can hold it.
func TestRunConvertsValues(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 1, 10, 20, 30, 123456000, time.UTC)
	tests := map[string]struct {
		expression string
		columnType sqlq.Type
		want       any
	}{
		"BIGINT":               {"9223372036854775807", sqlq.Int64, int64(9223372036854775807)},
		"HUGEINT":              {"sum(7::BIGINT)", sqlq.Int64, int64(7)},
		"UTINYINT":             {"255::UTINYINT", sqlq.Int64, int64(255)},
		"DOUBLE":               {"0.1::DOUBLE", sqlq.Float64, 0.1},
		"DECIMAL":              {"12.50::DECIMAL(10,2)", sqlq.Float64, 12.5},
		"NaN is NULL":          {"'NaN'::DOUBLE", sqlq.Float64, nil},
		"infinity is NULL":     {"'-Infinity'::DOUBLE", sqlq.Float64, nil},
		"VARCHAR":              {"'a' || chr(0) || 'ü'", sqlq.String, "a\x00ü"},
		"UUID":                 {"'c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32'::UUID", sqlq.String, "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32"},
		"BOOLEAN":              {"true", sqlq.Bool, true},
		"TIMESTAMP":            {"TIMESTAMP '2026-03-01 10:20:30.123456'", sqlq.Timestamp, moment},
		"TIMESTAMPTZ is UTC":   {"TIMESTAMPTZ '2026-03-01 12:20:30.123456+02:00'", sqlq.Timestamp, moment},
		"TIMESTAMP_NS":         {"'2026-03-01 10:20:30.123456789'::TIMESTAMP_NS", sqlq.Timestamp, moment},
		"DATETIME":             {"TIMESTAMP '2026-03-01 10:20:30.123456'", sqlq.Datetime, moment},
		"infinite TIMESTAMP":   {"'infinity'::TIMESTAMP", sqlq.Timestamp, nil},
		"infinite DATETIME":    {"'-infinity'::TIMESTAMP", sqlq.Datetime, nil},
		"infinite DATE":        {"'infinity'::DATE", sqlq.Date, nil},
		"DATE before all":      {"'-infinity'::DATE", sqlq.Date, nil},
		"DATE":                 {"DATE '2026-03-01'", sqlq.Date, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		"JSON":                 {`'{"b":12345678901234567890,"a":1}'::JSON`, sqlq.JSON, json.RawMessage(`{"b":12345678901234567890,"a":1}`)},
		"JSON text":            {`'[1, "x"]'`, sqlq.JSON, json.RawMessage(`[1, "x"]`)},
		"STRUCT":               {`{'b': [1, NULL], 'a': {'c': DATE '2026-03-01'}}`, sqlq.JSON, json.RawMessage(`{"b":[1,null],"a":{"c":"2026-03-01"}}`)},
		"STRUCT with NaN":      {`{'x': 'nan'::DOUBLE, 'y': ['-inf'::DOUBLE]}`, sqlq.JSON, json.RawMessage(`{"x":null,"y":[null]}`)},
		"empty list":           {`[]`, sqlq.JSON, json.RawMessage(`[]`)},
		"NULL":                 {"NULL", sqlq.Timestamp, nil},
		"NULL JSON":            {"NULL", sqlq.JSON, nil},
		"name that is keyword": {`1`, sqlq.Int64, int64(1)},
	}
	engine := duckdb.New(openStore(t, nil).DB())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := savedQuery(`SELECT `+test.expression+` AS "order"`, sqlq.Column{Name: "order", Type: test.columnType})
			if test.want != nil || test.columnType == sqlq.Float64 {
				_, err := engine.Check(t.Context(), query)
				require.NoError(t, err)
			}
			result, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
			require.NoError(t, err)
			assert.Equal(t, [][]any{{test.want}}, result.Rows)
		})
	}
}

// D24: exactly max rows is whole, one more is cut, in the query's own order.
func TestRunCutsToMaxRows(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for maxRows, truncated := range map[int]bool{2: true, 3: false, 4: false} {
		query := savedQuery("SELECT unnest([1, 2, 3]) AS n ORDER BY n DESC -- no limit", sqlq.Column{Name: "n", Type: sqlq.Int64})
		query.MaxRows = maxRows
		result, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
		require.NoError(t, err)
		assert.Equal(t, truncated, result.Truncated)
		assert.Equal(t, [][]any{{int64(3)}, {int64(2)}, {int64(1)}}[:min(maxRows, 3)], result.Rows)
	}
}

// A caller who leaves interrupts the query.
func TestRunStopsWithItsCaller(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	// The query would take minutes; its caller leaves in the middle of it.
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	query := savedQuery("SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = -1", sqlq.Column{Name: "n", Type: sqlq.Int64})
	_, err := engine.Run(ctx, sqlq.Statement{Query: query})
	require.Error(t, err)
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
}

// A run sees rows that came after an earlier one, and that are unlike all that were
// there then. Each of these queries answers wrongly, or fails, with the plan that DuckDB
// made before.
func TestRunSeesNewRows(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	engine := duckdb.New(store.DB())
	change := func(statement string) {
		_, err := store.DB().ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	queries := make(map[string]*sqlq.SavedQuery)
	for _, sql := range []string{
		"SELECT count(*) AS n FROM function_invocations WHERE status_code >= 400",
		"SELECT count(*) AS n FROM function_invocations WHERE status_code < 300",
		"SELECT count(*) AS n FROM function_invocations WHERE status_code IS NULL",
		"SELECT count(*) AS n FROM function_invocations WHERE status_code >= 400 AND timestamp < $now::TIMESTAMP",
		"SELECT count(status_code) AS n FROM function_invocations",
		"SELECT count(DISTINCT status_code) AS n FROM function_invocations",
		"SELECT count(*) AS n FROM (SELECT status_code, count(*) FROM function_invocations GROUP BY status_code)",
		"SELECT count(*) AS n FROM function_invocations SEMI JOIN (SELECT 500 AS status_code) USING (status_code)",
	} {
		queries[sql] = savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.Int64})
	}
	assertRuns := func() {
		statement := sqlq.Statement{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
		for sql, query := range queries {
			statement.Query = query
			again, err := engine.Run(t.Context(), statement)
			require.NoError(t, err, sql)
			statement.Query = savedQuery(sql, query.Columns...)
			anew, err := engine.Run(t.Context(), statement)
			require.NoError(t, err, sql)
			assert.Equal(t, anew.Rows, again.Rows, sql)
		}
	}
	change("INSERT INTO function_invocations (timestamp, status_code) SELECT TIMESTAMP '2026-03-01' + to_seconds(i), 200 FROM range(5000) numbers(i)")
	change("CHECKPOINT")
	assertRuns()
	change("INSERT INTO function_invocations (timestamp, status_code) SELECT TIMESTAMP '2026-04-01', CASE WHEN i % 2 = 0 THEN 500 END FROM range(1000) numbers(i)")
	assertRuns()
	change("DELETE FROM function_invocations WHERE status_code = 200")
	assertRuns()
}

// What is kept of a saved query between its runs knows nothing of their values, nor of
// how they ended.
func TestRunAgain(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT $s AS s, $i::INT64 AS i FROM range($i)", sqlq.Column{Name: "s", Type: sqlq.String}, sqlq.Column{Name: "i", Type: sqlq.Int64})
	query.Params = []sqlq.Param{{Name: "s", Type: sqlq.String}, {Name: "i", Type: sqlq.Int64}}
	query.MaxRows = 2
	engine := duckdb.New(openStore(t, nil).DB())
	run := func(ctx context.Context, text, number any) (*sqlq.Result, error) {
		return engine.Run(ctx, sqlq.Statement{Query: query, Args: []sqlq.Arg{
			{Name: "s", Type: sqlq.String, Value: text}, {Name: "i", Type: sqlq.Int64, Value: number},
		}})
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for _, text := range []any{"a", nil, "b"} {
				result, err := run(t.Context(), text, int64(1))
				if assert.NoError(t, err) {
					assert.Equal(t, [][]any{{text, int64(1)}}, result.Rows)
				}
				_, err = run(left, text, int64(1))
				assert.ErrorIs(t, err, context.Canceled) //nolint:testifylint // require must not be called on another goroutine.
				_, err = run(t.Context(), "x", "no number")
				assert.Error(t, err) //nolint:testifylint // require must not be called on another goroutine.
				result, err = run(t.Context(), text, int64(5000))
				if assert.NoError(t, err) {
					assert.True(t, result.Truncated)
					assert.Equal(t, [][]any{{text, int64(5000)}, {text, int64(5000)}}, result.Rows)
				}
			}
		})
	}
	running.Wait()
}

// An expression that DuckDB does not accept, should binding let it through, is the
// caller's to mend.
func TestRunRefusesExpression(t *testing.T) {
	t.Parallel()
	catalog, err := sqlq.ShippedCatalog(sqlq.DuckDB)
	require.NoError(t, err)
	query, _ := catalog.Find("usage.api-counts")
	args, err := query.Bind(map[string][]string{"project": {"acme"}, "interval": {"daily"}})
	require.NoError(t, err)
	args[0].Value = "(?<name>acme)"
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	project, url := "acme", json.RawMessage(`[{"request":[{"url":"https://acme.example.com","path":"/rest"}]}]`)
	engine := duckdb.New(openStore(t, sqlqtest.Logs{"edge_logs": {{ID: "1", Timestamp: now, Project: &project, Metadata: url}}}).DB())
	_, err = engine.Run(t.Context(), sqlq.Statement{Query: query, Args: args, Now: now})
	coded := sqlq.AsError(err)
	assert.Equal(t, sqlq.InvalidArgument, coded.Code)
	assert.Equal(t, "project: is not a regular expression that the engine accepts: invalid perl operator: (?<", coded.PublicText(coded.Param))
}

// Every Unicode class that binding accepts, by whatever name, DuckDB has.
func TestUnicodeClasses(t *testing.T) {
	t.Parallel()
	catalog, err := sqlq.ShippedCatalog(sqlq.DuckDB)
	require.NoError(t, err)
	query, _ := catalog.Find("usage.api-counts")
	db, accepted := openStore(t, nil).DB(), 0
	names := slices.Concat(
		slices.Collect(maps.Keys(unicode.Categories)), slices.Collect(maps.Keys(unicode.CategoryAliases)),
		slices.Collect(maps.Keys(unicode.Scripts)), []string{"Any", "ASCII", "Assigned"})
	for _, name := range names {
		expression := `\p{` + name + `}`
		if _, err := query.Bind(map[string][]string{"project": {expression}, "interval": {"daily"}}); err != nil {
			continue
		}
		accepted++
		var matches bool
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT regexp_matches('', ?)", expression).Scan(&matches), expression)
	}
	assert.Greater(t, accepted, 150)
}

// Another failure is not blamed on the expression.
func TestRunBlamesNoInnocentExpression(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT ('{' || coalesce($p, ''))::JSON AS n", sqlq.Column{Name: "n", Type: sqlq.JSON})
	query.Params = []sqlq.Param{{Name: "p", Type: sqlq.String, Regex: true}}
	statement := sqlq.Statement{Query: query, Args: []sqlq.Arg{{Name: "p", Type: sqlq.String, Value: "acme"}}}
	_, err := duckdb.New(openStore(t, nil).DB()).Run(t.Context(), statement)
	require.Error(t, err)
	assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
}

// A text that only the SQL converts is its caller's mistake; a value of the store is
// not.
func TestRunRefusesText(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for sql, blamed := range map[string]bool{
		"SELECT $p::BIGINT AS n":                           true,
		"SELECT year($p::DATE) AS n":                       true,
		"SELECT year(strptime($p, '%Y')) AS n":             true,
		"SELECT CASE WHEN $p != '' THEN 'x'::BIGINT END n": false,
	} {
		query := savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.Int64})
		query.Params = []sqlq.Param{{Name: "p", Type: sqlq.String}}
		_, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Args: []sqlq.Arg{{Name: "p", Type: sqlq.String, Value: "20 June"}}})
		require.Error(t, err, sql)
		coded := sqlq.AsError(err)
		if !blamed {
			assert.Equal(t, sqlq.Internal, coded.Code, sql)
			continue
		}
		assert.Equal(t, sqlq.InvalidArgument, coded.Code, sql)
		assert.Equal(t, "p: the query cannot work with this value; the description of the parameter says what it is", coded.PublicText(coded.Param))
	}
}

// Few rows can be too large for an answer all the same.
func TestRunBoundsBytes(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT repeat('x', 30 * 1024 * 1024) AS n FROM range(3)", sqlq.Column{Name: "n", Type: sqlq.String})
	_, err := duckdb.New(openStore(t, nil).DB()).Run(t.Context(), sqlq.Statement{Query: query})
	assert.Equal(t, sqlq.ResourceExhausted, sqlq.AsError(err).Code)
	require.EqualError(t, err, "the answer is larger than 64 MiB; ask for less of it")
}

// Saved queries reach neither files nor the settings that keep them from it.
func TestRunReachesNothingOutside(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	engine := duckdb.New(store.DB())
	for _, sql := range []string{
		"SELECT content AS n FROM read_text('/etc/hostname')",
		"SELECT n FROM read_csv('http://127.0.0.1/x.csv')",
		"SELECT n FROM read_parquet('*.parquet')",
	} {
		_, err := engine.Run(t.Context(), sqlq.Statement{Query: savedQuery(sql, sqlq.Column{Name: "n", Type: sqlq.String})})
		require.ErrorContains(t, err, "disabled by configuration", sql)
	}
	_, err := store.DB().ExecContext(t.Context(), "SET enable_external_access = true")
	require.ErrorContains(t, err, "configuration has been locked")
}

// A column that is a parameter has the parameter's type.
func TestCheckKnowsTypesOfParameters(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT $s AS s, $i AS i, $f AS f, $b AS b, $t AS t, $now AS now, $s::INTEGER AS n",
		sqlq.Column{Name: "s", Type: sqlq.String}, sqlq.Column{Name: "i", Type: sqlq.Int64}, sqlq.Column{Name: "f", Type: sqlq.Float64},
		sqlq.Column{Name: "b", Type: sqlq.Bool}, sqlq.Column{Name: "t", Type: sqlq.Timestamp}, sqlq.Column{Name: "now", Type: sqlq.Timestamp},
		sqlq.Column{Name: "n", Type: sqlq.Int64})
	query.Params = []sqlq.Param{
		{Name: "s", Type: sqlq.String},
		{Name: "i", Type: sqlq.Int64},
		{Name: "f", Type: sqlq.Float64},
		{Name: "b", Type: sqlq.Bool},
		{Name: "t", Type: sqlq.Timestamp},
	}
	plan, err := duckdb.New(openStore(t, nil).DB()).Check(t.Context(), query)
	require.NoError(t, err)
	assert.Len(t, plan.Columns, 7)
}

// A mistake in the SQL is reported with its place in the file.
func TestCheckReportsMistakes(t *testing.T) {
	t.Parallel()
	number := sqlq.Column{Name: "n", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 7, Column: 5}}
	tests := map[string]struct {
		sql     string
		columns []sqlq.Column
		want    string
	}{
		"syntax":          {"SELECT 1 AS n\nFORM edge_logs", []sqlq.Column{number}, `test/duckdb.sql:2:1: Parser Error: syntax error at or near "FORM"`},
		"table":           {"SELECT 1 AS n\n  FROM edges", []sqlq.Column{number}, "test/duckdb.sql:2:8: Catalog Error: Table with name edges does not exist!"},
		"column":          {"SELECT\n  nosuch AS n FROM edge_logs", []sqlq.Column{number}, `test/duckdb.sql:2:3: Binder Error: Referenced column "nosuch" not found`},
		"two queries":     {"SELECT 1 AS n) UNION ALL (SELECT 2 AS n", []sqlq.Column{number}, `test/duckdb.sql:1:14: Parser Error: syntax error at or near ")"`},
		"no query":        {"DELETE FROM edge_logs", []sqlq.Column{number}, `test/duckdb.sql:1:`},
		"column names":    {"SELECT 1 AS n, 2 AS m", []sqlq.Column{number}, "test/query.yaml:7:5: declares the columns n, but test/duckdb.sql gives n, m"},
		"column order":    {"SELECT 1 AS n, 2 AS m", []sqlq.Column{{Name: "m", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 8, Column: 5}}, number}, "test/query.yaml:8:5: declares the columns m, n, but test/duckdb.sql gives n, m"},
		"too few columns": {"SELECT 1 AS n", []sqlq.Column{number, {Name: "m", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 8, Column: 5}}}, "test/query.yaml:8:5: declares the columns n, m, but test/duckdb.sql gives n"},
		"column type":     {"SELECT 1.5 AS n", []sqlq.Column{number}, "test/query.yaml:7:5: declares column n as INT64, but test/duckdb.sql gives it the type DECIMAL(2,1)"},
		"time with zone":  {"SELECT TIMESTAMPTZ '2026-03-01' AS n", []sqlq.Column{{Name: "n", Type: sqlq.Datetime}}, "declares column n as DATETIME, but test/duckdb.sql gives it the type TIMESTAMPTZ"},
	}
	engine := duckdb.New(openStore(t, nil).DB())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := engine.Check(t.Context(), savedQuery(test.sql, test.columns...))
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
