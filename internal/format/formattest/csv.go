package formattest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// CSV returns the cells of a file, read by DuckDB. A cell is a string, or nil for NULL.
func CSV(tb testing.TB, db *sql.DB, encoded []byte, columns int) [][]any {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), fmt.Sprintf("SELECT * FROM read_csv('%s', header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', allow_quoted_nulls = false, parallel = false, auto_detect = false, columns = {%s})", fileOf(tb, encoded), csvColumns(columns)))
	require.NoError(tb, err)
	defer func() { assert.NoError(tb, rows.Close()) }()
	cells := [][]any{}
	for rows.Next() {
		values, targets := make([]any, columns), make([]any, columns)
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(tb, rows.Scan(targets...))
		cells = append(cells, values)
	}
	require.NoError(tb, rows.Err())
	return cells
}

func csvColumns(count int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("c%d: 'VARCHAR'", i)
	}
	return strings.Join(names, ", ")
}
