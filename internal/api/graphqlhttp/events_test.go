package graphqlhttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/api/graphqlhttp"
)

// follow sends a subscription with an Accept header. The body of the response is not read.
func follow(t *testing.T, server *streamServer, method, accepted string) *http.Response {
	t.Helper()
	target, body := server.URL, io.Reader(nil)
	if method == http.MethodPost {
		body = strings.NewReader(`{"query":"subscription { logsTail { events { eventMessage } } }"}`)
	} else {
		target += "?query=" + url.QueryEscape("subscription { logsTail { events { eventMessage } } }")
	}
	request, err := http.NewRequestWithContext(t.Context(), method, target, body)
	require.NoError(t, err)
	request.Header = http.Header{"Accept": {accepted}, "X-Api-Key": {tailSecret}, "Content-Type": {"application/json"}}
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// A subscription is streamed to every client that accepts it, even if it prefers a single
// response.
func TestEventsBesideOtherMediaTypes(t *testing.T) {
	t.Parallel()
	for accepted, contentType := range map[string]string{
		"text/event-stream":                         "text/event-stream; charset=utf-8",
		"text/event-stream, */*":                    "text/event-stream; charset=utf-8",
		"application/json, text/event-stream;q=0.1": "text/event-stream; charset=utf-8",
		"application/json, text/event-stream;q=0":   "application/json; charset=utf-8",
		"*/*": "application/json; charset=utf-8",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			response := follow(t, newStreamServer(t), method, accepted)
			assert.Equal(t, contentType, response.Header.Get("Content-Type"), "%s with Accept: %s", method, accepted)
		}
	}
	response := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodGet, "/?query="+url.QueryEscape("{ endpoints { name } }"), nil)
	request.Header.Set("Accept", "text/event-stream, */*")
	newHandler(t, runnerReturning(t), silent()).ServeHTTP(response, request)
	assert.Equal(t, "application/json; charset=utf-8", response.Header().Get("Content-Type"), "a query has a single response")
}

// The response to HEAD ends, so that the connection can be used for the next request.
func TestEventsForHead(t *testing.T) {
	t.Parallel()
	server := newStreamServer(t)
	assert.Equal(t, http.StatusOK, follow(t, server, http.MethodHead, "text/event-stream").StatusCode)
	assert.Zero(t, server.tail.open.load(), "nobody follows the logs")
}

// A shutdown does not wait for a client that has stopped reading.
func TestStalledClientAtShutdown(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(*testing.T, *streamServer){
		"sse": func(t *testing.T, server *streamServer) {
			t.Helper()
			follow(t, server, http.MethodPost, "text/event-stream")
		},
		"ws": func(t *testing.T, server *streamServer) {
			t.Helper()
			conn := connect(t, server)
			require.Equal(t, ackMessage, say(t, conn, initMessage))
			require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"subscribe","id":"1","payload":{"query":"subscription { logsTail { events { eventMessage } } }"}}`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newStreamServer(t, func(config *graphqlhttp.Config) {
				config.Streams.Timing.KeepAlive = time.Hour
				config.Streams.Timing.FinalWrite = time.Millisecond
			})
			connect(t, server)
			message := strings.Repeat("x", 16<<20) // more than the buffers of a connection hold
			server.send(graph.TailedEvent{ID: "e1", EventMessage: &message})
			server.send(graph.TailedEvent{ID: "e2"}) // it is taken while the first one is written
			require.Equal(t, 1, server.serving.load())
			server.stop()
			server.serving.waitForZero()
		})
	}
}
