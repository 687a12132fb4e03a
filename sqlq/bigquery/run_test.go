package bigquery_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/bigquery"
)

// The whole request: bounds, labels, default dataset and parameters, each of
// them as the service reads it.
func TestRunSendsBoundedQuery(t *testing.T) {
	t.Parallel()
	fake := &fakeService{}
	engine := open(t, fake, func(config *bigquery.Config) {
		config.Location = "EU"
		config.MaxBytesBilled = 1 << 30
		config.JobTimeout = 7 * time.Second
		config.Labels = map[string]string{"team": "data"}
	})
	statement := numbers(10)
	statement.Query.Name = "Functions.invocation-stats ü"
	statement.Args = []sqlq.Arg{
		{Name: "text", Type: sqlq.String, Value: `a"b`},
		{Name: "empty", Type: sqlq.String, Value: ""},
		{Name: "no_text", Type: sqlq.String},
		{Name: "whole", Type: sqlq.Int64, Value: int64(9007199254740993)},
		{Name: "no_whole", Type: sqlq.Int64},
		{Name: "part", Type: sqlq.Float64, Value: 0.1},
		{Name: "no_part", Type: sqlq.Float64},
		{Name: "exact", Type: sqlq.Numeric, Value: sqlq.Decimal("-99999999999999999999999999999.999999999")},
		{Name: "no_exact", Type: sqlq.Numeric},
		{Name: "truth", Type: sqlq.Bool, Value: false},
		{Name: "no_truth", Type: sqlq.Bool},
		{Name: "moment", Type: sqlq.Timestamp, Value: time.Date(2026, 3, 1, 12, 0, 0, 1000, time.FixedZone("", 3600))},
		{Name: "no_moment", Type: sqlq.Timestamp},
		{Name: "day", Type: sqlq.Date, Value: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		{Name: "no_day", Type: sqlq.Date},
		{Name: "texts", Type: sqlq.ArrayOf(sqlq.String), Value: []any{"a", "b"}},
		{Name: "no_wholes", Type: sqlq.ArrayOf(sqlq.Int64), Value: []any{}},
		{Name: "exacts", Type: sqlq.ArrayOf(sqlq.Numeric), Value: []any{sqlq.Decimal("0.5"), sqlq.Decimal("0")}},
		{Name: "days", Type: sqlq.ArrayOf(sqlq.Date), Value: []any{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}},
		{Name: "moments", Type: sqlq.ArrayOf(sqlq.Timestamp), Value: []any{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}},
	}
	_, err := run(t, engine, statement)
	require.NoError(t, err)
	require.Len(t, fake.bodies, 1)
	assert.Regexp(t, `^[0-9a-f-]{36}$`, fake.requestIDs[0])
	assert.JSONEq(t, `{
				"query": "SELECT n FROM t",
				"useLegacySql": false,
				"defaultDataset": {"projectId": "p", "datasetId": "d"},
				"location": "EU",
				"labels": {"savedq_endpoint": "functions_invocation-stats__", "team": "data"},
				"maximumBytesBilled": "1073741824",
				"jobTimeoutMs": "7000",
				"jobCreationMode": "JOB_CREATION_OPTIONAL",
				"requestId": "REQUEST",
				"timeoutMs": 2000,
				"maxResults": 11,
				"formatOptions": {"useInt64Timestamp": true},
				"queryParameters": [
					{"name": "text", "parameterType": {"type": "STRING"}, "parameterValue": {"value": "a\"b"}},
					{"name": "empty", "parameterType": {"type": "STRING"}, "parameterValue": {"value": ""}},
					{"name": "no_text", "parameterType": {"type": "STRING"}, "parameterValue": {"value": null}},
					{"name": "whole", "parameterType": {"type": "INT64"}, "parameterValue": {"value": "9007199254740993"}},
					{"name": "no_whole", "parameterType": {"type": "INT64"}, "parameterValue": {"value": null}},
					{"name": "part", "parameterType": {"type": "FLOAT64"}, "parameterValue": {"value": "0.1"}},
					{"name": "no_part", "parameterType": {"type": "FLOAT64"}, "parameterValue": {"value": null}},
					{"name": "exact", "parameterType": {"type": "NUMERIC"}, "parameterValue": {"value": "-99999999999999999999999999999.999999999"}},
					{"name": "no_exact", "parameterType": {"type": "NUMERIC"}, "parameterValue": {"value": null}},
					{"name": "truth", "parameterType": {"type": "BOOL"}, "parameterValue": {"value": "false"}},
					{"name": "no_truth", "parameterType": {"type": "BOOL"}, "parameterValue": {"value": null}},
					{"name": "moment", "parameterType": {"type": "STRING"}, "parameterValue": {"value": "2026-03-01T11:00:00.000001Z"}},
					{"name": "no_moment", "parameterType": {"type": "STRING"}, "parameterValue": {"value": null}},
					{"name": "day", "parameterType": {"type": "DATE"}, "parameterValue": {"value": "2026-03-01"}},
					{"name": "no_day", "parameterType": {"type": "DATE"}, "parameterValue": {"value": null}},
					{"name": "texts", "parameterType": {"type": "ARRAY", "arrayType": {"type": "STRING"}}, "parameterValue": {"arrayValues": [{"value": "a"}, {"value": "b"}]}},
					{"name": "no_wholes", "parameterType": {"type": "ARRAY", "arrayType": {"type": "INT64"}}, "parameterValue": {"arrayValues": []}},
					{"name": "exacts", "parameterType": {"type": "ARRAY", "arrayType": {"type": "NUMERIC"}}, "parameterValue": {"arrayValues": [{"value": "0.5"}, {"value": "0"}]}},
					{"name": "days", "parameterType": {"type": "ARRAY", "arrayType": {"type": "DATE"}}, "parameterValue": {"arrayValues": [{"value": "2026-03-01"}]}},
					{"name": "moments", "parameterType": {"type": "ARRAY", "arrayType": {"type": "STRING"}}, "parameterValue": {"arrayValues": [{"value": "2026-03-01T12:00:00.000000Z"}]}},
					{"name": "now", "parameterType": {"type": "TIMESTAMP"}, "parameterValue": {"value": "2026-11-20 10:00:00.123456+00:00"}}
				]
	}`, strings.ReplaceAll(fake.bodies[0], fake.requestIDs[0], "REQUEST"))
	require.Len(t, fake.rowRequests, 1)
	assert.Equal(t, "alt=json&formatOptions.useInt64Timestamp=true&location=EU&maxResults=11&prettyPrint=false&timeoutMs=10000", fake.rowRequests[0])
}

// An endless window ends at the last TIMESTAMP that the service has.
func TestRunSendsEndOfEndlessWindow(t *testing.T) {
	t.Parallel()
	fake := &fakeService{}
	statement := numbers(10)
	statement.Query.Series = &sqlq.Series{Endless: true}
	statement.Range = statement.Query.Series.Range(sqlq.Window{Length: time.Hour, Bucket: time.Minute}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	_, err := run(t, open(t, fake), statement)
	require.NoError(t, err)
	assert.Contains(t, fake.bodies[0], `{"name":"to","parameterType":{"type":"TIMESTAMP"},"parameterValue":{"value":"9999-12-31 23:59:59.999999+00:00"}}`)
}

// D24: the engine requests one row more than max rows, and no further page.
func TestRunCutsToMaxRows(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		results   []response
		truncated bool
		want      []int64
		pages     int
	}{
		"none":                         {[]response{page(0, "")}, false, []int64{}, 1},
		"fewer":                        {[]response{page(2, "", 1, 2)}, false, []int64{1, 2}, 1},
		"exactly max rows":             {[]response{page(3, "", 1, 2, 3)}, false, []int64{1, 2, 3}, 1},
		"one more":                     {[]response{page(4, "", 1, 2, 3, 4)}, true, []int64{1, 2, 3}, 1},
		"many more":                    {[]response{page(9000, "next", 1, 2, 3, 4)}, true, []int64{1, 2, 3}, 1},
		"more than requested":          {[]response{page(6, "", 1, 2, 3, 4, 5, 6)}, true, []int64{1, 2, 3}, 1},
		"a page cut by its size":       {[]response{page(3, "next", 1), page(3, "", 2, 3)}, false, []int64{1, 2, 3}, 2},
		"cut pages of too many rows":   {[]response{page(9, "a", 1), page(9, "b", 2), page(9, "c", 3, 4)}, true, []int64{1, 2, 3}, 3},
		"a last page without any rows": {[]response{page(2, "next", 1, 2), page(2, "")}, false, []int64{1, 2}, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeService{results: rows(test.results...)}
			result, err := run(t, open(t, fake), numbers(3))
			require.NoError(t, err)
			got := []int64{}
			for _, row := range result.Rows {
				got = append(got, row[0].(int64))
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.truncated, result.Truncated)
			assert.EqualValues(t, 4096, result.BytesProcessed)
			assert.Len(t, fake.rowRequests, test.pages)
		})
	}
}

