package duckdb_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/format"
	"savedq/sqlq"
)

// A table over an export has the exported rows, of every type, with quotes, separators, NULL and empty texts.
func TestExportsAreReadAgain(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	columns := []sqlq.Column{
		column("s", sqlq.String), column("n", sqlq.Int64), column("x", sqlq.Float64), column("d", sqlq.Numeric), column("b", sqlq.Bool), column("at", sqlq.Timestamp),
		column("bucket", sqlq.Datetime), column("day", sqlq.Date), column("j", sqlq.JSON), column("l", sqlq.ArrayOf(sqlq.String)), column("ns", sqlq.ArrayOf(sqlq.Int64)),
	}
	document := func(text string) json.RawMessage { return json.RawMessage(text) }
	rows := [][]any{
		{"", int64(0), 0.0, sqlq.Decimal("0"), false, at, at, at.Truncate(24 * time.Hour), document(`"1"`), []any{}, []any{}},
		{"a,\"b\"\r\n;\tc'\\", int64(math.MaxInt64), 1e300, sqlq.Decimal("12345678901234567890123456789.123456789"), true, at, at, at.Truncate(24 * time.Hour), document(`1`), []any{"", "a\"b\n", "NULL", `\`}, []any{int64(math.MinInt64)}},
		{"NULL", int64(math.MinInt64), 5e-324, sqlq.Decimal("-0.000000001"), true, at, at, at.Truncate(24 * time.Hour), document(`{"a":[1,"1",null]}`), []any{"[", "é"}, []any{int64(1), int64(2)}},
		{" x ", int64(1), 0.1, sqlq.Decimal("1.5"), true, at, at, at.Truncate(24 * time.Hour), document(`"a,b"`), []any{","}, []any{int64(1)}},
		{nil, nil, nil, nil, nil, nil, nil, nil, nil, []any{}, []any{}},
	}
	for _, output := range format.All() {
		if output.Name != "csv" && output.Name != "ndjson" && output.Name != "parquet" {
			continue
		}
		if output.Name == "ndjson" { // a number of JSON has no more digits
			rows[1][3] = sqlq.Decimal("123456.123456789")
		}
		var written bytes.Buffer
		writer, err := output.Begin(&written, columns)
		require.NoError(t, err)
		require.NoError(t, writer.Write(sqlq.BatchOf(columns, rows)), output.Name)
		require.NoError(t, writer.End(false))
		f.put(t, "rows."+output.Name, written.String())
		table := f.table("items", output.Name, filepath.Base("rows."+output.Name), columns...)
		query := savedQuery("SELECT * FROM items", columns...)
		query.Tables, query.MaxRows = sqlq.Tables{table}, len(rows)
		result, err := f.open(t, table).Run(t.Context(), sqlq.NewStatement(query, nil, at))
		require.NoError(t, err, output.Name)
		require.Len(t, result.Rows, len(rows), output.Name)
		for i, row := range result.Rows {
			for k := range row {
				want, got := string(columns[k].AppendJSON(nil, rows[i][k])), string(columns[k].AppendJSON(nil, row[k]))
				assert.Equal(t, want, strings.TrimSpace(got), "%s, row %d, column %s", output.Name, i, columns[k].Name)
			}
		}
	}
}
