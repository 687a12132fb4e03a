package series

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"savedq/sqlq"
)

// ClosedBucket returns a bucket whose rows, computed alone, tell whether they depend on other
// buckets: the newest one that was closed at the time of the run and has data, as has the bucket
// before it. If settled is true, one that is older than the lateness, if there is one. It reports
// false if there is none.
func (s *State) ClosedBucket(statement sqlq.Statement, rows [][]any, settled bool) (sqlq.Range, bool) {
	starts := bucketsWithData(statement.Query.Series, rows)
	newest := func(end time.Time) (sqlq.Range, bool) {
		for i := len(starts) - 1; i > 0; i-- {
			bucket := sqlq.Range{From: starts[i], To: starts[i].Add(s.Window.Bucket)}
			if starts[i-1].Add(s.Window.Bucket).Equal(bucket.From) && !bucket.From.Before(statement.Range.From) && !bucket.To.After(end) {
				return bucket, true
			}
		}
		return sqlq.Range{}, false
	}
	if settled {
		if bucket, ok := newest(statement.Now.Add(-statement.Query.Series.Lateness)); ok {
			return bucket, true
		}
	}
	return newest(statement.Now)
}

// bucketsWithData returns the starts of the buckets that have data, oldest first. The rows must
// have passed [Check].
func bucketsWithData(series *sqlq.Series, rows [][]any) []time.Time {
	var starts []time.Time
	for _, row := range rows {
		if start, _ := bucketOf(series, row); hasData(row) {
			starts = append(starts, start)
		}
	}
	if series.Descending {
		slices.Reverse(starts)
	}
	return slices.CompactFunc(starts, time.Time.Equal)
}

// hasData reports whether a row is more than one of zeros and NULLs, which a saved query can
// return for a bucket in which nothing happened.
func hasData(row []any) bool {
	empty := false
	for _, value := range row {
		switch value := value.(type) {
		case nil:
			empty = true
		case int64:
			if value != 0 {
				return true
			}
			empty = true
		case float64:
			if value != 0 {
				return true
			}
			empty = true
		}
	}
	return !empty
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
