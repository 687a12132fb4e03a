package httpserver

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// LimitConnections returns a listener that closes connections beyond the limits as
// soon as they are made: who waits for a turn without a word cannot tell a server that
// is full from one that is gone. The log has at most one line a minute of each limit.
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

// limitedListener accepts connections within limits.
type limitedListener struct {
	net.Listener

	open     *connections
	observer ConnectionObserver
	refusals map[Verdict]*refusals
}

// Accept waits for a connection within the limits.
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

// countedConnection is a connection that counts until it is closed.
type countedConnection struct {
	net.Conn

	// remove may be called more than once.
	remove func()
}

// Close closes the connection.
func (c *countedConnection) Close() error {
	defer c.remove()
	return c.Conn.Close()
}

// CloseWrite is part of what [net/http.Server] makes use of.
func (c *countedConnection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refusals counts the connections beyond a limit.
type refusals struct {
	logger *slog.Logger
	// flag sets the limit: who reads of refusals wants to know what to turn.
	flag string
	// untold is how many there were since the last line of the log.
	untold atomic.Int64
	now    rate.Sometimes
}

func newRefusals(logger *slog.Logger, flag string) *refusals {
	return &refusals{logger: logger, flag: flag, now: rate.Sometimes{Interval: time.Minute}}
}

// note counts a connection, and tells of all that were counted unless the log has
// a line that is not a minute old.
func (r *refusals) note(remote net.Addr) {
	r.untold.Add(1)
	r.now.Do(func() {
		r.logger.Warn("connections are refused", slog.String("limit", r.flag),
			slog.Int64("refused", r.untold.Swap(0)), slog.String("remote", remote.String()))
	})
}
