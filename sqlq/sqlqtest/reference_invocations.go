package sqlqtest

import (
	"fmt"
	"slices"
	"time"
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

// invocationStatsRows computes functions.invocation-stats.
func invocationStatsRows(expected *Expected, logs Logs, args *arguments, now time.Time) error {
	wanted := args.text("function_id")
	chosen := seriesOf(args.text("interval"))
	buckets := map[int64]*invocations{}
	for _, event := range logs[functionEdgeLogs] {
		if event.Timestamp.Before(chosen.first(now)) { // rule 5
			continue
		}
		bucket := event.Timestamp.Truncate(chosen.step).UnixMicro() // rule 2
		if buckets[bucket] == nil {
			buckets[bucket] = &invocations{}
		}
		err := eachInvocation(event, args.text("project"), func(element, response record) {
			if id, has := element.text("function_id"); wanted == "" || has && id == wanted { // rule 4
				buckets[bucket].addRecord(element, response)
			}
		})
		if err != nil {
			return err
		}
	}
	for start := chosen.first(now); !start.After(chosen.last(now)); start = start.Add(chosen.step) {
		inside := buckets[start.UnixMicro()]
		if inside == nil { // rule 1, D3
			inside = &invocations{}
		}
		slices.Sort(inside.times)
		expected.Rows = append(expected.Rows, inside.row(start))
		expected.Observed = append(expected.Observed, inside.times)
	}
	return nil
}

// eachInvocation passes on the invocation records of an event, each one a pair of a metadata element
// and a response element (D4), that belong to the project (rule 3).
func eachInvocation(event Event, project string, pass func(element, response record)) error {
	elements, err := metadataRecords(event.Metadata)
	if err != nil {
		return fmt.Errorf("event %s: %w", event.ID, err)
	}
	for _, element := range elements {
		if ref, has := element.text("project_ref"); !has || ref != project {
			continue
		}
		for _, response := range element.nested("response") {
			pass(element, response)
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
	n := len(i.times)
	copy(row[1:], []any{i.times[0], i.times[n-1], sum / float64(n), i.times[exactRank(n, 95)], i.times[exactRank(n, 99)]})
	return row
}
