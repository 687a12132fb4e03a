package main

import (
	"cmp"
	"math"
	"slices"
)

// percentile returns the smallest value that at least share of the values do not exceed,
// and whether there are any.
func percentile[T cmp.Ordered](values []T, share float64) (value T, found bool) {
	if len(values) == 0 {
		return value, false
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(share * float64(len(sorted))))
	return sorted[max(rank, 1)-1], true
}
