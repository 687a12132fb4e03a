package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httpserver"
)

// Flushed bytes reach the client while the handler still runs, whatever their number: no
// write is held back until the next one.
func TestFlushedBytesAreSent(t *testing.T) {
	t.Parallel()
	const maxSize = 9_000
	flush := func(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() } // fails if the client has disconnected
	text := strings.Repeat("x", maxSize)
	for name, test := range map[string]struct {
		request string
		// respond sends size bytes and flushes them.
		respond func(t *testing.T, w http.ResponseWriter, size int)
		// received waits until size bytes have arrived.
		received func(t *testing.T, reader *bufio.Reader, size int)
	}{
		"with a length": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			w.Header().Set("Content-Length", strconv.Itoa(maxSize+1))
			_, _ = io.WriteString(w, text[:size])
			flush(w)
		}, readBody},
		"in chunks": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			_, _ = io.WriteString(w, text[:size])
			flush(w)
		}, readBody},
		"in parts": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			flush(w)
			_, _ = io.WriteString(w, text[:size/2])
			flush(w)
			_, _ = io.WriteString(w, text[:size-size/2])
			w.(http.Flusher).Flush()
		}, readBody},
		"by HTTP/1.0": {"GET / HTTP/1.0\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			_, _ = io.WriteString(w, text[:size])
			flush(w)
		}, readBody},
		"to a request whose body is not read": {"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			_, _ = io.WriteString(w, text[:size])
			flush(w)
		}, readBody},
		"to a request whose chunks do not arrive": {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			_, _ = io.WriteString(w, text[:size])
			flush(w)
		}, readBody},
		"only the head": {"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			w.Header().Set("X-Text", text[:size])
			flush(w)
		}, func(t *testing.T, reader *bufio.Reader, size int) {
			t.Helper()
			response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodHead})
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Len(t, response.Header.Get("X-Text"), size)
		}},
		"hijacked": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			connection, _, err := http.NewResponseController(w).Hijack()
			require.NoError(t, err)
			_, err = io.WriteString(connection, text[:size])
			assert.NoError(t, err)
		}, readText},
		"hijacked, through its buffer": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", func(t *testing.T, w http.ResponseWriter, size int) {
			t.Helper()
			_, buffered, err := http.NewResponseController(w).Hijack()
			require.NoError(t, err)
			_, err = buffered.WriteString(text[:size])
			assert.NoError(t, err)
			assert.NoError(t, buffered.Flush())
		}, readText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sendSizes(t, maxSize, name == "with a length", test.request, test.respond, test.received)
			})
		})
	}
}

// sendSizes has the server send from 1 to maxSize bytes, each size to a new client. It
// tries those that could just fill net/http's buffers, and, if every is true, all that fill at most one.
func sendSizes(t *testing.T, maxSize int, every bool, request string, respond func(*testing.T, http.ResponseWriter, int), received func(*testing.T, *bufio.Reader, int)) {
	t.Helper()
	const bufferBytes, margin = 4 << 10, 250 // no response head is longer than margin
	ctx, stop := context.WithCancel(t.Context())
	sizes, resume := make(chan int, 1), make(chan struct{})
	listener := newPipes()
	done := make(chan error, 1)
	go func() {
		done <- httpserver.Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			respond(t, w, <-sizes)
			<-resume
		}), limits(), slog.New(slog.DiscardHandler))
	}()
	for size := 1; size <= maxSize && !t.Failed(); size++ {
		if (!every || size > bufferBytes) && (size > 2*bufferBytes || size%bufferBytes > 0 && size%bufferBytes < bufferBytes-margin) {
			continue
		}
		client := listener.dial()
		sizes <- size
		_, err := io.WriteString(client, request)
		require.NoError(t, err)
		received(t, bufio.NewReader(client), size)
		require.NoError(t, client.Close())
		resume <- struct{}{}
	}
	stop()
	require.NoError(t, <-done)
}

// readBody reads a response and the first size bytes of its body.
func readBody(t *testing.T, reader *bufio.Reader, size int) {
	t.Helper()
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	_, err = io.CopyN(io.Discard, response.Body, int64(size))
	require.NoError(t, err, "%d bytes", size)
}

func readText(t *testing.T, reader *bufio.Reader, size int) {
	t.Helper()
	_, err := io.CopyN(io.Discard, reader, int64(size))
	require.NoError(t, err, "%d bytes", size)
}
