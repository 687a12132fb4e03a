package duckdb

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckjson"
)

// scanRow reads the current row as [sqlq.Result] documents it, and returns how
// many bytes its texts have.
func scanRow(rows *sql.Rows, columns []sqlq.Column) (_ []any, bytes int, _ error) {
	row := make([]any, len(columns))
	targets := make([]any, len(columns))
	for i := range row {
		targets[i] = &row[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, 0, fmt.Errorf("read a row: %w", err)
	}
	for i, column := range columns {
		switch value := row[i].(type) {
		case string:
			bytes += len(value)
			if column.Type == sqlq.JSON {
				row[i] = json.RawMessage(duckjson.ReplaceNonFinite([]byte(value)))
			}
		case float64:
			if math.IsNaN(value) || math.IsInf(value, 0) {
				row[i] = nil // D13
			}
		case time.Time:
			row[i] = value.UTC()
			if isInfinite(value) {
				row[i] = nil // D13
			}
		}
	}
	return row, bytes, nil
}

// isInfinite says whether a time is what DuckDB has for the infinities: the outermost
// microseconds of a TIMESTAMP and days of a DATE.
func isInfinite(value time.Time) bool {
	const secondsOfDay = 24 * 60 * 60
	days := value.Unix() / secondsOfDay
	return days == math.MaxInt32 || days == -math.MaxInt32 || value.UnixMicro() == math.MaxInt64 || value.UnixMicro() == -math.MaxInt64
}
