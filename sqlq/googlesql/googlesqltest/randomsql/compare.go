package randomsql

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"savedq/sqlq"
)

// SameRows reports whether two engines returned the same rows. It sorts rows that the query does not.
func (q Query) SameRows(a, b [][]string) bool {
	if !q.IsOrdered {
		sortRows(a)
		sortRows(b)
	}
	return slices.EqualFunc(a, b, q.sameRow)
}

func sortRows(rows [][]string) {
	slices.SortFunc(rows, func(a, b []string) int { return slices.CompareFunc(a, b, cmp.Compare[string]) })
}

// sameRow reports whether two rows are the same. The sum of a FLOAT64 depends on its order.
func (q Query) sameRow(a, b []string) bool {
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		x, err := strconv.ParseFloat(a[i], 64)
		y, otherErr := strconv.ParseFloat(b[i], 64)
		const relative = 1e-9
		if q.Columns[i].Type != sqlq.Float64 || err != nil || otherErr != nil || math.Abs(x-y) > relative*max(math.Abs(x), math.Abs(y)) {
			return false
		}
	}
	return len(a) == len(b)
}
