package requestlog_test

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
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/observe/requestlog"
)

// flooded is a handler that logs a line about every request that is not admitted, and its
// log.
type flooded struct {
	http.Handler
	limiter *requestlog.Limiter
	log     writtenLog
}

// writtenLog records a log, to which timers write as well.
type writtenLog struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (w *writtenLog) Write(line []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.Write(line)
}

func (w *writtenLog) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.text.String()
}

func newFlooded() *flooded {
	f := &flooded{}
	logger := slog.New(requestlog.LogHandler(slog.NewJSONHandler(&f.log, nil)))
	f.limiter = requestlog.NewLimiter(logger)
	f.Handler = requestlog.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requestlog.NoteToken(r.Context(), r.Header.Get("Token"), r.Header.Get("Admitted") != "")
		if r.Header.Get("Admitted") == "" {
			logger.WarnContext(r.Context(), "request denied")
			w.WriteHeader(http.StatusUnauthorized)
		}
	}), logger, f.limiter, time.Now, func(*http.Request, int, time.Duration) {})
	return f
}

func (f *flooded) ask(ctx context.Context, remote, token, admitted string) {
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	request.RemoteAddr = remote
	request.Header.Set("Token", token)
	request.Header.Set("Admitted", admitted)
	f.ServeHTTP(httptest.NewRecorder(), request)
}

// lines are how many lines the log has, by message.
func (f *flooded) lines(t *testing.T) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for line := range strings.Lines(f.log.String()) {
		var record struct{ Msg string }
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		counts[record.Msg]++
	}
	return counts
}

// summaries are the lines about lines that were omitted.
func (f *flooded) summaries(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(f.log.String()) {
		var record map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		if record["msg"] == omitted {
			delete(record, "time")
			delete(record, "msg")
			all = append(all, record)
		}
	}
	return all
}

const omitted = "log lines about unauthenticated requests were omitted"

// 10,000 requests a second without a token do not fill the disk: some lines are
// written, and one line sums the others up.
func TestLimiterOfAFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFlooded()
		for i := range 10_000 {
			remote := "192.0.2.1:1234"
			if i%10 == 0 {
				remote = fmt.Sprintf("[2001:db8::%x]:80", i) // one network
			}
			f.ask(t.Context(), remote, "", "")
			time.Sleep(time.Second / 10_000)
		}
		const each = 50 + 2 // the burst, and those of a second; the last is at its very end
		assert.Equal(t, map[string]int{"request": each - 1, "request denied": each - 1}, f.lines(t))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Equal(t, map[string]int{"request": each - 1, "request denied": each - 1, omitted: 2}, f.lines(t))
		for _, summary := range f.summaries(t) {
			assert.Contains(t, []any{"request", "request denied"}, summary["line"])
			delete(summary, "line")
			assert.Equal(t, map[string]any{
				"level": "WARN", "omitted": 10_000.0 - each + 1, "clients": 2.0,
				"most_frequent": "192.0.2.1", "most_frequent_omitted": 9000.0 - 45,
			}, summary)
		}
		assert.Equal(t, int64(2*(10_000-each+1)), f.limiter.Omitted())
		time.Sleep(time.Minute)
		assert.Len(t, f.summaries(t), 2, "there is no summary where nothing is omitted")
		f.ask(t.Context(), "192.0.2.1:1234", "", "")
		assert.Equal(t, each, f.lines(t)["request denied"], "a single request has its lines again")
	})
}

