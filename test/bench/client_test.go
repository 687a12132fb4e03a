package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// connections is how many connections send requests at the same time.
const connections = 16

// client sends requests over one connection. It does as little else as possible, because
// it shares the processors of the server.
type client struct {
	connection net.Conn
	reader     *bufio.Reader
	body       []byte
}

func dial(tb testing.TB, address string) *client {
	tb.Helper()
	connection, err := net.Dial("tcp", address)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = connection.Close() })
	return &client{connection: connection, reader: bufio.NewReaderSize(connection, 64<<10)}
}

// exchange sends a request and reads the whole response.
func (c *client) exchange(request []byte) error {
	if _, err := c.connection.Write(request); err != nil {
		return err
	}
	length := -1
	for first := true; ; first = false {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("the status is %s", bytes.TrimSpace(line))
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	if length < 0 {
		return c.readChunks()
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err := io.ReadFull(c.reader, c.body)
	return err
}

// readChunks reads a response without a Content-Length.
func (c *client) readChunks() error {
	body := bytes.NewBuffer(c.body[:0])
	_, err := body.ReadFrom(httputil.NewChunkedReader(c.reader))
	c.body = body.Bytes()
	if err != nil {
		return err
	}
	_, err = c.reader.ReadSlice('\n')
	return err
}

// load sends requests to a server over all connections.
type load struct {
	clients []*client
	// request returns the bytes of the n-th request.
	request func(n int) []byte
	sent    int
}

func newLoad(tb testing.TB, address string, request func(n int) []byte) *load {
	tb.Helper()
	return newLoadOver(tb, address, connections, request)
}

// newLoadOver is newLoad with another number of connections.
func newLoadOver(tb testing.TB, address string, connections int, request func(n int) []byte) *load {
	tb.Helper()
	l := &load{request: request}
	for range connections {
		l.clients = append(l.clients, dial(tb, address))
	}
	return l
}

// full sends a number of requests as fast as the responses arrive.
func (l *load) full(tb testing.TB, requests int) {
	tb.Helper()
	l.each(tb, func(c *client, first int) error {
		for i := range requests / len(l.clients) {
			if err := c.exchange(l.request(first + i*len(l.clients))); err != nil {
				return err
			}
		}
		return nil
	})
	l.sent += requests
}

// paced sends a number of requests at a rate per second, at random moments, and returns how long
// each response took, the shortest first.
func (l *load) paced(tb testing.TB, requests int, rate float64) []time.Duration {
	tb.Helper()
	connections := len(l.clients)
	interval := time.Duration(float64(connections) / rate * float64(time.Second))
	var mutex sync.Mutex
	var took []time.Duration
	l.each(tb, func(c *client, first int) error {
		next := time.Now().Add(time.Duration(first%connections) * interval / time.Duration(connections))
		var own []time.Duration
		for i := range requests / connections {
			time.Sleep(time.Until(next.Add(rand.N(interval))))
			next = next.Add(interval)
			began := time.Now()
			if err := c.exchange(l.request(first + i*connections)); err != nil {
				return err
			}
			own = append(own, time.Since(began))
		}
		mutex.Lock()
		defer mutex.Unlock()
		took = append(took, own...)
		return nil
	})
	l.sent += requests
	slices.Sort(took)
	return took
}

// each calls ask with every connection and the number of its first request.
func (l *load) each(tb testing.TB, ask func(c *client, first int) error) {
	tb.Helper()
	var asking sync.WaitGroup
	for i, c := range l.clients {
		asking.Go(func() {
			if err := ask(c, l.sent+i); err != nil {
				tb.Error(err)
			}
		})
	}
	asking.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
}

// get and post return requests with only the headers that are necessary.
func get(target string) []byte {
	return []byte("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: " + secret + "\r\n\r\n")
}

func post(target, body string) []byte {
	var request strings.Builder
	fmt.Fprintf(&request, "POST %s HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", target, secret, len(body), body)
	return []byte(request.String())
}
