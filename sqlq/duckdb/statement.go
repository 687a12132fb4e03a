package duckdb

import (
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// untypedParam is a parameter whose type nothing determines. DuckDB cannot plan a statement
// with one before it knows the value, and so plans it at each run. Otherwise it would reuse
// a plan that depends on the values in the tables at that time, and return wrong rows after
// others were added (docs/adr/011).
const untypedParam = "savedq_untyped"

// linesBeforeSQL is how many lines [cappedSQL] puts before the SQL.
const linesBeforeSQL = 2

// cappedSQL wraps a saved query so that it returns each column in its declared type and at
// most one row more than allowed, which shows that a result is truncated (D24). Of a stream it returns all: the
// engine stops reading, and DuckDB counts rows on one thread only. DuckDB keeps the order of a subquery. All
// statements use "now", and those of a series its bounds, because a prepared one rejects arguments
// without a parameter. The files are common table expressions around the SQL, so that common table expressions of the SQL hide them.
func cappedSQL(statement sqlq.Statement, text sqltext.Rewritten, files scans) string {
	query := statement.Query
	columns := make([]string, 0, len(query.Columns))
	for _, column := range query.Columns {
		columns = append(columns, castSQL(column, isStream(statement)))
	}
	for _, column := range query.Columns {
		if column.Type == sqlq.JSON {
			columns = append(columns, typeSQL(column))
		}
	}
	limit, bounds := "", ""
	if query.Series != nil {
		bounds = fmt.Sprintf(" AND $%s IS NOT NULL AND $%s IS NOT NULL", sqlq.FromParam, sqlq.ToParam)
	}
	if !isStream(statement) {
		limit = fmt.Sprintf("\nLIMIT %d", query.MaxRows+1)
	}
	return files.with() + fmt.Sprintf("SELECT %s\nFROM (\n%s\n)\nWHERE $%s IS NOT NULL%s AND $%s IS NULL%s",
		strings.Join(columns, ", "), text.Text, sqlq.NowParam, bounds, untypedParam, limit)
}

// isStream reports whether the rows of a statement are passed on as columns; see [stream].
func isStream(statement sqlq.Statement) bool {
	return statement.Emit != nil && statement.Query.Callers == nil
}

// castSQL returns a column in the type that [scanRow] expects. If the query already returns
// that type, DuckDB drops the cast.
func castSQL(column sqlq.Column, stream bool) string {
	name := duckdbsql.QuoteName(column.Name)
	if column.Type == sqlq.JSON {
		// DuckDB knows the type when it plans, and keeps one of the branches.
		return fmt.Sprintf("CASE WHEN typeof(%s) IN ('VARCHAR', 'JSON') THEN CAST(%s AS VARCHAR) ELSE CAST(to_json(%s) AS VARCHAR) END AS %s", name, name, name, name)
	}
	return fmt.Sprintf("CAST(%s AS %s) AS %s", name, columnType(&column, stream), name)
}

// typeSQL returns the type of a JSON column if it may hold times, and otherwise NULL. The
// types are after the columns, in their order.
func typeSQL(column sqlq.Column) string {
	return fmt.Sprintf(`CASE WHEN typeof(%s) SIMILAR TO '.*(TIMESTAMP|DATE).*' THEN typeof(%[1]s) END`, duckdbsql.QuoteName(column.Name))
}

// columnType is DuckDB's name of a column's type. In a stream, [Engine.Check] has found that the type of a stored NUMERIC has all
// digits of the numbers in the SQL.
func columnType(column *sqlq.Column, stream bool) string {
	switch {
	case column.Type.IsArray():
		return columnType(column.Element(), stream) + "[]"
	case column.Type == sqlq.Numeric && (column.Big || !stream):
		return "VARCHAR" // has all digits of every type that the column can have
	case column.Type != sqlq.Struct:
		return duckdbsql.StorageType(column.Type)
	}
	fields := make([]string, len(column.Fields))
	for i := range column.Fields {
		fields[i] = duckdbsql.QuoteName(column.Fields[i].Name) + " " + columnType(&column.Fields[i], stream)
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")"
}
