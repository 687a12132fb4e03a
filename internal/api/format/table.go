package format

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"savedq/sqlq"
)

// table returns aligned columns for people, and the number of rows.
func table(result *sqlq.Result) []byte {
	const columnGap = 2
	var lines bytes.Buffer
	out := tabwriter.NewWriter(&lines, 0, 0, columnGap, ' ', 0) // writing to memory does not fail
	_, _ = fmt.Fprintln(out, strings.ToUpper(strings.Join(sqlq.ColumnNames(result.Columns), "\t")))
	for _, row := range result.Rows {
		values := make([]string, len(row))
		for i, value := range row {
			values[i] = shorten(string(appendText(nil, &result.Columns[i], value)))
		}
		_, _ = fmt.Fprintln(out, strings.Join(values, "\t"))
	}
	_ = out.Flush()
	noun := "rows"
	if len(result.Rows) == 1 {
		noun = "row"
	}
	_, _ = fmt.Fprintf(&lines, "(%d %s)\n", len(result.Rows), noun)
	return lines.Bytes()
}

// shorten makes a value fit a table: one line of limited width, without characters that
// control a terminal or change the text direction.
func shorten(text string) string {
	const maxWidth = 80
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text))
	if len(runes) > maxWidth {
		return string(runes[:maxWidth-1]) + "…"
	}
	return string(runes)
}
