package graphqlhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/auth"
	"savedq/internal/http/origins"
	"savedq/resolvers"
	"savedq/sqlq"
)

// tailSecret is the token of a streaming server.
const tailSecret = "savedq_follow-the-logs"

// tailDocument subscribes to the logs.
const tailDocument = `subscription Tail($project: String) { logsTail(project: $project) { events { id timestamp source project eventMessage metadata } dropped } }`

// fakeTail passes events to the subscriptions of a streaming server.
type fakeTail struct {
	events chan []graph.TailedEvent
	// open counts the readers that are not closed.
	open *gauge
	// dropped is reported with all events.
	dropped int
}

func (f *fakeTail) follow(_ context.Context, filter resolvers.TailFilter) (resolvers.TailReader, error) {
	if filter.Project == "forbidden" {
		denied := sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this project")
		denied.Param = "project"
		return nil, denied
	}
	f.open.add(1)
	return &fakeReader{f}, nil
}

type fakeReader struct{ *fakeTail }

func (r *fakeReader) Next(ctx context.Context, _ int) ([]graph.TailedEvent, int, error) {
	select {
	case events := <-r.events:
		return events, r.dropped, nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

func (r *fakeReader) Close() { r.open.add(-1) }

// gauge counts what is open. Its waits have no timeout, because a busy machine can take any time.
type gauge struct {
	changed *sync.Cond
	count   int
}

func newGauge() *gauge { return &gauge{changed: sync.NewCond(new(sync.Mutex))} }

func (g *gauge) add(n int) {
	g.changed.L.Lock()
	defer g.changed.L.Unlock()
	g.count += n
	g.changed.Broadcast()
}

func (g *gauge) load() int {
	g.changed.L.Lock()
	defer g.changed.L.Unlock()
	return g.count
}

func (g *gauge) waitForZero() {
	g.changed.L.Lock()
	defer g.changed.L.Unlock()
	for g.count > 0 {
		g.changed.Wait()
	}
}

// streamServer is a server of subscriptions with a keyring.
type streamServer struct {
	*httptest.Server
	tail *fakeTail
	// serving counts the requests in flight.
	serving *gauge
	// revoke removes the token; narrow limits it.
	revoke, narrow func()
	// stop begins a shutdown.
	stop func()
}

// newStreamServer starts a server that requires tailSecret. The configuration can be changed.
func newStreamServer(t *testing.T, change ...func(*graphqlhttp.Config)) *streamServer {
	t.Helper()
	tail := &fakeTail{events: make(chan []graph.TailedEvent), open: newGauge()}
	token, withToken := auth.FullAccess("full"), true
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		if !withToken {
			return nil, nil
		}
		return []auth.Credential{{Token: token, Hash: auth.HashOf(tailSecret)}}, nil
	})
	require.NoError(t, err)
	sessions := &auth.Sessions{Keyring: keyring, Clock: time.Now, Logger: silent()}
	stopping, stop := context.WithCancel(context.Background())
	allowed, err := origins.Parse("https://*.example.com")
	require.NoError(t, err)
	config := newConfig(t, runnerReturning(t), silent())
	config.Tail = tail.follow
	config.Streams = graphqlhttp.Streams{
		Open: func(ctx context.Context, header http.Header, token string) (graphqlhttp.Session, error) {
			session, err := sessions.Open(ctx, header, token)
			if err != nil {
				return nil, err
			}
			return session, nil
		},
		Origins: allowed, Stopping: stopping, Clock: time.Now,
		Timing: graphqlhttp.StreamTiming{Check: 10 * time.Millisecond, KeepAlive: 20 * time.Millisecond},
	}
	for _, change := range change {
		change(&config)
	}
	handler := auth.Handler(graphqlhttp.NewHandler(config), auth.HandlerConfig{
		Keyring: keyring, Clock: time.Now, Logger: silent(), WriteError: graphqlhttp.ErrorWriter(silent()),
		Later: func(r *http.Request) bool { return r.Header.Get("Upgrade") == "websocket" },
	})
	serving := newGauge()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.add(1)
		defer serving.add(-1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		server.CloseClientConnections()
		tail.open.waitForZero()
	})
	return &streamServer{
		Server: server, tail: tail, serving: serving,
		revoke: func() {
			withToken = false
			assert.NoError(t, keyring.Reload())
		},
		narrow: func() {
			token.Projects = []string{"acme"}
			assert.NoError(t, keyring.Reload())
		},
		stop: stop,
	}
}

