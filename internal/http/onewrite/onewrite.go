// Package onewrite sends a complete response by one call of the system.
//
// net/http gathers a response in a buffer of 4 KiB, whose size cannot be chosen. A longer
// response fills it with its head and the beginning of its body, and so is sent in two
// pieces, by two calls: the client is woken twice. A handler that has its whole body calls
// [Write], and both pieces leave together. Whatever is written in any other way is passed on
// at once: what was flushed, and what is written to a connection that was hijacked.
package onewrite

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Write writes the whole body of a response, whose header has its Content-Length and which
// nobody has begun to write. The caller must return after it.
func Write(w http.ResponseWriter, r *http.Request, body []byte) {
	if connection, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		connection.joining = true
		defer func() { connection.joining = false }()
	}
	_, _ = w.Write(body) // a client that has gone needs no response
}

// Listener returns a listener for a server whose ConnContext is [ConnContext].
func Listener(listener net.Listener) net.Listener {
	return &joiningListener{Listener: listener, buffers: sync.Pool{New: func() any { return new(buffer) }}}
}

// ConnContext lets [Write] find the connection in the contexts of its requests.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	if joining, ok := conn.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, joining)
	}
	return ctx
}

type connectionKey struct{}

// buffer is what net/http gathers before it writes.
type buffer [4 << 10]byte

type joiningListener struct {
	net.Listener

	// buffers are for those connections on which something waits.
	buffers sync.Pool
}

// Accept is part of [net.Listener].
func (l *joiningListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: accepted, buffers: &l.buffers}, nil
}

// connection is used by the goroutine of one handler at a time.
type connection struct {
	net.Conn

	buffers *sync.Pool
	// joining is true within [Write]. There a full buffer is one that the body did not fit
	// into: more is written within the same call, or when the handler has returned.
	joining bool
	// waiting is nil where nothing waits.
	waiting *buffer
}

// Write is part of [net.Conn].
func (c *connection) Write(bytes []byte) (int, error) {
	switch {
	case c.waiting != nil:
		return c.send(bytes)
	case c.joining && len(bytes) == len(buffer{}):
		c.waiting = c.buffers.Get().(*buffer) // there is nothing else in it
		return copy(c.waiting[:], bytes), nil
	}
	return c.Conn.Write(bytes)
}

// send sends what waits, and more. It returns how much of what is more was sent.
func (c *connection) send(more []byte) (int, error) {
	all := net.Buffers{c.waiting[:], more}
	sent, err := all.WriteTo(c.Conn)
	c.buffers.Put(c.waiting)
	c.waiting = nil
	return max(0, int(sent)-len(buffer{})), err
}

// CloseWrite is what [net/http.Server] calls where it has answered a client that still
// sends, so that the response arrives before the connection ends.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
