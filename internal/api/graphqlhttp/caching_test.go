package graphqlhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

const (
	countsDocument = `{ apiCounts(project: "p", interval: DAILY) { totalRestRequests } }`
	statsDocument  = `{ invocationStats(project: "p") { count } }`
)

// countsBody returns the response to countsDocument with the rows of a run and their
// freshness.
func countsBody(run int, freshness string) string {
	return fmt.Sprintf(`{"data":{"apiCounts":[{"totalRestRequests":%d}]},"extensions":{"freshness":{"apiCounts":{%s,"truncated":false,"rowsRead":1,"rowsReused":0,"bytesProcessed":7,"bytesReused":0}}}}`, run, freshness)
}

func TestResponseIsCached(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	body, runs := s.query(t, countsDocument)
	assert.Equal(t, countsBody(1, `"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:00:00Z"`), body)
	assert.EqualValues(t, 1, runs)

	s.clock.advance(12*time.Second + 999*time.Millisecond)
	body, runs = s.query(t, countsDocument)
	assert.Equal(t, countsBody(1, `"cache":"HIT","ageSeconds":12,"asOf":"2026-11-20T10:00:00Z"`), body)
	assert.Zero(t, runs, "the cached response was not used")

	s.clock.advance(47*time.Second + time.Millisecond) // a minute in all
	body, runs = s.query(t, countsDocument)
	assert.Equal(t, countsBody(2, `"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:01:00Z"`), body)
	assert.EqualValues(t, 1, runs)
}

// A cached response of two saved queries expires with the first of its cache entries, and
// as soon as one of them is refreshed.
func TestResponseOfTwoEndpoints(t *testing.T) {
	t.Parallel()
	const document = `{ invocationStats(project: "p") { count } apiCounts(project: "p", interval: DAILY) { totalRestRequests } }`
	stats := runner.Request{Query: &sqlq.SavedQuery{Name: "functions.invocation-stats"}, Params: params{"project": {"p"}, "interval": {"1day"}}, NoCache: true}
	counts := runner.Request{Query: &sqlq.SavedQuery{Name: "usage.api-counts"}, Params: params{"project": {"p"}, "interval": {"daily"}}, NoCache: true}
	for name, test := range map[string]struct {
		// refresh bypasses the cache, and then the clock advances.
		refresh  *runner.Request
		advance  time.Duration
		wantRuns int64
		// wantNew is the field with new rows in the second response, if any.
		wantNew string
	}{
		"nothing happens":                    {nil, 0, 0, ""},
		"the longer one is refreshed":        {&stats, 0, 2, "invocationStats"},
		"the shorter one is refreshed":       {&counts, 0, 2, "apiCounts"},
		"the shorter one is about to expire": {nil, 49*time.Second - time.Nanosecond, 0, ""},
		"the shorter one has expired":        {nil, 49 * time.Second, 2, "apiCounts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, 1)
			first, runs := s.query(t, document)
			require.EqualValues(t, 2, runs)
			s.clock.advance(11 * time.Second) // longer than NoCachePause
			if test.refresh != nil {
				response, err := s.run(t, *test.refresh)
				require.NoError(t, err)
				require.Equal(t, runner.Refreshed, response.Cache)
			}
			s.clock.advance(test.advance)
			second, runs := s.query(t, document)
			assert.Equal(t, test.wantRuns, runs)
			before, after := dataIn(t, first), dataIn(t, second)
			for _, field := range []string{"invocationStats", "apiCounts"} {
				require.Contains(t, after, field)
				assert.Equal(t, field == test.wantNew, !reflect.DeepEqual(before[field], after[field]), field)
			}
			_, runs = s.query(t, document)
			assert.Zero(t, runs, "the newer response was not cached")
		})
	}
}

// dataIn returns the fields of a response's data.
func dataIn(t *testing.T, body string) map[string]any {
	t.Helper()
	var response struct{ Data map[string]any }
	require.NoError(t, json.Unmarshal([]byte(body), &response))
	return response.Data
}

