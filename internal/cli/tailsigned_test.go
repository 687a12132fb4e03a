package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/tail"
	"savedq/internal/observe/metrics"
	"savedq/resolvers"
)

// signedTail is a server whose signed tokens follow logs.
type signedTail struct {
	*httptest.Server
	hub *tail.Hub
	// later is how much later than the machine's the server's clock is.
	later atomic.Int64
	// deny puts a subject on the deny list.
	deny func(subject string)
}

const tailIssuer = "issuers:\n  - issuer: https://app.example.com\n    audience: savedq\n    algorithms: [HS256]\n    keys: secret\n" +
	"    bind: {project: project}\n    deny:\n      subjects: ["

func newSignedTail(t *testing.T) *signedTail {
	t.Helper()
	directory := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}
	write("secret", strings.Repeat("s", 32))
	write("jwt.yaml", tailIssuer+"nobody]\n")
	s := &signedTail{hub: tail.NewHub(tail.DefaultLimits())}
	clock := func() time.Time { return time.Now().Add(time.Duration(s.later.Load())) }
	r, logger := newReloads(t), slog.New(slog.DiscardHandler)
	command := &serveCommand{accessFlags: accessFlags{JWT: filepath.Join(directory, "jwt.yaml")}, MaxRequests: 100}
	term := &terminal{clock: clock, getenv: func(string) string { return "" }}
	allowed, err := command.openAccess("127.0.0.1:0", true, directory, r.live.known, term, logger)
	require.NoError(t, err)
	require.NoError(t, command.openSigned(&allowed, r.live.known, clock, logger))
	t.Cleanup(allowed.close)
	streams, stop := command.streams(&allowed, clock, logger)
	t.Cleanup(stop)
	streams.Timing.Check = time.Millisecond
	r.builder.streams, r.builder.signed = streams, true
	r.builder.tail = func(ctx context.Context, filter resolvers.TailFilter) (resolvers.TailReader, error) {
		return (&follower{s.hub}).follow(ctx, filter)
	}
	built, err := r.builder.build(r.live.current.Load().catalog)
	require.NoError(t, err)
	r.live.current.Store(built)
	counted := metrics.New(prometheus.NewRegistry(), built.catalog)
	s.Server = httptest.NewServer(httpserver.NewHandler(command.server(r.live, allowed, httperror.NewWriter(logger), counted, term, logger)))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	s.deny = func(subject string) {
		write("jwt.yaml", tailIssuer+subject+"]\n")
		allowed.reload(t.Context(), logger)
	}
	return s
}

// token returns a token for acme that is valid for an hour.
func (s *signedTail) token(t *testing.T) string {
	t.Helper()
	token, err := jwt.Sign([]byte(strings.Repeat("s", 32)), "", map[string]any{
		"iss": "https://app.example.com", "aud": "savedq", "sub": "user-1", "project": "acme", "exp": time.Now().Add(time.Hour).Unix(),
	})
	require.NoError(t, err)
	return token
}

// followed returns the next message of a subscription; an empty one after its end.
type followed func() string

// overEvents subscribes with server-sent events.
func overEvents(t *testing.T, s *signedTail, document string) followed {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/graphql", strings.NewReader(string(body)))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+s.token(t))
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	lines := bufio.NewScanner(response.Body)
	return func() string {
		for lines.Scan() {
			if data, found := strings.CutPrefix(lines.Text(), "data: "); found && data != "" {
				return data
			}
		}
		assert.NoError(t, lines.Err())
		return ""
	}
}

// overWebSocket subscribes with a WebSocket.
func overWebSocket(t *testing.T, s *signedTail, document string) followed {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(s.URL, "http", "ws", 1)+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	send := func(message map[string]any) {
		text, err := json.Marshal(message)
		require.NoError(t, err)
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, text))
	}
	send(map[string]any{"type": "connection_init", "payload": map[string]string{"token": s.token(t)}})
	send(map[string]any{"type": "subscribe", "id": "1", "payload": map[string]string{"query": document}})
	return func() string {
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			_, text, err := conn.Read(ctx)
			cancel()
			closed := websocket.CloseError{}
			switch {
			case err == nil && strings.Contains(string(text), `"type":"connection_ack"`):
				continue
			case err == nil:
				return string(text)
			}
			require.ErrorAs(t, err, &closed)
			assert.Equal(t, websocket.StatusCode(4401), closed.Code)
			return closed.Reason
		}
	}
}

// A signed token follows the logs of its project only, and its streams end when it expires and
// when it is revoked.
func TestFollowWithSignedTokens(t *testing.T) {
	t.Parallel()
	for protocol, subscribe := range map[string]func(*testing.T, *signedTail, string) followed{
		"server-sent events": overEvents, "WebSocket": overWebSocket,
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			for name, test := range map[string]struct {
				end  func(*signedTail)
				want string
			}{
				"expires": {func(s *signedTail) { s.later.Store(int64(time.Hour + auth.ClockSkew + time.Second)) }, "the token expired at"},
				"revoked": {func(s *signedTail) { s.deny("user-1") }, "revoked"},
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := newSignedTail(t)
					next := subscribe(t, s, `subscription { logsTail { events { id project } dropped } }`)
					assert.Contains(t, next(), `{"data":{"logsTail":{"events":[],"dropped":0}}}`)
					s.hub.Publish(threeEvents())
					assert.Contains(t, next(), `{"data":{"logsTail":{"events":[{"id":"edge_logs:a","project":"acme"}],"dropped":0}}}`)
					test.end(s)
					last := next()
					assert.Contains(t, last, test.want)
					if protocol != "WebSocket" {
						assert.Contains(t, last, `"code":"UNAUTHENTICATED"`)
						assert.Empty(t, next(), "the stream has ended")
					}
				})
			}
			t.Run("other project", func(t *testing.T) {
				t.Parallel()
				refused := subscribe(t, newSignedTail(t), `subscription { logsTail(project: "globex") { events { id } } }`)()
				assert.Contains(t, refused, "the token does not allow this project")
				assert.Contains(t, refused, `"code":"PERMISSION_DENIED"`)
			})
		})
	}
}
