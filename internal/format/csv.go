package format

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"savedq/sqlq"
)

// commaSeparated returns a line of column names and a line per row (RFC 4180).
func commaSeparated(result *sqlq.Result) []byte {
	var lines bytes.Buffer
	out := csv.NewWriter(&lines) // writing to memory does not fail
	_ = out.Write(header(result))
	for _, row := range result.Rows {
		_ = out.Write(cells(result, row))
	}
	out.Flush()
	return lines.Bytes()
}

func header(result *sqlq.Result) []string {
	names := make([]string, len(result.Columns))
	for i, column := range result.Columns {
		names[i] = column.Name
	}
	return names
}

// cells formats the values of a row as text. NULL is empty, a TIMESTAMP is RFC 3339, and a
// nested value is JSON.
func cells(result *sqlq.Result, row []any) []string {
	formatted := make([]string, len(row))
	for i, value := range row {
		switch value := value.(type) {
		case nil:
		case string:
			formatted[i] = value
		case float64:
			formatted[i] = strconv.FormatFloat(value, 'f', -1, 64)
		case json.RawMessage:
			formatted[i] = string(value)
		case []any:
			formatted[i] = string(result.Columns[i].AppendJSON(nil, value))
		case time.Time:
			formatted[i] = value.Format(time.RFC3339Nano)
			if columnType := result.Columns[i].Type; columnType != sqlq.Timestamp {
				formatted[i] = sqlq.FormatTime(columnType, value)
			}
		default:
			formatted[i] = fmt.Sprint(value)
		}
	}
	return formatted
}
