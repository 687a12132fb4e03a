package httpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/rest"
	"savedq/internal/http/httpserver"
	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// hangingServer returns a server whose queries hang until they are cancelled. It sends the
// status of each response to statuses.
func hangingServer(t *testing.T, statuses chan<- int) http.Handler {
	t.Helper()
	catalog := graphtest.Shipped(t)
	config := sqlqtest.Config(catalog, &sqlqtest.FakeEngine{RunFunc: func(ctx context.Context, _ sqlq.Statement) (*sqlq.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}, time.Now)
	config.QueryTimeout = time.Hour
	runner, logger := runner.New(config), slog.New(slog.DiscardHandler)
	return newServer(logger, func(config *httpserver.Config) {
		config.REST = rest.NewHandler(runner, nil, logger)
		config.GraphQL = graphqlhttp.NewHandler(graphqlhttp.Config{
			Runner: runner, Schema: graphtest.ShippedSchema(t), Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits(),
		})
		config.Served = func(_ string, status int, _ time.Duration) { statuses <- status }
	})
}

// A request that the server cancels at the end of the drain is UNAVAILABLE with
// Retry-After, because its client is still connected. A request whose client has
// disconnected is CANCELLED.
func TestDrainRespondsToCancelledRequests(t *testing.T) {
	t.Parallel()
	const graphQL = "/graphql?query=%7Blogs(project%3A%22acme%22)%7Bid%7D%7D"
	for path, test := range map[string]struct {
		status, disconnectedStatus int
		body                       string
	}{
		"/api/endpoints/logs.all?project=acme": {
			http.StatusServiceUnavailable, 499, `{"error":{"code":"UNAVAILABLE","message":"the server is shutting down; try again"}}`,
		},
		graphQL: { // Field errors have the status 200.
			http.StatusOK, http.StatusOK,
			`{"errors":[{"message":"the server is shutting down; try again","path":["logs"],"locations":[{"line":1,"column":2}],"extensions":{"code":"UNAVAILABLE"}}],"data":null}`,
		},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				listener, statuses := newPipes(), make(chan int, 2)
				done := make(chan error, 1)
				server := hangingServer(t, statuses)
				go func() { done <- httpserver.Serve(ctx, listener, server, limits(), slog.New(slog.DiscardHandler)) }()
				send := func() net.Conn {
					client := listener.dial()
					_, err := fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
					require.NoError(t, err)
					synctest.Wait()
					return client
				}
				require.NoError(t, send().Close())
				assert.Equal(t, test.disconnectedStatus, <-statuses)
				client := send()
				stop()
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				require.NoError(t, err)
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				assert.Equal(t, test.status, response.StatusCode)
				assert.Equal(t, "1", response.Header.Get("Retry-After"))
				assert.Equal(t, test.body, string(body))
				require.NoError(t, client.Close())
				require.NoError(t, <-done)
			})
		})
	}
}
