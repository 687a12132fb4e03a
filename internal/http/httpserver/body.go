package httpserver

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"savedq/internal/http/httpstatus"
)

const (
	// bodyGrace is how long a body may take before its rate counts.
	bodyGrace = 5 * time.Second
	// minBodyRate is the rate in bytes per second at which a body must arrive after that, on average.
	minBodyRate = 8 << 10
)

// limitBodies limits how long request bodies may take, so that slow clients cannot hold connections and memory: each
// must arrive at [minBodyRate] after [bodyGrace], and within [readTimeout]. A handler that reads a slower one gets
// [httpstatus.ErrSlowBody]. [http.Server] lifts the limit once the body has arrived.
func limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		connection := http.NewResponseController(w)
		// [http.Server] reads a part of what the handler does not, before and after it returns.
		setReadTimeout(connection, bodyGrace)
		body := &limitedBody{ReadCloser: r.Body, connection: connection}
		limited := *r // [http.Server] looks at the body of its own request
		limited.Body = body
		next.ServeHTTP(w, &limited)
		if body.began.IsZero() {
			setReadTimeout(connection, bodyGrace)
		}
	})
}

// limitedBody is a request body that must arrive in time.
type limitedBody struct {
	io.ReadCloser

	connection *http.ResponseController
	// began is when the handler began to read.
	began time.Time
	// read is how many bytes have arrived.
	read int64
	// inParts reports whether the handler stores the body part by part.
	inParts bool
}

// AllowParts lifts the limit of [readTimeout] for a handler that stores the body part by part, and so holds little of it. The
// body still has to arrive at [minBodyRate], and each part within [readTimeout].
func (b *limitedBody) AllowParts() { b.inParts = true }

// Read implements [io.Reader].
func (b *limitedBody) Read(into []byte) (int, error) {
	now := systemTime()
	if b.began.IsZero() {
		b.began = now
	}
	allowed := bodyGrace + time.Duration(b.read)*(time.Second/minBodyRate)
	longest := readTimeout
	if b.inParts {
		longest += now.Sub(b.began)
		_ = b.connection.SetWriteDeadline(now.Add(readTimeout + writeGrace)) // all connections of a server have deadlines
	}
	allowed = min(allowed, longest)
	setReadTimeout(b.connection, b.began.Add(allowed).Sub(now))
	length, err := b.ReadCloser.Read(into)
	b.read += int64(length)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = httpstatus.ErrSlowBody
	}
	return length, err
}

// setReadTimeout limits how long the next reads of a connection may take.
func setReadTimeout(connection *http.ResponseController, timeout time.Duration) {
	_ = connection.SetReadDeadline(systemTime().Add(timeout)) // all connections of a server have deadlines
}

// systemTime returns the time to which deadlines of connections are compared.
func systemTime() time.Time { return time.Now() } //nolint:forbidigo // No clock of a test changes it.
