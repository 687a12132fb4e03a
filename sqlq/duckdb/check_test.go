package duckdb_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

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
		"a long line":     {"SELECT 1 AS n FROM edge_logs WHERE project = 'a' AND id = 'b' AND nosuch AND event_message = 'c' AND timestamp > '2026-01-01'", []sqlq.Column{number}, `test/duckdb.sql:1:67: Binder Error: Referenced column "nosuch" not found`},
		"an even longer":  {"SELECT 1 AS n\nFROM edge_logs WHERE " + strings.Repeat("id = 'b' AND ", 20) + "nosuch AND " + strings.Repeat("id = 'b' AND ", 20) + "TRUE", []sqlq.Column{number}, `test/duckdb.sql:2:282: Binder Error: Referenced column "nosuch" not found`},
		"two queries":     {"SELECT 1 AS n) UNION ALL (SELECT 2 AS n", []sqlq.Column{number}, `test/duckdb.sql:1:14: Parser Error: syntax error at or near ")"`},
		"no query":        {"DELETE FROM edge_logs", []sqlq.Column{number}, `test/duckdb.sql:1:`},
		"column names":    {"SELECT 1 AS n, 2 AS m", []sqlq.Column{number}, "test/query.yaml:7:5: declares the columns n, but test/duckdb.sql returns n, m"},
		"column order":    {"SELECT 1 AS n, 2 AS m", []sqlq.Column{{Name: "m", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 8, Column: 5}}, number}, "test/query.yaml:8:5: declares the columns m, n, but test/duckdb.sql returns n, m"},
		"too few columns": {"SELECT 1 AS n", []sqlq.Column{number, {Name: "m", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 8, Column: 5}}}, "test/query.yaml:8:5: declares the columns n, m, but test/duckdb.sql returns n"},
		"column type":     {"SELECT 1.5 AS n", []sqlq.Column{number}, "test/query.yaml:7:5: declares column n as INT64, but test/duckdb.sql returns it as DECIMAL(2,1)"},
		"DOUBLE":          {"SELECT 1e0 AS n", []sqlq.Column{{Name: "n", Type: sqlq.Numeric}}, "declares column n as NUMERIC, but test/duckdb.sql returns it as DOUBLE"},
		"time with zone":  {"SELECT TIMESTAMPTZ '2026-03-01' AS n", []sqlq.Column{{Name: "n", Type: sqlq.Datetime}}, "declares column n as DATETIME, but test/duckdb.sql returns it as TIMESTAMPTZ"},
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

// An unknown table is near one that there is, or all that there are: own log sources too, but never DuckDB's own
// tables, or those that the store keeps for itself.
func TestCheckSuggestsTables(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	require.NoError(t, store.Declare(t.Context(), sqlq.Tables{{Name: "prepared_items"}}))
	engine := duckdb.New(store.DB())
	const all = "The tables are all_logs, all_logs_shared, auth_logs, edge_logs, edge_requests, function_edge_logs, function_invocations, function_logs, " +
		"pgbouncer_logs, postgres_logs, postgrest_logs, prepared_items, realtime_logs, savedq_runs, storage_logs."
	for table, want := range map[string]string{
		"edge_log":               "Did you mean edge_logs?",
		"Prepared_Item":          "Did you mean prepared_items?",
		"pg_prepared_statement":  all,
		"prepared_statements":    all,
		"store_inf":              all,
		"duckdb_table":           all,
		"orders":                 all,
		`"edge_logs ; DROP it!"`: all,
	} {
		_, err := engine.Check(t.Context(), savedQuery("SELECT 1 AS n FROM "+table))
		name := strings.Trim(table, `"`)
		require.EqualError(t, err, "test/duckdb.sql:1:20: Catalog Error: Table with name "+name+" does not exist! "+want)
	}
}

// A stream declares numbers that Parquet and Arrow do not hold as decimals, nested ones too, since the first of them may
// come after the status of the response.
func TestCheckOfBigNumbersInStreams(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for actual, isBig := range map[string]bool{
		"BIGINT": false, "UBIGINT": false, "DECIMAL(38,9)": false, "DECIMAL(18,2)": false, "DECIMAL(9,9)": false,
		"DECIMAL(38,2)": true, "DECIMAL(38,10)": true, "DECIMAL(10,10)": true, "HUGEINT": true, "UHUGEINT": true, "BIGNUM": true,
	} {
		for _, declaredBig := range []bool{false, true} {
			for sql, column := range map[string]sqlq.Column{
				"NULL::" + actual:                {Type: sqlq.Numeric, Big: declaredBig},
				"NULL::" + actual + "[]":         {Type: sqlq.ArrayOf(sqlq.Numeric), Big: declaredBig},
				"NULL::STRUCT(a " + actual + ")": {Type: sqlq.Struct, Fields: []sqlq.Column{{Name: "a", Type: sqlq.Numeric, Big: declaredBig}}},
			} {
				column.Name = "n"
				query := savedQuery("SELECT "+sql+" AS n", column)
				_, err := engine.Check(t.Context(), query)
				require.NoError(t, err, "no stream, whose values are known before the status")
				query.Stream = true
				_, err = engine.Check(t.Context(), query)
				if isBig && !declaredBig {
					assert.ErrorContains(t, err, "returns it as "+actual+", which can have more digits; declare it as BIGNUMERIC")
				} else {
					assert.NoError(t, err, sql)
				}
			}
		}
	}
}