// The key holds everything that a response depends on except its rows. Its format may
// change in any version: responses are cached in memory only.
func TestKeyOfAResponse(t *testing.T) {
	t.Parallel()
	const document = `query Q($p: String!) { logs(project: $p) { id } }`
	for name, test := range map[string]struct{ body, accept, want string }{
		"only a document": {
			`{"query":"{ logs(project: \"p\") { id } }"}`, "",
			`graphql 0:16:application/json0:2:{}29:{ logs(project: "p") { id } }`,
		},
		"all parts": {
			`{"operationName":"Q","variables":{"p":"é","a":[1.0,{"c":null,"b":9007199254740993}]},"query":"` + document + `"}`, "application/graphql-response+json",
			`graphql 0:33:application/graphql-response+json1:Q52:{"a":[1.0,{"b":9007199254740993,"c":null}],"p":"é"}49:` + document,
		},
		"the same in another order": {
			`{ "query": "` + document + `", "variables": { "a": [ 1.0, { "b": 9007199254740993, "c": null } ], "p": "\u00e9" }, "operationName": "Q" }`, "application/graphql-response+json",
			`graphql 0:33:application/graphql-response+json1:Q52:{"a":[1.0,{"b":9007199254740993,"c":null}],"p":"é"}49:` + document,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queryRunner := runnerReturning(t)
			send(t, newHandler(t, queryRunner, silent()), http.MethodPost, "/graphql", test.body,
				"Content-Type", "application/json", "Accept", test.accept)
			assert.Equal(t, []string{test.want}, queryRunner.stored)
			assert.Equal(t, []string{test.want}, queryRunner.lookedUp)
		})
	}
}

// Requests that must have different responses do not share a cached one.
func TestResponsesDoNotMix(t *testing.T) {
	t.Parallel()
	const document = `query A($p: String!, $s: Boolean = false) { apiCounts(project: $p, interval: DAILY) { totalRestRequests @skip(if: $s) } } query B { b: apiCounts(project: "p", interval: DAILY) { timestamp } }`
	ask := func(t *testing.T, s *server, operation, variables, accept string) (body string, runs int64) {
		t.Helper()
		before := s.runner.runs.Load()
		request := fmt.Sprintf(`{"query":%q,"operationName":%q,"variables":%s}`, document, operation, variables)
		response := send(t, s, http.MethodPost, "/graphql", request, "Content-Type", "application/json", "Accept", accept)
		assert.Contains(t, response.Header().Get("Content-Type"), accept)
		return response.Body.String(), s.runner.runs.Load() - before
	}
	s := newServer(t, 1)
	const plain, of = "application/json", "application/graphql-response+json"
	first, runs := ask(t, s, "A", `{"p":"p"}`, plain)
	require.EqualValues(t, 1, runs)
	for _, test := range []struct {
		name, operation, variables, accept string
		wantRuns                           int64
		wantData                           string
	}{
		{"the same", "A", `{"p":"p"}`, plain, 0, `{"apiCounts":[{"totalRestRequests":1}]}`},
		{"formatted", "A", "{\n\t\"p\" : \"\\u0070\"\n}", plain, 0, `{"apiCounts":[{"totalRestRequests":1}]}`},
		{"another media type", "A", `{"p":"p"}`, of, 1, `{"apiCounts":[{"totalRestRequests":1}]}`},
		{"another variable", "A", `{"p":"p","s":true}`, plain, 1, `{"apiCounts":[{}]}`},
		{"another argument", "A", `{"p":"q"}`, plain, 1, `{"apiCounts":[{"totalRestRequests":2}]}`},
		{"another operation", "B", `{"p":"p"}`, plain, 1, `{"b":[{"timestamp":"2026-11-20T10:00:00Z"}]}`},
		{"the same once more", "A", `{"p":"p"}`, plain, 0, `{"apiCounts":[{"totalRestRequests":1}]}`},
	} {
		body, runs := ask(t, s, test.operation, test.variables, test.accept)
		assert.Equal(t, test.wantRuns, runs, test.name)
		assert.True(t, strings.HasPrefix(body, `{"data":`+test.wantData+`,"extensions"`), "%s: %s", test.name, body)
	}
	assert.Contains(t, first, `"MISS"`)
}

