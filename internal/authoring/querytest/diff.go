package querytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
)

// mostDifferences limits the lines of a report.
const mostDifferences = 12

// compareRows returns how a result differs from the expected rows, one difference a line.
// Equal rows at the beginning and at the end are matched first, so that one row too many is
// one difference.
func compareRows(want *Expectation, got *sqlq.Result, typedMetadata bool) []string {
	c := comparison{columns: got.Columns, tolerance: want.Tolerance, typedMetadata: typedMetadata}
	for _, row := range want.Rows {
		if mistake := c.checkKeys(row); mistake != "" {
			return []string{mistake}
		}
	}
	equal := func(i, j int) bool {
		return len(c.compareRow(want.Rows[i], got.Rows[j], "")) == 0
	}
	wanted, given := len(want.Rows), len(got.Rows)
	first := 0
	for first < min(wanted, given) && equal(first, first) {
		first++
	}
	last := 0
	for last < min(wanted, given)-first && equal(wanted-1-last, given-1-last) {
		last++
	}
	var lines []string
	if wanted != given {
		lines = append(lines, fmt.Sprintf("expected %s, got %d", countRows(wanted), given))
	}
	if want.Truncated != got.Truncated {
		lines = append(lines, fmt.Sprintf("expected truncated: %t, got %t", want.Truncated, got.Truncated))
	}
	for i := first; i < max(wanted, given)-last; i++ {
		switch {
		case i >= wanted-last:
			lines = append(lines, fmt.Sprintf("row %d: expected no row, got %s", i+1, c.showRow(got.Rows[i])))
		case i >= given-last:
			lines = append(lines, fmt.Sprintf("row %d: expected %s, got no row", i+1, showWanted(want.Rows[i])))
		default:
			lines = append(lines, c.compareRow(want.Rows[i], got.Rows[i], fmt.Sprintf("row %d, column ", i+1))...)
		}
	}
	if more := len(lines) - mostDifferences; more > 0 {
		lines = append(lines[:mostDifferences], fmt.Sprintf("and %d more differences", more))
	}
	return lines
}

// comparison compares rows.
type comparison struct {
	columns   []sqlq.Column
	tolerance float64
	// typedMetadata is a setting of the [Backend].
	typedMetadata bool
}

// checkKeys returns what is wrong with the columns of an expected row.
func (c *comparison) checkKeys(row Row) string {
	names := sqlq.ColumnNames(c.columns)
	for _, value := range row.Values {
		if !slices.Contains(names, value.Column) {
			return fmt.Sprintf("%s: expects a column %q, but the columns are %s", value.Place, value.Column, strings.Join(names, ", "))
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(row.Values, func(value Value) bool { return value.Column == name }) {
			return fmt.Sprintf("%s: the row lacks the column %q", row.Place, name)
		}
	}
	return ""
}

// compareRow returns the columns in which a row differs. prefix begins each line.
func (c *comparison) compareRow(want Row, got []any, prefix string) []string {
	var lines []string
	for i := range c.columns {
		column := &c.columns[i]
		at := slices.IndexFunc(want.Values, func(value Value) bool { return value.Column == column.Name })
		if wanted := want.Values[at].JSON; !c.equal(column, decode(wanted), got[i]) {
			lines = append(lines, fmt.Sprintf("%s%s: expected %s, got %s", prefix, column.Name, wanted, show(column, got[i])))
		}
	}
	return lines
}

// showRow shows a row of a result.
func (c *comparison) showRow(row []any) string {
	values := make([]string, len(row))
	for i := range c.columns {
		values[i] = c.columns[i].Name + ": " + show(&c.columns[i], row[i])
	}
	return "{" + strings.Join(values, ", ") + "}"
}

func showWanted(row Row) string {
	values := make([]string, len(row.Values))
	for i, value := range row.Values {
		values[i] = value.Column + ": " + string(value.JSON)
	}
	return "{" + strings.Join(values, ", ") + "}"
}

// decode returns a JSON value, with numbers as they are written.
func decode(text json.RawMessage) any {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return string(text) // cannot happen: the reader wrote it
	}
	return value
}
