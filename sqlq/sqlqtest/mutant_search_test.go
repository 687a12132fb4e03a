package sqlqtest

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// searchMutants break the rules of logs.search, logs.histogram and logs.facets. Only logs.search has
// mutants of the filters, because the three share them.
func searchMutants() []mutant {
	return slices.Concat(
		named(logsSearch, pageMutants()), named(logsSearch, filterMutants()),
		named(logsHistogram, histogramMutants()), named(logsFacets, facetMutants()),
	)
}

// filterMutants break the rules of the filters.
func filterMutants() []mutant {
	// messages changes messages, so that the text matches others.
	messages := func(change func(message, text string) string) func(Logs, *run) Logs {
		return mapEvents(func(event Event, r *run) *Event {
			if text, given := r.args["text"].(string); given && event.EventMessage != nil {
				event.EventMessage = new(change(*event.EventMessage, text))
			}
			return &event
		})
	}
	mutants := []mutant{
		{name: "the tier is ignored", run: set("project_tier", "ENTERPRISE")},
		{name: "retention: the cut-off is included", run: later(-time.Microsecond), rare: true},
		{name: "the start is included", rare: true, run: shiftArgument("iso_timestamp_start", -time.Microsecond)},
		{name: "the end is excluded", run: shiftArgument("iso_timestamp_end", -time.Microsecond)},
		{name: "the end is ignored", run: set("iso_timestamp_end", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))},
		{name: "the source is ignored", run: set("source", nil)},
		{name: "the text is ignored", run: set("text", nil)},
		{name: "the status is ignored", run: set("status", nil)},
		{name: "the method is ignored", run: set("method", nil)},
		{name: "the path is ignored", run: set("path_prefix", nil)},
		{name: "the filters are ignored", run: set("filters", []any{})},
		{name: "exclusions are ignored", rare: true, run: keepFilters(func(filter string) bool { return filter[0] != '-' })},
		{name: "only exclusions count", rare: true, run: keepFilters(func(filter string) bool { return filter[0] == '-' })},
		{name: "filters of the message are ignored", rare: true, run: keepFilters(func(filter string) bool {
			return !strings.HasPrefix(strings.TrimPrefix(filter, "-"), "message:")
		})},
		{name: "only the first filter counts", rare: true, run: func(r *run) {
			if filters, _ := r.args["filters"].([]any); len(filters) > 0 {
				r.args["filters"] = filters[:1]
			}
		}},
		{name: "text: letter case counts", logs: messages(func(message, text string) string {
			if !strings.Contains(message, text) {
				return ""
			}
			return message
		})},
		{name: "text: a regular expression", logs: messages(func(message, text string) string {
			if expression, err := regexp.Compile("(?i)" + text); err == nil && expression.MatchString(message) {
				return text
			}
			return message
		})},
		{name: "text: a word", logs: messages(func(message, text string) string {
			if !slices.Contains(strings.Fields(strings.ToLower(message)), strings.ToLower(text)) {
				return ""
			}
			return message
		})},
		{name: "status: a class is a code", rare: true, run: func(r *run) {
			if status, given := r.args["status"].(string); given {
				r.args["status"] = strings.Replace(status, "xx", "00", 1)
			}
		}},
		{name: "status: a code is a class", rare: true, run: func(r *run) {
			if status, given := r.args["status"].(string); given {
				r.args["status"] = status[:1] + "xx"
			}
		}},
		{name: "method: letter case does not count", run: func(r *run) {
			if method, given := r.args["method"].(string); given {
				r.args["method"] = strings.ToUpper(method)
			}
		}},
		{name: "metadata: the status of the response is not read", logs: mapField("response", "status_code", func(any) any { return nil })},
		{name: "metadata: the status of the element is not read", logs: fieldOfElements("status", nothing)},
		{name: "metadata: the method of the element is not read", logs: fieldOfElements("method", nothing)},
		{name: "metadata: the path of the element is not read", logs: fieldOfElements("path", nothing)},
		{name: "metadata: the path of a function is not read", logs: mapField("request", "pathname", func(any) any { return nil })},
		{name: "metadata: the last element counts", logs: mapElements(func(elements []map[string]any, _ *run) []map[string]any {
			return elements[max(0, len(elements)-1):]
		})},
		{name: "D24: the result is not cut", run: unlimited, rare: true},
	}
	for i, table := range Tables() {
		mutants = append(mutants,
			mutant{name: "D22: " + table + " is not read", rare: true, logs: withoutTable(table)},
			mutant{name: "D22: " + senderNames()[i] + " is not known", rare: true, run: func(r *run) {
				if r.args["source"] == senderNames()[i] {
					r.args["source"] = "unknown"
				}
			}},
		)
	}
	return mutants
}

