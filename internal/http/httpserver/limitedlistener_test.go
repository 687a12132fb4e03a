package httpserver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httpserver"
)

// remoteListener is a listener whose connections report a given remote address instead of
// loopback.
type remoteListener struct {
	net.Listener

	remote net.Addr
}

func (f remoteListener) Accept() (net.Conn, error) {
	connection, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return remoteConnection{connection, f.remote}, nil
}

type remoteConnection struct {
	net.Conn

	remote net.Addr
}

func (c remoteConnection) RemoteAddr() net.Addr { return c.remote }

// acceptAll accepts connections until the test ends and sends them to the channel.
func acceptAll(t *testing.T, listener net.Listener) <-chan net.Conn {
	t.Helper()
	accepted := make(chan net.Conn)
	var loop sync.WaitGroup
	loop.Go(func() {
		defer close(accepted)
		for {
			connection, err := listener.Accept()
			if err != nil {
				assert.ErrorIs(t, err, net.ErrClosed)
				return
			}
			accepted <- connection
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		loop.Wait()
	})
	return accepted
}

// listen listens on a loopback port. Connections report the remote address unless it is
// nil.
func listen(t *testing.T, remote net.Addr) net.Listener {
	t.Helper()
	listener, err := httpserver.Listen(t.Context(), "--addr", "127.0.0.1:0")
	require.NoError(t, err)
	if remote == nil {
		return listener
	}
	return remoteListener{listener, remote}
}

// otherMachine returns the address of a client on another machine.
func otherMachine() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 1234} }

func dial(t *testing.T, listener net.Listener) net.Conn {
	t.Helper()
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// assertClosed waits until the other side has closed a connection.
func assertClosed(t *testing.T, connection net.Conn) {
	t.Helper()
	_, err := connection.Read(make([]byte, 1))
	require.Error(t, err)
	var late net.Error
	assert.False(t, errors.As(err, &late) && late.Timeout(), "the connection is open: %v", err)
}

// connectionCounts is an observer that counts its notifications.
type connectionCounts struct {
	mutex          sync.Mutex
	opened, closed int
	rejected       []httpserver.Verdict
}

func (c *connectionCounts) locked(update func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	update()
}

func (c *connectionCounts) ConnectionOpened() { c.locked(func() { c.opened++ }) }
func (c *connectionCounts) ConnectionClosed() { c.locked(func() { c.closed++ }) }

func (c *connectionCounts) ConnectionRefused(limit string) {
	c.locked(func() { c.rejected = append(c.rejected, httpserver.Verdict(limit)) })
}

// A connection beyond a limit is closed at once, and a connection that ends frees its
// slot.
func TestLimitConnections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remote net.Addr
		limits httpserver.ConnectionLimits
		limit  httpserver.Verdict
		flag   string
	}{
		"per client":        {remote: otherMachine(), limits: httpserver.ConnectionLimits{PerClient: 2}, limit: "per_client", flag: "--max-connections-per-client"},
		"total":             {remote: otherMachine(), limits: httpserver.ConnectionLimits{Total: 2, PerClient: 9}, limit: "total", flag: "--max-connections"},
		"total on loopback": {limits: httpserver.ConnectionLimits{Total: 2, PerClient: 1}, limit: "total", flag: "--max-connections"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			var observed connectionCounts
			listener := httpserver.LimitConnections(listen(t, test.remote), test.limits, &observed, slog.New(slog.NewTextHandler(&log, nil)))
			accepted := acceptAll(t, listener)
			dial(t, listener)
			first := <-accepted
			dial(t, listener)
			second := <-accepted
			for range 3 {
				assertClosed(t, dial(t, listener))
			}
			require.NoError(t, first.Close())
			_ = first.Close() // a second close frees no second slot
			dial(t, listener)
			third := <-accepted
			assertClosed(t, dial(t, listener))
			require.NoError(t, second.Close())
			require.NoError(t, third.Close())
			text := log.String() // no longer written to: each refusal is logged before the next Accept
			assert.Equal(t, 1, strings.Count(text, "\n"), text)
			assert.Contains(t, text, `level=WARN msg="connections are refused" limit=`+test.flag+" refused=1 remote=")
			observed.locked(func() {
				assert.Equal(t, 3, observed.opened)
				assert.Equal(t, 3, observed.closed)
				assert.Equal(t, slices.Repeat([]httpserver.Verdict{test.limit}, 4), observed.rejected)
			})
		})
	}
}

// Loopback is not limited per client, because a local proxy connects for many clients.
func TestLimitConnectionsOnLoopback(t *testing.T) {
	t.Parallel()
	listener := httpserver.LimitConnections(listen(t, nil), httpserver.ConnectionLimits{PerClient: 1}, new(connectionCounts), slog.New(slog.DiscardHandler))
	accepted := acceptAll(t, listener)
	for range 10 {
		dial(t, listener)
		connection := <-accepted
		defer func() { assert.NoError(t, connection.Close()) }()
	}
}

// A flood of rejected connections logs one line a minute.
func TestLimitConnectionsLogsLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		inner := newPipes()
		listener := httpserver.LimitConnections(inner, httpserver.ConnectionLimits{Total: 1}, new(connectionCounts), slog.New(slog.NewTextHandler(&log, nil)))
		accepted := acceptAll(t, listener)
		refuse := func(connections int) {
			for range connections {
				assertClosed(t, inner.dial())
			}
			synctest.Wait()
		}
		inner.dial()
		open := <-accepted
		refuse(1000)
		time.Sleep(time.Minute - time.Nanosecond)
		refuse(1)
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", &log)
		time.Sleep(time.Nanosecond)
		refuse(1)
		assert.Equal(t, 2, strings.Count(log.String(), "\n"), "%s", &log)
		assert.Contains(t, log.String(), " refused=1 ")
		assert.Contains(t, log.String(), " refused=1001 ")
		require.NoError(t, open.Close())
	})
}

// A server at its connection limit serves the open connections, and accepts a new one as
// soon as one closes.
func TestServeWithinLimits(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	listener := httpserver.LimitConnections(listen(t, otherMachine()), httpserver.ConnectionLimits{PerClient: 1}, new(connectionCounts), slog.New(slog.DiscardHandler))
	left := make(chan struct{}, 1)
	done := serve(ctx, notifying{listener, left}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "response") })
	for range 3 {
		client := dial(t, listener)
		_, body, _ := exchange(t, client, "/")
		assert.Equal(t, "response", body)
		assertClosed(t, dial(t, listener))
		_, body, _ = exchange(t, client, "/")
		assert.Equal(t, "response", body, "an open connection is not affected")
		require.NoError(t, client.Close())
		<-left
	}
	stop()
	require.NoError(t, <-done)
}
