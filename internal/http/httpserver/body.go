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
		_ = connection.SetReadDeadline(time.Now().Add(bodyGrace))
		body := &limitedBody{ReadCloser: r.Body, connection: connection}
		limited := *r // [http.Server] looks at the body of its own request
		limited.Body = body
		next.ServeHTTP(w, &limited)
		if body.began.IsZero() {
			_ = connection.SetReadDeadline(time.Now().Add(bodyGrace))
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
}

// Read implements [io.Reader].
func (b *limitedBody) Read(into []byte) (int, error) {
	if b.began.IsZero() {
		b.began = time.Now()
	}
	allowed := min(bodyGrace+time.Duration(b.read)*time.Second/minBodyRate, readTimeout)
	_ = b.connection.SetReadDeadline(b.began.Add(allowed))
	length, err := b.ReadCloser.Read(into)
	b.read += int64(length)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = httpstatus.ErrSlowBody
	}
	return length, err
}
