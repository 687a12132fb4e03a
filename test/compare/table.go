package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// format prints a value of a row.
type format func(float64) string

// row is a measurement of savedq and of another program.
type row struct {
	name          string
	format        format
	savedq, other float64
}

// comparison is what was measured beside another program.
type comparison struct {
	other string
	rows  []row
}

// table returns the rows as an aligned Markdown table. The ratio is savedq divided by the
// other program, and empty if either is missing.
func (c comparison) table() string {
	cells := [][]string{{"measurement", "savedq", c.other, "ratio"}}
	for _, row := range c.rows {
		ratio := ""
		if row.other != 0 && !math.IsNaN(row.savedq+row.other) {
			ratio = significant(row.savedq / row.other)
		}
		cells = append(cells, []string{row.name, row.format(row.savedq), row.format(row.other), ratio})
	}
	var widths [4]int
	for _, line := range cells {
		for column, cell := range line {
			widths[column] = max(widths[column], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for i, line := range cells {
		for column, cell := range line {
			padding := strings.Repeat(" ", widths[column]-utf8.RuneCountInString(cell))
			if column == 0 {
				text.WriteString("| " + cell + padding + " |")
			} else {
				text.WriteString(" " + padding + cell + " |")
			}
		}
		text.WriteString("\n")
		if i == 0 {
			text.WriteString("|" + strings.Repeat("-", widths[0]+2) + "|")
			for _, width := range widths[1:] {
				text.WriteString(strings.Repeat("-", width+1) + ":|")
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}

// significant prints a value with two digits or more.
func significant(value float64) string {
	if value >= 10 || value == 0 {
		return whole(value)
	}
	return strconv.FormatFloat(value, 'f', max(1, 1-int(math.Floor(math.Log10(math.Abs(value))))), 64)
}

// whole prints a value as an integer with commas between thousands.
func whole(value float64) string {
	digits := fmt.Sprintf("%.0f", value)
	for end := len(digits) - 3; end > 0; end -= 3 {
		digits = digits[:end] + "," + digits[end:]
	}
	return digits
}

// in returns a format that appends a unit. NaN, which was not measured, is a dash.
func in(unit string, number format) format {
	return func(value float64) string {
		if math.IsNaN(value) {
			return "-"
		}
		return number(value) + " " + unit
	}
}
