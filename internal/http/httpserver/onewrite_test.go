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

	"savedq/internal/http/onewrite"
)

// oneBuffer is the length of a body that, with its head, exactly fills net/http's buffer
// of 4 KiB.
const oneBuffer = 4<<10 - len("HTTP/1.1 200 OK\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\nContent-Length: 3979\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n")

// respondSized responds with a body of size bytes, in one write.
func respondSized(w http.ResponseWriter, r *http.Request, size int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	onewrite.Write(w, r, []byte(strings.Repeat("x", size)))
}

// sized responds with a body of the length in the path. If the path begins with "stream",
// it streams and flushes the body.
func sized(w http.ResponseWriter, r *http.Request) {
	length, streamed := strings.CutPrefix(strings.TrimPrefix(r.URL.Path, "/"), "stream")
	size, _ := strconv.Atoi(length)
	if !streamed {
		respondSized(w, r, size)
		return
	}
	_, _ = io.WriteString(w, strings.Repeat("x", size))
	w.(http.Flusher).Flush()
}

// Responses arrive whole, however many of net/http's buffers they fill, and whatever
// response preceded them on the connection.
func TestOneWriteSendsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := connect(t, sized)
		for _, buffers := range []int{0, 1, 2} {
			for size := oneBuffer - 2; size <= oneBuffer+2; size++ {
				size := size + buffers<<12
				for _, path := range []string{"/", "/stream"} {
					_, body, _ := exchange(t, client, path+strconv.Itoa(size))
					require.Len(t, body, size)
				}
			}
		}
	})
}

// A response arrives whole also if the connection closes after it.
func TestOneWriteSendsAllBeforeClose(t *testing.T) {
	t.Parallel()
	for _, size := range []int{oneBuffer, oneBuffer + 1, oneBuffer + 5000} {
		synctest.Test(t, func(t *testing.T) {
			client := connect(t, sized)
			_, err := io.WriteString(client, "GET /"+strconv.Itoa(size)+" HTTP/1.0\r\n\r\n")
			require.NoError(t, err)
			response, err := io.ReadAll(client)
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(string(response), "\r\n\r\n"+strings.Repeat("x", size)))
		})
	}
}

// counting is a listener whose connections report the size of each write.
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

// A full buffer waits for the rest of the body, until the handler returns at the latest. A
// response to HEAD leaves nothing pending.
func TestOneWriteWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		written, resume := make(chan int, 10), make(chan struct{})
		listener := newPipes()
		done := serve(ctx, counting{listener, written}, func(w http.ResponseWriter, r *http.Request) {
			respondSized(w, r, oneBuffer+1000)
			<-resume
		})
		client := listener.dial()
		_, err := io.WriteString(client, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		resume <- struct{}{}
		reader := bufio.NewReader(client)
		response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodHead})
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Less(t, <-written, 4<<10)
		synctest.Wait()
		assert.Empty(t, written)
		resume <- struct{}{}
		response, err = http.ReadResponse(reader, nil)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Len(t, body, oneBuffer+1000)
		assert.Equal(t, 4<<10, <-written)
		assert.Len(t, written, 1, "a pipe cannot write two pieces in one call")
		require.NoError(t, client.Close())
		stop()
		require.NoError(t, <-done)
	})
}

// A response that exactly fills the buffer arrives at once, even if the request announces a
// body that the handler does not read and the client does not send.
func TestOneWriteDoesNotWaitForRequestBody(t *testing.T) {
	t.Parallel()
	const size = oneBuffer - len("Connection: close\r\n")
	for name, headers := range map[string]string{
		"100-continue": "Expect: 100-continue\r\nContent-Length: 10\r\n",
		"in chunks":    "Connection: close\r\nTransfer-Encoding: chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := connect(t, func(w http.ResponseWriter, r *http.Request) { respondSized(w, r, size) })
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
			})
		})
	}
}
