package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// fixedRunner returns a fixed response for each saved query, and an error for others. What is
// cached was encoded from the response of "optional".
type fixedRunner map[string]*runner.Response

func (f fixedRunner) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	if response, ok := f[request.Query.Name]; ok {
		return response, nil
	}
	return nil, errors.New("it fails")
}

func (fixedRunner) PutEncoded(context.Context, *cache.Encoded, []*runner.Response) {}

func (f fixedRunner) Encoded(context.Context, string, bool) (*cache.Encoded, []*runner.Response) {
	return &cache.Encoded{}, []*runner.Response{f["optional"]}
}

func fixedResponse(name string, status runner.CacheStatus, rows int, bytesProcessed int64) *runner.Response {
	return &runner.Response{Cache: status, Entry: &cache.Entry{
		Query:  named(name),
		Args:   []sqlq.Arg{{Name: "project", Value: "secret"}, {Name: "function_id"}},
		Result: &sqlq.Result{Rows: make([][]any, rows), BytesProcessed: bytesProcessed},
	}}
}

// The line of a request names the saved queries that have succeeded, run or cached, and adds up
// their numbers.
func TestRunnerNotesResponsesForTheRequestLog(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handle func(ctx context.Context, queryRunner finding)
		want   map[string]any
	}{
		"one": {func(ctx context.Context, queryRunner finding) {
			_, _ = queryRunner.Run(ctx, runner.Request{Query: named("default")})
		}, map[string]any{"endpoint": "default", "params": "project", "cache": "MISS", "rows": 3.0, "bytes_processed": 1000.0}},
		"two, and one that fails": {func(ctx context.Context, queryRunner finding) {
			_, _ = queryRunner.Run(ctx, runner.Request{Query: named("optional")})
			_, _ = queryRunner.Run(ctx, runner.Request{Query: named("default")})
			_, err := queryRunner.Run(ctx, runner.Request{Query: named("everybody")})
			assert.EqualError(t, err, "it fails")
		}, map[string]any{"endpoint": "optional,default", "params": "project,project", "cache": "HIT,MISS", "rows": 5.0, "bytes_processed": 1000.0}},
		"cached": {func(ctx context.Context, queryRunner finding) {
			queryRunner.Encoded(ctx, "key", false)
		}, map[string]any{"endpoint": "optional", "params": "project", "cache": "HIT", "rows": 2.0, "bytes_processed": 0.0}},
		"one that fails": {func(ctx context.Context, queryRunner finding) {
			_, _ = queryRunner.Run(ctx, runner.Request{Query: named("everybody")})
		}, map[string]any{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			logger := newLogger(&log)
			queryRunner := newScoped(fixedRunner{
				"optional": fixedResponse("optional", runner.Hit, 2, 100),
				"default":  fixedResponse("default", runner.Miss, 3, 1000),
			}, readCatalog(t), logger)
			handler := requestlog.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				test.handle(auth.WithToken(r.Context(), auth.FullAccess("full")), queryRunner)
			}), logger, nil, time.Now, func(*http.Request, int, time.Duration) {})
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/path", http.NoBody))
			var line map[string]any
			require.NoError(t, json.Unmarshal(log.Bytes(), &line), "there is one line")
			noted := map[string]any{}
			for _, name := range []string{"endpoint", "params", "cache", "rows", "bytes_processed"} {
				if value, ok := line[name]; ok {
					noted[name] = value
				}
			}
			assert.Equal(t, test.want, noted)
		})
	}
}
