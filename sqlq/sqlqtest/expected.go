package sqlqtest

import (
	"cmp"
	"slices"

	"savedq/sqlq"
)

// Expected is the result that a saved query must return, as [Reference] computes it.
type Expected struct {
	sqlq.Result

	// Observed holds, for each row, the values of which it has percentiles, in ascending
	// order. An engine may approximate a percentile (D5), so several values can be right.
	// It is nil for a query without percentiles.
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

// sortedKeys returns the keys of a map in ascending order.
func sortedKeys[K cmp.Ordered, V any](values map[K]V) []K {
	keys := make([]K, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
