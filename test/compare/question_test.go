package main

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func parameters(t *testing.T, path string) url.Values {
	t.Helper()
	parsed, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Query()
}

func TestQueries(t *testing.T) {
	t.Parallel()
	from, to := end().Add(-time.Hour), end()
	const victoriaLogsRange = `{project="project03"} _time:(2026-11-28T06:00:00.000000000Z, 2026-11-28T07:00:00.000000000Z]`
	for name, test := range map[string]struct {
		question     question
		endpoint     string
		extra        map[string]string
		victoriaLogs string
	}{
		"newest": {question{kind: search}, "logs.search", map[string]string{"limit": "100"}, ""},
		"word": {
			question{kind: search, word: "quokka"},
			"logs.search",
			map[string]string{"limit": "100", "text": "quokka"},
			` _msg:i("quokka")`,
		},
		"exact word": {
			question{kind: search, word: "quokka", match: exactWord},
			"logs.search",
			map[string]string{"limit": "100", "text": "quokka"},
			` _msg:"quokka"`,
		},
		"part of a word": {
			question{kind: search, word: "quokka", match: substringInAnyCase},
			"logs.search",
			map[string]string{"limit": "100", "text": "quokka"},
			` _msg:~"(?i)quokka"`,
		},
		"histogram": {
			question{kind: histogram},
			"logs.histogram",
			map[string]string{"bucket_seconds": "3600"},
			` | stats by (_time:1h) count() entries`,
		},
		"facets": {question{kind: facets}, "logs.facets", nil, ` | fields source, metadata.response.status_code, metadata.status, ` +
			`metadata.request.method, metadata.method, metadata.level, metadata.parsed.error_severity | facets 1000 keep_const_fields`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := test.question
			q.project, q.from, q.to = "project03", from, to
			path := savedq{}.query(q)
			if !strings.HasPrefix(path, "/api/endpoints/"+test.endpoint+"?") {
				t.Errorf("path %s", path)
			}
			got := parameters(t, path)
			want := map[string]string{
				"project": "project03", "project_tier": "ENTERPRISE",
				"iso_timestamp_start": "2026-11-28T06:00:00.000000Z", "iso_timestamp_end": "2026-11-28T07:00:00.000000Z",
			}
			maps.Copy(want, test.extra)
			for name, value := range want {
				if got.Get(name) != value {
					t.Errorf("%s is %q, want %q", name, got.Get(name), value)
				}
			}
			if len(got) != len(want) {
				t.Errorf("parameters %v, want %v", got, want)
			}
			if text := parameters(t, victoriaLogs{}.query(q)).Get("query"); text != victoriaLogsRange+test.victoriaLogs {
				t.Errorf("query %s, want %s", text, victoriaLogsRange+test.victoriaLogs)
			}
		})
	}
}

// The two responses to a question have the same answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind                 kind
		savedq, victoriaLogs string
		want                 answer
	}{
		"search": {
			search,
			`{"result":[{"id":"edge_logs:b","event_id":"b","timestamp":2},{"id":"edge_logs:a","event_id":"a","timestamp":1}]}`,
			`{"_time":"2026-11-28T06:00:00Z","id":"a"}` + "\n" + `{"_time":"2026-11-28T06:00:01Z","id":"b"}` + "\n",
			answer{"a": 1, "b": 1},
		},
		"histogram": {
			histogram,
			`{"result":[{"timestamp":1795845600000000,"count":7,"errors":1,"warnings":0},{"timestamp":1795849200000000,"count":0,"errors":0,"warnings":0}]}`,
			`{"_time":"2026-11-28T06:00:00Z","entries":"7"}` + "\n",
			answer{"2026-11-28T06:00:00Z": 7},
		},
		"facets": {
			facets,
			`{"result":[{"facet":"status","value":"200","count":5},{"facet":"level","value":"log","count":2}]}`,
			`{"field_name":"metadata.status","field_value":"200","hits":"2"}` + "\n" +
				`{"field_name":"metadata.response.status_code","field_value":"200","hits":"3"}` + "\n" +
				`{"field_name":"metadata.parsed.error_severity","field_value":"LOG","hits":"2"}` + "\n",
			answer{"status=200": 5, "level=log": 2},
		},
		"nothing": {search, `{"result":[]}`, "", answer{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, response := range []struct {
				product product
				body    string
			}{{savedq{}, test.savedq}, {victoriaLogs{}, test.victoriaLogs}} {
				got, err := response.product.answer(question{kind: test.kind}, []byte(response.body))
				if err != nil {
					t.Fatal(err)
				}
				if err := mismatch(response.product.name(), test.want, got); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	if err := mismatch("newest", answer{"a": 1}, answer{"a": 1}); err != nil {
		t.Error(err)
	}
	for name, test := range map[string]struct {
		savedq, victoriaLogs answer
		want                 string
	}{
		"a number": {answer{"a": 1, "b": 4}, answer{"a": 1, "b": 5}, `savedq has 5 in 2 values, VictoriaLogs 6 in 2; "b" is 4 and 5`},
		"more":     {answer{"a": 1, "b": 4}, answer{"a": 1}, `savedq has 5 in 2 values, VictoriaLogs 1 in 1; "b" is 4 and 0`},
		"less":     {answer{}, answer{"a": 1}, `savedq has 0 in 0 values, VictoriaLogs 1 in 1; "a" is 0 and 1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := mismatch("newest", test.savedq, test.victoriaLogs); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// A cached response measures nothing. So the questions of a task all differ, and a response that says it was cached is an error.
func TestNoCacheAnswers(t *testing.T) {
	t.Parallel()
	for _, task := range tasks() {
		seen := make(map[string]bool)
		for round := range 100 {
			seen[savedq{}.query(task.round(round, end()))] = true
		}
		if len(seen) != 100 {
			t.Errorf("%s: %d of 100 questions differ", task.name, len(seen))
		}
	}
	for cache, fresh := range map[string]bool{"OFF": true, "MISS": true, "BYPASS": true, "HIT": false, "STALE": false, "": false} {
		if err := (savedq{}).fresh(http.Header{"X-Cache": {cache}}); (err == nil) != fresh {
			t.Errorf("X-Cache %q: %v", cache, err)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status     int
		retryAfter string
		wait       time.Duration
		refused    bool
	}{
		"overloaded":           {503, "2", 2 * time.Second, true},
		"too many":             {429, "", time.Second, true},
		"wrong, not refused":   {400, "1", 0, false},
		"failure, not refused": {500, "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wait, refused := refusal(&statusError{status: test.status, header: http.Header{"Retry-After": {test.retryAfter}}})
			if wait != test.wait || refused != test.refused {
				t.Errorf("%v, %v", wait, refused)
			}
		})
	}
}
