package httpserver

import (
	"net"
	"net/netip"
	"sync"
)

// ConnectionLimits bound how many connections are open at the same time. Zero is no
// limit.
type ConnectionLimits struct {
	// Total is how many there are altogether.
	Total int
	// PerClient is how many one client has: an IPv4 address, or a network of IPv6 of 64
	// bits, since who has one of its addresses has them all. Loopback is not limited:
	// there are a proxy, which stands for all of its callers, and programs of the
	// machine itself.
	PerClient int
}

// ConnectionObserver is notified of each connection that opens, closes or is over a
// limit. The limit is the text of a [Verdict].
type ConnectionObserver interface {
	ConnectionOpened()
	ConnectionClosed()
	ConnectionRefused(limit string)
}

// Verdict is what becomes of a new connection: it is within the limits, or beyond the
// one that the verdict names.
type Verdict string

// The verdicts. Metrics have the names of the limits as labels.
const (
	WithinLimits    Verdict = ""
	BeyondTotal     Verdict = "total"
	BeyondPerClient Verdict = "per_client"
)

// connections counts those that are open.
type connections struct {
	limits ConnectionLimits

	mutex sync.Mutex
	total int
	// perClient has no client without a connection, so that it does not grow.
	perClient map[netip.Prefix]int
}

func newConnections(limits ConnectionLimits) *connections {
	return &connections{limits: limits, perClient: make(map[netip.Prefix]int)}
}

// add counts a connection of a client, if that is within the limits.
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

// remove takes back a connection that was added.
func (c *connections) remove(client netip.Prefix) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.total--
	c.perClient[client]--
	if c.perClient[client] == 0 {
		delete(c.perClient, client)
	}
}

// clientOf is the client that a remote address belongs to; the zero prefix stands for
// all who are not limited.
func clientOf(remote net.Addr) netip.Prefix {
	tcp, isTCP := remote.(*net.TCPAddr)
	if !isTCP {
		return netip.Prefix{}
	}
	address := tcp.AddrPort().Addr().Unmap()
	if address.IsLoopback() {
		return netip.Prefix{}
	}
	const networkBits = 64
	client, _ := address.Prefix(min(address.BitLen(), networkBits)) // it has that many bits
	return client
}
