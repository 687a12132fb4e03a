package duckdb_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// D28: nested columns, from whatever DuckDB types can hold them.
func TestRunConvertsNestedValues(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	request := []sqlq.Column{
		{Name: "path", Type: sqlq.String, Nullable: true},
		{Name: "order", Type: sqlq.Int64, Nullable: true},
		{Name: "mean", Type: sqlq.Float64, Nullable: true},
		{Name: "at", Type: sqlq.Timestamp, Nullable: true},
		{Name: "meta", Type: sqlq.JSON, Nullable: true},
		{Name: "tags", Type: sqlq.ArrayOf(sqlq.String)},
	}
	for name, test := range map[string]struct {
		expression string
		column     sqlq.Column
		want       any
	}{
		"list":               {"[1, NULL, 3]::TINYINT[]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Int64)}, []any{int64(1), nil, int64(3)}},
		"NULL list":          {"NULL::VARCHAR[]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.String)}, []any{}},
		"empty list":         {"[]::VARCHAR[]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.String)}, []any{}},
		"list of fixed size": {"[1.5, 2]::DOUBLE[2]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Float64)}, []any{1.5, 2.0}},
		"list of decimals":   {"[1.5, 'inf'::DOUBLE]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Float64)}, []any{1.5, math.Inf(1)}},
		"list of NUMERIC":    {"[1.50, NULL, -99999999999999999999999999999.999999999]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Numeric)}, []any{sqlq.Decimal("1.5"), nil, sqlq.Decimal("-99999999999999999999999999999.999999999")}},
		"NUMERIC in structs": {
			"[{'n': 18446744073709551615::UBIGINT, 'of': [[0.10]]}]",
			sqlq.Column{Type: sqlq.ArrayOf(sqlq.Struct), Fields: []sqlq.Column{{Name: "n", Type: sqlq.Numeric}, {Name: "of", Type: "ARRAY<ARRAY<NUMERIC>>"}}},
			[]any{[]any{sqlq.Decimal("18446744073709551615"), []any{[]any{sqlq.Decimal("0.1")}}}},
		},
		"list of dates": {"[DATE '2026-03-01', 'infinity'::DATE]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Date)}, []any{day, nil}},
		"list of times": {"[TIMESTAMPTZ '2026-03-01 02:00:00+02']", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Timestamp)}, []any{day}},
		"list of lists": {"[[true], NULL, []]", sqlq.Column{Type: sqlq.ArrayOf(sqlq.ArrayOf(sqlq.Bool))}, []any{[]any{true}, []any{}, []any{}}},
		"aggregate":     {"(SELECT list(i ORDER BY i) FROM range(2) n(i))", sqlq.Column{Type: sqlq.ArrayOf(sqlq.Int64)}, []any{int64(0), int64(1)}},
		"list of JSON":  {`['{"a":1}'::JSON, '[nan]'::JSON]`, sqlq.Column{Type: sqlq.ArrayOf(sqlq.JSON)}, []any{json.RawMessage(`{"a":1}`), json.RawMessage(`[null]`)}},
		"struct": {
			`{'path': '/"ü', 'order': 7::HUGEINT, 'mean': 1.5::DECIMAL(4,2), 'at': DATE '2026-03-01'::TIMESTAMP, 'meta': to_json({'b': 1}), 'tags': ['x']}`,
			sqlq.Column{Type: sqlq.Struct, Fields: request},
			[]any{`/"ü`, int64(7), 1.5, day, json.RawMessage(`{"b":1}`), []any{"x"}},
		},
		"NULL struct": {"NULL::STRUCT(path VARCHAR, \"order\" INTEGER, mean DOUBLE, \"at\" TIMESTAMP, meta JSON, tags VARCHAR[])", sqlq.Column{Type: sqlq.Struct, Fields: request}, nil},
		"structs in a list": {
			"[{'path': NULL::VARCHAR, 'order': NULL::INTEGER, 'mean': 'inf'::DOUBLE, 'at': 'infinity'::TIMESTAMP, 'meta': NULL::JSON, 'tags': NULL::VARCHAR[]}, NULL]",
			sqlq.Column{Type: sqlq.ArrayOf(sqlq.Struct), Fields: request},
			[]any{[]any{nil, nil, math.Inf(1), nil, nil, []any{}}, nil},
		},
		"structs in structs": {
			"{'path': 'a', 'of': [{'path': 'b'}]}",
			sqlq.Column{Type: sqlq.Struct, Fields: []sqlq.Column{request[0], {Name: "of", Type: sqlq.ArrayOf(sqlq.Struct), Fields: request[:1]}}},
			[]any{"a", []any{[]any{"b"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.column.Name = "order"
			query := savedQuery(`SELECT `+test.expression+` AS "order"`, test.column)
			_, err := engine.Check(t.Context(), query)
			require.NoError(t, err)
			result, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
			require.NoError(t, err)
			require.NoError(t, result.Check())
			assert.Equal(t, [][]any{{test.want}}, result.Rows)
		})
	}
}

// A declared nested column must have the fields of the SQL, in their order, and types that
// hold theirs.
func TestCheckComparesNestedColumns(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	place := sqlq.Place{File: "test/query.yaml", Line: 3, Column: 5}
	fields := []sqlq.Column{{Name: "a", Type: sqlq.Int64, Place: place}, {Name: "b", Type: sqlq.JSON, Place: place}}
	array, single := sqlq.ArrayOf(sqlq.Struct), sqlq.Struct
	for expression, test := range map[string]struct {
		columnType sqlq.Type
		want       string
	}{
		"[{'a': 1, 'b': NULL::JSON}]":       {array, ""},
		"{'a': 1, 'b': '{}'}":               {single, ""},
		"{'a': 1}":                          {single, "declares the fields of n as a, b, but test/duckdb.sql returns a"},
		"{'b': NULL::JSON, 'a': 1}":         {single, "declares the fields of n as a, b, but test/duckdb.sql returns b, a"},
		"{'a': 1, 'b': '{}', 'c': 2}":       {single, "declares the fields of n as a, b, but test/duckdb.sql returns a, b, c"},
		"[{'a': 1.5, 'b': '{}'}]":           {array, "declares column n[].a as INT64, but test/duckdb.sql returns it as DECIMAL(2,1)"},
		"[{'a': 1, 'b': [1]}]":              {array, "declares column n[].b as JSON, but test/duckdb.sql returns it as INTEGER[]"},
		"[{'a': 1, 'b': {'x': 1}}]":         {array, `declares column n[].b as JSON, but test/duckdb.sql returns it as STRUCT("x" INTEGER)`},
		"{'a': 2, 'b': '{}', 'list': NULL}": {array, "declares column n as ARRAY<STRUCT>, but test/duckdb.sql returns it as STRUCT"},
		"[[1]]":                             {array, "declares column n[] as STRUCT, but test/duckdb.sql returns it as INTEGER[]"},
		"[1]":                               {single, "declares column n as STRUCT, but test/duckdb.sql returns it as INTEGER[]"},
		"MAP {'a': 1}":                      {single, "declares column n as STRUCT, but test/duckdb.sql returns it as MAP(VARCHAR, INTEGER)"},
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			query := savedQuery("SELECT "+expression+" AS n", sqlq.Column{Name: "n", Type: test.columnType, Fields: fields, Place: place})
			_, err := engine.Check(t.Context(), query)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "test/query.yaml:3:5: "+test.want)
		})
	}
}

// An array of any type is bound with its elements, empty or not, also where the statement was
// prepared for another number of them.
func TestRunBindsArrays(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	day := time.Date(2026, 3, 1, 10, 0, 0, 1000, time.UTC)
	for _, test := range []struct {
		element  sqlq.Type
		elements []any
	}{
		{sqlq.String, []any{"a", "it's", `"`, "", "ü"}},
		{sqlq.Int64, []any{int64(-1 << 63), int64(0)}},
		{sqlq.Float64, []any{0.1, 1e300}},
		{sqlq.Numeric, []any{sqlq.Decimal("99999999999999999999999999999.999999999"), sqlq.Decimal("-0.5"), sqlq.Decimal("0")}},
		{sqlq.Bool, []any{true, false}},
		{sqlq.Timestamp, []any{day, day.AddDate(-1000, 0, 0)}},
		{sqlq.Date, []any{day.Truncate(24 * time.Hour)}},
	} {
		t.Run(string(test.element), func(t *testing.T) {
			t.Parallel()
			query := savedQuery("SELECT $p AS list, len($p) AS n, count(*) AS found FROM (SELECT unnest($p) AS x) WHERE list_contains($p, x)",
				sqlq.Column{Name: "list", Type: sqlq.ArrayOf(test.element)}, sqlq.Column{Name: "n", Type: sqlq.Int64}, sqlq.Column{Name: "found", Type: sqlq.Int64})
			query.Params = []sqlq.Param{{Name: "p", Type: sqlq.ArrayOf(test.element)}}
			_, err := engine.Check(t.Context(), query)
			require.NoError(t, err)
			for _, elements := range [][]any{test.elements, {}, test.elements[:1], test.elements} {
				result, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Now: day, Args: []sqlq.Arg{{Name: "p", Type: query.Params[0].Type, Value: elements}}})
				require.NoError(t, err)
				assert.Equal(t, [][]any{{elements, int64(len(elements)), int64(len(elements))}}, result.Rows)
			}
		})
	}
}

// A DATE is bound as one, so that it is compared with days and not with moments.
func TestRunBindsDates(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	query := savedQuery("SELECT $day AS day, typeof($day) AS type, $day = DATE '2026-03-01' AS same", sqlq.Column{Name: "day", Type: sqlq.Date},
		sqlq.Column{Name: "type", Type: sqlq.String}, sqlq.Column{Name: "same", Type: sqlq.Bool})
	query.Params = []sqlq.Param{{Name: "day", Type: sqlq.Date}}
	_, err := engine.Check(t.Context(), query)
	require.NoError(t, err)
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for value, want := range map[any][]any{day: {day, "DATE", true}, nil: {nil, "DATE", nil}} {
		result, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Now: day, Args: []sqlq.Arg{{Name: "day", Type: sqlq.Date, Value: value}}})
		require.NoError(t, err)
		assert.Equal(t, [][]any{want}, result.Rows)
	}
}
