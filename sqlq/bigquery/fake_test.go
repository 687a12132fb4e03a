package bigquery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"

	"savedq/sqlq"
	"savedq/sqlq/bigquery"
)

// response is a response of the fake: a status and a body of JSON.
type response struct {
	status int
	body   string
}

func ok(body string) response { return response{http.StatusOK, body} }

// refusal is an error as the service writes it.
func refusal(status int, reason, message string) response {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{
		"code": status, "message": message, "errors": []any{map[string]any{"reason": reason, "message": message}},
	}})
	return response{status, string(body)}
}

// fakeService is the part of BigQuery's REST API that the engine uses. Each func
// implements one method; the default is a successful response. It runs in the caller's
// goroutine, so that time can be faked.
type fakeService struct {
	query   func(request *rest.QueryRequest) response
	insert  func(inserted *rest.Job) response // of a dry run
	results func(r *http.Request) response
	get     func() response
	cancel  func() response
	dataset func() response
	table   func(path string) response // of a table, whose path begins with the project

	mutex       sync.Mutex
	requestIDs  []string // of every query, repeated ones too
	jobIDs      []string // of every insert, repeated ones too
	bodies      []string // of every query and insert
	rowRequests []string // the query strings of every request for rows
	cancels     []string // "job location" of every cancellation
	requests    int
}

// RoundTrip implements [http.RoundTripper].
func (f *fakeService) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

func (f *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	response := f.respond(r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(response.status)
	_, _ = w.Write([]byte(response.body))
}

func (f *fakeService) respond(r *http.Request) response {
	_, path, _ := strings.Cut(r.URL.Path, "/projects/p/")
	f.note(func() { f.requests++ })
	switch parts := strings.Split(path, "/"); {
	case r.Method == http.MethodPost && path == "queries":
		return f.respondToQuery(r)
	case r.Method == http.MethodPost && path == "jobs":
		return f.respondToInsert(r)
	case r.Method == http.MethodPost && len(parts) == 3 && parts[2] == "cancel":
		f.note(func() { f.cancels = append(f.cancels, parts[1]+" "+r.URL.Query().Get("location")) })
		return callOr(f.cancel, `{}`)
	case r.Method == http.MethodGet && parts[0] == "queries":
		f.note(func() { f.rowRequests = append(f.rowRequests, r.URL.RawQuery) })
		if f.results == nil {
			return ok(`{"jobComplete":true,"totalRows":"0","schema":{"fields":[{"name":"n","type":"INTEGER"}]}}`)
		}
		return f.results(r)
	case r.Method == http.MethodGet && parts[0] == "jobs":
		return callOr(f.get, `{"status":{"state":"RUNNING"}}`)
	case r.Method == http.MethodGet && path == "datasets/d":
		return callOr(f.dataset, `{"location":"EU"}`)
	case r.Method == http.MethodGet && f.table != nil && strings.Contains(r.URL.Path, "/tables/"):
		_, path, _ := strings.Cut(r.URL.Path, "/projects/")
		return f.table(path)
	default:
		return refusal(http.StatusNotImplemented, "notImplemented", r.Method+" "+r.URL.Path)
	}
}

func (f *fakeService) respondToInsert(r *http.Request) response {
	var inserted rest.Job
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return refusal(http.StatusBadRequest, "parseError", err.Error())
	}
	if err := json.Unmarshal(body, &inserted); err != nil {
		return refusal(http.StatusBadRequest, "parseError", err.Error())
	}
	f.note(func() {
		f.jobIDs = append(f.jobIDs, inserted.JobReference.JobId)
		f.bodies = append(f.bodies, string(body))
	})
	if f.insert == nil {
		return running(&inserted)
	}
	return f.insert(&inserted)
}

// respondToQuery creates a job for every query, unless a func does something else.
func (f *fakeService) respondToQuery(r *http.Request) response {
	var request rest.QueryRequest
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return refusal(http.StatusBadRequest, "parseError", err.Error())
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return refusal(http.StatusBadRequest, "parseError", err.Error())
	}
	f.note(func() {
		f.requestIDs = append(f.requestIDs, request.RequestId)
		f.bodies = append(f.bodies, string(body))
	})
	if f.query == nil {
		return created(&request)
	}
	return f.query(&request)
}

// created is the response to a query for which the service has created a job, in the location
// that it has found.
func created(request *rest.QueryRequest) response {
	return ok(fmt.Sprintf(`{"jobComplete":false,"queryId":"q","jobReference":{"projectId":"p","jobId":"job_%s","location":"EU"}}`, request.RequestId))
}

