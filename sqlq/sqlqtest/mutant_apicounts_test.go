package sqlqtest

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// apiCountMutants break the rules of 2.3.
func apiCountMutants() []mutant {
	windowOf := func(r *run) countWindow {
		window, _ := countWindowOf(r.args["interval"].(string))
		return window
	}
	pattern := func(change func(string) string) func(*run) {
		return func(r *run) { r.args["project"] = change(r.args["project"].(string)) }
	}
	mutants := []mutant{
		{name: "rule 1: the URL is not matched", run: set("project", "")},
		{name: "rule 1: the project is plain text", run: pattern(regexp.QuoteMeta)},
		{name: "rule 1: the whole URL has to match", run: pattern(func(p string) string { return "^(?:" + p + ")$" })},
		{name: "rule 1: the URL has to start with a match", run: pattern(func(p string) string { return "^(?:" + p + ")" })},
		{name: "rule 1: letter case does not count", run: pattern(func(p string) string { return "(?i)" + p })},
		{name: "rule 1: a dot matches the end of a line", run: pattern(func(p string) string { return "(?s)" + p })},
		{name: "rule 1: lines are matched one by one", run: pattern(func(p string) string { return "(?m)" + p })},
		{name: "rule 1: a missing URL is an empty one", logs: mapField("request", "url", orText(""))},
		{name: "rule 1: the path is matched", logs: mapNested("request", func(list []any) []any {
			for _, object := range list {
				fields := object.(map[string]any)
				url, _ := fields["url"].(string)
				path, _ := fields["path"].(string)
				fields["url"] = url + path
			}
			return list
		})},
		{name: "rule 2: the start of the window is left out", logs: dropAt(func(r *run) time.Time { return windowOf(r).start(r.now) })},
		{name: "rule 2: the window starts a microsecond early", run: later(-time.Microsecond)},
		{name: "rule 2: the window starts a microsecond late", run: later(time.Microsecond)},
		{name: "rule 2: no window", run: later(-1000 * day)},
		{name: "rule 2: the start of the window is truncated", run: func(r *run) {
			window := windowOf(r)
			r.now = window.start(r.now).Truncate(window.bucket).Add(window.length)
		}},
		{name: "rule 2: the window ends now", logs: mapEvents(dropAfterNow)},
		{name: "rule 2: the window ends before now", logs: mapEvents(func(event Event, r *run) *Event {
			if !event.Timestamp.Before(r.now) {
				return nil
			}
			return &event
		})},
		{name: "rule 3: only the first area counts", result: eachRow(func(row []any, _ []float64) {
			for i := range row[1:] {
				if row[1+i] != int64(0) {
					for j := i + 1; j < 4; j++ {
						row[1+j] = int64(0)
					}
				}
			}
		})},
		{name: "rule 3: the path has to start with the text", logs: mapField("request", "path", func(path any) any {
			text, _ := path.(string)
			for _, area := range areaPaths() {
				if strings.HasPrefix(text, area) {
					return path
				}
			}
			return nil
		})},
		{name: "rule 3: the slash does not count", logs: mapField("request", "path", func(path any) any {
			text, _ := path.(string)
			return regexp.MustCompile("/?(rest|storage|auth|realtime)").ReplaceAllString(text, "/$1")
		})},
		{name: "rule 3: letter case does not count", logs: mapField("request", "path", func(path any) any {
			text, _ := path.(string)
			return strings.ToLower(text)
		})},
		{name: "rule 3: the text has to be a whole segment", logs: mapField("request", "path", func(path any) any {
			text, _ := path.(string)
			return strings.ReplaceAll(text, "/restaurant", "/")
		})},
		{name: "rule 3: each occurrence counts", logs: mapNested("request", func(list []any) []any {
			var more []any
			for _, object := range list {
				path, _ := object.(map[string]any)["path"].(string)
				for range max(1, strings.Count(path, "/rest")) {
					more = append(more, object)
				}
			}
			return more
		})},
		{name: "rule 3: the path is looked up in the URL", logs: mapNested("request", func(list []any) []any {
			for _, object := range list {
				fields := object.(map[string]any)
				fields["path"] = fields["url"]
			}
			return list
		})},
		{name: "rule 4: a count without requests is null", result: eachRow(func(row []any, _ []float64) {
			for i := range row {
				if row[i] == int64(0) {
					row[i] = nil
				}
			}
		})},
		{name: "D4: only the first metadata element counts", logs: firstElement()},
		{name: "D4: only the first request counts", logs: mapNested("request", firstOf)},
		{name: "D4: an element without a request counts", logs: mapNested("request", func(list []any) []any {
			if len(list) == 0 {
				return []any{map[string]any{"url": "https://acme.example.com/"}}
			}
			return list
		})},
		{name: "D6: a bucket without an area is left out", result: dropRows(func(row []any) bool {
			return row[1] == int64(0) && row[2] == int64(0) && row[3] == int64(0) && row[4] == int64(0)
		})},
		{name: "D6: a request without a path has no row", logs: mapNested("request", func(list []any) []any {
			return slices.DeleteFunc(list, func(object any) bool { return object.(map[string]any)["path"] == nil })
		})},
		{name: "D6: a bucket without requests is a row", result: func(e *Expected, r *run) {
			for i := 0; i+1 < len(e.Rows); i++ {
				next := e.Rows[i][0].(time.Time).Add(windowOf(r).bucket)
				if next.Before(e.Rows[i+1][0].(time.Time)) {
					e.Rows = slices.Insert(e.Rows, i+1, []any{next, int64(0), int64(0), int64(0), int64(0)})
				}
			}
		}},
		{name: "D6: a bucket of other requests is a row", logs: mapField("request", "url", func(url any) any {
			text, _ := url.(string)
			return strings.ReplaceAll(text, "globex", "acme.globex")
		})},
		{name: "D22: other tables are read too", logs: func(logs Logs, _ *run) Logs {
			return Logs{edgeLogs: slices.Concat(logs[edgeLogs], logs["storage_logs"])}
		}},
		{name: "D24: the result is not cut", run: unlimited},
		{name: "D24: the first rows are cut off", result: func(e *Expected, _ *run) {
			if e.Truncated {
				e.Rows = e.Rows[1:]
			}
		}},
		{name: "the newest bucket comes first", result: func(e *Expected, _ *run) { slices.Reverse(e.Rows) }},
	}
	for column := 1; column <= 4; column++ {
		mutants = append(mutants, mutant{
			name:   "rule 3: the counter of " + areaPaths()[column-1] + " stays at zero",
			result: eachRow(func(row []any, _ []float64) { row[column] = int64(0) }),
		})
	}
	for _, interval := range countIntervals() {
		for _, other := range countIntervals() {
			if other != interval {
				mutants = append(mutants, mutant{name: "interval " + interval + " is " + other, run: swap("interval", interval, other)})
			}
		}
	}
	return named(apiCounts, mutants)
}

// orText gives a missing field a text.
func orText(text string) func(any) any {
	return func(value any) any {
		if value == nil {
			return text
		}
		return value
	}
}
