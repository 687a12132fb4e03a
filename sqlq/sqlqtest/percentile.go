package sqlqtest

import "sort"

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