func TestResponsesThatAreNotCached(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document string
		cache    runner.CacheStatus
		fails    bool
		want     bool
	}{
		"computed":                 {countsDocument, runner.Miss, false, true},
		"joined":                   {countsDocument, runner.Joined, false, true},
		"cached rows":              {countsDocument, runner.Hit, false, true},
		"refreshed rows":           {countsDocument, runner.Refreshed, false, true},
		"rows that are not cached": {countsDocument, runner.Off, false, false},
		"rows that are too old":    {countsDocument, runner.Stale, false, false},
		"an error":                 {countsDocument, runner.Miss, true, false},
		"an error and rows":        {`{ endpoint { name } apiCounts(project: "p", interval: DAILY) { timestamp } }`, runner.Miss, false, false},
		"an invalid document":      {`{ apiCounts `, runner.Miss, false, false},
		"endpoints":                {`{ endpoints { name } }`, runner.Miss, false, false},
		"introspection":            {`{ __schema { queryType { name } } }`, runner.Miss, false, false},
		"only the type's name":     {`{ __typename }`, runner.Miss, false, false},
		"what the token allows":    {`{ viewer { refresh } apiCounts(project: "p", interval: DAILY) { timestamp } }`, runner.Miss, false, false},
		"the state of the queries": {`{ catalog { loadedAt } apiCounts(project: "p", interval: DAILY) { timestamp } }`, runner.Miss, false, false},
		"no rows and rows":         {`{ endpoints { name } apiCounts(project: "p", interval: DAILY) { timestamp } }`, runner.Miss, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queryRunner := runnerReturning(t)
			inner := queryRunner.run
			queryRunner.run = func(ctx context.Context, request runner.Request) (*runner.Response, error) {
				response, err := inner(ctx, request)
				response.Cache = test.cache
				if test.fails {
					return nil, sqlq.Errorf(sqlq.Unavailable, "later")
				}
				return response, err
			}
			post(t, newHandler(t, queryRunner, silent()), test.document, "{}")
			assert.Equal(t, test.want, len(queryRunner.stored) == 1, queryRunner.stored)
		})
	}
}

// Caching is disabled for one of two fields, so the response is not cached.
func TestResponseWithRowsThatAreNotCached(t *testing.T) {
	t.Parallel()
	statuses := map[string]runner.CacheStatus{"logs.all": runner.Off, "usage.api-counts": runner.Hit}
	queryRunner := runnerReturning(t)
	inner := queryRunner.run
	queryRunner.run = func(ctx context.Context, request runner.Request) (*runner.Response, error) {
		response, err := inner(ctx, request)
		response.Cache = statuses[request.Query.Name]
		return response, err
	}
	bodyOf(t, queryRunner, `{ apiCounts(project: "p", interval: DAILY) { timestamp } logs(project: "p") { id } }`)
	assert.Empty(t, queryRunner.stored)
}

// A no-cache request bypasses the cached response and the cached rows, and replaces both.
func TestNoCache(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	s.query(t, countsDocument)
	s.clock.advance(11 * time.Second)
	body, runs := s.query(t, countsDocument, "Cache-Control", "no-cache")
	assert.EqualValues(t, 1, runs)
	assert.Equal(t, countsBody(2, `"cache":"REFRESHED","ageSeconds":0,"asOf":"2026-11-20T10:00:11Z"`), body)
	body, runs = s.query(t, countsDocument)
	assert.Zero(t, runs)
	assert.Equal(t, countsBody(2, `"cache":"HIT","ageSeconds":0,"asOf":"2026-11-20T10:00:11Z"`), body)
}

func TestNoCacheIsForEveryField(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	wished := make(map[string]bool)
	queryRunner := runnerReturning(t)
	inner := queryRunner.run
	queryRunner.run = func(ctx context.Context, request runner.Request) (*runner.Response, error) {
		mutex.Lock()
		defer mutex.Unlock()
		wished[request.Query.Name] = request.NoCache
		return inner(ctx, request)
	}
	handler := newHandler(t, queryRunner, silent())
	document := target(`{ logs(project: "p") { id } apiCounts(project: "p", interval: DAILY) { timestamp } }`)
	send(t, handler, http.MethodGet, document, "", "Cache-Control", "max-age=0, no-cache")
	assert.Equal(t, map[string]bool{"logs.all": true, "usage.api-counts": true}, wished)
	send(t, handler, http.MethodGet, document, "", "Cache-Control", "max-age=0")
	assert.Equal(t, map[string]bool{"logs.all": false, "usage.api-counts": false}, wished)
}

