package series

import (
	"fmt"
	"math"
	"reflect"

	"savedq/sqlq"
)

// ClosedBucket returns the newest bucket that has rows and was closed at the time of the run;
// if settled is true, one that is older than the lateness, if there is one. It reports false
// if there is none.
func (s *State) ClosedBucket(statement sqlq.Statement, rows [][]any, settled bool) (sqlq.Range, bool) {
	series := statement.Query.Series
	var newest, newestSettled sqlq.Range
	for _, row := range rows {
		start, _ := bucketOf(series, row)
		bucket := sqlq.Range{From: start, To: start.Add(s.Window.Bucket)}
		switch {
		case start.Before(statement.Range.From) || bucket.To.After(statement.Now):
			continue
		case start.After(newest.From):
			newest = bucket
		}
		if start.After(newestSettled.From) && !bucket.To.After(statement.Now.Add(-series.Lateness)) {
			newestSettled = bucket
		}
	}
	if settled && !newestSettled.Empty() {
		return newestSettled, true
	}
	return newest, !newest.Empty()
}

// Compare returns how the rows of a statement differ from those of its range in a run of the
// whole window. Both must have passed [Check]. Sums of FLOAT64 may differ slightly, because
// engines add in any order.
func Compare(statement sqlq.Statement, whole, part [][]any) error {
	whole = within(statement.Query.Series, whole, statement.Range)
	if len(whole) != len(part) {
		return fmt.Errorf("%d instead of %d", len(part), len(whole))
	}
	for i := range whole {
		for j, column := range statement.Query.Columns {
			if !equal(whole[i][j], part[i][j]) {
				return fmt.Errorf("%s of row %d differs", column.Name, i+1)
			}
		}
	}
	return nil
}

func equal(a, b any) bool {
	const tolerance = 1e-9
	x, isFloat := a.(float64)
	y, alsoFloat := b.(float64)
	if isFloat && alsoFloat {
		return math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
	}
	list, isList := a.([]any)
	other, alsoList := b.([]any)
	if isList && alsoList && len(list) == len(other) {
		for i := range list {
			if !equal(list[i], other[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}
