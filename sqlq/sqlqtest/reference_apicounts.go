package sqlqtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// countWindow is the window and the bucket of an interval of usage.api-counts.
type countWindow struct {
	length, bucket time.Duration
}

// start is where the window starts. It is not truncated, so that the first
// bucket can be partial (D6).
func (w countWindow) start(now time.Time) time.Time { return now.Add(-w.length) }

// countWindowOf maps an interval (specification 2.3). There is none for any
// other value, because binding rejects it (D10).
func countWindowOf(interval string) (countWindow, bool) {
	switch interval {
	case "hourly":
		return countWindow{length: time.Hour, bucket: time.Hour}, true
	case "daily":
		return countWindow{length: 7 * day, bucket: day}, true
	case "minutely":
		return countWindow{length: 60 * time.Minute, bucket: time.Minute}, true
	default:
		return countWindow{}, false
	}
}

// areaPaths are the texts that the four counters look for in a path, in column
// order.
func areaPaths() [4]string { return [4]string{"/rest", "/storage", "/auth", "/realtime"} }

// apiCountsRows computes usage.api-counts. The window has no upper bound in the
// specification, so an event of the future has a bucket too.
func apiCountsRows(expected *Expected, logs Logs, args *arguments, now time.Time) error {
	project := args.text("project")
	interval := args.text("interval")
	window, known := countWindowOf(interval)
	if !known {
		return fmt.Errorf("interval %q has no window", interval)
	}
	matcher, err := regexp.Compile(project) // rule 1
	if err != nil {
		return fmt.Errorf("project is not a regular expression: %w", err)
	}

	buckets := map[int64]*[4]int64{}
	for _, event := range logs[edgeLogs] {
		if event.Timestamp.Before(window.start(now)) { // rule 2
			continue
		}
		requests, err := matchingRequests(event, matcher)
		if err != nil {
			return err
		}
		if len(requests) == 0 { // D6: no row without a matching request
			continue
		}
		bucket := event.Timestamp.Truncate(window.bucket).UnixMicro()
		if buckets[bucket] == nil {
			buckets[bucket] = &[4]int64{}
		}
		countAreas(buckets[bucket], requests)
	}

	for _, bucket := range slices.Sorted(maps.Keys(buckets)) {
		row := []any{time.UnixMicro(bucket).UTC()}
		for _, count := range buckets[bucket] {
			row = append(row, count)
		}
		expected.Rows = append(expected.Rows, row)
	}
	return nil
}

// matchingRequests returns the requests of every (metadata, request) pair of an
// event (D4) whose URL matches anywhere (rule 1). A request without a URL
// matches nothing.
func matchingRequests(event Event, matcher *regexp.Regexp) ([]record, error) {
	elements, err := metadataRecords(event.Metadata)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", event.ID, err)
	}
	var matching []record
	for _, element := range elements {
		for _, request := range element.nested("request") {
			if url, has := request.text("url"); has && matcher.MatchString(url) {
				matching = append(matching, request)
			}
		}
	}
	return matching, nil
}

// countAreas adds each request to every area that its path contains (rule 3).
// What is in none adds nothing, and a counter starts at 0 (rule 4).
func countAreas(counts *[4]int64, requests []record) {
	for _, request := range requests {
		path, _ := request.text("path")
		for area, text := range areaPaths() {
			if strings.Contains(path, text) {
				counts[area]++
			}
		}
	}
}
