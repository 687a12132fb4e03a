// Package series plans which buckets of a series a run computes, and merges their rows with
// those that earlier runs have computed (D31).
package series

import (
	"fmt"
	"slices"
	"time"

	"savedq/sqlq"
)

// State is what the next run of a series needs besides the rows.
type State struct {
	// Window is the window of the arguments.
	Window sqlq.Window
	// Parts are the ranges that were computed at different times, oldest range first. Together
	// they are the range of the run.
	Parts []Part
	// Version is the version of the tables for which the rows of closed buckets are right.
	Version uint64
	// Whole is the "now" of the last run that computed all, and WholeBytes what it read.
	Whole      time.Time
	WholeBytes int64

	// Reuses is how many runs of the same request have reused rows since then.
	Reuses int
}

// Part is a range of time whose rows one run has computed.
type Part struct {
	sqlq.Range
	// AsOf is the "now" of the run.
	AsOf time.Time
}

// NewState returns the state after a run of the whole window.
func NewState(statement sqlq.Statement, result *sqlq.Result, version uint64) *State {
	window, _ := statement.Query.Window(statement.Args)
	return &State{
		Window: window, Parts: []Part{{statement.Range, statement.Now}}, Version: version,
		Whole: statement.Now, WholeBytes: result.BytesProcessed,
	}
}

// bucketOf returns the start of a row's bucket.
func bucketOf(series *sqlq.Series, row []any) (time.Time, bool) {
	if series.Column >= len(row) {
		return time.Time{}, false
	}
	bucket, ok := row[series.Column].(time.Time)
	return bucket, ok
}

// Check returns why the rows of a statement do not form its series: a bucket that is
// not one of its range, or is out of order. Rows outside of the range would be in the way of
// those that other runs have computed.
func Check(statement sqlq.Statement, rows [][]any) error {
	series := statement.Query.Series
	window, _ := statement.Query.Window(statement.Args)
	name := statement.Query.Columns[series.Column].Name
	for i, row := range rows {
		bucket, ok := bucketOf(series, row)
		switch {
		case !ok:
			return fmt.Errorf("row %d has no %s", i+1, name)
		case !bucket.Equal(window.Start(bucket)):
			return fmt.Errorf("%s of row %d is %s, which is not the start of a bucket of %s; compare the windows of the series with the SQL", name, i+1, bucket.Format(time.RFC3339Nano), window.Bucket)
		case bucket.Before(window.Start(statement.Range.From)) || !bucket.Before(statement.Range.To):
			return fmt.Errorf("%s of row %d is %s, which is not between %s and %s; compare the windows of the series with the SQL", name, i+1, bucket.Format(time.RFC3339),
				statement.Range.From.Format(time.RFC3339), statement.Range.To.Format(time.RFC3339))
		case i > 0 && outOfOrder(series, rows[i-1], bucket):
			return fmt.Errorf("%s of row %d is %s, which is not in %s order", name, i+1, bucket.Format(time.RFC3339), order(series))
		}
	}
	return nil
}

func outOfOrder(series *sqlq.Series, previous []any, bucket time.Time) bool {
	before, _ := bucketOf(series, previous)
	if series.Descending {
		return bucket.After(before)
	}
	return bucket.Before(before)
}

func order(series *sqlq.Series) string {
	if series.Descending {
		return "descending"
	}
	return "ascending"
}

// within returns the rows whose buckets start in a range. The rows must have passed [Check].
func within(series *sqlq.Series, rows [][]any, of sqlq.Range) [][]any {
	first := slices.IndexFunc(rows, func(row []any) bool { return inRange(series, row, of) })
	if first < 0 {
		return nil
	}
	rows = rows[first:]
	if end := slices.IndexFunc(rows, func(row []any) bool { return !inRange(series, row, of) }); end >= 0 {
		rows = rows[:end]
	}
	return rows
}

func inRange(series *sqlq.Series, row []any, of sqlq.Range) bool {
	bucket, _ := bucketOf(series, row)
	return !bucket.Before(of.From) && bucket.Before(of.To)
}
