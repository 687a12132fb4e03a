package bigquery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// compiled is the response to a dry run.
func compiled(kind, fields string) func(*rest.Job) response {
	return func(*rest.Job) response {
		return ok(fmt.Sprintf(`{"jobReference":{"projectId":"p"},"configuration":{"dryRun":true,"query":{}},"status":{"state":"DONE"},
			"statistics":{"totalBytesProcessed":"123456789","query":{"statementType":%q,"schema":{"fields":[%s]},
			"referencedTables":[{"projectId":"p","datasetId":"d","tableId":"edge_logs"},{"projectId":"q","datasetId":"e","tableId":"raw"}]}}}`, kind, fields))
	}
}

// A dry run returns the columns, with GoogleSQL's types, and how much a run would read.
func TestCheckPlans(t *testing.T) {
	t.Parallel()
	fake := &fakeService{insert: compiled("SELECT", `
		{"name":"n","type":"INTEGER"},{"name":"f","type":"FLOAT"},{"name":"b","type":"BOOLEAN"},{"name":"at","type":"TIMESTAMP"},
		{"name":"m","type":"RECORD","mode":"REPEATED","fields":[
			{"name":"request","type":"RECORD","mode":"REPEATED","fields":[{"name":"method","type":"STRING"},{"name":"sizes","type":"INTEGER","mode":"REPEATED"}]},
			{"name":"valid","type":"RANGE","rangeElementType":{"type":"DATE"}}]}`)}
	query := numbers(5).Query
	query.Columns = []sqlq.Column{
		{Name: "n", Type: sqlq.Int64},
		{Name: "f", Type: sqlq.Float64},
		{Name: "b", Type: sqlq.Bool},
		{Name: "at", Type: sqlq.Timestamp},
		{Name: "m", Type: sqlq.JSON},
	}
	plan, err := open(t, fake).Check(t.Context(), query)
	require.NoError(t, err)
	assert.Equal(t, []sqlq.PlannedColumn{
		{Name: "n", Type: "INT64"},
		{Name: "f", Type: "FLOAT64"},
		{Name: "b", Type: "BOOL"},
		{Name: "at", Type: "TIMESTAMP"},
		{Name: "m", Type: "ARRAY<STRUCT<request ARRAY<STRUCT<method STRING, sizes ARRAY<INT64>>>, valid RANGE<DATE>>>", Element: &sqlq.PlannedColumn{
			Type: "STRUCT<request ARRAY<STRUCT<method STRING, sizes ARRAY<INT64>>>, valid RANGE<DATE>>", Fields: []sqlq.PlannedColumn{
				{Name: "request", Type: "ARRAY<STRUCT<method STRING, sizes ARRAY<INT64>>>", Element: &sqlq.PlannedColumn{
					Type: "STRUCT<method STRING, sizes ARRAY<INT64>>", Fields: []sqlq.PlannedColumn{
						{Name: "method", Type: "STRING"},
						{Name: "sizes", Type: "ARRAY<INT64>", Element: &sqlq.PlannedColumn{Type: "INT64"}},
					},
				}},
				{Name: "valid", Type: "RANGE<DATE>"},
			},
		}},
	}, plan.Columns)
	require.NotNil(t, plan.EstimatedBytes)
	assert.EqualValues(t, 123456789, *plan.EstimatedBytes)
	assert.Empty(t, fake.rowRequests, "nothing runs")
}

// A parameter without a type is a string, and an array of them in UNNEST.
func TestCheckGuessesParameters(t *testing.T) {
	t.Parallel()
	fake := &fakeService{insert: compiled("SELECT", `{"name":"n","type":"INTEGER"}`)}
	query := numbers(5).Query
	query.SQL, query.Params = "SELECT n FROM t WHERE code IN UNNEST( @codes) AND a = @a", []sqlq.Param{{Name: "codes"}, {Name: "a"}}
	plan, err := open(t, fake).Check(t.Context(), query)
	require.NoError(t, err)
	assert.Equal(t, []sqlq.PlannedParam{{Name: "codes", Type: "ARRAY<STRING>", Guessed: true}, {Name: "a", Type: sqlq.String, Guessed: true}}, plan.Params)
}

