package series

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"savedq/sqlq"
)

// rounding is by which part of themselves numbers may differ: sums of FLOAT64 depend on the order in
// which an engine adds.
const rounding = 1e-9

// Compare returns how the rows that two runs have in the range of a statement differ. Both must have
// passed [Check]. The order of rows counts, because merged rows keep it (D31). If the SQL calls
// approximate functions, each run can approximate differently (D5), and nothing is compared.
func Compare(statement sqlq.Statement, want, got [][]any) error {
	series := statement.Query.Series
	if series.Approximate {
		return nil
	}
	want, got = within(series, want, statement.Range), within(series, got, statement.Range)
	if len(want) != len(got) {
		return fmt.Errorf("%d rows instead of %d", len(got), len(want))
	}
	for i := range want {
		for j, column := range statement.Query.Columns {
			if equal(want[i][j], got[i][j]) {
				continue
			}
			if slices.ContainsFunc(got, func(row []any) bool { return equal(want[i], row) }) {
				return errors.New("the rows are in another order; sort by the bucket and by columns that tell its rows apart, with ORDER BY")
			}
			return fmt.Errorf("%s differs", column.Name)
		}
	}
	return nil
}

// equal reports whether two values are the same, but for rounding.
func equal(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b)) && !math.IsInf(a-b, 0))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return reflect.DeepEqual(a, b)
}
