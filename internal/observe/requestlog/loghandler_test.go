package requestlog_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/observe/requestlog"
)

// newLogger returns a logger that writes JSON without times.
func newLogger(log *bytes.Buffer) *slog.Logger {
	return slog.New(requestlog.LogHandler(slog.NewJSONHandler(log, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			if attr.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return attr
		},
	})))
}

func TestLogHandlerKeepsAttributesAndGroups(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := newLogger(&log)
	logger.With(slog.Int("a", 1)).WithGroup("g").Info("without a request", slog.Int("b", 2))
	assert.JSONEq(t, `{"level":"INFO","msg":"without a request","a":1,"g":{"b":2}}`, log.String())
}

func TestLogHandlerAddsRequestAttributes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := newLogger(&log)
	written := func(within context.Context) string {
		log.Reset()
		logger.With(slog.Int("a", 1)).InfoContext(within, "within")
		return log.String()
	}
	handler := requestlog.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "chart-1", w.Header().Get(requestlog.IDHeader))
		assert.JSONEq(t, `{"level":"INFO","msg":"within","a":1,"request_id":"chart-1"}`, written(r.Context()))
		requestlog.NoteToken(r.Context(), "grafana", true)
		assert.JSONEq(t, `{"level":"INFO","msg":"within","a":1,"request_id":"chart-1","token":"grafana"}`, written(r.Context()))
		assert.Equal(t, []slog.Attr{slog.String("method", "GET"), slog.String("path", "/there"), slog.String("remote", "192.0.2.1:1234")},
			requestlog.Origin(r.Context()))
	}), slog.New(slog.DiscardHandler), nil, time.Now, func(*http.Request, int, time.Duration) {})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/there?project=secret", nil)
	request.Header.Set(requestlog.IDHeader, "chart-1")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	requestlog.NoteToken(t.Context(), "grafana", true)
	assert.Empty(t, requestlog.Origin(t.Context()), "there is no request")
}
