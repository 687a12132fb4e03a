package httpserver_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
)

// serveWithDelay serves readiness and a plain response until the context ends, with a
// shutdown delay of ten seconds.
func serveWithDelay(ctx context.Context, listener net.Listener) <-chan error {
	ready := health.NewReadiness(ctx, func(context.Context) error { return nil }, func(time.Time) bool { return false }, time.Now, slog.New(slog.DiscardHandler))
	mux := http.NewServeMux()
	mux.Handle(httpserver.ReadyPath, ready)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "response") })
	delayed := limits()
	delayed.ShutdownDelay = 10 * time.Second
	done := make(chan error, 1)
	go func() { done <- httpserver.Serve(ctx, listener, mux, delayed, slog.New(slog.DiscardHandler)) }()
	return done
}

// During the shutdown delay the server reports that it is not ready, but still serves
// requests on old and new connections, and closes each after its response. It shuts down
// when the delay has passed.
func TestServeDelaysShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipes()
		done := serveWithDelay(ctx, listener)
		client, idle := listener.dial(), listener.dial()
		for range 2 {
			status, body, last := exchange(t, client, "/readyz")
			assert.Equal(t, http.StatusOK, status)
			assert.Equal(t, "{\"status\":\"ready\"}\n", body)
			assert.False(t, last)
		}
		_, _, last := exchange(t, idle, "/")
		assert.False(t, last)
		stop()
		began := time.Now()
		for range 9 {
			time.Sleep(time.Second)
			status, body, last := exchange(t, listener.dial(), "/readyz")
			assert.Equal(t, http.StatusServiceUnavailable, status)
			assert.Equal(t, "{\"status\":\"draining\"}\n", body)
			assert.True(t, last)
		}
		status, body, last := exchange(t, client, "/")
		assert.Equal(t, http.StatusOK, status, "an open connection is still served")
		assert.Equal(t, "response", body)
		assert.True(t, last)
		_, err := client.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		_, err = idle.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		assert.Equal(t, 10*time.Second, time.Since(began), "an idle connection stays open until the delay has passed")
		require.NoError(t, <-done)
	})
}

// A listener that fails during the delay ends the delay.
func TestServeReportsListenerFailureDuringDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		broken := errors.New("broken")
		listener := failing{newPipes(), make(chan error)}
		done := serveWithDelay(ctx, listener)
		stop()
		synctest.Wait()
		began := time.Now()
		listener.failure <- broken
		require.ErrorIs(t, <-done, broken)
		assert.Zero(t, time.Since(began))
	})
}

// failing is a listener that fails with the error that the test sends.
type failing struct {
	net.Listener

	failure chan error
}

func (f failing) Accept() (net.Conn, error) { return nil, <-f.failure }