// send passes an event to a subscription, and returns when it has been taken.
func (s *streamServer) send(events ...graph.TailedEvent) { s.tail.events <- events }

// edgeEvent is an event with everything that JSON and event streams escape.
func edgeEvent() graph.TailedEvent {
	message, project := "GET | 200 |\r\n<\"é\u2028>", "acme"
	return graph.TailedEvent{
		ID: "e1", Timestamp: now, Source: "edge_logs", Project: &project, EventMessage: &message,
		Metadata: []byte("[{\"big\":12345678901234567890,\n\"html\":\"<&>\"}]"),
	}
}

// edgeEventJSON is the event as clients receive it.
const edgeEventJSON = `{"id":"e1","timestamp":"2026-11-20T10:00:00Z","source":"edge_logs","project":"acme","eventMessage":"GET | 200 |\r\n<\"é\u2028>","metadata":[{"big":12345678901234567890,"html":"<&>"}]}`

// A subscription needs a protocol with several results.
func TestSubscriptionWithoutStream(t *testing.T) {
	t.Parallel()
	response := post(t, newHandler(t, runnerReturning(t), silent()), tailDocument, "{}")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Equal(t, "a subscription has no single response; send the header Accept: text/event-stream, or use a WebSocket with the subprotocol graphql-transport-ws",
		errorsIn(t, response)[0].Message)
}

// The connection is authenticated again while it lasts.
func TestSessionsEndWithTheirTokens(t *testing.T) {
	t.Parallel()
	credentials := []auth.Credential{{Token: auth.Token{Name: "a", Expires: now.Add(time.Minute)}, Hash: auth.HashOf(tailSecret)}}
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) { return credentials, nil })
	require.NoError(t, err)
	current := now
	sessions := &auth.Sessions{Keyring: keyring, Clock: func() time.Time { return current }, Logger: silent()}
	_, err = sessions.Open(t.Context(), http.Header{}, "")
	require.ErrorContains(t, err, "a token is required")
	_, err = sessions.Open(t.Context(), http.Header{"X-Api-Key": {"wrong"}}, tailSecret)
	require.ErrorContains(t, err, "the token is not valid", "the header wins")
	session, err := sessions.Open(t.Context(), http.Header{}, tailSecret)
	require.NoError(t, err)
	require.NoError(t, session.Check(t.Context()))
	current = now.Add(time.Minute)
	require.ErrorContains(t, session.Check(t.Context()), "the token expired at")
	current = now
	unlimited := credentials[0].Token
	for _, limit := range []func(*auth.Token){
		func(token *auth.Token) { token.Projects = []string{"acme"} },
		func(token *auth.Token) { token.Rate = 1 },
		func(token *auth.Token) { token.Budget.Hour.Requests = 1 },
		func(token *auth.Token) { token.Refresh = true },
	} {
		credentials[0].Token = unlimited
		limit(&credentials[0].Token)
		require.NoError(t, keyring.Reload())
		require.ErrorContains(t, session.Check(t.Context()), "the limits of the token have changed; connect again")
	}
	credentials = nil
	require.NoError(t, keyring.Reload())
	failure := &sqlq.Error{}
	require.ErrorAs(t, session.Check(t.Context()), &failure)
	assert.Equal(t, sqlq.Unauthenticated, failure.Code)
}
