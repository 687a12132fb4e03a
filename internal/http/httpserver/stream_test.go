package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/auth"
	"savedq/internal/http/httpserver"
	"savedq/resolvers"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// hourly is a reader that has an event every hour.
type hourly struct{}

func (hourly) Close() {}

func (hourly) Next(ctx context.Context, _ int) ([]graph.TailedEvent, int, error) {
	select {
	case <-time.After(time.Hour):
		return []graph.TailedEvent{{ID: "e", Source: "edge_logs"}}, 0, nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

// A stream outlives the time limits of requests, and ends when the server drains.
func TestServeStreams(t *testing.T) {
	t.Parallel()
	const body = `{"query":"subscription { logsTail { events { id } } }"}`
	for name, request := range map[string]string{
		"GET":  "GET /graphql?query=subscription%7BlogsTail%7Bevents%7Bid%7D%7D%7D HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n",
		"POST": "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 55\r\n\r\n" + body,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				stopping, endStreams := context.WithCancel(t.Context())
				served := ""
				handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
					config.GraphQL = streaming(stopping, t)
					config.Served = func(servedBy string, _ int, _ time.Duration) { served = servedBy }
				})
				ctx, stop := context.WithCancel(t.Context())
				listener, limits := newPipes(), limits()
				limits.OnDrain = endStreams
				done := make(chan error, 1)
				go func() { done <- httpserver.Serve(ctx, listener, handler, limits, slog.New(slog.DiscardHandler)) }()
				client := listener.dial()
				_, err := io.WriteString(client, request)
				require.NoError(t, err)
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, response.StatusCode)
				assert.Equal(t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))
				lines := bufio.NewScanner(response.Body)
				began, comments, events := time.Now(), 0, 0
				for events < 4 && lines.Scan() {
					switch {
					case lines.Text() == ":":
						comments++
					case strings.HasPrefix(lines.Text(), "data: "):
						events++
					}
				}
				require.Equal(t, 4, events, "the stream ended after %s", time.Since(began))
				assert.Equal(t, 3*time.Hour, time.Since(began))
				assert.InDelta(t, 3*time.Hour/(15*time.Second), comments, 4)
				stop()
				for lines.Scan() {
					assert.NotContains(t, lines.Text(), "complete", "the client connects again")
				}
				require.NoError(t, <-done)
				assert.Less(t, time.Since(began), 3*time.Hour+time.Second, "draining does not wait for streams")
				assert.Equal(t, "stream", served, "its duration is not that of a query")
				require.NoError(t, client.Close())
			})
		})
	}
}

// streaming returns a GraphQL handler with logs to follow.
func streaming(stopping context.Context, t *testing.T) http.Handler {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	schema := graphtest.ShippedSchema(t)
	sessions := &auth.Sessions{Clock: time.Now, Logger: logger}
	catalog := graphtest.Shipped(t)
	return graphqlhttp.NewHandler(graphqlhttp.Config{
		Runner: runner.New(sqlqtest.Config(catalog, &sqlqtest.FakeEngine{}, time.Now)), Schema: schema, Logger: logger,
		BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits(),
		Tail: func(context.Context, resolvers.TailFilter) (resolvers.TailReader, error) { return hourly{}, nil },
		Streams: graphqlhttp.Streams{
			Open: func(ctx context.Context, header http.Header, token string) (graphqlhttp.Session, error) {
				return sessions.Open(ctx, header, token)
			},
			Stopping: stopping, Clock: time.Now,
		},
	})
}

// The server waits for WebSockets, which take over their connection.
func TestServeDrainsHijackedConnections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes, want time.Duration
		err         string
	}{
		"one that ends":           {takes: 20 * time.Second, want: 20 * time.Second},
		"one that must be ended":  {takes: 37 * time.Second, want: 37 * time.Second},
		"one that does not end":   {takes: time.Hour, want: 40 * time.Second, err: "drain: context deadline exceeded"},
		"one that ends instantly": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				listener, hijacked := newPipes(), make(chan struct{})
				done := serve(ctx, listener, func(w http.ResponseWriter, r *http.Request) {
					connection, _, err := http.NewResponseController(w).Hijack()
					assert.NoError(t, err)
					close(hijacked)
					<-ctx.Done()
					time.Sleep(test.takes)
					assert.Equal(t, test.takes > 35*time.Second, r.Context().Err() != nil, "requests are cancelled when the drain limit is reached")
					assert.NoError(t, connection.Close())
				})
				client := listener.dial()
				_, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				require.NoError(t, err)
				<-hijacked
				began := time.Now()
				stop()
				err = <-done
				assert.Equal(t, test.want, time.Since(began))
				if test.err == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, test.err)
				}
				time.Sleep(test.takes) // the handler ends, too
				require.NoError(t, client.Close())
			})
		})
	}
}