// The request of a dry run: no bounds that could refuse it, and the arguments
// that read most.
func TestCheckRequestsDryRun(t *testing.T) {
	t.Parallel()
	hourly := "hourly"
	fake := &fakeService{insert: compiled("SELECT", `{"name":"n","type":"INTEGER"}`)}
	query := numbers(5).Query
	query.Params = []sqlq.Param{
		{Name: "project", Type: sqlq.String, Required: true, Regex: true},
		{Name: "interval", Type: sqlq.String, Required: true, Allowed: []string{"hourly", "daily"}},
		{Name: "other", Type: sqlq.String, Default: []string{hourly}},
	}
	_, err := open(t, fake).Check(t.Context(), query)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"jobReference": {"projectId": "p", "jobId": "JOB"},
		"configuration": {
			"dryRun": true,
			"labels": {"savedq_endpoint": "test_numbers"},
			"query": {
				"query": "SELECT n FROM t",
				"useLegacySql": false,
				"defaultDataset": {"projectId": "p", "datasetId": "d"},
				"queryParameters": [
					{"name": "project", "parameterType": {"type": "STRING"}, "parameterValue": {"value": null}},
					{"name": "interval", "parameterType": {"type": "STRING"}, "parameterValue": {"value": "daily"}},
					{"name": "other", "parameterType": {"type": "STRING"}, "parameterValue": {"value": "hourly"}},
					{"name": "now", "parameterType": {"type": "TIMESTAMP"}, "parameterValue": {"value": "2026-11-20 10:00:00.123456+00:00"}}
				]
			}
		}
	}`, strings.ReplaceAll(fake.bodies[0], fake.jobIDs[0], "JOB"))
}

// Mistakes are reported with their place in the file.
func TestCheckReportsMistakes(t *testing.T) {
	t.Parallel()
	rejected := func(message string) func(*rest.Job) response {
		return func(*rest.Job) response { return refusal(http.StatusBadRequest, "invalidQuery", message) }
	}
	tests := map[string]struct {
		insert func(*rest.Job) response
		want   string
	}{
		"name":            {rejected("Unrecognized name: m at [3:8]"), "test/bigquery.sql:3:8: Unrecognized name: m"},
		"several lines":   {rejected("No matching signature for operator =\n  Signature: T1 = T1 at [12:1]"), "test/bigquery.sql:12:1: No matching signature for operator = Signature: T1 = T1"},
		"without a place": {rejected("Query parameter 'now' not found"), "test/bigquery.sql: Query parameter 'now' not found"},
		"statement":       {compiled("DELETE", ""), "test/bigquery.sql: is a statement of type DELETE; a saved query is a SELECT"},
		"type":            {compiled("SELECT", `{"name":"n","type":"NUMERIC"}`), "test/query.yaml:7:5: declares column n as INT64, but test/bigquery.sql returns it as NUMERIC"},
		"columns":         {compiled("SELECT", `{"name":"n","type":"INTEGER"},{"name":"o","type":"INTEGER"}`), "test/query.yaml:7:5: declares the columns n, but test/bigquery.sql returns n, o"},
		"array":           {compiled("SELECT", `{"name":"n","type":"INTEGER","mode":"REPEATED"}`), "test/query.yaml:7:5: declares column n as INT64, but test/bigquery.sql returns it as ARRAY<INT64>"},
		"job that failed": {func(*rest.Job) response {
			return ok(`{"jobReference":{},"configuration":{"query":{}},"status":{"state":"DONE","errorResult":{"reason":"invalidQuery","message":"Syntax error at [1:2]"}},"statistics":{"query":{}}}`)
		}, "test/bigquery.sql:1:2: Syntax error"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, &fakeService{insert: test.insert}).Check(t.Context(), numbers(5).Query)
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			assert.Equal(t, test.want, mistakes.Error())
		})
	}
}

// What an operator must correct is not reported as a mistake in the file.
func TestCheckBlamesNoFileForTables(t *testing.T) {
	t.Parallel()
	fake := &fakeService{insert: func(*rest.Job) response {
		return refusal(http.StatusNotFound, "notFound", "Not found: Table p:d.edge_logs was not found in location EU")
	}}
	_, err := open(t, fake).Check(t.Context(), numbers(5).Query)
	var mistakes sqlq.FileErrors
	require.NotErrorAs(t, err, &mistakes)
	require.EqualError(t, err, "check test.numbers: BigQuery has no table or view p.d.edge_logs; create the view or table as docs/bigquery.md shows, or name another dataset with --bigquery-dataset")
}

// The runs of saved queries are in the embedded store alone, which the message says.
func TestCheckOfRuns(t *testing.T) {
	t.Parallel()
	fake := &fakeService{insert: func(*rest.Job) response {
		return refusal(http.StatusNotFound, "notFound", "Not found: Table p:d.savedq_runs was not found in location EU")
	}}
	_, err := open(t, fake).Check(t.Context(), numbers(5).Query)
	require.ErrorContains(t, err, "BigQuery has no table p.d.savedq_runs, because savedq notes runs in its embedded store only (--engine duckdb); remove the saved queries that read it")
}

// A dry run that says less than it should proves nothing, but an
// emulator's that does not tell the columns is no mistake either.
func TestCheckOfTaciturnServices(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no statistics":              `{"jobReference":{},"configuration":{"query":{}},"status":{"state":"DONE"}}`,
		"no status":                  `{"jobReference":{},"configuration":{"query":{}}}`,
		"no statistics of the query": `{"jobReference":{},"configuration":{"query":{}},"status":{"state":"DONE"},"statistics":{}}`,
	} {
		_, err := open(t, &fakeService{insert: func(*rest.Job) response { return ok(body) }}).Check(t.Context(), numbers(5).Query)
		require.ErrorContains(t, err, "a dry run without statistics", name)
	}
	plan, err := open(t, &fakeService{insert: compiled("SELECT", "")}).Check(t.Context(), numbers(5).Query)
	require.NoError(t, err)
	assert.Empty(t, plan.Columns)
}

// Which types a declared one can hold: what a run converts, and no more.
func TestCheckComparesTypes(t *testing.T) {
	t.Parallel()
	tests := map[sqlq.Type]string{
		sqlq.String:    "STRING BYTES NUMERIC BIGNUMERIC DATE TIME DATETIME JSON GEOGRAPHY INTERVAL RANGE",
		sqlq.Int64:     "INTEGER",
		sqlq.Float64:   "FLOAT INTEGER NUMERIC BIGNUMERIC",
		sqlq.Numeric:   "NUMERIC BIGNUMERIC INTEGER",
		sqlq.Bool:      "BOOLEAN",
		sqlq.Timestamp: "TIMESTAMP",
		sqlq.Datetime:  "DATETIME",
		sqlq.Date:      "DATE",
		sqlq.JSON:      "STRING BYTES NUMERIC BIGNUMERIC DATE TIME DATETIME JSON GEOGRAPHY INTERVAL RANGE INTEGER FLOAT BOOLEAN TIMESTAMP RECORD",
	}
	all := strings.Fields(tests[sqlq.JSON])
	for declared, held := range tests {
		for _, actual := range all {
			query := numbers(5).Query
			query.Columns[0].Type = declared
			field, err := json.Marshal(map[string]any{"name": "n", "type": actual})
			require.NoError(t, err)
			_, err = open(t, &fakeService{insert: compiled("SELECT", string(field))}).Check(t.Context(), query)
			assert.Equal(t, slices.Contains(strings.Fields(held), actual), err == nil, "%s in a column of %s: %v", actual, declared, err)
		}
	}
}

// A stream declares numbers that Parquet and Arrow do not hold as decimals.
func TestCheckOfBigNumbersInStreams(t *testing.T) {
	t.Parallel()
	for actual, isBig := range map[string]bool{"NUMERIC": false, "INTEGER": false, "BIGNUMERIC": true} {
		for _, declaredBig := range []bool{false, true} {
			query := numbers(5).Query
			query.Stream, query.Columns[0].Type, query.Columns[0].Big = true, sqlq.Numeric, declaredBig
			_, err := open(t, &fakeService{insert: compiled("SELECT", `{"name":"n","type":"`+actual+`"}`)}).Check(t.Context(), query)
			assert.Equal(t, isBig && !declaredBig, err != nil, "%s: %v", actual, err)
		}
	}
}
