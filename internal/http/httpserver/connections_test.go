package httpserver

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client is an IPv4 address or an IPv6 /64 network. Loopback and addresses other than
// TCP are not limited.
func TestClientOf(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.7":               "192.0.2.7/32",
		"::ffff:192.0.2.7":        "192.0.2.7/32",
		"2001:db8:1:2:3:4:5:6":    "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::":     "2001:db8:1:2::/64",
		"2001:db8:1:3::":          "2001:db8:1:3::/64",
		"fe80::1%eth0":            "fe80::/64",
		"127.0.0.1":               "invalid Prefix",
		"127.8.9.1":               "invalid Prefix",
		"::1":                     "invalid Prefix",
		"::ffff:127.0.0.1":        "invalid Prefix",
		"::ffff:0:127.0.0.1":      "::/64",
		"2001:db8::127.0.0.1%lo0": "2001:db8::/64",
	} {
		t.Run(remote, func(t *testing.T) {
			t.Parallel()
			address := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(remote), 1234))
			assert.Equal(t, want, clientOf(address).String())
		})
	}
	assert.False(t, clientOf(&net.UnixAddr{Name: "socket", Net: "unix"}).IsValid())
	assert.False(t, clientOf(&net.TCPAddr{}).IsValid(), "no address")
}

// Connections are counted until they are removed, and a client without connections leaves
// no entry behind.
func TestConnections(t *testing.T) {
	t.Parallel()
	one, other, unlimited := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32"), netip.Prefix{}
	counted := newConnections(ConnectionLimits{Total: 4, PerClient: 2})
	assert.Equal(t, WithinLimits, counted.add(one))
	assert.Equal(t, WithinLimits, counted.add(one))
	assert.Equal(t, BeyondPerClient, counted.add(one))
	assert.Equal(t, WithinLimits, counted.add(other))
	assert.Equal(t, WithinLimits, counted.add(unlimited))
	assert.Equal(t, BeyondTotal, counted.add(unlimited))
	assert.Equal(t, BeyondTotal, counted.add(one))
	counted.remove(one)
	assert.Equal(t, WithinLimits, counted.add(one), "rejected connections are not counted")
	for _, client := range []netip.Prefix{one, one, other, unlimited} {
		counted.remove(client)
	}
	assert.Zero(t, counted.total)
	assert.Empty(t, counted.perClient)
}

// Zero means no limit.
func TestConnectionsWithoutLimits(t *testing.T) {
	t.Parallel()
	counted := newConnections(ConnectionLimits{})
	for range 1000 {
		assert.Equal(t, WithinLimits, counted.add(netip.MustParsePrefix("192.0.2.1/32")))
	}
	assert.Equal(t, 1000, counted.total)
}

// openConnections is an observer that counts the open connections.
type openConnections struct{ atomic.Int64 }

func (o *openConnections) ConnectionOpened()      { o.Add(1) }
func (o *openConnections) ConnectionClosed()      { o.Add(-1) }
func (*openConnections) ConnectionRefused(string) {}

// Clients that open and close connections as fast as they can leave no counts behind.
func TestConnectionsUnderLoad(t *testing.T) {
	t.Parallel()
	const clients, perClient, limit = 16, 50, 4
	inner, err := Listen(t.Context(), "--addr", "127.0.0.1:0")
	require.NoError(t, err)
	var observed openConnections
	listener := LimitConnections(inner, ConnectionLimits{Total: limit}, &observed, slog.New(slog.DiscardHandler))
	var serving, dialing sync.WaitGroup
	var served atomic.Int64
	serving.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			served.Add(1)
			serving.Go(func() {
				_, _ = io.Copy(io.Discard, connection)
				_ = connection.Close()
			})
		}
	})
	for range clients {
		dialing.Go(func() {
			for range perClient {
				connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", inner.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(connection, "GET / HTTP/1.1\r\n")
				_ = connection.Close()
			}
		})
	}
	dialing.Wait()
	require.NoError(t, listener.Close())
	serving.Wait()
	assert.Positive(t, served.Load())
	open := listener.(*limitedListener).open
	assert.Zero(t, open.total)
	assert.Empty(t, open.perClient)
	assert.Zero(t, observed.Load())
}
