package sqlqtest

import "savedq/sqlq"

// Expected is the result that a saved query must return, as [Reference] computes it.
type Expected struct {
	sqlq.Result

	// Observed holds, for each row, the values of which it has percentiles, in ascending
	// order. An engine may approximate a percentile (D5), so several values can be right.
	// It is nil without percentiles.
	Observed [][]float64
}

// cut cuts the rows to the saved query's max rows and marks the result (D24).
func (e *Expected) cut(maxRows int) {
	if maxRows <= 0 || len(e.Rows) <= maxRows {
		return
	}
	e.Rows = e.Rows[:maxRows]
	e.Truncated = true
	if e.Observed != nil {
		e.Observed = e.Observed[:maxRows]
	}
}
