package format

import "savedq/sqlq"

// ndjson returns a JSON object per row, each on a line of its own.
func ndjson(result *sqlq.Result) []byte {
	var lines []byte
	one := sqlq.Result{Columns: result.Columns, Rows: make([][]any, 1)}
	for _, row := range result.Rows {
		one.Rows[0] = row
		list := one.AppendJSON(nil)
		lines = append(append(lines, list[1:len(list)-1]...), '\n')
	}
	return lines
}
