package querytest_test

import (
	"encoding/xml"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/querytest"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/queries"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

func openMemory(t *testing.T) *querytest.Memory {
	t.Helper()
	memory, err := querytest.OpenMemory(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, memory.Close()) })
	return memory
}

// Every shipped query has cases, and they pass.
func TestShippedQueries(t *testing.T) {
	t.Parallel()
	shipped := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	memory := openMemory(t)
	for _, query := range shipped.Queries() {
		folder, err := fs.Sub(queries.FS, query.Name)
		require.NoError(t, err)
		files, err := querytest.ReadFolder(folder, path.Dir(query.SQLFile), shipped.Tables())
		require.NoError(t, err)
		require.NotEmpty(t, files, query.Name)
		for _, file := range files {
			for i := range file.Cases {
				outcome, err := querytest.Run(t.Context(), memory, query, &file.Cases[i], time.Now)
				require.NoError(t, err)
				assert.Empty(t, outcome.Differences, "%s: %s", file.Cases[i].Place, file.Cases[i].Name)
			}
		}
	}
}

// typesQuery gives a column of each type, from rows of the tables.
func typesQuery() *sqlq.SavedQuery {
	column := func(name string, of sqlq.Type) sqlq.Column { return sqlq.Column{Name: name, Type: of, Nullable: true} }
	nested := column("nested", sqlq.Struct)
	nested.Fields = []sqlq.Column{column("a", sqlq.Int64), column("at", sqlq.Timestamp)}
	return &sqlq.SavedQuery{
		ID: uuid.MustParse("00000000-0000-4000-8000-000000000001"), Name: "types", MaxRows: 2, SQLFile: "types/duckdb.sql",
		SQL: `SELECT timestamp AS at, event_message AS text, 1::BIGINT AS n, 0.1::DOUBLE AS f, 12345678901234567890.50 AS exact, true AS yes, timestamp::DATE AS day,
			timestamp AS local, metadata AS json, ['x', $p] AS list, {'a': 1, 'at': timestamp} AS nested
			FROM edge_logs WHERE timestamp <= $now::TIMESTAMP ORDER BY timestamp, id`,
		Params: []sqlq.Param{{Name: "p", Type: sqlq.String, MaxLength: 3}},
		Columns: []sqlq.Column{
			column("at", sqlq.Timestamp), column("text", sqlq.String), column("n", sqlq.Int64), column("f", sqlq.Float64), column("exact", sqlq.Numeric), column("yes", sqlq.Bool),
			column("day", sqlq.Date), column("local", sqlq.Datetime), column("json", sqlq.JSON),
			{Name: "list", Type: sqlq.ArrayOf(sqlq.String)},
			nested,
		},
	}
}

const typesRow = `{text: hi, at: 2026-11-20T10:00:00Z, n: 1, f: 0.1, exact: 12345678901234567890.5, yes: true, day: 2026-11-20, local: "2026-11-20T10:00:00", ` +
	`json: [{b: [{c: 1.0}]}], list: [x, y], nested: {at: 2026-11-20T10:00:00Z, a: 1}}`

// runCases runs the cases of a file in a store of its own, and returns their differences.
func runCases(t *testing.T, query *sqlq.SavedQuery, text string) (*querytest.File, []*querytest.Outcome) {
	t.Helper()
	return runCasesIn(t, openMemory(t), query, text)
}

// runCasesIn runs the cases of a file in a store.
func runCasesIn(t *testing.T, memory *querytest.Memory, query *sqlq.SavedQuery, text string) (*querytest.File, []*querytest.Outcome) {
	t.Helper()
	file, mistakes := querytest.ReadFile("types/tests/a.yaml", []byte(text), tables.Shipped())
	require.Empty(t, mistakes)
	var outcomes []*querytest.Outcome
	for i := range file.Cases {
		outcome, err := querytest.Run(t.Context(), memory, query, &file.Cases[i], time.Now)
		require.NoError(t, err)
		outcomes = append(outcomes, outcome)
	}
	return file, outcomes
}

