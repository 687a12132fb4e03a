package httpserver

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// LimitConnections returns a listener that closes connections beyond the limits at once.
// It does not queue them, because a client that waits silently cannot tell a full server
// from a dead one. Each limit logs at most one line a minute.
func LimitConnections(listener net.Listener, limits ConnectionLimits, observer ConnectionObserver, logger *slog.Logger) net.Listener {
	return &limitedListener{
		Listener: listener,
		open:     newConnections(limits),
		observer: observer,
		refusals: map[Verdict]*refusals{
			BeyondTotal:     newRefusals(logger, "--max-connections"),
			BeyondPerClient: newRefusals(logger, "--max-connections-per-client"),
		},
	}
}

// limitedListener closes connections beyond the limits.
type limitedListener struct {
	net.Listener

	open     *connections
	observer ConnectionObserver
	refusals map[Verdict]*refusals
}

// Accept waits for and returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		connection, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := clientOf(connection.RemoteAddr())
		verdict := l.open.add(client)
		if verdict == WithinLimits {
			l.observer.ConnectionOpened()
			return &countedConnection{Conn: connection, remove: sync.OnceFunc(func() {
				l.open.remove(client)
				l.observer.ConnectionClosed()
			})}, nil
		}
		l.observer.ConnectionRefused(string(verdict))
		_ = connection.Close()
		l.refusals[verdict].note(connection.RemoteAddr())
	}
}

// countedConnection is a connection that is counted until it is closed.
type countedConnection struct {
	net.Conn

	// remove uncounts the connection. It may be called more than once.
	remove func()
}

// Close closes and uncounts the connection.
func (c *countedConnection) Close() error {
	defer c.remove()
	return c.Conn.Close()
}

// CloseWrite closes the sending side; [net/http.Server] uses it.
func (c *countedConnection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refusals logs the connections beyond a limit.
type refusals struct {
	logger *slog.Logger
	// flag is the flag that sets the limit. It is logged so that operators know what to
	// change.
	flag string
	// unlogged counts refusals since the last log line.
	unlogged atomic.Int64
	logging  rate.Sometimes
}

func newRefusals(logger *slog.Logger, flag string) *refusals {
	return &refusals{logger: logger, flag: flag, logging: rate.Sometimes{Interval: time.Minute}}
}

// note counts a refusal. It logs all unlogged ones, at most once a minute.
func (r *refusals) note(remote net.Addr) {
	r.unlogged.Add(1)
	r.logging.Do(func() {
		r.logger.Warn("connections are refused", slog.String("limit", r.flag),
			slog.Int64("refused", r.unlogged.Swap(0)), slog.String("remote", remote.String()))
	})
}
