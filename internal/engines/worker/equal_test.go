package worker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// kind is a type of a column, with SQL that makes values of it.
type kind struct {
	column sqlq.Column
	// sql is DuckDB's type.
	sql    string
	values []string
}

// simpleKinds are the types that are neither arrays nor structs.
func simpleKinds() []kind {
	return []kind{
		{sqlq.Column{Type: sqlq.String}, "VARCHAR", []string{"''", "'x'", "'ÄÖ漢🙂'", "repeat('long ', 1000)", "chr(0) || 'a'"}},
		{sqlq.Column{Type: sqlq.Int64}, "BIGINT", []string{"0", "-1", "9223372036854775807", "-9223372036854775808"}},
		{sqlq.Column{Type: sqlq.Float64}, "DOUBLE", []string{"0", "'-0'", "1e308", "-2.5", "'NaN'", "'inf'", "'-inf'", "5e-324"}},
		{sqlq.Column{Type: sqlq.Numeric}, "DECIMAL(38, 9)", []string{"0", "-0.000000001", "12345678901234567890123456789.123456789", "-1.5"}},
		{sqlq.Column{Type: sqlq.Numeric, Big: true}, "DECIMAL(38, 37)", []string{"0", "9.1234567890123456789012345678901234567", "-1"}},
		{sqlq.Column{Type: sqlq.Bool}, "BOOLEAN", []string{"true", "false"}},
		{sqlq.Column{Type: sqlq.Timestamp}, "TIMESTAMP", []string{"'1970-01-01'", "'1969-12-31 23:59:59.999999'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'", "'infinity'", "'2026-11-28 12:13:14.151617'", "'290308-12-22 (BC) 00:00:00'"}},
		{sqlq.Column{Type: sqlq.Datetime}, "TIMESTAMP", []string{"'1969-07-20 20:17:40'", "'2026-01-01'", "'-infinity'"}},
		{sqlq.Column{Type: sqlq.Date}, "DATE", []string{"'1970-01-01'", "'1969-12-31'", "'0001-01-01'", "'9999-12-31'", "'infinity'", "'0044-03-15 (BC)'"}},
		{sqlq.Column{Type: sqlq.JSON}, "JSON", []string{"'null'", "'{}'", `'{"a": [1, {"b": null}], "ä": "\u00e4"}'`, "'1.50'", "'[]'"}},
	}
}

// drawKind returns a type, nested up to a depth.
func drawKind(t *rapid.T, depth int) kind {
	const array, structure = 1, 2
	choice := 0
	if depth > 0 {
		choice = rapid.IntRange(0, structure).Draw(t, "nesting")
	}
	switch choice {
	case array:
		element := drawKind(t, depth-1)
		column := element.column
		column.Type = sqlq.ArrayOf(column.Type)
		values := []string{"[]"}
		for range 3 {
			values = append(values, "["+strings.Join(rapid.SliceOfN(rapid.SampledFrom(element.literals()), 1, 4).Draw(t, "elements"), ", ")+"]")
		}
		return kind{column, element.sql + "[]", values}
	case structure:
		column, types := sqlq.Column{Type: sqlq.Struct}, []string(nil)
		fields := make([]kind, rapid.IntRange(1, 3).Draw(t, "fields"))
		for i := range fields {
			fields[i] = drawKind(t, depth-1)
			fields[i].column.Name, fields[i].column.Nullable = fmt.Sprintf("f%d", i), true
			column.Fields = append(column.Fields, fields[i].column)
			types = append(types, fmt.Sprintf("f%d %s", i, fields[i].sql))
		}
		var values []string
		for range 3 {
			var members []string
			for i, field := range fields {
				members = append(members, fmt.Sprintf("'f%d': %s", i, rapid.SampledFrom(field.literals()).Draw(t, "member")))
			}
			values = append(values, "{"+strings.Join(members, ", ")+"}")
		}
		return kind{column, "STRUCT(" + strings.Join(types, ", ") + ")", values}
	}
	return rapid.SampledFrom(simpleKinds()).Draw(t, "type")
}

// literals returns the values with their type, and NULL.
func (k kind) literals() []string {
	literals := []string{"NULL::" + k.sql}
	for _, value := range k.values {
		literals = append(literals, "("+value+")::"+k.sql)
	}
	return literals
}

// Rows from another process are those that the engine returns in this one, of all types.
func TestRowsAreEqual(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, 0)
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	engine := duckdb.New(store.DB())
	same := func(t require.TestingT, sql string, columns []sqlq.Column, most int) {
		asked := statement("x", sql, columns...)
		asked.Query.MaxRows = most
		want, wantErr := engine.Run(context.Background(), asked)
		got, gotErr := f.Run(context.Background(), asked)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(gotErr))
		if wantErr == nil {
			require.Equal(t, fmt.Sprintf("%#v", want.Rows), fmt.Sprintf("%#v", got.Rows)) // NaN is equal to itself as a text
			require.Equal(t, want.Truncated, got.Truncated)
			require.NoError(t, got.Check())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		kinds := make([]kind, rapid.IntRange(1, 4).Draw(t, "columns"))
		columns := make([]sqlq.Column, len(kinds))
		for i := range kinds {
			kinds[i] = drawKind(t, 2)
			columns[i] = kinds[i].column
			columns[i].Name, columns[i].Nullable = fmt.Sprintf("c%d", i), true
		}
		rows := make([]string, rapid.IntRange(0, 5).Draw(t, "rows"))
		for n := range rows {
			values := make([]string, len(kinds))
			for i := range kinds {
				values[i] = rapid.SampledFrom(kinds[i].literals()).Draw(t, "value") + " AS " + columns[i].Name
			}
			rows[n] = "SELECT " + strings.Join(values, ", ")
		}
		if len(rows) == 0 {
			nulls := make([]string, len(kinds))
			for i := range kinds {
				nulls[i] = "NULL::" + kinds[i].sql + " AS " + columns[i].Name
			}
			rows = []string{"SELECT " + strings.Join(nulls, ", ") + " LIMIT 0"}
		}
		same(t, strings.Join(rows, " UNION ALL "), columns, rapid.SampledFrom([]int{2, 100}).Draw(t, "most"))
	})
	many := []sqlq.Column{{Name: "n", Type: sqlq.Int64}, {Name: "x", Type: sqlq.String, Nullable: true}, {Name: "l", Type: sqlq.ArrayOf(sqlq.Numeric)}}
	same(t, "SELECT i AS n, CASE WHEN i % 3 > 0 THEN repeat('x', (i % 500)::INT) END AS x, [i, NULL, 1.5] AS l FROM range(50000) AS t(i) ORDER BY i", many, 100_000)
	same(t, "SELECT i AS n, repeat('x', 2000000 + i::INT) AS x, [] AS l FROM range(12) AS t(i) ORDER BY i", many, 10)
}