// Values of each type are compared, whatever the order of keys, and each difference is named.
func TestDifferences(t *testing.T) {
	t.Parallel()
	const event = "    now: 2026-11-20T12:00:00Z\n    params: {p: y}\n    events:\n      cloudflare.logs.prod:\n" +
		"        - {timestamp: 2026-11-20T10:00:00Z, event_message: hi, metadata: {b: {c: 1}}}\n"
	memory := openMemory(t)
	for name, test := range map[string]struct {
		expect string
		want   []string
	}{
		"equal":        {"rows: [" + typesRow + "]", nil},
		"microseconds": {"rows: [" + strings.Replace(typesRow, "at: 2026-11-20T10:00:00Z", "at: 1795168800000000", 1) + "]", nil},
		"tolerance":    {"tolerance: 0.02\n      rows: [" + strings.Replace(typesRow, "f: 0.1", "f: 0.11", 1) + "]", nil},
		"float":        {"rows: [" + strings.Replace(typesRow, "f: 0.1", "f: 0.11", 1) + "]", []string{"row 1, column f: expected 0.11, got 0.1"}},
		"decimal":      {"rows: [" + strings.Replace(typesRow, "90.5", "90.500000000000000000001", 1) + "]", []string{"row 1, column exact: expected 12345678901234567890.500000000000000000001, got 12345678901234567890.5"}},
		"same decimal": {"rows: [" + strings.Replace(typesRow, "90.5", "90.500", 1) + "]", nil},
		"digits":       {"rows: [" + strings.Replace(typesRow, "12345678901234567890.5", `"12345678901234567890.5"`, 1) + "]", nil},
		"no decimal":   {"rows: [" + strings.Replace(typesRow, "12345678901234567890.5", "true", 1) + "]", []string{"row 1, column exact: expected true, got 12345678901234567890.5"}},
		"string":       {"rows: [" + strings.Replace(typesRow, "n: 1", `n: "1"`, 1) + "]", []string{`row 1, column n: expected "1", got 1`}},
		"null":         {"rows: [" + strings.Replace(typesRow, "text: hi", "text: null", 1) + "]", []string{`row 1, column text: expected null, got "hi"`}},
		"time":         {"rows: [" + strings.Replace(typesRow, "at: 2026-11-20T10", "at: 2026-11-20T11", 1) + "]", []string{`row 1, column at: expected "2026-11-20T11:00:00Z", got "2026-11-20T10:00:00Z"`}},
		"day":          {"rows: [" + strings.Replace(typesRow, "day: 2026-11-20", "day: 2026-11-21", 1) + "]", []string{`row 1, column day: expected "2026-11-21", got "2026-11-20"`}},
		"json":         {"rows: [" + strings.Replace(typesRow, "c: 1.0", "c: 2", 1) + "]", []string{`row 1, column json: expected [{"b":[{"c":2}]}], got [{"b":[{"c":1}]}]`}},
		"list":         {"rows: [" + strings.Replace(typesRow, "[x, y]", "[x]", 1) + "]", []string{`row 1, column list: expected ["x"], got ["x", "y"]`}},
		"nested": {
			"rows: [" + strings.Replace(typesRow, "a: 1}", "a: 2}", 1) + "]",
			[]string{`row 1, column nested: expected {"at":"2026-11-20T10:00:00Z","a":2}, got {"a": 1, "at": "2026-11-20T10:00:00Z"}`},
		},
		"no row":    {"rows: []", []string{"expected 0 rows, got 1", `row 1: expected no row, got {at: "2026-11-20T10:00:00Z", text: "hi", n: 1, f: 0.1, exact: 12345678901234567890.5, yes: true, day: "2026-11-20", local: "2026-11-20T10:00:00", json: [{"b":[{"c":1}]}], list: ["x", "y"], nested: {"a": 1, "at": "2026-11-20T10:00:00Z"}}`}},
		"truncated": {"truncated: true\n      rows: [" + typesRow + "]", []string{"expected truncated: true, got false"}},
		"no column": {"rows: [{n: 1}]", []string{`types/tests/a.yaml:9:15: the row lacks the column "at"`}},
		"other":     {"rows: [{m: 1}]", []string{`types/tests/a.yaml:9:18: expects a column "m", but the columns are at, text, n, f, exact, yes, day, local, json, list, nested`}},
		"error":     {"error: {code: INTERNAL}", []string{"expected the error INTERNAL, got rows"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, outcomes := runCasesIn(t, memory, typesQuery(), "cases:\n  - name: one\n"+event+"    expect:\n      "+test.expect+"\n")
			assert.Equal(t, test.want, outcomes[0].Differences)
		})
	}
}

