package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/httpserver"
)

// oneBuffer is how long the body of an answer is that fills net/http's buffer of 4 KiB
// with its head, to the byte.
const oneBuffer = 4<<10 - len("HTTP/1.1 200 OK\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nContent-Length: 3979\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n")

// answerSized answers with a text so long.
func answerSized(w http.ResponseWriter, size int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	_, _ = io.WriteString(w, strings.Repeat("x", size))
}

// Answers arrive to their end, however many of net/http's buffers they fill.
func TestJoinWritesSendsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipes()
		done := serve(ctx, httpserver.JoinWrites(listener), func(w http.ResponseWriter, r *http.Request) {
			size, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
			answerSized(w, size)
		})
		client := listener.dial()
		for _, buffers := range []int{0, 1, 2} {
			for size := oneBuffer - 2; size <= oneBuffer+2; size++ {
				size := size + buffers<<12
				_, body, _ := exchange(t, client, "/"+strconv.Itoa(size))
				require.Len(t, body, size)
			}
		}
		require.NoError(t, client.Close())

		client = listener.dial() // the connection ends with the answer
		_, err := io.WriteString(client, "GET /"+strconv.Itoa(oneBuffer)+" HTTP/1.0\r\n\r\n")
		require.NoError(t, err)
		answer, err := io.ReadAll(client)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(string(answer), "\r\n\r\n"+strings.Repeat("x", oneBuffer)))
		stop()
		require.NoError(t, <-done)
	})
}

// counting is a listener whose connections tell of each write.
type counting struct {
	net.Listener

	written chan<- int
}

func (c counting) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConnection{connection, c.written}, nil
}

type countingConnection struct {
	net.Conn

	written chan<- int
}

func (c countingConnection) Write(bytes []byte) (int, error) {
	c.written <- len(bytes)
	return c.Conn.Write(bytes)
}

// A full buffer waits for what comes next, and no longer than to the answer's end.
func TestJoinWritesWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		listener := newPipes()
		written, goOn := make(chan int, 10), make(chan struct{})
		done := serve(ctx, httpserver.JoinWrites(counting{listener, written}), func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 3000))
			_, _ = io.WriteString(w, strings.Repeat("x", 2000))
			<-goOn
		})
		client := listener.dial()
		_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		synctest.Wait()
		assert.Empty(t, written)
		close(goOn)
		response, err := http.ReadResponse(bufio.NewReader(client), nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		synctest.Wait()
		assert.Equal(t, 4<<10, <-written)
		assert.Len(t, written, 1)
		require.NoError(t, client.Close())
		stop()
		require.NoError(t, <-done)
	})
}

// An answer that fills the buffer to the byte arrives at once, also where the request has
// a body that nobody reads, and that does not come.
func TestJoinWritesWaitsForNoBody(t *testing.T) {
	t.Parallel()
	const size = oneBuffer - len("Connection: close\r\n")
	for name, headers := range map[string]string{
		"to be continued": "Expect: 100-continue\r\nContent-Length: 10\r\n",
		"in chunks":       "Connection: close\r\nTransfer-Encoding: chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				listener := newPipes()
				done := serve(ctx, httpserver.JoinWrites(listener), func(w http.ResponseWriter, _ *http.Request) { answerSized(w, size) })
				client := listener.dial()
				began := time.Now()
				_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n")
				require.NoError(t, err)
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				require.NoError(t, err)
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				assert.Len(t, body, size)
				assert.Zero(t, time.Since(began))
				require.NoError(t, client.Close())
				stop()
				require.NoError(t, <-done)
			})
		})
	}
}
