package series

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"savedq/sqlq"
)

// BucketToProve returns a bucket whose rows, computed alone, tell whether they depend on other
// buckets: the newest one within one of the ranges that has data, as has the bucket before it. It
// reports false if there is none.
func (s *State) BucketToProve(series *sqlq.Series, rows [][]any, ranges ...sqlq.Range) (sqlq.Range, bool) {
	starts := bucketsWithData(series, rows)
	for i := len(starts) - 1; i > 0; i-- {
		bucket := sqlq.Range{From: starts[i], To: starts[i].Add(s.Window.Bucket)}
		if starts[i-1].Add(s.Window.Bucket).Equal(bucket.From) && slices.ContainsFunc(ranges, bucket.Within) {
			return bucket, true
		}
	}
	return sqlq.Range{}, false
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

// Compare returns how the rows that two runs have in the range of a statement differ. Both must have
// passed [Check]. The order of rows counts, because merged rows keep it (D31). Sums of FLOAT64 may differ slightly,
// because engines add in any order. If the SQL calls approximate functions, each run can approximate
// differently (D5): then the order counts for nothing, arrays are not compared, INT64 may differ by a tenth, and FLOAT64 by a quarter.
func Compare(statement sqlq.Statement, want, got [][]any) error {
	series := statement.Query.Series
	want, got = within(series, want, statement.Range), within(series, got, statement.Range)
	if len(want) != len(got) {
		return fmt.Errorf("%d rows instead of %d", len(got), len(want))
	}
	columns, tolerance := comparedColumns(statement.Query), toleranceOf(series)
	got = slices.Clone(got)
	for i, row := range want {
		same := slices.IndexFunc(got[i:], func(other []any) bool { return differentColumn(columns, row, other, tolerance) < 0 })
		switch {
		case same < 0:
			return fmt.Errorf("%s differs", statement.Query.Columns[differentColumn(columns, row, got[i], tolerance)].Name)
		case same > 0 && !series.Approximate: // approximate values can decide the order
			return errors.New("the rows are in another order; sort by the bucket and by columns that tell its rows apart, with ORDER BY")
		}
		got[i], got[i+same] = got[i+same], got[i]
	}
	return nil
}

// differentColumn returns the first of some columns in which two rows differ, or -1.
func differentColumn(columns []int, want, got []any, tolerance tolerance) int {
	different := slices.IndexFunc(columns, func(column int) bool { return !equal(want[column], got[column], tolerance) })
	if different < 0 {
		return -1
	}
	return columns[different]
}

// comparedColumns returns the indexes of the columns to compare.
func comparedColumns(query *sqlq.SavedQuery) (columns []int) {
	for i, column := range query.Columns {
		if !query.Series.Approximate || !column.Type.IsArray() {
			columns = append(columns, i)
		}
	}
	return columns
}

// tolerance is by which part of themselves numbers may differ.
type tolerance struct{ int64, float64 float64 }

func toleranceOf(series *sqlq.Series) tolerance {
	const rounding = 1e-9
	if series.Approximate {
		// Where values are few, a quantile can differ by more than a count.
		return tolerance{int64: 0.1, float64: 0.25}
	}
	return tolerance{float64: rounding}
}

// areNear reports whether two numbers differ by at most a part of the larger one.
func areNear(a, b, part float64) bool {
	return !math.IsInf(a, 0) && !math.IsInf(b, 0) && math.Abs(a-b) <= part*max(math.Abs(a), math.Abs(b))
}

// equal reports whether two values are the same, numbers but for what is tolerated.
func equal(a, b any, tolerance tolerance) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b) || areNear(a, b, tolerance.float64))
	case int64:
		b, ok := b.(int64)
		return ok && (a == b || areNear(float64(a), float64(b), tolerance.int64))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, func(a, b any) bool { return equal(a, b, tolerance) })
	}
	return reflect.DeepEqual(a, b)
}