// A missing row is one difference, and not one for each row after it.
func TestMissingRow(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{
		Name: "q", MaxRows: 10, SQL: "SELECT id FROM edge_logs WHERE $now IS NOT NULL ORDER BY id",
		Columns: []sqlq.Column{{Name: "id", Type: sqlq.String}},
	}
	_, outcomes := runCases(t, query, `cases:
  - name: one
    now: 2026-11-20T12:00:00Z
    tables:
      edge_logs: [{id: a, timestamp: 0}, {id: c, timestamp: 2026-11-20T12:00:00Z}, {id: d, timestamp: 0}]
    expect: {rows: [{id: a}, {id: b}, {id: c}, {id: d}]}
`)
	assert.Equal(t, []string{"expected 4 rows, got 3", `row 2: expected {id: "b"}, got no row`}, outcomes[0].Differences)
}

// A case gives rows for the runs of saved queries as for any table, with the columns that matter.
func TestRunsAreGiven(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{
		Name: "slow", MaxRows: 10, SQL: "SELECT query, max(duration_ms) AS most FROM savedq_runs WHERE timestamp < $now GROUP BY query ORDER BY query",
		Columns: []sqlq.Column{{Name: "query", Type: sqlq.String}, {Name: "most", Type: sqlq.Float64, Nullable: true}},
		Tables:  sqlq.Tables{tables.Runs()},
	}
	_, outcomes := runCases(t, query, `cases:
  - name: given
    now: 2026-11-20T12:00:00Z
    tables:
      savedq_runs:
        - {timestamp: 2026-11-20T10:00:00Z, query: a, duration_ms: 1.5}
        - {timestamp: 2026-11-20T11:00:00Z, query: a, duration_ms: 2.5}
        - {timestamp: 2026-11-20T13:00:00Z, query: b, duration_ms: 9}
    expect: {rows: [{query: a, most: 2.5}]}
  - name: empty
    now: 2026-11-20T12:00:00Z
    expect: {rows: []}
`)
	for _, outcome := range outcomes {
		assert.Empty(t, outcome.Differences)
	}
}

// Cases do not see the rows of others, errors are compared, and parameters must be declared.
func TestCasesAreIsolated(t *testing.T) {
	t.Parallel()
	_, outcomes := runCases(t, typesQuery(), `cases:
  - name: filled
    now: 2026-11-20T12:00:00Z
    params: {p: y}
    tables:
      edge_logs:
        - {id: a, timestamp: 2026-11-20T10:00:00Z, event_message: hi, metadata: [{b: [{c: 1}]}]}
    expect: {rows: [`+typesRow+`]}
  - name: empty
    now: 2026-11-20T12:00:00Z
    expect: {rows: []}
  - name: error
    now: 2026-11-20T12:00:00Z
    params: {p: four}
    expect: {error: {code: INVALID_ARGUMENT, message: "p: is longer than 3"}}
  - name: other error
    now: 2026-11-20T12:00:00Z
    params: {p: four}
    expect: {error: {code: NOT_FOUND, message: many}}
  - name: rows
    now: 2026-11-20T12:00:00Z
    params: {p: four}
    expect: {rows: []}
  - name: undeclared
    now: 2026-11-20T12:00:00Z
    params: {q: four}
    expect: {rows: []}
`)
	var got [][]string
	for _, outcome := range outcomes {
		got = append(got, outcome.Differences)
	}
	assert.Equal(t, [][]string{
		nil, nil, nil,
		{"expected the error NOT_FOUND, got INVALID_ARGUMENT: p: is longer than 3 characters", `expected a message with "many", got "p: is longer than 3 characters"`},
		{"expected 0 rows, got the error INVALID_ARGUMENT: p: is longer than 3 characters"},
		{`gives the parameter "q", but the parameters of types are: p`},
	}, got)
}

