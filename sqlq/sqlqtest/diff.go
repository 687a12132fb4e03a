package sqlqtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"sort"
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

// The percentile columns, which are compared by rank (D5).
const (
	p95Column = "p95_execution_time"
	p99Column = "p99_execution_time"
)

// percentOf says which percentile a column holds, if it holds one.
func percentOf(column string) (percent int, isPercentile bool) {
	switch column {
	case p95Column:
		return 95, true
	case p99Column:
		return 99, true
	default:
		return 0, false
	}
}

// exactRank is the rank, counted from 0, of entry percent of the 101 quantile
// boundaries of n ordered values: the least value that at least percent out of a
// hundred values do not exceed (D5). Whole numbers keep it exact.
func exactRank(n, percent int) int {
	return max((n*percent+99)/100, 1) - 1
}

// withinRank reports whether a value is right as a percentile of observed values,
// which are in ascending order: it is one of them, and one of its ranks (equal
// values share several) is within 1 % of their number, but at least one rank, of
// the exact one (D5).
func withinRank(observed []float64, percent int, value float64) bool {
	lowest := sort.SearchFloat64s(observed, value)
	if lowest == len(observed) || observed[lowest] != value {
		return false
	}
	highest := lowest
	for highest+1 < len(observed) && observed[highest+1] == value {
		highest++
	}
	exact := exactRank(len(observed), percent)
	tolerance := max(1, len(observed)/100)
	return lowest <= exact+tolerance && highest >= exact-tolerance
}

// sameJSON reports whether two JSON texts hold the same value, each one reduced
// first. Text that is no JSON equals nothing.
func sameJSON(want, got json.RawMessage, reduce func(any) any) bool {
	wantValue, wantErr := decodeJSON(want)
	gotValue, gotErr := decodeJSON(got)
	return wantErr == nil && gotErr == nil && equalJSON(reduce(wantValue), reduce(gotValue))
}

// decodeJSON reads one JSON value and keeps its numbers as they are spelled, for
// a number beyond 2^53 must survive its store.
func decodeJSON(text json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return value, nil
}

func equalJSON(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, isObject := got.(map[string]any)
		return isObject && maps.EqualFunc(want, got, equalJSON)
	case []any:
		got, isList := got.([]any)
		return isList && slices.EqualFunc(want, got, equalJSON)
	case json.Number:
		got, isNumber := got.(json.Number)
		return isNumber && equalNumber(want, got)
	default: // nil, string, bool
		return want == got
	}
}

// equalNumber compares the values of two numbers exactly: 1, 1.0 and 1e0 are one
// value, 9007199254740993 and 9007199254740992 are two.
func equalNumber(want, got json.Number) bool {
	if want == got {
		return true
	}
	wantValue, wantIsNumber := new(big.Rat).SetString(want.String())
	gotValue, gotIsNumber := new(big.Rat).SetString(got.String())
	return wantIsNumber && gotIsNumber && wantValue.Cmp(gotValue) == 0
}

// asItIs reduces nothing.
func asItIs(value any) any { return value }

// withoutNothing drops from objects, at every level, the fields that are null or
// an empty list. See [Options.TypedMetadata].
func withoutNothing(value any) any {
	switch value := value.(type) {
	case map[string]any:
		reduced := make(map[string]any, len(value))
		for key, field := range value {
			field = withoutNothing(field)
			if list, isList := field.([]any); field == nil || (isList && len(list) == 0) {
				continue
			}
			reduced[key] = field
		}
		return reduced
	case []any:
		reduced := make([]any, len(value))
		for i, element := range value {
			reduced[i] = withoutNothing(element)
		}
		return reduced
	default:
		return value
	}
}

// orEmptyList gives NULL the text of an empty list.
func orEmptyList(text json.RawMessage) json.RawMessage {
	if text == nil {
		return json.RawMessage("[]")
	}
	return text
}
