package sqlqtest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// logMutants break the rules of 2.4.
func logMutants() []mutant {
	anyProject := func(match func(project, wanted string) bool) func(Logs, *run) Logs {
		return mapEvents(func(event Event, r *run) *Event {
			wanted := r.args["project"].(string)
			if event.Project != nil && match(*event.Project, wanted) {
				event.Project = &wanted
			}
			return &event
		})
	}
	inOrder := func(e *Expected, compare func(a, b []any) int) { slices.SortStableFunc(e.Rows, compare) }
	byTime := func(a, b []any) int { return b[1].(time.Time).Compare(a[1].(time.Time)) }
	byID := func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) }
	mutants := []mutant{
		{name: "rule 1: at most 99 rows", result: func(e *Expected, _ *run) { e.Rows = e.Rows[:min(99, len(e.Rows))] }},
		{name: "rule 1: at most 101 rows", result: func(e *Expected, _ *run) {
			if len(e.Rows) == logsLimit {
				e.Rows = append(e.Rows, e.Rows[logsLimit-1])
			}
		}},
		{name: "rule 1: reaching the limit is a truncation", result: func(e *Expected, _ *run) { e.Truncated = len(e.Rows) == logsLimit }},
		{name: "rule 1: the limit applies before the order", logs: func(logs Logs, r *run) Logs {
			var kept []Event
			for _, event := range logs[edgeLogs] {
				if event.Project != nil && *event.Project == r.args["project"] && len(kept) < logsLimit {
					kept = append(kept, event)
				}
			}
			return Logs{edgeLogs: kept}
		}},
		{name: "rule 3: any project is included", logs: anyProject(func(string, string) bool { return true })},
		{name: "rule 3: letter case does not count", logs: anyProject(strings.EqualFold)},
		{name: "rule 3: the project is a regular expression", logs: anyProject(func(project, wanted string) bool {
			return regexp.MustCompile("^(?:" + wanted + ")$").MatchString(project)
		})},
		{name: "rule 3: the project is a pattern of LIKE", logs: anyProject(func(project, wanted string) bool {
			like := strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(wanted))
			return regexp.MustCompile("^" + like + "$").MatchString(project)
		})},
		{name: "rule 3: the project is a part", logs: anyProject(strings.Contains)},
		{name: "rule 3: white space does not count", logs: anyProject(func(project, wanted string) bool {
			return strings.TrimSpace(project) == strings.TrimSpace(wanted)
		})},
		{name: "rule 3: an event without a project is included", logs: mapEvents(func(event Event, r *run) *Event {
			if event.Project == nil {
				wanted := r.args["project"].(string)
				event.Project = &wanted
			}
			return &event
		})},
		{name: "rule 3: the project of the metadata counts", logs: mapEvents(func(event Event, r *run) *Event {
			wanted := r.args["project"].(string)
			if bytes.Contains(event.Metadata, []byte(`"`+wanted+`"`)) {
				event.Project = &wanted
			}
			return &event
		})},
		{name: "rule 3: the start is included", run: shiftArgument("iso_timestamp_start", -time.Microsecond)},
		{name: "rule 3: the microsecond after the start is left out", run: shiftArgument("iso_timestamp_start", time.Microsecond)},
		{name: "rule 3: no lower bound", run: set("iso_timestamp_start", nil)},
		{name: "rule 3: the end is left out", run: shiftArgument("iso_timestamp_end", -time.Microsecond)},
		{name: "rule 3: the microsecond after the end is included", run: shiftArgument("iso_timestamp_end", time.Microsecond)},
		{name: "rule 3: no upper bound", run: set("iso_timestamp_end", nil)},
		{name: "rule 3: now is the upper bound", logs: mapEvents(dropAfterNow)},
		{name: "rule 3: the cut-off is included", run: later(-time.Microsecond)},
		{name: "rule 3: the microsecond after the cut-off is left out", run: later(time.Microsecond)},
		{name: "rule 3: no retention", run: later(-10000 * day)},
		{name: "rule 3: a start lifts the retention", run: func(r *run) {
			if r.args["iso_timestamp_start"] != nil {
				r.now = r.now.Add(-10000 * day)
			}
		}},
		{name: "rule 3: a day too many for 90", run: func(r *run) {
			if tier := r.args["project_tier"]; tier == "PAYG" || tier == "ENTERPRISE" {
				r.now = r.now.Add(-day)
			}
		}},
		{name: "rule 3: months for days", run: func(r *run) {
			if tier := r.args["project_tier"]; tier == "PAYG" || tier == "ENTERPRISE" {
				r.now = r.now.AddDate(0, -3, 0).Add(90 * day)
			}
		}},
		{name: "D7: the oldest comes first", result: func(e *Expected, _ *run) {
			inOrder(e, func(a, b []any) int { return byTime(b, a) })
		}},
		{name: "D7: ties are in descending order of id", result: func(e *Expected, _ *run) {
			slices.SortFunc(e.Rows, func(x, y []any) int {
				if order := byTime(x, y); order != 0 {
					return order
				}
				return byID(y, x)
			})
		}},
		{name: "D7: ties are in the order of loading", result: func(e *Expected, _ *run) {
			inOrder(e, func(x, y []any) int { return strings.Compare(reversed(x[0].(string)), reversed(y[0].(string))) })
			inOrder(e, byTime)
		}},
		{name: "D7: rows are ordered only by id", result: func(e *Expected, _ *run) { inOrder(e, byID) }},
		{name: "D7: ids are ordered without letter case", result: func(e *Expected, _ *run) {
			inOrder(e, func(x, y []any) int {
				return strings.Compare(strings.ToLower(x[0].(string)), strings.ToLower(y[0].(string)))
			})
			inOrder(e, byTime)
		}},
		{name: "D14: only the first metadata element is returned", logs: firstElement()},
		{name: "D14: numbers are floats", logs: mapElements(func(elements []map[string]any, _ *run) []map[string]any { return elements })},
		{name: "D14: NULL metadata is an empty list", result: replaceValue(3, nil, json.RawMessage("[]"))},
		{name: "D14: empty metadata is NULL", result: eachRow(func(row []any, _ []float64) {
			if text, isJSON := row[3].(json.RawMessage); isJSON && string(text) == "[]" {
				row[3] = nil
			}
		})},
		{name: "a message that is NULL is empty", result: replaceValue(2, nil, "")},
		{name: "a message that is empty is NULL", result: replaceValue(2, "", nil)},
		{name: "timestamps are of milliseconds", result: eachRow(func(row []any, _ []float64) { row[1] = row[1].(time.Time).Truncate(time.Millisecond) })},
		{name: "D24: the result is not cut", run: unlimited},
	}
	for _, table := range Tables()[1:] {
		mutants = append(mutants, mutant{name: "rule 2: " + table + " is returned too", logs: func(logs Logs, _ *run) Logs {
			return Logs{edgeLogs: slices.Concat(logs[edgeLogs], logs[table])}
		}})
	}
	for _, tier := range tiers() {
		for _, other := range tiers() {
			if retentionOf(tier) != retentionOf(other) {
				mutants = append(mutants, mutant{name: "rule 3: the tier " + tier + " is " + other, run: swap("project_tier", tier, other)})
			}
		}
	}
	return named(logsAll, mutants)
}

func reversed(text string) string {
	letters := []rune(text)
	slices.Reverse(letters)
	return string(letters)
}