// Mistakes in a file are found all at once, each with its place.
func TestReadMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "a.yaml: is empty",
		"cases: []":          "a.yaml:1:8: cases must not be empty",
		"cases: [{name: a}]": `a.yaml:1:10: key "now" is missing`,
		"cases:\n  - {name: a, now: yesterday, expect: {}}\n":                                                    "a.yaml:2:20: now must be a time such as 2026-11-20T12:00:00Z",
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, params: {p: {a: 1}}}\n":                                "a.yaml:2:54: a parameter must be a single value",
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, events: {edge_log: []}}\n":                             `a.yaml:2:51: "edge_log" is not a log source; did you mean edge_logs?`,
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, events: {edge_logs: [{a: 1}]}}":                        "a.yaml:2:64: event: has neither event_message nor metadata",
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, events: {edge_logs: [{event_message: x, projct: y}]}}": `a.yaml:2:64: an event has no field "projct"`,
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, expect: {rows: 1}}":                                    "a.yaml:2:57: must be a list of rows",
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, expect: {rows: [], error: {code: INTERNAL}}}":          "a.yaml:2:57: a case expects rows or an error; rows is for rows",
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, expect: {error: {code: BAD}}}":                         `a.yaml:2:65: "BAD" is not an error code; use one of INVALID_ARGUMENT`,
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, expect: {tolerance: -1, rows: []}}":                    "a.yaml:2:62: tolerance must be a number that is not negative",
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z}\n  - {name: a, now: 2026-11-20T12:00:00Z}\n":           `a.yaml:3:12: two cases have the name "a"`,
		"cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, tables: {edge_logs: []}, events: {edge_logs: []}}":     "a.yaml:2:51: the case has events of edge_logs already",
	} {
		_, mistakes := querytest.ReadFile("a.yaml", []byte(text), tables.Shipped())
		require.NotEmpty(t, mistakes, text)
		assert.Contains(t, mistakes.Error(), want, text)
	}
	_, err := querytest.ReadFolder(fstest.MapFS{"tests/a.yml": {}}, "my/q", tables.Shipped())
	require.EqualError(t, err, "my/q/tests/a.yml: is not read; name it .yaml")
}

// Rows that a table cannot store are mistakes in the file.
func TestTablesMistakes(t *testing.T) {
	t.Parallel()
	memory := openMemory(t)
	for tables, want := range map[string]string{
		"{edge_log: []}":                               `a.yaml:4:14: the store has no table "edge_log"; its tables are auth_logs, edge_logs, edge_requests, function_edge_logs`,
		"{all_logs_shared: []}":                        `a.yaml:4:14: the store has no table "all_logs_shared"`,
		"{store_info: []}":                             `a.yaml:4:14: the store has no table "store_info"`,
		"{edge_logs: [{ip: x}]}":                       `a.yaml:4:31: edge_logs has no column "ip"; its columns are id, timestamp, event_message, project, metadata`,
		"{edge_logs: [{id: 1}]}":                       "a.yaml:4:31: id: must be a string, or a list or a mapping that is stored as JSON",
		"{edge_logs: [{timestamp: now}]}":              "a.yaml:4:38: timestamp: ",
		"{edge_logs: [{id: a}]}":                       "a.yaml:4:27: the row cannot be stored: ",
		"{function_invocations: [{status_code: 'a'}]}": "a.yaml:4:51: status_code: must be a number",
		"{function_invocations: [{}]}":                 "a.yaml:4:37: a row needs at least one column",
	} {
		file, mistakes := querytest.ReadFile("a.yaml", []byte("cases:\n  - name: a\n    now: 2026-11-20T12:00:00Z\n    tables: "+tables+"\n    expect: {rows: []}\n"), nil)
		require.Empty(t, mistakes, tables)
		_, err := querytest.Run(t.Context(), memory, typesQuery(), &file.Cases[0], time.Now)
		require.ErrorContains(t, err, want, tables)
	}
}