// Further pages are requested by their token, with no more rows than are missing.
func TestRunRequestsFurtherPages(t *testing.T) {
	t.Parallel()
	fake := &fakeService{results: rows(page(3, "a token", 1, 2), page(3, "", 3))}
	_, err := run(t, open(t, fake), numbers(5))
	require.NoError(t, err)
	require.Len(t, fake.rowRequests, 2)
	assert.Contains(t, fake.rowRequests[1], "maxResults=4&pageToken=a+token")
}

// Rows that are too large are not collected in memory.
func TestRunBoundsBytes(t *testing.T) {
	t.Parallel()
	large := func(token string) response {
		return ok(`{"jobComplete":true,"totalRows":"9","pageToken":"` + token + `","schema":{"fields":[{"name":"n","type":"RECORD","mode":"REPEATED","fields":[{"name":"t","type":"STRING"}]}]},
			"rows":[{"f":[{"v":[{"v":{"f":[{"v":"` + strings.Repeat("x", 23<<20) + `"}]}}]}]}]}`)
	}
	fake := &fakeService{results: rows(large("a"), large("b"), large("c"), large(""))}
	statement := numbers(10)
	statement.Query.Columns[0].Type = sqlq.JSON
	slow := func(config *bigquery.Config) { config.JobTimeout = time.Hour } // the race detector makes decoding slow
	_, err := run(t, open(t, fake, slow), statement)
	assert.Equal(t, "RESOURCE_EXHAUSTED the rows take more than 64 MiB; ask for a shorter time range", code(err))
	assert.Len(t, fake.rowRequests, 3)
}

