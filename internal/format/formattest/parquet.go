package formattest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Parquet returns the rows of a file, read by DuckDB.
func Parquet(tb testing.TB, db *sql.DB, encoded []byte, columns []sqlq.Column) [][]any {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), fmt.Sprintf("SELECT * FROM read_parquet('%s')", fileOf(tb, encoded)))
	require.NoError(tb, err)
	defer func() { assert.NoError(tb, rows.Close()) }()
	read := &sqlq.Result{Columns: columns}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(tb, rows.Scan(targets...))
		for i := range values {
			values[i] = fromDuckDB(tb, &columns[i], values[i])
		}
		read.Rows = append(read.Rows, values)
	}
	require.NoError(tb, rows.Err())
	require.NoError(tb, read.Check())
	return read.Rows
}

// fromDuckDB returns a value of DuckDB's driver as [sqlq.Result] documents it.
func fromDuckDB(tb testing.TB, column *sqlq.Column, value any) any {
	tb.Helper()
	switch value := value.(type) {
	case []any:
		elements := make([]any, len(value))
		for i := range value {
			elements[i] = fromDuckDB(tb, column.Element(), value[i])
		}
		return elements
	case map[string]any:
		values := make([]any, len(column.Fields))
		for i := range column.Fields {
			values[i] = fromDuckDB(tb, &column.Fields[i], value[column.Fields[i].Name])
		}
		return values
	case fmt.Stringer:
		if column.Type == sqlq.Numeric {
			number, err := sqlq.ParseDecimal(value.String())
			require.NoError(tb, err)
			return number
		}
	case string:
		switch column.Type { //nolint:exhaustive // The others are no strings.
		case sqlq.JSON:
			return json.RawMessage(value)
		case sqlq.Numeric:
			return sqlq.Decimal(value)
		}
	}
	return value
}