// Update replaces what failed cases expect, adds what is missing, and keeps everything else.
func TestUpdate(t *testing.T) {
	t.Parallel()
	memory := openMemory(t)
	query := &sqlq.SavedQuery{
		Name: "q", MaxRows: 1, SQL: "SELECT id, timestamp AS at FROM edge_logs WHERE $now IS NOT NULL ORDER BY id",
		Columns: []sqlq.Column{{Name: "id", Type: sqlq.String}, {Name: "at", Type: sqlq.Timestamp}},
		Params:  []sqlq.Param{},
	}
	const before = `# Header.
cases:
  # passes
  - name: passes
    now: 2026-11-20T12:00:00Z # noon
    expect: {rows: [  ]}

  - name: differs
    now: 2026-11-20T12:00:00Z
    expect:
      tolerance: 0.5
      rows:
        # old
        - {id: z,
           at: 0}

    # kept
    tables:
      edge_logs: [{id: a, timestamp: 0}, {id: "b\"", timestamp: 0}]

  # none yet
  - name: missing
    now: 2026-11-20T12:00:00Z`
	file, outcomes := runCasesIn(t, memory, query, before)
	updated, err := querytest.Update(file, outcomes)
	require.NoError(t, err)
	want := strings.Replace(before, `      tolerance: 0.5
      rows:
        # old
        - {id: z,
           at: 0}
`, `      truncated: true
      tolerance: 0.5
      rows:
        - {id: "a", at: "1970-01-01T00:00:00Z"}
`, 1) + "\n    expect:\n      rows: []\n"
	assert.Equal(t, want, string(updated))
	file, outcomes = runCasesIn(t, memory, query, string(updated))
	for _, outcome := range outcomes {
		assert.Empty(t, outcome.Differences)
	}
	again, err := querytest.Update(file, outcomes)
	require.NoError(t, err)
	assert.Equal(t, string(updated), string(again))

	file, outcomes = runCasesIn(t, memory, query, "cases: [{name: a, now: 2026-11-20T12:00:00Z}]")
	_, err = querytest.Update(file, outcomes)
	require.EqualError(t, err, `types/tests/a.yaml:1:10: case "a" is written in braces, so that it cannot be updated; write each key on its own line`)
	file, outcomes = runCasesIn(t, memory, typesQuery(), "cases:\n- expect: {rows: []}\n  name: a\n  now: 2026-11-20T12:00:00Z\n  params: {p: \"much\"}\n")
	updated, err = querytest.Update(file, outcomes)
	require.NoError(t, err)
	assert.Equal(t, "cases:\n- expect:\n    error: {code: INVALID_ARGUMENT, message: \"p: is longer than 3 characters\"}\n  name: a\n  now: 2026-11-20T12:00:00Z\n  params: {p: \"much\"}\n", string(updated))
}

// JUnit XML has each case, and what is wrong with it.
func TestJUnit(t *testing.T) {
	t.Parallel()
	_, outcomes := runCases(t, typesQuery(), "cases:\n  - {name: a, now: 2026-11-20T12:00:00Z, expect: {rows: []}}\n  - {name: \"<b>\\u0001\", now: 2026-11-20T12:00:00Z}\n")
	for _, outcome := range outcomes {
		outcome.Duration = 1500 * time.Microsecond
	}
	text, err := querytest.JUnit([]*querytest.Report{{Query: typesQuery(), Outcomes: outcomes}})
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(text, new(struct{ XMLName xml.Name })))
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" time="0.003">
  <testsuite name="types" tests="2" failures="1" time="0.003">
    <testcase classname="types" name="a" file="types/tests/a.yaml" line="2" time="0.002"></testcase>
    <testcase classname="types" name="&lt;b&gt;`+"\ufffd"+`" file="types/tests/a.yaml" line="3" time="0.002">
      <failure message="has no expect; --update records what the saved query gives now">has no expect; --update records what the saved query gives now</failure>
    </testcase>
  </testsuite>
</testsuites>
`, string(text))
}
