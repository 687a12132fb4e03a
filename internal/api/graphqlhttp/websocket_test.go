package graphqlhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
	"savedq/sqlq/runner"
)

// dial opens a WebSocket. Headers are alternating names and values.
func dial(t *testing.T, server *streamServer, protocol string, headers ...string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	header := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	options := &websocket.DialOptions{HTTPHeader: header}
	if protocol != "" {
		options.Subprotocols = []string{protocol}
	}
	conn, response, err := websocket.Dial(t.Context(), strings.Replace(server.URL, "http", "ws", 1)+"/graphql", options)
	if err == nil {
		t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, response, err
}

// connect opens a WebSocket of the protocol.
func connect(t *testing.T, server *streamServer, headers ...string) *websocket.Conn {
	t.Helper()
	conn, _, err := dial(t, server, "graphql-transport-ws", headers...)
	require.NoError(t, err)
	return conn
}

// say sends messages and returns the next one of the server, or the close code and reason.
func say(t *testing.T, conn *websocket.Conn, messages ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, message := range messages {
		require.NoError(t, conn.Write(ctx, websocket.MessageText, []byte(message)))
	}
	_, text, err := conn.Read(ctx)
	closed := websocket.CloseError{}
	if assert.ErrorAs(t, nilIsClose(err), &closed) && err != nil {
		return fmt.Sprintf("%d %s", closed.Code, closed.Reason)
	}
	return string(text)
}

// nilIsClose lets ErrorAs pass for no error.
func nilIsClose(err error) error {
	if err == nil {
		return websocket.CloseError{}
	}
	return err
}

const (
	initMessage = `{"type":"connection_init","payload":{"token":"` + tailSecret + `"}}`
	ackMessage  = `{"type":"connection_ack"}`
)

func subscribeMessage(id string) string {
	return fmt.Sprintf(`{"type":"subscribe","id":%q,"payload":{"query":"subscription { logsTail { dropped } }"}}`, id)
}

// The rules of graphql-transport-ws.
func TestWebSocketProtocol(t *testing.T) {
	t.Parallel()
	const next = `{"type":"next","id":"1","payload":{"data":{"logsTail":{"dropped":0}}}}`
	tests := map[string]struct {
		messages []string
		want     string
	}{
		"init":                              {[]string{initMessage}, ackMessage},
		"init with a header's name":         {[]string{`{"type":"connection_init","payload":{"Authorization":"Bearer ` + tailSecret + `"}}`}, ackMessage},
		"init with the other header's name": {[]string{`{"type":"connection_init","payload":{"X-API-KEY":"` + tailSecret + `"}}`}, ackMessage},
		"init without a token":              {[]string{`{"type":"connection_init"}`}, `4401 Unauthorized: a token is required; send {"token": "…"} as the payload of connection_init`},
		"init with a wrong token":           {[]string{`{"type":"connection_init","payload":{"token":"x"}}`}, "4401 Unauthorized: the token is not valid; check that all of it is sent"},
		"init with a wrong payload":         {[]string{`{"type":"connection_init","payload":[]}`}, "4400 Invalid message: the payload of connection_init must be an object"},
		"init twice":                        {[]string{initMessage, initMessage}, "4429 Too many initialisation requests"},
		"ping before init":                  {[]string{`{"type":"ping","payload":{"a":1}}`}, `{"type":"pong","payload":{"a":1}}`},
		"subscribe before init":             {[]string{subscribeMessage("1")}, "4401 Unauthorized: send connection_init first"},
		"subscribe":                         {[]string{initMessage, subscribeMessage("1")}, next},
		"subscribe twice with an id":        {[]string{initMessage, subscribeMessage("1"), subscribeMessage("1")}, "4409 Subscriber for 1 already exists"},
		"subscribe without an id":           {[]string{initMessage, subscribeMessage("")}, "4400 Invalid message: subscribe needs an id"},
		"subscribe without a document":      {[]string{initMessage, `{"type":"subscribe","id":"1","payload":{}}`}, `{"type":"error","id":"1","payload":[{"message":"query: is required; send a GraphQL document such as { endpoints { name } }","extensions":{"code":"INVALID_ARGUMENT"}}]}`},
		"subscribe with a wrong payload":    {[]string{initMessage, `{"type":"subscribe","id":"1","payload":{"query":1}}`}, "4400 Invalid message: payload.query: must be a string"},
		"subscribe without a payload":       {[]string{initMessage, `{"type":"subscribe","id":"1"}`}, "4400 Invalid message: payload: must be a JSON object"},
		"subscribe with a text":             {[]string{initMessage, `{"type":"subscribe","id":"1","payload":"{__typename}"}`}, "4400 Invalid message: payload: must be a JSON object"},
		"subscribe with wrong variables":    {[]string{initMessage, `{"type":"subscribe","id":"1","payload":{"query":"{__typename}","variables":[]}}`}, "4400 Invalid message: payload.variables: must be a JSON object"},
		"subscribe with a wrong hash":       {[]string{initMessage, `{"type":"subscribe","id":"1","payload":{"extensions":{"persistedQuery":1}}}`}, "4400 Invalid message: extensions.persistedQuery: must be an object such as {\"version\":1,\"sha256Hash\":\"<64 hexadecimal digits>\"}"},
		"subscribe with two queries":        {[]string{initMessage, `{"type":"subscribe","id":"1","payload":{"query":"{__typename}","query":"{__typename}"}}`}, "4400 Invalid message: query: is given twice in one object of the request's JSON; give it once"},
		"two tokens":                        {[]string{`{"type":"connection_init","payload":{"token":"a","token":"b"}}`}, "4400 Invalid message: the payload of connection_init must be an object"},
		"a type in capitals":                {[]string{`{"Type":"connection_init"}`}, "4400 Invalid message: Type: is not known; write type"},
		"another type":                      {[]string{`{"type":"start"}`}, "4400 Invalid message: the type is not one of connection_init, ping, pong, subscribe, complete"},
		"no JSON":                           {[]string{`{`}, "4400 Invalid message: it must be a JSON object with the field type"},
		"complete what is unknown":          {[]string{initMessage, `{"type":"complete","id":"9"}`, `{"type":"pong"}`, `{"type":"ping"}`}, `{"type":"pong"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, newStreamServer(t))
			got := say(t, conn, test.messages...)
			for got != test.want && (got == ackMessage || got == next) {
				got = say(t, conn)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestWebSocketWithTheTokenInAHeader(t *testing.T) {
	t.Parallel()
	server := newStreamServer(t)
	assert.Equal(t, ackMessage, say(t, connect(t, server, "X-API-KEY", tailSecret), `{"type":"connection_init"}`))
	_, response, err := dial(t, server, "graphql-transport-ws", "X-API-KEY", "wrong")
	require.Error(t, err)
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
}

func TestWebSocketInitTimeout(t *testing.T) {
	t.Parallel()
	server := newStreamServer(t, func(config *graphqlhttp.Config) { config.Streams.Timing.Init = 10 * time.Millisecond })
	assert.Equal(t, "4408 Connection initialisation timeout", say(t, connect(t, server)))
}

func TestWebSocketWithoutTheProtocol(t *testing.T) {
	t.Parallel()
	server := newStreamServer(t)
	for _, protocol := range []string{"", "graphql-ws"} {
		conn, _, err := dial(t, server, protocol)
		require.NoError(t, err)
		assert.Equal(t, "4406 Subprotocol not acceptable; use graphql-transport-ws", say(t, conn))
	}
}

// A page of another site must not open a WebSocket with what the browser can reach (cross-site
// WebSocket hijacking).
func TestWebSocketOrigins(t *testing.T) {
	t.Parallel()
	server := newStreamServer(t)
	for origin, allowed := range map[string]bool{
		server.URL:                            true,
		"https" + server.URL[4:]:              true, // a proxy ends TLS
		"https://app.example.com":             true,
		"https://example.org":                 false,
		"https://app.example.com.evil.test":   false,
		"http://127.0.0.1":                    false,
		"null":                                false,
		server.URL + ".evil.test":             false,
		"https://evil.test/" + server.URL[7:]: false,
	} {
		conn, response, err := dial(t, server, "graphql-transport-ws", "Origin", origin)
		if allowed {
			require.NoError(t, err, origin)
			assert.Equal(t, ackMessage, say(t, conn, initMessage), origin)
			continue
		}
		require.Error(t, err, origin)
		assert.Equal(t, http.StatusForbidden, response.StatusCode, origin)
	}
}

// A connection runs a bounded number of operations. One that is completed makes room.
func TestWebSocketOperationsAreBounded(t *testing.T) {
	t.Parallel()
	server := newStreamServer(t)
	conn := connect(t, server)
	require.Equal(t, ackMessage, say(t, conn, initMessage))
	for i := range 20 {
		require.Contains(t, say(t, conn, subscribeMessage(strconv.Itoa(i))), `"type":"next"`)
	}
	assert.Equal(t, `{"type":"error","id":"20","payload":[{"message":"the connection runs 20 operations already, the most that it can","extensions":{"code":"RESOURCE_EXHAUSTED"}}]}`,
		say(t, conn, subscribeMessage("20")))
	assert.Contains(t, say(t, conn, `{"type":"complete","id":"7"}`, subscribeMessage("20")), `"type":"next"`)
}

// A message is as long as a body may be.
func TestWebSocketMessagesAreBounded(t *testing.T) {
	t.Parallel()
	conn := connect(t, newStreamServer(t))
	require.Equal(t, ackMessage, say(t, conn, initMessage))
	assert.Contains(t, say(t, conn, `{"type":"ping","payload":{"a":"`+strings.Repeat("x", graphqlhttp.DefaultBodyBytes)+`"}}`), "1009")
}

// A client may use an id again once its operation has ended.
func TestWebSocketIdsCanBeUsedAgain(t *testing.T) {
	t.Parallel()
	const invalid = `{"type":"subscribe","id":"1","payload":{"query":"{ nothing }"}}`
	conn := connect(t, newStreamServer(t))
	require.Equal(t, ackMessage, say(t, conn, initMessage))
	for range 50 {
		require.Contains(t, say(t, conn, subscribeMessage("1")), `"type":"next"`)
		require.Contains(t, say(t, conn, `{"type":"complete","id":"1"}`, subscribeMessage("1")), `"type":"next"`, "it was completed")
		require.Contains(t, say(t, conn, `{"type":"complete","id":"1"}`, invalid), `"type":"error"`)
		require.Contains(t, say(t, conn, invalid), `"type":"error"`, "it has failed")
	}
}

// When the server shuts down, queries finish, and clients are told to connect again.
func TestWebSocketAtShutdown(t *testing.T) {
	t.Parallel()
	started, finish := make(chan struct{}), make(chan struct{})
	server := newStreamServer(t, func(config *graphqlhttp.Config) {
		inner := config.Runner
		config.Runner = waitingRunner{inner, func() {
			close(started)
			<-finish
		}}
	})
	before, querying := connect(t, server), connect(t, server)
	require.Equal(t, ackMessage, say(t, querying, initMessage))
	require.NoError(t, querying.Write(t.Context(), websocket.MessageText,
		[]byte(`{"type":"subscribe","id":"1","payload":{"query":"{ logs(project: \"p\") { id } }"}}`)))
	<-started
	server.stop()
	assert.Equal(t, "1001 The server is shutting down", say(t, before), "a connection without connection_init")
	close(finish)
	assert.Contains(t, say(t, querying), `{"type":"next","id":"1"`)
	assert.Equal(t, `{"type":"complete","id":"1"}`, say(t, querying))
	assert.Equal(t, "1001 The server is shutting down", say(t, querying))
}

// waitingRunner calls wait before it runs a saved query.
type waitingRunner struct {
	graphqlhttp.Runner

	wait func()
}

func (w waitingRunner) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	w.wait()
	return w.Runner.Run(ctx, request)
}

// An operation runs on the saved queries of when it starts, not of when the WebSocket was
// opened.
func TestWebSocketUsesTheCurrentHandler(t *testing.T) {
	t.Parallel()
	var current atomic.Pointer[http.Handler]
	server := newStreamServer(t, func(config *graphqlhttp.Config) {
		config.Streams.Current = func() http.Handler { return *current.Load() }
	})
	replace := func(depth int) {
		config := newConfig(t, runnerReturning(t), silent())
		config.Limits.Depth = depth
		replaced := graphqlhttp.NewHandler(config)
		current.Store(&replaced)
	}
	conn := connect(t, server)
	require.Equal(t, ackMessage, say(t, conn, initMessage))
	const query = `{"type":"subscribe","id":"1","payload":{"query":"{ endpoints { name } }"}}`
	replace(1)
	assert.Contains(t, say(t, conn, query), "at most 1 are allowed")
	replace(2)
	assert.Contains(t, say(t, conn, query), `{"type":"next","id":"1"`)
}
