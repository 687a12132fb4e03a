package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httpserver"
)

// pipes is a listener whose connections are in-memory pipes, so that synctest controls
// the time.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
}

func newPipes() *pipes {
	return &pipes{connections: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.connections:
		return connection, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.connections <- server
	return client
}

// notifying is a listener that reports when a connection has been closed.
type notifying struct {
	net.Listener

	closed chan<- struct{}
}

func (n notifying) Accept() (net.Conn, error) {
	connection, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return notifyingConnection{connection, sync.OnceFunc(func() { n.closed <- struct{}{} })}, nil
}

type notifyingConnection struct {
	net.Conn

	closed func()
}

func (c notifyingConnection) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

// limits returns the default limits of a server.
func limits() httpserver.Limits {
	return httpserver.Limits{QueryTimeout: 30 * time.Second, Drain: 35 * time.Second}
}

func serve(ctx context.Context, listener net.Listener, handler http.HandlerFunc) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- httpserver.Serve(ctx, listener, handler, limits(), slog.New(slog.DiscardHandler))
	}()
	return done
}

// connect serves on pipes until the test ends, and returns a connection to the server.
func connect(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	listener := newPipes()
	done := serve(ctx, listener, handler)
	client := listener.dial()
	t.Cleanup(func() {
		require.NoError(t, client.Close())
		stop()
		require.NoError(t, <-done)
	})
	return client
}

// exchange sends a request for a path. It returns the status and body of the response, and
// whether the response closes the connection.
func exchange(t *testing.T, client net.Conn, path string) (status int, body string, last bool) {
	t.Helper()
	_, err := io.WriteString(client, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	require.NoError(t, err)
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, string(content), response.Close
}

// OPTIONS * is passed to the handler like every other request.
func TestServeHandlesGeneralOptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := connect(t, func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "*", r.URL.Path)
			w.WriteHeader(http.StatusTeapot)
		})
		_, err := io.WriteString(client, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(client), nil)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusTeapot, response.StatusCode)
	})
}

// When the context ends, an in-flight request finishes before Serve returns.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipes()
		done := serve(ctx, listener, func(w http.ResponseWriter, r *http.Request) {
			stop()
			time.Sleep(29 * time.Second)
			assert.NoError(t, r.Context().Err(), "a request outlives the signal")
			_, _ = io.WriteString(w, "response")
		})
		client := listener.dial()
		_, body, _ := exchange(t, client, "/")
		assert.Equal(t, "response", body)
		require.NoError(t, <-done)
	})
}

// A request that does not finish within the drain limit is cancelled.
func TestServeCancelsAfterDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipes()
		cancelled := make(chan struct{})
		done := serve(ctx, listener, func(_ http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done()
			close(cancelled)
		})
		client := listener.dial()
		_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		go func() { _, _ = io.Copy(io.Discard, client) }()
		began := time.Now()
		require.NoError(t, <-done)
		<-cancelled
		// Shutdown polls for idle connections every half second.
		assert.InDelta(t, 35, time.Since(began).Seconds(), 1, "the query timeout and some grace")
	})
}

func TestListenNamesTheAddress(t *testing.T) {
	t.Parallel()
	first, err := httpserver.Listen(t.Context(), "--addr", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, first.Close()) }()
	address := first.Addr().String()
	_, err = httpserver.Listen(t.Context(), "--addr", address)
	require.EqualError(t, err, "cannot listen on "+address+": the port is in use; stop what uses it, or choose another --addr")
	_, err = httpserver.Listen(t.Context(), "--addr", "192.0.2.1:80")
	require.ErrorContains(t, err, "cannot listen on 192.0.2.1:80: ")
}
