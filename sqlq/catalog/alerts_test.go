package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

const alertsYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d13
name: errors
description: Errors.
params:
  - {name: project, type: STRING, required: true, description: Project.}
  - {name: since, type: TIMESTAMP, default: now-1d, description: Since.}
columns:
  - {name: errors, type: INT64, description: Count.}
  - {name: seen, type: TIMESTAMP, description: Last.}
  - {name: level, type: STRING, description: Level.}
  - {name: details, type: JSON, description: Details.}
alerts:
  errors-high:
    title: Errors are high
    every: 5m
    for: 2
    params: {project: acme, since: now-1h}
    when: {first: "errors > 5"}
    notify: [ops]
    rows: 3
`

const alertsSQL = `SELECT count(*) AS errors, max(timestamp) AS seen, 'a' AS level, NULL AS details FROM edge_logs
WHERE project = $project AND timestamp > $since::TIMESTAMP`

func TestReadAlerts(t *testing.T) {
	t.Parallel()
	yaml := alertsYAML + "  asleep: {every: 10s, params: {project: acme}, when: none}\n"
	read, err := readMine(folder(yaml, alertsSQL))
	require.NoError(t, err)
	query, _ := read.Find("errors")
	require.Len(t, query.Alerts, 2)
	asleep, high := query.Alerts[0], query.Alerts[1]
	assert.Equal(t, sqlq.Condition{Kind: sqlq.NoRow}, asleep.When)
	assert.Equal(t, []any{"asleep", "asleep", 10 * time.Second, 1, 20}, []any{asleep.Name, asleep.Title, asleep.Every, asleep.For, asleep.Rows})
	assert.Equal(t, sqlq.Condition{Kind: sqlq.FirstRow, Text: "errors > 5", Operator: ">", Value: int64(5)}, high.When)
	assert.Equal(t, []any{"errors-high", "Errors are high", 5 * time.Minute, 2, 3}, []any{high.Name, high.Title, high.Every, high.For, high.Rows})
	assert.Equal(t, "ops", high.Notify[0].Name)
	assert.True(t, strings.HasSuffix(high.Notify[0].Place.String(), "query.yaml:19:14"), high.Notify[0].Place.String())
	args, err := query.Bind(high.Params)
	require.NoError(t, err)
	assert.Equal(t, []any{"acme", sqlq.FromNow(-time.Hour)}, []any{args[0].Value, args[1].Value})
}

// manyAlerts returns more alerts than a saved query can have.
func manyAlerts() string {
	var text strings.Builder
	for i := range 1001 {
		_, _ = fmt.Fprintf(&text, "  a%d: {every: 1m, when: any}\n", i)
	}
	return text.String()
}

func TestReadAlertsMistakes(t *testing.T) {
	t.Parallel()
	_, alerts, _ := strings.Cut(alertsYAML, "alerts:")
	alerts = "alerts:" + alerts
	for name, test := range map[string]struct{ from, to, want string }{
		"no mapping":               {alerts, "alerts: [a]\n", ":12:9: alerts must be a mapping of names to alerts"},
		"no alert":                 {alerts, "alerts: {}\n", ":12:9: alerts must be a mapping of names to alerts"},
		"a wrong name":             {"  errors-high:", "  Errors:", `:13:3: the name of an alert "Errors" is not a name of lower-case letters and digits`},
		"a long name":              {"  errors-high:", "  " + strings.Repeat("a", 65) + ":", `is longer than 64 characters`},
		"an unknown key":           {"for: 2", "after: 2", `:16:5: unknown key "after"; the keys are title, every, params, when, for, notify, rows`},
		"no interval":              {"    every: 5m\n", "", `:14:5: key "every" is missing`},
		"a short interval":         {"every: 5m", "every: 9s", ":15:12: every must be at least 10s"},
		"a wrong interval":         {"every: 5m", "every: often", ":15:12: every must be a duration of whole seconds"},
		"no condition":             {"    when: {first: \"errors > 5\"}\n", "", `:14:5: key "when" is missing`},
		"an unknown condition":     {`{first: "errors > 5"}`, "some", `:18:11: when "some" is unknown; use any, none, or {first: "column > value"}`},
		"any with a value":         {`{first: "errors > 5"}`, "{any: true}", `:18:12: any has no value; write "when: any", which compares no columns`},
		"none with a value":        {`{first: "errors > 5"}`, "{none: false}", `:18:12: none has no value; write "when: none", which compares no columns`},
		"any and first":            {`{first: "errors > 5"}`, `{first: "errors > 5", any: true}`, `:18:33: any has no value; write "when: any"`},
		"the word first":           {`{first: "errors > 5"}`, "first", `:18:11: when "first" is unknown`},
		"a misspelt first":         {`{first:`, "{frist:", `unknown key "frist"; the keys are first`},
		"no comparison":            {"errors > 5", "errors", `:18:19: first: "errors" is not a comparison such as "errors > 5"`},
		"an unknown operator":      {"errors > 5", "errors = 5", `is not a comparison`},
		"a column nearly right":    {"errors > 5", "erors > 5", `:18:19: first: column "erors" is not declared; did you mean errors?`},
		"an unknown column":        {"errors > 5", "other > 5", `column "other" is not declared; the columns are errors, seen, level, details`},
		"a value of another type":  {"errors > 5", "errors > many", `column "errors" has the type INT64, and "many" is not a whole number`},
		"no time":                  {"errors > 5", "seen < now-1x", `is not a time relative to now`},
		"an order of texts":        {"errors > 5", "level > a", `column "level" has the type STRING, which only == and != compare`},
		"JSON":                     {"errors > 5", "details == 1", `column "details" has the type JSON, which has no order`},
		"an unknown parameter":     {"{project: acme,", "{projct: acme, project: acme,", `:17:14: parameter "projct" is not declared; did you mean project?`},
		"a parameter that is left": {"{project: acme, since: now-1h}", "{since: now-1h}", `:17:14: parameter project: is required and must not be empty`},
		"a value of a parameter":   {"now-1h", "yesterday", `:17:36: parameter since: "yesterday"`},
		"a null":                   {"project: acme", "project: null", "a parameter must be a single value, or a list of them for an array"},
		"no list of targets":       {"notify: [ops]", "notify: ops", ":19:13: notify must be a list"},
		"a target twice":           {"[ops]", "[ops, ops]", `:19:19: target "ops" is listed twice`},
		"no target":                {"[ops]", "[{}]", `notify must list names of targets`},
		"too many rows":            {"rows: 3", "rows: 101", ":20:11: rows must be a whole number from 0 to 100"},
		"no run":                   {"for: 2", "for: 0", ":16:10: for must be a whole number from 1 to 1000"},
		"no keys":                  {alerts, "alerts:\n  errors-high:\n", ":13:16: must be a mapping with the keys title, every, params, when, for, notify, rows"},
		"a list of keys":           {alerts, "alerts:\n  errors-high: [a]\n", ":13:16: must be a mapping with the keys title, every, params, when, for, notify, rows"},
		"a number as title":        {"title: Errors are high", "title: 5", ":14:12: title must be a string"},
		"an empty title":           {"title: Errors are high", `title: ""`, ":14:12: title must not be empty"},
		"a fraction of a second":   {"every: 5m", "every: 10500ms", ":15:12: every must be a duration of whole seconds, such as 30s, 5m, 1h or 1d"},
		"a negative interval":      {"every: 5m", "every: -5m", ":15:12: every must be a duration of whole seconds"},
		"a list of intervals":      {"every: 5m", "every: [5m]", ":15:12: every must be a duration of whole seconds"},
		"a word as number":         {"for: 2", "for: two", ":16:10: for must be a whole number from 1 to 1000"},
		"too many runs":            {"for: 2", "for: 1001", ":16:10: for must be a whole number from 1 to 1000"},
		"a list of parameters":     {"params: {project: acme, since: now-1h}", "params: [acme]", ":17:13: params must be a mapping of parameters to values"},
		"a nested parameter":       {"project: acme,", "project: {a: b},", ":17:23: a parameter must be a single value, or a list of them for an array"},
		"two values of one":        {"project: acme,", "project: [acme, globex],", ":17:23: parameter project: is given 2 times; give it once"},
		"a null as condition":      {`{first: "errors > 5"}`, "null", `:18:11: when must be any, none, or {first: "column > value"}`},
		"a list of conditions":     {`{first: "errors > 5"}`, "[any]", `:18:11: when must be any, none, or {first: "column > value"}`},
		"an empty condition":       {`{first: "errors > 5"}`, "{}", `:18:11: key "first" is missing`},
		"a number as condition":    {`"errors > 5"`, "5", ":18:19: first must be a string"},
		"an empty comparison":      {`"errors > 5"`, `""`, ":18:19: first must not be empty"},
		"no targets":               {"[ops]", "[]", ":19:13: notify must not be empty; leave it out instead"},
		"a null as target":         {"[ops]", "[null]", ":19:14: notify must list names of targets"},
		"an empty target":          {"[ops]", `[""]`, ":19:14: notify must list names of targets"},
		"a negative number":        {"rows: 3", "rows: -1", ":20:11: rows must be a whole number from 0 to 100"},
		"a word as rows":           {"rows: 3", "rows: all", ":20:11: rows must be a whole number from 0 to 100"},
		"a key twice":              {"rows: 3", "rows: 3\n    rows: 4", `:21:5: key "rows" is given twice`},
		"too many alerts":          {alerts, "alerts:\n" + manyAlerts(), ":13:5: a saved query has at most 1000 alerts"},
		"a stream":                 {"params:\n  - {name: project", "stream: true\nparams:\n  - {name: project", `alerts cannot be combined with "stream: true"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, alertsYAML, test.from)
			yaml := strings.Replace(alertsYAML, test.from, test.to, 1)
			_, err := readMine(folder(yaml, alertsSQL))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// All mistakes of an alert are reported at once.
func TestReadAlertsMistakesAtOnce(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(alertsYAML, "alerts:")
	const wrong = "alerts:\n  High: {title: 5, every: 1s, params: {projct: acme}, when: {first: \"a > 5\"}, for: 0, notify: [{}], rows: 101, text: x}\n"
	_, err := readMine(folder(head+wrong, alertsSQL))
	for _, part := range []string{"the name of an alert", "title must", "every must", `parameter "projct"`, "parameter project: is required", `column "a"`, "for must", "notify must", "rows must", `unknown key "text"`} {
		assert.ErrorContains(t, err, part)
	}
}
