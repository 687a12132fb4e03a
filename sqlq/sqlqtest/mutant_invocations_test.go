package sqlqtest

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// invocationMutants break the rules of 2.2.
func invocationMutants() []mutant {
	seriesStart := func(r *run) time.Time { return seriesOf(r.args["interval"].(string)).first(r.now) }
	mutants := []mutant{
		{name: "rule 1: empty buckets are left out", result: dropRows(func(row []any) bool { return row[6] == int64(0) })},
		{name: "rule 1: the first bucket is missing", result: func(e *Expected, _ *run) { e.Rows = e.Rows[min(1, len(e.Rows)):] }},
		{name: "rule 1: the last bucket is missing", result: func(e *Expected, _ *run) { e.Rows = e.Rows[:max(0, len(e.Rows)-1)] }},
		{name: "rule 1: an empty bucket has zeros for figures", result: eachRow(func(row []any, _ []float64) {
			for i := range row {
				if row[i] == nil {
					row[i] = 0.0
				}
			}
		})},
		{name: "rule 2: the series starts at a time that is not truncated", result: func(e *Expected, r *run) {
			for _, row := range e.Rows {
				row[0] = row[0].(time.Time).Add(r.now.Sub(r.now.Truncate(time.Second)))
			}
		}},
		{name: "rule 2: buckets are rounded, not cut", logs: mapEvents(func(event Event, r *run) *Event {
			event.Timestamp = event.Timestamp.Add(seriesOf(r.args["interval"].(string)).step / 2)
			return &event
		})},
		{name: "rule 2: records of the current bucket after now are left out", logs: mapEvents(dropAfterNow)},
		{name: "rule 3: any project counts", logs: fieldOfElements("project_ref", func(_ any, r *run) any { return r.args["project"] })},
		{name: "rule 3: a missing project counts", logs: fieldOfElements("project_ref", func(ref any, r *run) any {
			if ref == nil {
				return r.args["project"]
			}
			return ref
		})},
		{name: "rule 3: letter case does not count", logs: fieldOfElements("project_ref", func(ref any, r *run) any {
			if text, isText := ref.(string); isText && strings.EqualFold(text, r.args["project"].(string)) {
				return r.args["project"]
			}
			return ref
		})},
		{name: "rule 3: the project is a regular expression", logs: fieldOfElements("project_ref", func(ref any, r *run) any {
			if text, isText := ref.(string); isText && regexp.MustCompile("^"+r.args["project"].(string)+"$").MatchString(text) {
				return r.args["project"]
			}
			return ref
		})},
		{name: "rule 3: the project of the event counts", logs: mapEvents(func(event Event, r *run) *Event {
			if event.Project != nil && *event.Project != r.args["project"] {
				return nil
			}
			return &event
		})},
		{name: "rule 4: the function is not filtered", run: set("function_id", nil)},
		{name: "rule 4: a missing function counts", logs: fieldOfElements("function_id", func(id any, r *run) any {
			if id == nil {
				return r.args["function_id"]
			}
			return id
		})},
		{name: "rule 4: an absent function_id means records without one", logs: mapElements(func(elements []map[string]any, r *run) []map[string]any {
			if id, _ := r.args["function_id"].(string); id != "" {
				return elements
			}
			return slices.DeleteFunc(elements, func(element map[string]any) bool { id, _ := element["function_id"].(string); return id != "" })
		})},
		{name: "rule 4: an absent function_id leaves out records without one", logs: mapElements(func(elements []map[string]any, r *run) []map[string]any {
			if id, _ := r.args["function_id"].(string); id != "" {
				return elements
			}
			return slices.DeleteFunc(elements, func(element map[string]any) bool { return element["function_id"] == nil })
		})},
		{name: "rule 5: records at the first bucket are left out", logs: dropAt(seriesStart)},
		{name: "rule 5: records before the first bucket count in it", logs: mapEvents(func(event Event, r *run) *Event {
			if event.Timestamp.Before(seriesStart(r)) {
				event.Timestamp = seriesStart(r)
			}
			return &event
		})},
		{name: "rule 5: only records of exactly one length count", logs: mapEvents(func(event Event, r *run) *Event {
			if event.Timestamp.Before(r.now.Add(-seriesOf(r.args["interval"].(string)).length)) {
				return nil
			}
			return &event
		})},
		{name: "errors: 400 is none", logs: mapField("response", "status_code", replaceNumber(400, 399))},
		{name: "errors: 399 is one", logs: mapField("response", "status_code", replaceNumber(399, 400))},
		{name: "errors: 400.5 is none", logs: mapField("response", "status_code", replaceNumber(400.5, 399))},
		{name: "errors: 399.9 is one", logs: mapField("response", "status_code", replaceNumber(399.9, 400))},
		{name: "errors: 500 and more are none", logs: mapField("response", "status_code", func(status any) any {
			if number, isNumber := status.(float64); isNumber && number >= 500 {
				return 200
			}
			return status
		})},
		{name: "errors: a missing status is one", logs: mapField("response", "status_code", func(status any) any {
			if status == nil {
				return 500
			}
			return status
		})},
		{name: "D3: counts of an empty bucket are null", result: eachRow(func(row []any, _ []float64) {
			if row[6] == int64(0) {
				row[6], row[7] = nil, nil
			}
		})},
		{name: "D4: only the first metadata element counts", logs: firstElement()},
		{name: "D4: only the first response counts", logs: mapNested("response", firstOf)},
		{name: "D4: an element without a response counts", logs: mapNested("response", leftJoin)},
		{name: "figures: a missing time is zero", logs: fieldOfElements("execution_time_ms", func(time any, _ *run) any {
			if time == nil {
				return 0
			}
			return time
		})},
		{name: "figures: a record without a time is not counted", logs: mapElements(func(elements []map[string]any, _ *run) []map[string]any {
			return slices.DeleteFunc(elements, func(element map[string]any) bool { return element["execution_time_ms"] == nil })
		})},
		{name: "figures: zero is not a time", logs: fieldOfElements("execution_time_ms", func(time any, _ *run) any {
			if time == 0.0 {
				return nil
			}
			return time
		})},
		{name: "figures: times are whole numbers", logs: fieldOfElements("execution_time_ms", func(time any, _ *run) any {
			if number, isNumber := time.(float64); isNumber {
				return int(number)
			}
			return time
		})},
		{name: "figures: min and max are swapped", result: eachRow(func(row []any, _ []float64) { row[1], row[2] = row[2], row[1] })},
		{name: "figures: the mean is the median", result: eachRow(func(row []any, observed []float64) {
			if len(observed) > 0 {
				row[3] = observed[len(observed)/2]
			}
		})},
		{name: "D5: p95 is p90", result: percentileMutant(4, 90)},
		{name: "D5: p95 is p99", result: percentileMutant(4, 99)},
		{name: "D5: p99 is p95", result: percentileMutant(5, 95)},
		{name: "D5: p95 is interpolated", result: eachRow(func(row []any, observed []float64) {
			if n := len(observed); n > 1 {
				row[4] = (observed[n-2] + observed[n-1]) / 2
			}
		})},
		{name: "D22: another table is read", logs: func(logs Logs, _ *run) Logs { return Logs{functionEdgeLogs: logs["function_logs"]} }},
		{name: "D22: other tables are read too", logs: func(logs Logs, _ *run) Logs {
			return Logs{functionEdgeLogs: slices.Concat(logs[functionEdgeLogs], logs[edgeLogs])}
		}},
		{name: "D24: the result is not cut", run: unlimited},
	}
	for _, interval := range invocationIntervals() {
		for _, other := range invocationIntervals() {
			if other != interval {
				mutants = append(mutants, mutant{name: "interval " + interval + " is " + other, run: swap("interval", interval, other)})
			}
		}
	}
	return named(invocationStats, mutants)
}

// percentileMutant puts the exact value of another percentile into a column.
func percentileMutant(column, percent int) func(*Expected, *run) {
	return eachRow(func(row []any, observed []float64) {
		if len(observed) > 0 {
			row[column] = observed[exactRank(len(observed), percent)]
		}
	})
}

func replaceNumber(from float64, to int) func(any) any {
	return func(value any) any {
		if value == from {
			return to
		}
		return value
	}
}
