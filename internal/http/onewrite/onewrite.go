// Package onewrite sends a complete response in one system call.
//
// net/http buffers a response in 4 KiB, a size that cannot be configured. The head and the
// start of the body of a longer response fill the buffer, so that it is sent in two system
// calls and wakes the client twice. A handler that has its whole body calls [Write], which
// sends both pieces together. All other writes, such as flushed ones and those to a hijacked
// connection, pass through at once.
package onewrite

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Write writes the whole body of a response. Callers must set Content-Length, must not have
// written any of the body before, and must return from the handler after it.
func Write(w http.ResponseWriter, r *http.Request, body []byte) {
	if connection, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		connection.joining = true
		defer func() { connection.joining = false }()
	}
	_, _ = w.Write(body) // an error means that the client has gone
}

// Listener wraps a listener. The server's ConnContext must be [ConnContext].
func Listener(listener net.Listener) net.Listener {
	return &joiningListener{Listener: listener, buffers: sync.Pool{New: func() any { return new(buffer) }}}
}

// ConnContext stores the connection in the contexts of its requests, where [Write] finds it.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	if joining, ok := conn.(*connection); ok {
		return context.WithValue(ctx, connectionKey{}, joining)
	}
	return ctx
}

type connectionKey struct{}

// buffer has the size of net/http's write buffer.
type buffer [4 << 10]byte

type joiningListener struct {
	net.Listener

	// buffers are used by connections with a pending buffer.
	buffers sync.Pool
}

// Accept implements [net.Listener].
func (l *joiningListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, buffers: &l.buffers}, nil
}

// connection is used by one handler's goroutine at a time.
type connection struct {
	net.Conn

	buffers *sync.Pool
	// joining is true during [Write]. A full buffer then means that the body did not fit:
	// the rest is written in the same call, or when the handler returns.
	joining bool
	// pending is the first piece of a response, held until the rest arrives; nil if there
	// is none.
	pending *buffer
}

// Write implements [net.Conn].
func (c *connection) Write(bytes []byte) (int, error) {
	switch {
	case c.pending != nil:
		return c.send(bytes)
	case c.joining && len(bytes) == len(buffer{}):
		c.pending = c.buffers.Get().(*buffer) // the pool holds nothing else
		return copy(c.pending[:], bytes), nil
	}
	return c.Conn.Write(bytes)
}

// send sends the pending buffer followed by more. It returns how many bytes of more were
// sent.
func (c *connection) send(more []byte) (int, error) {
	all := net.Buffers{c.pending[:], more}
	sent, err := all.WriteTo(c.Conn)
	c.buffers.Put(c.pending)
	c.pending = nil
	return max(0, int(sent)-len(buffer{})), err
}

// CloseWrite closes the sending side. [net/http.Server] calls it after it has responded to
// a client that is still sending, so that the response arrives before the connection closes.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
