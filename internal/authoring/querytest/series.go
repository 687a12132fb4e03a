package querytest

import (
	"context"
	"fmt"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/series"
)

// compareBuckets computes some buckets of a series alone, and returns how their rows differ from
// those that they have in the whole result. Others than the first are whole; see [sqlq.Series].
func compareBuckets(ctx context.Context, backend Backend, query *sqlq.SavedQuery, c *Case, whole *sqlq.Result) ([]string, error) {
	args, err := bind(query, c)
	if err != nil {
		return nil, err
	}
	statement := sqlq.NewStatement(query, args, c.Now)
	window, ok := query.Window(statement.Args)
	if !ok || whole.Truncated || len(query.Series.Obstacles) > 0 {
		return nil, nil
	}
	if unfit := series.Check(statement, whole.Rows); unfit != nil {
		return []string{"the rows do not form the series that query.yaml declares: " + unfit.Error()}, nil //nolint:nilerr // It is a difference.
	}
	for _, bucket := range someBuckets(statement, window, whole) {
		alone := statement
		alone.Range = bucket
		result, err := backend.Run(ctx, alone, c.Data)
		if err != nil {
			return nil, err
		}
		err = series.Check(alone, result.Rows)
		if err == nil {
			err = series.Compare(alone, whole.Rows, result.Rows)
		}
		if err != nil {
			return []string{fmt.Sprintf("computed alone, the bucket %s has other rows, so that the saved query is not the series that query.yaml declares: %s",
				bucket.From.Format(time.RFC3339), err)}, nil
		}
	}
	return nil, nil
}

// someBuckets returns up to three buckets that have rows: the oldest whole one, one in the
// middle, and the newest.
func someBuckets(statement sqlq.Statement, window sqlq.Window, whole *sqlq.Result) []sqlq.Range {
	var starts []time.Time
	for _, row := range whole.Rows {
		start, _ := row[statement.Query.Series.Column].(time.Time) // Check has seen it
		if !start.Before(statement.Range.From) && (len(starts) == 0 || !starts[len(starts)-1].Equal(start)) {
			starts = append(starts, start)
		}
	}
	var buckets []sqlq.Range
	for i, start := range starts {
		if i == 0 || i == len(starts)/2 || i == len(starts)-1 {
			buckets = append(buckets, sqlq.Range{From: start, To: start.Add(window.Bucket)})
		}
	}
	return buckets
}
