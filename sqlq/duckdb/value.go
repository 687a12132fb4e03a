package duckdb

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"savedq/internal/duckjson"
	"savedq/sqlq"
)

// scanRow reads the current row as [sqlq.Result] documents it, and returns how
// many bytes its texts have.
func scanRow(rows *sql.Rows, columns []sqlq.Column) (_ []any, bytes int, _ error) {
	values := make([]any, len(columns), 2*len(columns))
	for _, column := range columns {
		if column.Type == sqlq.JSON {
			values = append(values, nil) // for its type
		}
	}
	targets := make([]any, len(values))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, 0, fmt.Errorf("read a row: %w", err)
	}
	row, types := values[:len(columns):len(columns)], values[len(columns):]
	for i, column := range columns {
		var typeName any
		if column.Type == sqlq.JSON {
			typeName, types = types[0], types[1:]
		}
		switch value := row[i].(type) {
		case string:
			bytes += len(value)
			if column.Type != sqlq.JSON {
				continue
			}
			text, err := toJSON(value, typeName)
			if err != nil {
				return nil, 0, fmt.Errorf("column %s: %w", column.Name, err)
			}
			row[i] = text
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

// toJSON returns the text of a JSON column as valid JSON, its times as D13 has them. The
// type is that of a value that may hold times, and nil for others.
func toJSON(text string, typeName any) (json.RawMessage, error) {
	if name, ok := typeName.(string); ok {
		converted, err := duckjson.ConvertTimes(text, duckjson.ParseType(name))
		if err != nil {
			return nil, err
		}
		text = converted
	}
	return duckjson.Strict(text), nil
}

// isInfinite reports whether a time is what DuckDB has for the infinities: the outermost
// microseconds of a TIMESTAMP and days of a DATE.
func isInfinite(value time.Time) bool {
	const secondsOfDay = 24 * 60 * 60
	days := value.Unix() / secondsOfDay
	return days == math.MaxInt32 || days == -math.MaxInt32 || value.UnixMicro() == math.MaxInt64 || value.UnixMicro() == -math.MaxInt64
}