// A flood of no-cache requests causes at most one run in ten seconds. Within that time the
// cached response is served with its age, without parsing the document.
func TestNoCacheFlood(t *testing.T) {
	t.Parallel()
	const document = `{ invocationStats(project: "p") { count } apiCounts(project: "p", interval: DAILY) { totalRestRequests } }`
	noCache := []string{"Cache-Control", "no-cache"}
	s := newServer(t, 1)
	s.query(t, document)
	s.clock.advance(11 * time.Second)
	_, runs := s.query(t, document, noCache...)
	assert.EqualValues(t, 2, runs)
	for range 200 {
		_, runs := s.query(t, document, noCache...)
		assert.Zero(t, runs, "the document was executed")
	}
	s.clock.advance(10*time.Second - 1)
	body, runs := s.query(t, document, noCache...)
	assert.Zero(t, runs)
	assert.Contains(t, body, `"apiCounts":{"cache":"HIT","ageSeconds":9,"asOf":"2026-11-20T10:00:11Z"`)
	assert.Equal(t, 4, s.engine.Runs())
	s.clock.advance(1)
	body, runs = s.query(t, document, noCache...)
	assert.EqualValues(t, 2, runs)
	assert.Contains(t, body, `"apiCounts":{"cache":"REFRESHED","ageSeconds":0,"asOf":"2026-11-20T10:00:21Z"`)
}

// A response is bypassed as soon as one of its fields may be refreshed.
func TestNoCacheWithFieldsOfDifferentAges(t *testing.T) {
	t.Parallel()
	const stats, counts = `invocationStats(project: "p") { count }`, `apiCounts(project: "p", interval: DAILY) { totalRestRequests }`
	s := newServer(t, 1)
	s.query(t, "{"+stats+"}")
	s.clock.advance(9 * time.Second)
	s.query(t, "{"+counts+" "+stats+"}")
	s.clock.advance(time.Second)
	body, runs := s.query(t, "{"+counts+" "+stats+"}", "Cache-Control", "no-cache")
	assert.EqualValues(t, 2, runs)
	assert.Contains(t, body, `"apiCounts":{"cache":"HIT","ageSeconds":1`)
	assert.Contains(t, body, `"invocationStats":{"cache":"REFRESHED","ageSeconds":0`)
}

// Concurrent identical requests share the rows of one run, in any content coding.
func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	s := newServer(t, 100)
	responses := make([]*httptest.ResponseRecorder, 48)
	var callers sync.WaitGroup
	for i := range responses {
		callers.Go(func() {
			coding := []string{"identity", "gzip", "zstd"}[i%3]
			responses[i] = s.get(t, countsDocument, "Accept-Encoding", coding)
		})
	}
	callers.Wait()
	assert.Equal(t, 1, s.engine.Runs())
	first := decoded(t, responses[0])
	for _, response := range responses {
		assert.Equal(t, dataIn(t, first), dataIn(t, decoded(t, response)))
		assert.Equal(t, http.StatusOK, response.Code)
	}
}

// A cached response counts against the memory limit of the runner, as its head and as the whole
// body in each content coding.
func TestCachedResponsesAreCounted(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1000)
	_, err := s.run(t, runner.Request{Query: &sqlq.SavedQuery{Name: "usage.api-counts"}, Params: params{"project": {"p"}, "interval": {"daily"}}})
	require.NoError(t, err)
	rows := s.runner.CacheBytes()
	body, _ := s.query(t, countsDocument)
	response := s.runner.CacheBytes() - rows
	assert.InDelta(t, 2*len(body), response, 5000, "the overhead above the head and the body is less than 5 KB")
}

// The same field under two aliases with different arguments has different rows.
func TestAliasesHaveTheirOwnArguments(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	body, runs := s.query(t, `{
		one: apiCounts(project: "p", interval: DAILY) { totalRestRequests }
		two: apiCounts(project: "p", interval: HOURLY) { totalRestRequests }
		same: apiCounts(project: "p", interval: DAILY) { n: totalRestRequests }
	}`)
	assert.EqualValues(t, 3, runs)
	assert.Equal(t, 2, s.engine.Runs())
	data := dataIn(t, body)
	one := data["one"].([]any)[0].(map[string]any)["totalRestRequests"]
	assert.NotEqual(t, one, data["two"].([]any)[0].(map[string]any)["totalRestRequests"])
	assert.Equal(t, one, data["same"].([]any)[0].(map[string]any)["n"])
}
