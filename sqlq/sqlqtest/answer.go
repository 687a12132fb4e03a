package sqlqtest

import (
	"cmp"
	"slices"

	"savedq/sqlq"
)

// Answer is what a saved query has to answer, as [Reference] works it out.
type Answer struct {
	sqlq.Result

	// Observed holds the values that each row's percentiles were taken of, in
	// ascending order. An engine may approximate a percentile (D5), so the
	// percentile alone does not tell which other answers are right. It is nil
	// for a query without percentiles.
	Observed [][]float64
}

// cut cuts the answer to the saved query's max rows and marks it (D24).
func (a *Answer) cut(maxRows int) {
	if maxRows <= 0 || len(a.Rows) <= maxRows {
		return
	}
	a.Rows = a.Rows[:maxRows]
	a.Truncated = true
	if a.Observed != nil {
		a.Observed = a.Observed[:maxRows]
	}
}

// sortedKeys returns a map's keys in ascending order.
func sortedKeys[K cmp.Ordered, V any](values map[K]V) []K {
	keys := make([]K, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
