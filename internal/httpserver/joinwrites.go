package httpserver

import (
	"net"
	"sync"
	"time"
)

// JoinWrites has a listener's connections send in one piece what net/http writes in two:
// a full buffer, and what did not fit into it. The caller is woken once, and not twice.
func JoinWrites(listener net.Listener) net.Listener {
	return &joiningListener{Listener: listener, buffers: sync.Pool{New: func() any { return new(buffer) }}}
}

// buffer is what net/http gathers before it writes.
type buffer [4 << 10]byte

type joiningListener struct {
	net.Listener

	// buffers are for those connections on which something waits.
	buffers sync.Pool
}

// Accept is part of [net.Listener].
func (l *joiningListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &joiningConnection{Conn: connection, buffers: &l.buffers}, nil
}

// joiningConnection lets a full buffer wait for what is written next, until the answer is
// complete or more is read: who waits for the caller must have said all of his own. One
// goroutine answers, and no other one writes, or reads more than a byte.
type joiningConnection struct {
	net.Conn

	buffers *sync.Pool
	// waiting is nil where nothing waits.
	waiting *buffer
}

// Write is part of [net.Conn].
func (c *joiningConnection) Write(bytes []byte) (int, error) {
	switch {
	case c.waiting != nil:
		return c.send(bytes)
	case len(bytes) == len(buffer{}):
		c.waiting = c.buffers.Get().(*buffer) // there is nothing else in it
		return copy(c.waiting[:], bytes), nil
	}
	return c.Conn.Write(bytes)
}

// send sends what waits, and more. It returns how much of what is more was sent.
func (c *joiningConnection) send(more ...[]byte) (int, error) {
	all := append(net.Buffers{c.waiting[:]}, more...)
	sent, err := all.WriteTo(c.Conn)
	c.buffers.Put(c.waiting)
	c.waiting = nil
	return max(0, int(sent)-len(buffer{})), err
}

// Read is part of [net.Conn]. A single byte is what [net/http.Server] reads ahead while it
// answers, to learn whether the caller leaves.
func (c *joiningConnection) Read(bytes []byte) (int, error) {
	if len(bytes) > 1 {
		if err := c.complete(); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(bytes)
}

// SetWriteDeadline is part of [net.Conn]. [net/http.Server] calls it when an answer is
// complete.
func (c *joiningConnection) SetWriteDeadline(deadline time.Time) error {
	if err := c.complete(); err != nil {
		return err
	}
	return c.Conn.SetWriteDeadline(deadline)
}

// complete sends what waits. An answer that cannot be sent to its end ends the connection.
func (c *joiningConnection) complete() error {
	if c.waiting == nil {
		return nil
	}
	_, err := c.send()
	if err != nil {
		_ = c.Close()
	}
	return err
}

// CloseWrite is what [net/http.Server] calls where it has answered a caller who still
// sends, so that the answer arrives before the connection ends.
func (c *joiningConnection) CloseWrite() error { return closeWrite(c.Conn) }

// closeWrite ends what a connection sends, where that is possible.
func closeWrite(connection net.Conn) error {
	if half, ok := connection.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
