package requestlog_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

func response(name string, status runner.CacheStatus, rows int, bytesProcessed int64) *runner.Response {
	return &runner.Response{Cache: status, Entry: &cache.Entry{
		Query:  &sqlq.SavedQuery{Name: name},
		Args:   []sqlq.Arg{{Name: "project", Value: "secret"}, {Name: "function_id"}},
		Result: &sqlq.Result{Rows: make([][]any, rows), BytesProcessed: bytesProcessed},
	}}
}

// lines serves a request with the handler and returns what was logged.
func lines(t *testing.T, level slog.Level, handle func(w http.ResponseWriter, note func(*runner.Response))) []map[string]any {
	t.Helper()
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level}))
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time {
		moment = moment.Add(1500 * time.Microsecond)
		return moment
	}
	var served []int
	handler := requestlog.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(w, func(response *runner.Response) { requestlog.Note(r.Context(), logger, response) })
	}),
		logger, nil, clock, func(r *http.Request, status int, duration time.Duration) {
			assert.Equal(t, "/path", r.URL.Path)
			assert.Equal(t, 1500*time.Microsecond, duration)
			served = append(served, status)
		})
	func() {
		defer func() { _ = recover() }()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/path?project=secret", nil)
		request.Header.Set(requestlog.IDHeader, "chart-1")
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}()
	assert.Len(t, served, 1)
	var all []map[string]any
	decoder := json.NewDecoder(&log)
	for decoder.More() {
		var line map[string]any
		require.NoError(t, decoder.Decode(&line))
		delete(line, "time")
		all = append(all, line)
	}
	return all
}

func TestHandlerLogsRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handle func(w http.ResponseWriter, note func(*runner.Response))
		want   map[string]any
	}{
		"no saved query": {func(w http.ResponseWriter, _ func(*runner.Response)) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte("tea"))
		}, map[string]any{"status": 418.0, "bytes": 3.0}},
		"one": {func(_ http.ResponseWriter, note func(*runner.Response)) {
			note(response("b", runner.Miss, 3, 1000))
		}, map[string]any{"status": 200.0, "bytes": 0.0, "endpoint": "b", "params": "project", "cache": "MISS", "rows": 3.0, "bytes_processed": 1000.0}},
		"two": {func(_ http.ResponseWriter, note func(*runner.Response)) {
			note(response("a", runner.Hit, 2, 100))
			note(response("b", runner.Miss, 3, 1000))
		}, map[string]any{"status": 200.0, "bytes": 0.0, "endpoint": "a,b", "params": "project,project", "cache": "HIT,MISS", "rows": 5.0, "bytes_processed": 1000.0}},
		"a panic": {
			func(http.ResponseWriter, func(*runner.Response)) { panic(http.ErrAbortHandler) },
			map[string]any{"status": 200.0, "bytes": 0.0},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logged := lines(t, slog.LevelInfo, test.handle)
			require.Len(t, logged, 1)
			maps.Copy(test.want, map[string]any{"request_id": "chart-1", "level": "INFO", "msg": "request", "method": "GET", "path": "/path", "duration_ms": 1.5})
			assert.Equal(t, test.want, logged[0])
		})
	}
}

// Arguments can be secrets, so they are logged only at DEBUG.
func TestNoteLogsArgumentsOnlyAtDebug(t *testing.T) {
	t.Parallel()
	logged := lines(t, slog.LevelDebug, func(_ http.ResponseWriter, note func(*runner.Response)) { note(response("a", runner.Hit, 2, 100)) })
	require.Len(t, logged, 2)
	assert.Equal(t, map[string]any{
		"level": "DEBUG", "msg": "saved query served", "endpoint": "a", "cache": "HIT",
		"args": map[string]any{"project": "secret", "function_id": nil},
	}, logged[0])
}
