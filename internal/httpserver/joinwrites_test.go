package httpserver_test

import (
	"bufio"
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

// sized answers with a text as long as its path says.
func sized(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	answerSized(w, size)
}

// Answers arrive to their end, however many of net/http's buffers they fill.
func TestJoinWritesSendsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := connect(t, httpserver.JoinWrites, sized)
		for _, buffers := range []int{0, 1, 2} {
			for size := oneBuffer - 2; size <= oneBuffer+2; size++ {
				size := size + buffers<<12
				_, body, _ := exchange(t, client, "/"+strconv.Itoa(size))
				require.Len(t, body, size)
			}
		}
	})
}

// An answer arrives to its end, too, where the connection ends with it.
func TestJoinWritesSendsAllOfTheLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := connect(t, httpserver.JoinWrites, sized)
		_, err := io.WriteString(client, "GET /"+strconv.Itoa(oneBuffer)+" HTTP/1.0\r\n\r\n")
		require.NoError(t, err)
		answer, err := io.ReadAll(client)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(string(answer), "\r\n\r\n"+strings.Repeat("x", oneBuffer)))
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
		written, goOn := make(chan int, 10), make(chan struct{})
		counted := func(listener net.Listener) net.Listener { return httpserver.JoinWrites(counting{listener, written}) }
		client := connect(t, counted, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 3000))
			_, _ = io.WriteString(w, strings.Repeat("x", 2000))
			<-goOn
		})
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
				client := connect(t, httpserver.JoinWrites, func(w http.ResponseWriter, _ *http.Request) { answerSized(w, size) })
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