// A flood hides no line about an admitted request, nor about the token of another
// that is not.
func TestLimiterOfAFloodHidesNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFlooded()
		for range 1000 {
			f.ask(t.Context(), "192.0.2.1:1234", "", "")
			f.ask(t.Context(), "192.0.2.1:1234", "good", "yes")
		}
		f.ask(t.Context(), "192.0.2.1:1234", "expired", "")
		assert.Equal(t, 50+1000+1, f.lines(t)["request"])
		assert.Equal(t, 51, f.lines(t)["request denied"])
		assert.Equal(t, 2, strings.Count(f.log.String(), `"token":"expired"`))
		for range 100 {
			f.ask(t.Context(), "", "expired", "")
		}
		f.limiter.Close()
		f.limiter.Close()
		assert.Len(t, f.summaries(t), 4, "what is not yet summed up is when the server ends")
		assert.Equal(t, 2, strings.Count(f.log.String(), `"clients":1,"most_frequent":"unknown","most_frequent_omitted":51,"token":"expired"}`), f.log.String())
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, f.summaries(t), 4)
	})
}

// The clients of a flood are counted up to a bound.
func TestLimiterBoundsClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFlooded()
		for i := range 5000 {
			f.ask(t.Context(), fmt.Sprintf("10.0.%d.%d:1", i/256, i%256), "", "")
		}
		f.limiter.Close()
		for _, summary := range f.summaries(t) {
			assert.InDelta(t, 4950, summary["omitted"], 0)
			assert.InDelta(t, 1000, summary["clients"], 0)
		}
		assert.Len(t, f.summaries(t), 2)
	})
}

// The lines of net/http are limited, too, and retain the handler's attributes.
func TestLimitHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		logger := slog.New(slog.NewJSONHandler(&log, nil))
		limiter := requestlog.NewLimiter(logger)
		errors := slog.NewLogLogger(limiter.LimitHandler(logger.Handler(), "net/http").WithAttrs([]slog.Attr{slog.Int("a", 1)}).WithGroup("g"), slog.LevelWarn)
		for range 100 {
			errors.Print("http: Accept error")
		}
		limiter.Close()
		assert.Equal(t, 50, strings.Count(log.String(), `"level":"WARN","msg":"http: Accept error","a":1}`))
		assert.Contains(t, log.String(), `"line":"net/http","omitted":50,"clients":1,"most_frequent":"unknown","most_frequent_omitted":50}`)
	})
}

// Long texts are cut, and no caller's text changes what a terminal shows.
func TestHandlerTruncatesValues(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ method, path, wantMethod, wantPath string }{
		"plain":              {"GET", "/api/endpoints/logs.all", "GET", "/api/endpoints/logs.all"},
		"letters":            {"GET", "/küche", "GET", "/küche"},
		"a space":            {"GET", "/a b", "GET", "/a b"},
		"an escape":          {"GET", "/\x1b[2J", "GET", "/%1B%5B2J"},
		"a line":             {"GET", "/a\n{\"level\":\"INFO\"}", "GET", "/a%0A%7B%22level%22:%22INFO%22%7D"},
		"a C1 control":       {"GET", "/\u009b31m", "GET", "/%C2%9B31m"},
		"a direction":        {"GET", "/\u202egpj", "GET", "/%E2%80%AEgpj"},
		"no UTF-8":           {"GET", "/\xff", "GET", "/%FF"},
		"a NUL":              {"GET", "/\x00", "GET", "/%00"},
		"a long path":        {"GET", "/" + strings.Repeat("x", 60_000), "GET", "/" + strings.Repeat("x", 511) + "…"},
		"a long path, cut":   {"GET", "/" + strings.Repeat("é", 600), "GET", "/" + strings.Repeat("é", 255) + "…"},
		"a long method":      {strings.Repeat("X", 60_000), "/", strings.Repeat("X", 512) + "…", "/"},
		"a long path, bells": {"GET", "/" + strings.Repeat("\a", 60_000), "GET", "/" + strings.Repeat("%07", 511) + "%E2%80%A6"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFlooded()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			request.Method, request.URL.Path = test.method, test.path
			f.ServeHTTP(httptest.NewRecorder(), request)
			lines := strings.Split(strings.TrimSpace(f.log.String()), "\n")
			var record struct{ Method, Path string }
			require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &record))
			assert.Equal(t, test.wantMethod, record.Method)
			assert.Equal(t, test.wantPath, record.Path)
		})
	}
}
