package sqlqtest

import (
	"fmt"
	"slices"
	"time"

	"savedq/sqlq"
)

// day is a day of a series. Every bucket is cut in UTC, where days have 24
// hours.
const day = 24 * time.Hour

// firstErrorStatus is the least response status that counts as an error.
const firstErrorStatus = 400

// series is a bucket series of functions.invocation-stats (D2).
type series struct {
	// length is how far the series reaches back from now.
	length time.Duration
	// step is the granularity: every bucket starts at a multiple of it.
	step time.Duration
}

// seriesOf maps an interval to its series (specification 2.2). Any value that is
// not listed behaves as 1day.
func seriesOf(interval string) series {
	switch interval {
	case "5min":
		return series{length: 5 * time.Minute, step: time.Second}
	case "15min":
		return series{length: 15 * time.Minute, step: time.Minute}
	case "1hr":
		return series{length: time.Hour, step: time.Minute}
	case "7day":
		return series{length: 7 * day, step: day}
	default:
		return series{length: day, step: time.Hour}
	}
}

// first is the start of the first bucket: trunc(now − N·X, Y).
func (s series) first(now time.Time) time.Time { return now.Add(-s.length).Truncate(s.step) }

// last is the start of the last bucket, the current and partial one.
func (s series) last(now time.Time) time.Time { return now.Truncate(s.step) }

// invocations are the invocation records of one bucket.
type invocations struct {
	count, errors int64
	// times holds the execution times of the records that have one.
	times []float64
}

// invocationColumns are the columns of 2.2, with the types of D13.
func invocationColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "min_execution_time", Type: sqlq.Float64, Nullable: true},
		{Name: "max_execution_time", Type: sqlq.Float64, Nullable: true},
		{Name: "avg_execution_time", Type: sqlq.Float64, Nullable: true},
		{Name: p95Column, Type: sqlq.Float64, Nullable: true},
		{Name: p99Column, Type: sqlq.Float64, Nullable: true},
		{Name: "count", Type: sqlq.Int64},
		{Name: "error_count", Type: sqlq.Int64},
	}
}

// referenceInvocationStats computes functions.invocation-stats.
func referenceInvocationStats(events []Event, args *arguments, now time.Time) (*Expected, error) {
	project := args.text("project")
	functionID := args.text("function_id")
	interval := args.text("interval")
	chosen := seriesOf(interval)

	buckets := map[int64]*invocations{}
	for _, event := range events {
		if event.Timestamp.Before(chosen.first(now)) { // rule 5
			continue
		}
		bucket := event.Timestamp.Truncate(chosen.step).UnixMicro() // rule 2
		if buckets[bucket] == nil {
			buckets[bucket] = &invocations{}
		}
		if err := buckets[bucket].add(event, project, functionID); err != nil {
			return nil, err
		}
	}

	expected := &Expected{Result: sqlq.Result{Columns: invocationColumns(), Rows: [][]any{}}, Observed: [][]float64{}}
	for start := chosen.first(now); !start.After(chosen.last(now)); start = start.Add(chosen.step) {
		inside := buckets[start.UnixMicro()]
		if inside == nil { // rule 1, D3
			inside = &invocations{}
		}
		slices.Sort(inside.times)
		expected.Rows = append(expected.Rows, inside.row(start))
		expected.Observed = append(expected.Observed, inside.times)
	}
	return expected, nil
}

// add counts the event's records, each one a pair of a metadata element and a
// response element (D4), that belong to the project (rule 3) and, where one is
// asked for, to the function (rule 4).
func (i *invocations) add(event Event, project, functionID string) error {
	elements, err := metadataRecords(event.Metadata)
	if err != nil {
		return fmt.Errorf("event %s: %w", event.ID, err)
	}
	for _, element := range elements {
		if ref, has := element.text("project_ref"); !has || ref != project {
			continue
		}
		if id, has := element.text("function_id"); functionID != "" && (!has || id != functionID) {
			continue
		}
		for _, response := range element.nested("response") {
			i.addRecord(element, response)
		}
	}
	return nil
}

// addRecord counts one record.
func (i *invocations) addRecord(element, response record) {
	i.count++
	if status, has := response.number("status_code"); has && status >= firstErrorStatus {
		i.errors++
	}
	if milliseconds, has := element.number("execution_time_ms"); has {
		i.times = append(i.times, milliseconds)
	}
}

// row is the bucket's row. The times are sorted.
func (i *invocations) row(start time.Time) []any {
	row := []any{start, nil, nil, nil, nil, nil, i.count, i.errors}
	if len(i.times) == 0 {
		return row
	}
	sum := 0.0
	for _, milliseconds := range i.times {
		sum += milliseconds
	}
	figures := []any{
		i.times[0],
		i.times[len(i.times)-1],
		sum / float64(len(i.times)),
		i.times[exactRank(len(i.times), 95)],
		i.times[exactRank(len(i.times), 99)],
	}
	copy(row[1:], figures)
	return row
}
