package sqlqtest

import (
	"slices"
	"time"

	"pgregory.net/rapid"
)

// randomQuestions makes questions about all shipped saved queries, with bounds at
// the instants of events.
func randomQuestions(instants []time.Time) *rapid.Generator[randomQuestion] {
	return rapid.Custom(func(t *rapid.T) randomQuestion {
		query := rapid.SampledFrom([]string{invocationStats, apiCounts, logsAll, functionsList, projectsList, logsSearch, logsHistogram, logsFacets}).Draw(t, "query")
		question := randomQuestion{
			query: query, params: map[string]string{},
			maxRows: rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 1, 3, 16, 100}).Draw(t, "max rows"),
		}
		set := func(name string, values ...string) {
			if value := rapid.SampledFrom(values).Draw(t, name); value != absent {
				question.params[name] = value
			}
		}
		switch query {
		case invocationStats:
			set("project", "acme", "acme", "acme", "ACME", "a.c", "abc", "nobody")
			set("function_id", absent, absent, "", "f1", "f2", "f", "nobody's")
			set("interval", append(invocationIntervals(), absent, "", "2day")...)
		case apiCounts:
			set("project", patterns()...)
			set("interval", countIntervals()...)
		case functionsList:
			set("project", "acme", "acme", "acme", "ACME", "a.c", "nobody")
			set("iso_timestamp_start", absent, "", randomTimeText(instants).Draw(t, "start"))
			set("iso_timestamp_end", absent, "", randomTimeText(instants).Draw(t, "end"))
		case projectsList:
			set("projects", absent, absent, "", "acme", "acme,ACME,nobody", "a.c, acme,acme2", "nobody")
			set("iso_timestamp_start", absent, "2020-01-01", randomTimeText(instants).Draw(t, "start"))
			set("iso_timestamp_end", absent, "2031-01-01", randomTimeText(instants).Draw(t, "end"))
		case logsSearch, logsHistogram, logsFacets:
			setSearch(t, query, instants, set)
		default:
			set("project", "acme", "acme", "acme", "acme", "ACME", "acme2", " acme", "a.c", "abc", "a%", ".*", "nobody")
			set("project_tier", append(tiers(), absent, "", "free")...)
			set("iso_timestamp_start", absent, "", randomTimeText(instants).Draw(t, "start"))
			set("iso_timestamp_end", absent, "", randomTimeText(instants).Draw(t, "end"))
		}
		return question
	})
}

// setSearch sets the parameters of logs.search, and those that it shares with logs.histogram
// and logs.facets. Most filters are absent, so that entries match the others.
func setSearch(t *rapid.T, query string, instants []time.Time, set func(name string, values ...string)) {
	set("project", "acme", "acme", "acme", "acme", "acme", "ACME", "a.c", "nobody")
	set("project_tier", append(tiers(), "ENTERPRISE", "ENTERPRISE", absent, "free")...)
	set("source", slices.Concat(Tables(), senderNames(), []string{edgeLogs, functionEdgeLogs}, slices.Repeat([]string{absent}, 20))...)
	set("text", absent, absent, absent, absent, "", "get", "|", "QUOTED", `\ B`, "two\nL", "🦆", ".*", `\E`, "%")
	set("status", absent, absent, absent, absent, "", "200", "404", "400", "503", "2xx", "4xx", "5xx", "9xx")
	set("method", absent, absent, absent, absent, "", "GET", "get", "POST")
	set("path_prefix", absent, absent, absent, absent, "", "/rest", "/rest/v1", "/", "rest", "/REST")
	set("filters", slices.Concat(slices.Repeat([]string{absent}, 24), []string{
		"status:5xx", "status:404,status:2xx", "-status:404", "method:GET,-level:error,-message:QUOTED", "level:ERROR,level:warn",
		"source:edge_logs,source:function_edge_logs", "-source:edge_logs", "path:/rest", "-path:/rest", "id:e010", "metadata.status_code:404",
		"metadata.level:error,metadata.method:POST", "-metadata.method:GET", "status:5xx,-status:503",
	})...)
	set("iso_timestamp_start", absent, "", "2020-01-01", "2020-01-01", "2020-01-01", randomTimeText(instants).Draw(t, "start"))
	set("iso_timestamp_end", absent, "", "2031-01-01", "2031-01-01", randomTimeText(instants).Draw(t, "end"))
	if query == logsHistogram {
		set("bucket_seconds", absent, "1", "7", "60", "3600", "86400")
	}
	if query == logsSearch {
		set("before_timestamp", absent, absent, absent, "", randomTimeText(instants).Draw(t, "before"), randomTimeText(instants).Draw(t, "before"))
		set("before_id", absent, "", edgeLogs+":e010", functionEdgeLogs+":F020", functionEdgeLogs+":f030", "o005", "~")
		set("limit", absent, absent, "", "1", "2", "5", "100", "1000")
	}
}

// absent stands for a parameter that the question does not give.
const absent = "\x00absent"

// randomTimeText makes the text of a time that events lie at and beside.
func randomTimeText(instants []time.Time) *rapid.Generator[string] {
	return rapid.Map(rapid.SampledFrom(instants), func(instant time.Time) string {
		return instant.Format(time.RFC3339Nano)
	})
}

// patterns are regular expressions whose metacharacters matter for the URLs of
// random events.
func patterns() []string {
	return []string{
		"acme", "acme", "a.c", `a\.c`, "^acme", "^https://acme", "acme$", "^acme$", "acme2?", "acme|abc", "(acme|abc)2?",
		"(?i)acme", "[ab]cme", "[^a]cme", ".*", ".", `\d`, `\Qa.c\E`, `\Q[acme]+(1)\E`, `\[acme\]\+\(1\)`, "line.acme",
		"(?s)line.acme", "(?m)^acme$", `\bacme\b`, "a%", "nobody", "x*", `[[:upper:]]{4}`, `a.?c`,
	}
}
