package httpserver

import (
	"net"
	"net/netip"
	"sync"

	"savedq/internal/observe/requestlog"
)

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
