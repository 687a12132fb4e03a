package health_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/health"
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

// A server is ready while its engine can be reached, which is asked every five
// seconds at most, and until it ends.
func TestReadiness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failure error
		pings := 0
		ending, end := context.WithCancel(t.Context())
		defer end()
		readiness := health.NewReadiness(ending, func(context.Context) error {
			pings++
			return failure
		}, time.Now, slog.New(slog.DiscardHandler))
		assert.Equal(t, `OK {"status":"ready"}`, probe(t, readiness, http.MethodGet))
		failure = errors.New("secret")
		time.Sleep(5*time.Second - time.Nanosecond)
		assert.Equal(t, `OK {"status":"ready"}`, probe(t, readiness, http.MethodHead))
		assert.Equal(t, 1, pings)
		time.Sleep(time.Nanosecond)
		assert.Equal(t, `Service Unavailable {"status":"engine unreachable"}`, probe(t, readiness, http.MethodGet))
		failure = nil
		time.Sleep(5 * time.Second)
		assert.Equal(t, `OK {"status":"ready"}`, probe(t, readiness, http.MethodGet))
		end()
		assert.Equal(t, `Service Unavailable {"status":"draining"}`, probe(t, readiness, http.MethodGet))
	})
}

// An engine that hangs does not keep a probe waiting.
func TestReadinessOfAHangingEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		readiness := health.NewReadiness(t.Context(), func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, time.Now, slog.New(slog.DiscardHandler))
		began := time.Now()
		assert.Equal(t, `Service Unavailable {"status":"engine unreachable"}`, probe(t, readiness, http.MethodGet))
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}