// An incomplete response is an error, and not a result with fewer rows.
func TestRunRejectsIncompleteResponses(t *testing.T) {
	t.Parallel()
	tests := map[string][]response{
		"fewer rows than promised":           {page(3, "", 1, 2)},
		"no rows where some are promised":    {page(1, "")},
		"fewer rows on the second page":      {page(3, "next", 1), page(3, "", 2)},
		"a page that is empty but not last":  {page(3, "next"), page(3, "", 1, 2, 3)},
		"a second page that is empty":        {page(3, "next", 1), page(3, "again")},
		"no schema":                          {ok(`{"jobComplete":true,"totalRows":"0"}`)},
		"another column":                     {ok(`{"jobComplete":true,"totalRows":"0","schema":{"fields":[{"name":"m","type":"INTEGER"}]}}`)},
		"another type":                       {ok(`{"jobComplete":true,"totalRows":"0","schema":{"fields":[{"name":"n","type":"STRING"}]}}`)},
		"a second column":                    {ok(`{"jobComplete":true,"totalRows":"0","schema":{"fields":[{"name":"n","type":"INTEGER"},{"name":"o","type":"INTEGER"}]}}`)},
		"a row of another width":             {ok(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[]}]}`)},
		"a row that is null":                 {ok(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[null]}`)},
		"a cell that is null":                {ok(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[null]}]}`)},
		"a value that is not of its type":    {ok(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"x"}]}]}`)},
		"a value that is a list, not a text": {ok(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":[]}]}]}`)},
	}
	for name, responses := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, open(t, &fakeService{results: rows(responses...)}), numbers(5))
			require.Error(t, err)
			assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
		})
	}
}

// The engine waits for a job that is not complete.
func TestRunWaitsForCompletion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		incomplete := ok(`{"jobComplete":false}`)
		fake := &fakeService{results: rows(incomplete, incomplete, page(1, "", 7))}
		result, err := run(t, open(t, fake), numbers(5))
		require.NoError(t, err)
		assert.Equal(t, [][]any{{int64(7)}}, result.Rows)
		assert.Len(t, fake.rowRequests, 3)
		assert.Empty(t, fake.cancels)
	})
}

// Throttling and failures of the service are borne at every step, and a query that may run is
// only repeated with its request id.
func TestRunBearsPassingFailures(t *testing.T) {
	t.Parallel()
	throttled := refusal(http.StatusForbidden, "rateLimitExceeded", "Exceeded rate limits")
	broken := refusal(http.StatusServiceUnavailable, "backendError", "Error encountered during execution. Retrying may solve the problem.")
	gateway := response{http.StatusBadGateway, "<html>Bad Gateway</html>"}
	tests := map[string]struct {
		fake    func() *fakeService
		queries int // different ones
	}{
		"throttled while sending": {func() *fakeService {
			next := inTurn(throttled, refusal(http.StatusBadRequest, "jobRateLimitExceeded", ""), broken, gateway, ok(""))
			return &fakeService{query: func(request *rest.QueryRequest) response {
				if response := next(); response.status != http.StatusOK {
					return response
				}
				return created(request)
			}, results: rows(page(1, "", 7))}
		}, 1},
		"a query that failed through no fault of its own": {func() *fakeService {
			next := inTurn(refusal(http.StatusBadRequest, "jobBackendError", "Try again"), withoutJob(page(1, "", 7)))
			return &fakeService{query: func(*rest.QueryRequest) response { return next() }}
		}, 2},
		"failing while waiting": {func() *fakeService {
			return &fakeService{results: rows(broken, gateway, throttled, page(1, "", 7))}
		}, 1},
		"failing on the second page": {func() *fakeService {
			return &fakeService{results: rows(page(2, "next", 6), broken, page(2, "", 7))}
		}, 1},
		"a job that failed through no fault of its own": {func() *fakeService {
			fake := &fakeService{get: func() response {
				return ok(`{"status":{"state":"DONE","errorResult":{"reason":"backendError","message":"Try again"}}}`)
			}}
			fake.results = func(*http.Request) response {
				if len(fake.bodies) == 1 {
					return broken
				}
				return page(1, "", 7)
			}
			return fake
		}, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := test.fake()
				result, err := run(t, open(t, fake), numbers(5))
				require.NoError(t, err)
				assert.Equal(t, int64(7), result.Rows[len(result.Rows)-1][0])
				different := make(map[string]bool)
				for _, id := range fake.requestIDs {
					different[id] = true
				}
				assert.Len(t, different, test.queries)
				assert.Empty(t, fake.cancels)
			})
		})
	}
}
