package sqlq

import (
	"math"
	"strconv"
)

// MeasuredRows is what a condition without a column measures.
const MeasuredRows = "rows"

// Measured names what [Condition.Measure] returns: a column, or [MeasuredRows].
func (c *Condition) Measured(columns []Column) string {
	if c.Kind == FirstRow && c.Column < len(columns) {
		return columns[c.Column].Name
	}
	return MeasuredRows
}

// Measure returns the number that the condition is about: the value of its column in the first row, or the number of
// rows. It is nil if there is none: no row, NULL, or a value that is not a finite number.
func (c *Condition) Measure(result *Result) *float64 {
	if c.Kind != FirstRow {
		return new(float64(result.RowCount()))
	}
	if len(result.Rows) == 0 {
		return nil
	}
	return numberOf(result.Rows[0][c.Column])
}

// Threshold returns the number that [Condition.Measure] is compared with; nil if the condition compares no number.
func (c *Condition) Threshold() *float64 {
	if c.Kind != FirstRow {
		return new(float64(0))
	}
	return numberOf(c.Value)
}

// numberOf returns a value as a finite number; nil if it is none.
func numberOf(value any) *float64 {
	var number float64
	switch value := value.(type) {
	case int64:
		number = float64(value)
	case float64:
		number = value
	case Decimal:
		parsed, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return nil
		}
		number = parsed
	default:
		return nil
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return nil
	}
	return &number
}
