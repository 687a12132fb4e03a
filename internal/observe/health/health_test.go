package health_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/observe/health"
)

func probe(t *testing.T, handler http.Handler, method string) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
	assert.Equal(t, "no-store", recorder.Header().Get("Cache-Control"))
	assert.Equal(t, "application/json; charset=utf-8", recorder.Header().Get("Content-Type"))
	return strings.TrimSpace(http.StatusText(recorder.Code) + " " + strings.TrimSpace(recorder.Body.String()))
}

func TestAlive(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `OK {"status":"alive"}`, probe(t, health.Alive(), http.MethodGet))
	assert.Equal(t, `Method Not Allowed {"status":"method not allowed"}`, probe(t, health.Alive(), http.MethodPost))
}

const (
	ready       = `OK {"status":"ready"}`
	degraded    = `OK {"status":"degraded","reason":"the engine cannot be reached; cached responses are served"}`
	unreachable = `Service Unavailable {"status":"engine unreachable"}`
	draining    = `Service Unavailable {"status":"draining"}`
)

// D34: a server is ready while its engine is reachable, which is checked at most every
// five seconds, or while it has cached responses to serve. It is not ready once it shuts
// down.
func TestReadiness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failure error
		pings, cached := 0, false
		ending, end := context.WithCancel(t.Context())
		defer end()
		readiness := health.NewReadiness(ending, func(context.Context) error {
			pings++
			return failure
		}, func(now time.Time) bool {
			assert.Equal(t, time.Now(), now)
			return cached
		}, time.Now, slog.New(slog.DiscardHandler))
		assert.Equal(t, ready, probe(t, readiness, http.MethodGet))
		assert.True(t, readiness.EngineReachable())
		failure = errors.New("secret")
		time.Sleep(5*time.Second - time.Nanosecond)
		assert.Equal(t, ready, probe(t, readiness, http.MethodHead))
		assert.Equal(t, 1, pings)
		time.Sleep(time.Nanosecond)
		assert.Equal(t, unreachable, probe(t, readiness, http.MethodGet))
		assert.False(t, readiness.EngineReachable())
		cached = true
		assert.Equal(t, degraded, probe(t, readiness, http.MethodGet))
		assert.False(t, readiness.EngineReachable())
		assert.Equal(t, 2, pings)
		failure = nil
		time.Sleep(5 * time.Second)
		assert.Equal(t, ready, probe(t, readiness, http.MethodGet))
		end()
		assert.Equal(t, draining, probe(t, readiness, http.MethodGet))
		assert.True(t, readiness.EngineReachable())
	})
}

// A hanging engine delays no probe by a second, and gets one ping for all probes. Until
// that ping ends, the previous result is used.
func TestReadinessOfAHangingEngine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cached bool
		want   string
	}{"with cached responses": {true, degraded}, "without any": {false, unreachable}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var hangs atomic.Bool
				var pings atomic.Int64
				hangs.Store(true)
				readiness := health.NewReadiness(t.Context(), func(ctx context.Context) error {
					pings.Add(1)
					if !hangs.Load() {
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				}, func(time.Time) bool { return test.cached }, time.Now, slog.New(slog.DiscardHandler))
				ask := func(want string) {
					t.Helper()
					began := time.Now()
					assert.Equal(t, want, probe(t, readiness, http.MethodGet))
					assert.LessOrEqual(t, time.Since(began), 500*time.Millisecond)
				}
				for range 6 { // nothing is known until the first ping fails after three seconds
					ask(test.want)
				}
				assert.EqualValues(t, 1, pings.Load())
				hangs.Store(false)
				time.Sleep(5 * time.Second)
				ask(ready)
				hangs.Store(true)
				time.Sleep(5 * time.Second)
				ask(ready)
				time.Sleep(3 * time.Second)
				ask(test.want)
				assert.EqualValues(t, 3, pings.Load())
			})
		})
	}
}

// A standby tells when what it serves was written.
func TestReadinessOfAStandby(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	ping := func(context.Context) error { return nil }
	readiness := health.NewReadiness(t.Context(), ping, nil, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	written := now.Add(-90 * time.Second)
	readiness.ShowWritten(func() time.Time { return written })
	assert.Equal(t, `OK {"status":"ready","written":"2026-11-28T11:58:30Z","age_seconds":90}`, probe(t, readiness, http.MethodGet))
	written = now.Add(time.Minute) // clocks differ
	assert.Equal(t, `OK {"status":"ready","written":"2026-11-28T12:01:00Z","age_seconds":0}`, probe(t, readiness, http.MethodGet))
}