// keepFilters drops the filters that do not hold.
func keepFilters(keeps func(filter string) bool) func(*run) {
	return func(r *run) {
		filters, _ := r.args["filters"].([]any)
		r.args["filters"] = slices.DeleteFunc(slices.Clone(filters), func(filter any) bool { return !keeps(filter.(string)) })
	}
}

func nothing(any, *run) any { return nil }

// pageMutants break the rules of logs.search alone.
func pageMutants() []mutant {
	return []mutant{
		{name: "the page is ignored", run: set("before_timestamp", nil)},
		{name: "the id of the page is ignored", run: set("before_id", nil)},
		{name: "the last entry is repeated", rare: true, run: func(r *run) {
			if id, given := r.args["before_id"].(string); given {
				r.args["before_id"] = id + "~"
			}
		}},
		{name: "the limit is ignored", run: set("limit", int64(1000))},
		{name: "the limit is one less", run: func(r *run) { r.args["limit"] = max(1, r.args["limit"].(int64)-1) }},
		{name: "the oldest comes first", result: func(e *Expected, _ *run) { slices.Reverse(e.Rows) }},
		{name: "ids ascend", result: func(e *Expected, _ *run) {
			slices.SortStableFunc(e.Rows, func(a, b []any) int {
				if order := b[2].(time.Time).Compare(a[2].(time.Time)); order != 0 {
					return order
				}
				return strings.Compare(a[0].(string), b[0].(string))
			})
		}},
		{name: "a missing status is 0", result: replaceValue(5, nil, int64(0))},
		{name: "an empty method is NULL", rare: true, result: replaceValue(6, "", nil)},
		{name: "metadata: the severity is not read", logs: mapField("parsed", "error_severity", func(any) any { return nil })},
		{name: "metadata: the level is not read", logs: fieldOfElements("level", nothing)},
	}
}

// histogramMutants break the rules of logs.histogram alone.
func histogramMutants() []mutant {
	return []mutant{
		{name: "buckets are minutes", run: set("bucket_seconds", int64(60))},
		{name: "warnings are errors", result: eachRow(func(row []any, _ []float64) {
			row[2], row[3] = row[2].(int64)+row[3].(int64), int64(0)
		})},
		{name: "errors are warnings too", result: eachRow(func(row []any, _ []float64) { row[3] = row[2].(int64) + row[3].(int64) })},
		{name: "the newest comes first", result: func(e *Expected, _ *run) { slices.Reverse(e.Rows) }},
		{name: "levels do not count", logs: fieldOfElements("level", nothing)},
		{name: "severities do not count", logs: mapField("parsed", "error_severity", func(any) any { return nil })},
		{name: "letter case of levels counts", logs: fieldOfElements("level", func(level any, _ *run) any {
			if text, given := level.(string); given && strings.ToLower(text) != text {
				return "info"
			}
			return level
		})},
	}
}

// facetMutants break the rules of logs.facets alone.
func facetMutants() []mutant {
	var mutants []mutant
	for _, facet := range []string{"source", "status", "method", "level"} {
		mutants = append(mutants, mutant{name: facet + " is missing", result: dropRows(func(row []any) bool { return row[0] == facet })})
	}
	return append(mutants,
		mutant{name: "an empty value is none", result: dropRows(func(row []any) bool { return row[1] == "" })},
		mutant{name: "the fewest come first", result: func(e *Expected, _ *run) { slices.Reverse(e.Rows) }},
		mutant{name: "ties are in reverse order", result: reverseTies(2)},
	)
}
