package tracing_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"savedq/internal/observe/tracing"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// A trace has spans for the request, the saved query and the engine, within the caller's
// trace, and contains no arguments.
func TestTracing(t *testing.T) {
	var received []*spans.Span
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NotContains(t, string(body), "secret")
		var export collector.ExportTraceServiceRequest
		assert.NoError(t, proto.Unmarshal(body, &export))
		for _, resource := range export.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				received = append(received, scope.GetSpans()...)
			}
		}
		w.WriteHeader(http.StatusOK)
	}))
	defer service.Close()
	t.Setenv(tracing.EndpointVariable, service.URL)
	traced, err := tracing.New(t.Context(), func(string) string { return service.URL }, "v1")
	require.NoError(t, err)

	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	queryOf := func(name string) *sqlq.SavedQuery {
		query, found := catalog.Find(name)
		require.True(t, found)
		return query
	}
	fail := false
	engine := traced.Engine(&sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		if fail {
			return nil, errors.New("secret of the engine")
		}
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}, BytesProcessed: 7}, nil
	}})
	queryRunner := traced.Runner(runner.New(sqlqtest.Config(catalog, engine, time.Now)))
	handler := traced.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for range 2 {
			_, _ = queryRunner.Run(r.Context(), runner.Request{Query: queryOf("logs.all"), Params: map[string][]string{"project": {"secret"}}})
			fail = true
		}
		// The message of an invalid argument quotes it.
		_, err := queryRunner.Run(r.Context(), runner.Request{Query: queryOf("usage.api-counts"), Params: map[string][]string{"project": {"acme"}, "interval": {"secret"}}})
		assert.ErrorContains(t, err, "secret")
	}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/logs.all?project=secret", nil)
	request.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	require.NoError(t, traced.Close(t.Context()))

	var names []string
	byID := map[string]*spans.Span{}
	for _, span := range received {
		names = append(names, span.GetName())
		byID[string(span.GetSpanId())] = span
		assert.Equal(t, "\x0a\xf7\x65\x19\x16\xcd\x43\xdd\x84\x48\xeb\x21\x1c\x80\x31\x9c", string(span.GetTraceId()))
	}
	assert.Equal(t, []string{"engine", "saved query", "engine", "saved query", "saved query", "GET"}, names)
	for _, span := range received {
		switch span.GetName() {
		case "engine":
			assert.Equal(t, "saved query", byID[string(span.GetParentSpanId())].GetName())
		case "saved query":
			assert.Equal(t, "GET", byID[string(span.GetParentSpanId())].GetName())
		}
	}
	assert.Equal(t, spans.Status_STATUS_CODE_UNSET, received[0].GetStatus().GetCode())
	assert.Equal(t, spans.Status_STATUS_CODE_ERROR, received[2].GetStatus().GetCode())
	assert.Equal(t, "INVALID_ARGUMENT", received[4].GetStatus().GetMessage())
}

// Without an endpoint requests pass through as they are.
func TestNoTracing(t *testing.T) {
	t.Parallel()
	traced, err := tracing.New(t.Context(), func(string) string { return "" }, "v1")
	require.NoError(t, err)
	called := false
	traced.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true })).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	assert.True(t, called)
	require.NoError(t, traced.Close(t.Context()))
}
