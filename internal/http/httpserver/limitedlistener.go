package httpserver

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"savedq/internal/observe/requestlog"
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
			BeyondTotal:     {logger: logger, flag: "--max-connections", logging: rate.Sometimes{Interval: time.Minute}},
			BeyondPerClient: {logger: logger, flag: "--max-connections-per-client", logging: rate.Sometimes{Interval: time.Minute}},
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

// note counts a refusal. It logs all unlogged ones, at most once a minute.
func (r *refusals) note(remote net.Addr) {
	r.unlogged.Add(1)
	r.logging.Do(func() {
		r.logger.Warn("connections are refused", slog.String("limit", r.flag),
			slog.Int64("refused", r.unlogged.Swap(0)), slog.String("remote", remote.String()))
	})
}

// ConnectionLimits limit how many connections are open at the same time. Zero means no
// limit.
type ConnectionLimits struct {
	// Total limits all connections.
	Total int
	// PerClient limits the connections of one client: an IPv4 address, or an IPv6 /64
	// network, because a host usually controls its whole /64. Loopback is exempt: a local
	// proxy connects for all of its clients.
	PerClient int
}

// ConnectionObserver is notified when a connection opens, closes or exceeds a limit. The
// limit is a [Verdict].
type ConnectionObserver interface {
	ConnectionOpened()
	ConnectionClosed()
	ConnectionRefused(limit string)
}

// Verdict names the limit that a new connection exceeds, if any.
type Verdict string

// The verdicts. They are label values of metrics.
const (
	WithinLimits    Verdict = ""
	BeyondTotal     Verdict = "total"
	BeyondPerClient Verdict = "per_client"
)

// connections counts the open connections.
type connections struct {
	limits ConnectionLimits

	mutex sync.Mutex
	total int
	// perClient holds only clients with open connections, so its size is bounded.
	perClient map[netip.Prefix]int
}

func newConnections(limits ConnectionLimits) *connections {
	return &connections{limits: limits, perClient: make(map[netip.Prefix]int)}
}

// add counts a connection of a client if it is within the limits.
func (c *connections) add(client netip.Prefix) Verdict {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case c.limits.Total > 0 && c.total >= c.limits.Total:
		return BeyondTotal
	case c.limits.PerClient > 0 && client.IsValid() && c.perClient[client] >= c.limits.PerClient:
		return BeyondPerClient
	}
	c.total++
	c.perClient[client]++
	return WithinLimits
}

// remove uncounts a connection that add has counted.
func (c *connections) remove(client netip.Prefix) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.total--
	c.perClient[client]--
	if c.perClient[client] == 0 {
		delete(c.perClient, client)
	}
}

// clientOf returns the client of a remote address. It returns the zero prefix for
// addresses that are not limited per client.
func clientOf(remote net.Addr) netip.Prefix {
	tcp, isTCP := remote.(*net.TCPAddr)
	if !isTCP || tcp.IP.IsLoopback() {
		return netip.Prefix{}
	}
	return requestlog.ClientAt(tcp.AddrPort())
}
