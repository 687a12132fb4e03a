package duckdb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// Check accepts the columns that Declare returns for a SELECT.
func TestDeclareSatisfiesCheck(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for sql, want := range map[string]sqlq.Type{
		"1::TINYINT": sqlq.Int64, "1::HUGEINT": sqlq.Numeric, "1::UBIGINT": sqlq.Numeric, "1.5": sqlq.Numeric, "[1.5]": "ARRAY<NUMERIC>", "1e0": sqlq.Float64,
		"'a'": sqlq.String, "uuid()": sqlq.String, "'a'::ENUM('a', 'b')": sqlq.String, "'{}'::JSON": sqlq.JSON, "true": sqlq.Bool,
		"TIMESTAMP '2026-01-01'": sqlq.Timestamp, "TIMESTAMPTZ '2026-01-01'": sqlq.Timestamp, "DATE '2026-01-01'": sqlq.Date,
		"TIME '10:00:00'": sqlq.JSON, "INTERVAL 1 DAY": sqlq.JSON, "'x'::BLOB": sqlq.JSON, "MAP {'a': 1}": sqlq.JSON, "NULL": sqlq.Int64,
		"[1, 2]": "ARRAY<INT64>", "[[true]]": "ARRAY<ARRAY<BOOL>>", "{'a': 1, 'b': ['x']}": sqlq.Struct, "[{'a': DATE '2026-01-01'}]": "ARRAY<STRUCT>",
		"{'a': TIME '10:00:00'}": sqlq.JSON, "[INTERVAL 1 DAY]": sqlq.JSON, "{'a.b': 1}": sqlq.JSON, "row(1, 2)": sqlq.JSON,
		"[MAP {'a': 1}]": sqlq.JSON, "1::UHUGEINT": sqlq.Numeric, "1::BIGNUM": sqlq.Numeric, "sum(1)": sqlq.Numeric, "1.5::DECIMAL(38, 20)": sqlq.Numeric,
	} {
		query := &sqlq.SavedQuery{Name: "mine", SQL: "SELECT " + sql + " AS x", SQLFile: "mine/duckdb.sql", MaxRows: 1}
		plan, err := engine.Check(t.Context(), query)
		require.NoError(t, err, sql)
		require.Len(t, plan.Columns, 1, sql)
		column := duckdb.Declare(plan.Columns[0])
		assert.Equal(t, want, column.Type, sql)
		query.Columns = []sqlq.Column{column}
		_, err = engine.Check(t.Context(), query)
		require.NoError(t, err, sql)
	}
}

// A parameter without a type gets the one that the SQL asks for.
func TestCheckInfersParameters(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	told := func(name string, of sqlq.Type) sqlq.PlannedParam { return sqlq.PlannedParam{Name: name, Type: of} }
	guessed := func(name string, of sqlq.Type) sqlq.PlannedParam {
		return sqlq.PlannedParam{Name: name, Type: of, Guessed: true}
	}
	for name, test := range map[string]struct {
		sql    string
		params []sqlq.Param
		want   []sqlq.PlannedParam
	}{
		"told": {
			"SELECT id FROM edge_logs WHERE project = $p AND timestamp > $since AND timestamp > $now::TIMESTAMP - to_days($n::INTEGER)",
			[]sqlq.Param{{Name: "p"}, {Name: "since"}, {Name: "n"}},
			[]sqlq.PlannedParam{told("p", sqlq.String), told("since", sqlq.Timestamp), told("n", sqlq.Int64)},
		},
		"anything": {"SELECT $x AS x", []sqlq.Param{{Name: "x"}}, []sqlq.PlannedParam{guessed("x", sqlq.String)}},
		"first that compiles": {
			"SELECT $n + 1 AS x, date_trunc($part, timestamp) AS t, list_contains($ids, id) AS c, ($d IS NULL OR timestamp::DATE = $d) AS e FROM edge_logs",
			[]sqlq.Param{{Name: "n"}, {Name: "part"}, {Name: "ids"}, {Name: "d"}},
			[]sqlq.PlannedParam{guessed("n", sqlq.Int64), guessed("part", sqlq.String), guessed("ids", "ARRAY<STRING>"), told("d", sqlq.Date)},
		},
		"exact": {
			"SELECT price > $price AS a, size > $size AS b FROM (SELECT 1.5 AS price, 1::UBIGINT AS size)",
			[]sqlq.Param{{Name: "price"}, {Name: "size"}},
			[]sqlq.PlannedParam{told("price", sqlq.Numeric), told("size", sqlq.Numeric)},
		},
		"arrays": {
			"SELECT status_code = ANY($codes) AS a, list_contains($days, timestamp) AS b, project_ref = ANY($projects) AS c FROM function_invocations",
			[]sqlq.Param{{Name: "codes"}, {Name: "days"}, {Name: "projects"}},
			[]sqlq.PlannedParam{guessed("codes", "ARRAY<INT64>"), guessed("days", "ARRAY<TIMESTAMP>"), guessed("projects", "ARRAY<STRING>")},
		},
		"given": {
			"SELECT $x AS x, timestamp > $since AS y FROM edge_logs",
			[]sqlq.Param{{Name: "x", Type: sqlq.Bool}, {Name: "since"}},
			[]sqlq.PlannedParam{told("since", sqlq.Timestamp)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := engine.Check(t.Context(), &sqlq.SavedQuery{Name: "mine", SQL: test.sql, SQLFile: "mine/duckdb.sql", Params: test.params})
			require.NoError(t, err)
			assert.Equal(t, test.want, plan.Params)
		})
	}
}
