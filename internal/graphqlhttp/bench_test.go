package graphqlhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// benchmarkFields are all eight fields of an object of invocationStats.
const benchmarkFields = `timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount`

// benchmarkRows returns as many rows as five minutes of invocationStats have.
func benchmarkRows() [][]any {
	rows := make([][]any, 300)
	for i := range rows {
		at, size := now.Add(time.Duration(i)*time.Second), float64(i)
		rows[i] = []any{at, size + 0.25, size + 1234.5, size + 98.7654321, size + 345.125, size + 1000.5, int64(i * 17), int64(i)}
	}
	return rows
}

// benchmarkHandler returns a handler that serves the rows from the cache.
func benchmarkHandler(b *testing.B) http.Handler {
	b.Helper()
	rows := benchmarkRows()
	engine := &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: rows}, nil
	}}
	config := sqlqtest.Config(shippedCatalog(b), engine, func() time.Time { return now })
	return newHandler(b, runner.New(config), silent())
}

// sink is a response writer that discards the body.
type sink struct {
	header http.Header
	status int
	bytes  int
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }
func (s *sink) Write(body []byte) (int, error) {
	s.bytes += len(body)
	return len(body), nil
}

// serve sends a request and checks the status of the response.
func serve(b *testing.B, handler http.Handler, request *http.Request, status int) {
	b.Helper()
	response := &sink{header: make(http.Header)}
	handler.ServeHTTP(response, request)
	if response.status != status {
		b.Fatalf("status %d, %d bytes", response.status, response.bytes)
	}
}

func newRequest(b *testing.B, method, target, body string, headers ...string) *http.Request {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, target, strings.NewReader(body))
	require.NoError(b, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return request
}

func queryBody(b *testing.B, document, variables, extensions string) string {
	b.Helper()
	body, err := json.Marshal(map[string]any{
		"query": document, "variables": json.RawMessage(variables), "extensions": json.RawMessage(extensions),
	})
	require.NoError(b, err)
	return string(body)
}

// BenchmarkHot requests a cached response of 300 rows with eight fields. It allocates the
// request, the key, the freshness and the headers. The allocations do not grow with the
// rows, and the document is not parsed.
func BenchmarkHot(b *testing.B) {
	const document = `query Stats($project: String!) { invocationStats(project: $project, interval: FIVE_MINUTES) { ` + benchmarkFields + ` } }`
	const variables = `{"project":"p"}`
	extensions := persisted(document)
	get := "/graphql?" + url.Values{"query": {document}, "variables": {variables}}.Encode()
	byHash := "/graphql?" + url.Values{"extensions": {extensions}, "variables": {variables}}.Encode()
	handler := benchmarkHandler(b)
	serve(b, handler, newRequest(b, http.MethodPost, "/graphql", queryBody(b, document, variables, extensions)), http.StatusOK)
	first := &sink{header: make(http.Header)}
	handler.ServeHTTP(first, newRequest(b, http.MethodGet, get, ""))
	for _, bench := range []struct {
		name, method, target, body string
		status                     int
		headers                    []string
	}{
		{"post", http.MethodPost, "/graphql", queryBody(b, document, variables, "{}"), http.StatusOK, nil},
		{"post by hash", http.MethodPost, "/graphql", queryBody(b, "", variables, extensions), http.StatusOK, nil},
		{"post zstd", http.MethodPost, "/graphql", queryBody(b, document, variables, "{}"), http.StatusOK, []string{"Accept-Encoding", "zstd, gzip"}},
		{"get", http.MethodGet, get, "", http.StatusOK, nil},
		{"get by hash", http.MethodGet, byHash, "", http.StatusOK, nil},
		{"get not modified", http.MethodGet, get, "", http.StatusNotModified, []string{"If-None-Match", first.header.Get("ETag")}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			request := newRequest(b, bench.method, bench.target, "", bench.headers...)
			body := strings.NewReader(bench.body)
			request.Body = readCloser{body}
			for b.Loop() {
				body.Reset(bench.body)
				serve(b, handler, request, bench.status)
			}
		})
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
