package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A slow client loses its connection in time, however much it has sent or read.
func TestServeDropsSlowClients(t *testing.T) {
	t.Parallel()
	const (
		head    = "GET / HTTP/1.1\r\nHost: x\r\n"
		body    = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
		large   = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
		endless = "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"
		short   = "GET /buffer HTTP/1.1\r\nHost: x\r\n\r\n"
	)
	for name, test := range map[string]struct {
		sends string
		// sendsSlowly is sent after sends, one byte a second.
		sendsSlowly string
		reads       func(client net.Conn)
		// dropped is how long the connection lasts.
		dropped time.Duration
	}{
		"sends nothing":                           {reads: quickly, dropped: 5 * time.Second},
		"never ends its head":                     {sends: head, reads: quickly, dropped: 5 * time.Second},
		"sends its head slowly":                   {sendsSlowly: head, reads: quickly, dropped: 5 * time.Second},
		"never sends its body":                    {sends: body, reads: quickly, dropped: 5 * time.Second},
		"sends its body slowly":                   {sends: body, sendsSlowly: strings.Repeat("x", 1000), reads: quickly, dropped: 5 * time.Second},
		"stops in its body":                       {sends: large + strings.Repeat("x", 80<<10), reads: quickly, dropped: 15 * time.Second},
		"sends a large body":                      {sends: large + strings.Repeat("x", 900<<10), reads: quickly, dropped: 30 * time.Second},
		"sends a body to nobody":                  {sends: strings.Replace(body, "/", "/unread", 1), sendsSlowly: strings.Repeat("x", 1000), reads: quickly, dropped: 5 * time.Second},
		"stops in a body that is stored in parts": {sends: strings.Replace(large, "/", "/parts", 1) + strings.Repeat("x", 900<<10), reads: quickly, dropped: 30 * time.Second},
		"slows in a body that is stored in parts": {sends: strings.Replace(large, "/", "/parts", 1) + strings.Repeat("x", 900<<10), sendsSlowly: strings.Repeat("x", 1000), reads: quickly, dropped: 117 * time.Second},
		"stays idle":                              {sends: head + "\r\n", reads: quickly, dropped: 2 * time.Minute},
		// The time for a later request's head begins with its fourth byte.
		"sends a second head slowly": {sends: head + "\r\n", sendsSlowly: head, reads: quickly, dropped: 8 * time.Second},
		"does not read the response": {sends: endless, reads: never, dropped: 90 * time.Second},
		"reads the response slowly":  {sends: endless, reads: slowly, dropped: 90 * time.Second},
		"does not read a buffer":     {sends: short, reads: never, dropped: 90 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				listener := newPipes()
				closed := make(chan struct{}, 1)
				done := serve(ctx, notifying{listener, closed}, discardAndRespond)
				client := listener.dial()
				began := time.Now()
				var transfers sync.WaitGroup
				transfers.Go(func() { test.reads(client) })
				_, err := io.WriteString(client, test.sends)
				require.NoError(t, err)
				transfers.Go(func() { sendSlowly(client, test.sendsSlowly) })
				<-closed
				// A server that ends a response early leaves half a second to read it.
				assert.InDelta(t, test.dropped.Seconds(), time.Since(began).Seconds(), 1)
				require.NoError(t, client.Close())
				transfers.Wait()
				stop()
				require.NoError(t, <-done)
			})
		})
	}
}

// discardAndRespond reads the request. Its response is endless on one path, and on another
// just larger than net/http's buffer.
func discardAndRespond(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/parts" {
		r.Body.(interface{ AllowParts() }).AllowParts()
	}
	if r.URL.Path == "/unread" {
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	if r.URL.Path == "/buffer" {
		respondSized(w, r, oneBuffer+1)
	}
	for r.URL.Path == "/endless" {
		if _, err := io.WriteString(w, strings.Repeat("x", 1<<10)); err != nil {
			return
		}
	}
}

// A request takes as long as its handler, also beyond the time in which it had to arrive.
func TestServeWaitsForHandlers(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"without a body": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"with a body":    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := connect(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					select {
					case <-time.After(40 * time.Second):
						w.WriteHeader(http.StatusNoContent)
					case <-r.Context().Done():
						w.WriteHeader(http.StatusGatewayTimeout)
					}
				})
				_, err := io.WriteString(client, request)
				require.NoError(t, err)
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				assert.Equal(t, http.StatusNoContent, response.StatusCode)
			})
		})
	}
}

func sendSlowly(client net.Conn, text string) {
	for i := range len(text) {
		if _, err := io.WriteString(client, text[i:i+1]); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func quickly(client net.Conn) { _, _ = io.Copy(io.Discard, client) }

func slowly(client net.Conn) {
	for {
		if _, err := client.Read(make([]byte, 1)); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

func never(net.Conn) {}
