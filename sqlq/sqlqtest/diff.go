package sqlqtest

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"savedq/sqlq"
)

// maxDifferences is how many differences a report lists. The first few show what is
// wrong, and a series can differ in hundreds of rows.
const maxDifferences = 12

// Diff reports how an engine's result differs from the expected one, with a line for
// each difference. It returns "" if the result is right. Values must be equal, except
// that means may differ by the rounding of a sum, percentiles as D5 allows, and JSON in
// white space, the order of keys and the spelling of numbers.
func Diff(want *Expected, got *sqlq.Result) string {
	return differ{}.diff(want, got)
}

// differ compares results.
type differ struct {
	// typedMetadata is [Options.TypedMetadata].
	typedMetadata bool
}

func (d differ) diff(want *Expected, got *sqlq.Result) string {
	if got == nil {
		return "want a result, got none"
	}
	var lines []string
	lines = append(lines, diffColumns(want.Columns, got.Columns)...)
	if len(lines) > 0 {
		return strings.Join(lines, "\n") // values under other columns mean nothing
	}
	if want.Truncated != got.Truncated {
		lines = append(lines, fmt.Sprintf("truncated: want %t, got %t", want.Truncated, got.Truncated))
	}
	if len(want.Rows) != len(got.Rows) {
		lines = append(lines, fmt.Sprintf("number of rows: want %d, got %d", len(want.Rows), len(got.Rows)))
	}
	for row := range max(len(want.Rows), len(got.Rows)) {
		lines = append(lines, d.diffRow(want, got, row)...)
		if len(lines) > maxDifferences {
			lines = append(lines[:maxDifferences], "and further differences")
			break
		}
	}
	return strings.Join(lines, "\n")
}

// diffColumns compares the names and the types of columns. Nullability and
// descriptions are for the schema's readers and prove nothing about rows.
func diffColumns(want, got []sqlq.Column) []string {
	var lines []string
	for i := range max(len(want), len(got)) {
		if wantText, gotText := columnAt(want, i), columnAt(got, i); wantText != gotText {
			lines = append(lines, fmt.Sprintf("column %d: want %s, got %s", i, wantText, gotText))
		}
	}
	return lines
}

func columnAt(columns []sqlq.Column, i int) string {
	if i >= len(columns) {
		return "none"
	}
	return columns[i].Name + " " + string(columns[i].Type)
}

// diffRow compares a row that at least one of the results has.
func (d differ) diffRow(want *Expected, got *sqlq.Result, row int) []string {
	switch {
	case row >= len(want.Rows):
		return []string{fmt.Sprintf("row %d: want none, got %s", row, showRow(got.Rows[row]))}
	case row >= len(got.Rows):
		return []string{fmt.Sprintf("row %d: want %s, got none", row, showRow(want.Rows[row]))}
	}
	wantRow, gotRow := want.Rows[row], got.Rows[row]
	if len(gotRow) != len(wantRow) {
		return []string{fmt.Sprintf("row %d: want %d values, got %d", row, len(wantRow), len(gotRow))}
	}
	var observed []float64
	if row < len(want.Observed) {
		observed = want.Observed[row]
	}
	var lines []string
	for i, column := range want.Columns {
		if !d.sameValue(column, observed, wantRow[i], gotRow[i]) {
			lines = append(lines, fmt.Sprintf("row %d (%s), column %s: want %s, got %s",
				row, show(wantRow[0]), column.Name, show(wantRow[i]), show(gotRow[i])))
		}
	}
	return lines
}

// sameValue reports whether a value is right in its column. A value of another Go
// type than wanted is wrong even where it looks the same: results are typed.
func (d differ) sameValue(column sqlq.Column, observed []float64, want, got any) bool {
	if column.Type == sqlq.JSON {
		return d.sameJSONValue(want, got)
	}
	switch want := want.(type) {
	case time.Time:
		got, isTime := got.(time.Time)
		return isTime && want.Equal(got) && isUTC(got)
	case float64:
		got, isFloat := got.(float64)
		if !isFloat {
			return false
		}
		if percent, isPercentile := percentOf(column.Name); isPercentile {
			return withinRank(observed, percent, got)
		}
		return sameFloat(want, got)
	default: // nil, string, int64
		return want == got
	}
}

// isUTC reports whether a time is given in UTC, as results have to give it.
func isUTC(instant time.Time) bool {
	_, offset := instant.Zone()
	return offset == 0
}

// sameFloat reports whether two numbers differ by no more than the order in which
// an engine adds up a sum can explain.
func sameFloat(want, got float64) bool {
	const relative = 1e-9
	return want == got || math.Abs(want-got) <= relative*max(math.Abs(want), math.Abs(got))
}

// sameJSONValue compares two values of a JSON column: nil or [json.RawMessage].
func (d differ) sameJSONValue(want, got any) bool {
	wantText, wantIsJSON := want.(json.RawMessage)
	gotText, gotIsJSON := got.(json.RawMessage)
	if (want != nil && !wantIsJSON) || (got != nil && !gotIsJSON) {
		return false
	}
	if d.typedMetadata {
		return sameJSON(orEmptyList(wantText), orEmptyList(gotText), withoutNothing)
	}
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	return sameJSON(wantText, gotText, asItIs)
}

// show renders a value for a report. Its Go type is part of it, because a
// difference can lie in the type alone.
func show(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case time.Time:
		return value.Format(time.RFC3339Nano)
	case string:
		return fmt.Sprintf("%q", value)
	case json.RawMessage:
		return "JSON " + string(value)
	default:
		return fmt.Sprintf("%T %v", value, value)
	}
}

// showRow renders a row for a report.
func showRow(row []any) string {
	values := make([]string, len(row))
	for i, value := range row {
		values[i] = show(value)
	}
	return "[" + strings.Join(values, ", ") + "]"
}