// completed is the response to a query that has run without a job.
func completed(*rest.QueryRequest) response { return withoutJob(page(1, "", 7)) }

// failing is the response to a query with a mistake.
func failing(*rest.QueryRequest) response {
	return refusal(http.StatusBadRequest, "invalidQuery", "Syntax error")
}

// withoutJob is the response to a query with the rows of a page.
func withoutJob(page response) response {
	page.body = strings.Replace(page.body, `{"jobComplete":true,`, `{"jobComplete":true,"queryId":"q",`, 1)
	return page
}

func (f *fakeService) note(do func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	do()
}

func callOr(method func() response, usual string) response {
	if method == nil {
		return ok(usual)
	}
	return method()
}

// running is the response to an insert: the service has found the location.
func running(inserted *rest.Job) response {
	return ok(fmt.Sprintf(`{"jobReference":{"projectId":"p","jobId":%q,"location":"EU"},
		"configuration":{"query":{}},"status":{"state":"RUNNING"}}`, inserted.JobReference.JobId))
}

// inTurn returns one response after the other, and then always the last one.
func inTurn(responses ...response) func() response {
	return func() response {
		next := responses[0]
		if len(responses) > 1 {
			responses = responses[1:]
		}
		return next
	}
}

// rows makes inTurn respond to requests for rows.
func rows(responses ...response) func(*http.Request) response {
	next := inTurn(responses...)
	return func(*http.Request) response { return next() }
}

// neverComplete responds to requests for rows as a service does whose job is running:
// it holds each one back as long as it may.
func neverComplete(r *http.Request) response {
	milliseconds, err := time.ParseDuration(r.URL.Query().Get("timeoutMs") + "ms")
	if err != nil {
		return refusal(http.StatusBadRequest, "invalid", err.Error())
	}
	select {
	case <-time.After(milliseconds):
	case <-r.Context().Done():
	}
	return ok(`{"jobComplete":false}`)
}

// now is when the tests take place.
func now() time.Time { return time.Date(2026, 11, 20, 10, 0, 0, 123456000, time.UTC) }

// open returns an engine on the fake.
func open(t *testing.T, fake *fakeService, change ...func(*bigquery.Config)) *bigquery.Engine {
	t.Helper()
	config := bigquery.Config{
		Project: "p", Dataset: "d",
		Clock: now, Logger: slog.New(slog.DiscardHandler),
		ClientOptions: []option.ClientOption{option.WithHTTPClient(&http.Client{Transport: fake})},
	}
	for _, apply := range change {
		apply(&config)
	}
	engine, err := bigquery.New(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Close()) })
	return engine
}

// numbers is a statement that gives one INT64.
func numbers(maxRows int) sqlq.Statement {
	return sqlq.Statement{
		Query: &sqlq.SavedQuery{
			Name: "test.numbers", MaxRows: maxRows, SQL: "SELECT n FROM t", SQLFile: "test/bigquery.sql",
			Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64, Place: sqlq.Place{File: "test/query.yaml", Line: 7, Column: 5}}},
		},
		Now: now(),
	}
}

// page is a page of rows of numbers.
func page(total int, token string, values ...int) response {
	cells := make([]string, len(values))
	for i, value := range values {
		cells[i] = fmt.Sprintf(`{"f":[{"v":"%d"}]}`, value)
	}
	return ok(fmt.Sprintf(`{"jobComplete":true,"totalRows":"%d","pageToken":%q,"totalBytesProcessed":"4096",
		"schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[%s]}`, total, token, strings.Join(cells, ",")))
}

// code returns the code and the text that a caller would see.
func code(err error) string {
	coded := sqlq.AsError(err)
	return string(coded.Code) + " " + coded.PublicText(coded.Param)
}

// run runs a statement with a bound that only a broken engine reaches.
func run(t *testing.T, engine *bigquery.Engine, statement sqlq.Statement) (*sqlq.Result, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	return engine.Run(ctx, statement)
}

// openSlow returns an engine on a fake that receives each query at once, and responds to it
// after a delay.
func openSlow(t *testing.T, fake *fakeService, delay time.Duration) *bigquery.Engine {
	t.Helper()
	return open(t, nil, func(config *bigquery.Config) {
		config.ClientOptions = []option.ClientOption{option.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/queries") {
				select {
				case <-time.After(delay):
				case <-r.Context().Done():
					return nil, r.Context().Err()
				}
			}
			return fake.RoundTrip(r)
		})})}
	})
}
