package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/internal/auth"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/tail"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// contextOf returns the context of a request with a token.
func contextOf(t *testing.T, token auth.Token) context.Context {
	t.Helper()
	const secret = "savedq_secret"
	token.Name = "test"
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: token, Hash: auth.HashOf(secret)}}, nil
	})
	require.NoError(t, err)
	sessions := &auth.Sessions{Keyring: keyring, Clock: time.Now, Logger: slog.New(slog.DiscardHandler)}
	session, err := sessions.Open(t.Context(), http.Header{}, secret)
	require.NoError(t, err)
	return session.Context(t.Context())
}

// tailing returns a server with the shipped log sources.
func tailing(t *testing.T, hub *tail.Hub) *Server {
	t.Helper()
	server := &Server{hub: hub}
	server.current.Store(&interfaces{catalog: sqlqtest.Shipped(t, duckdbsql.Dialect{})})
	return server
}

func TestFollowRejects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token  auth.Token
		filter resolvers.TailFilter
		code   sqlq.Code
		want   string
	}{
		"an unknown source":   {auth.Token{}, resolvers.TailFilter{Source: "edge"}, sqlq.InvalidArgument, `source: "edge" is not a log source; the log sources are edge_logs (cloudflare.logs.prod), postgres_logs `},
		"a long filter":       {auth.Token{}, resolvers.TailFilter{Text: strings.Repeat("é", 257)}, sqlq.InvalidArgument, "filter: has more than 256 characters"},
		"a long project":      {auth.Token{}, resolvers.TailFilter{Project: strings.Repeat("é", 257)}, sqlq.InvalidArgument, "project: has more than 256 characters"},
		"another project":     {auth.Token{Projects: []string{"acme"}}, resolvers.TailFilter{Project: "globex"}, sqlq.PermissionDenied, "project: the token does not allow this project"},
		"a token for queries": {auth.Token{Endpoints: []string{"logs.all"}}, resolvers.TailFilter{}, sqlq.PermissionDenied, "the token is limited to certain saved queries, and so may not follow logs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tailing(t, tail.NewHub(tail.DefaultLimits())).follow(contextOf(t, test.token), test.filter)
			failure := sqlq.AsError(err)
			assert.Equal(t, test.code, failure.Code)
			assert.True(t, strings.HasPrefix(failure.PublicText(failure.Param), test.want), failure.PublicText(failure.Param))
		})
	}
	t.Run("no token", func(t *testing.T) {
		t.Parallel()
		_, err := tailing(t, tail.NewHub(tail.DefaultLimits())).follow(t.Context(), resolvers.TailFilter{})
		assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
	})
}

// A token that is limited to projects sees only their events.
func TestFollow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		token  auth.Token
		filter resolvers.TailFilter
		want   []string
	}{
		"everything":           {auth.Token{}, resolvers.TailFilter{}, []string{"a", "g", "s"}},
		"limited":              {auth.Token{Projects: []string{"acme"}}, resolvers.TailFilter{}, []string{"a"}},
		"limited and asked":    {auth.Token{Projects: []string{"acme"}}, resolvers.TailFilter{Project: "acme"}, []string{"a"}},
		"a project":            {auth.Token{}, resolvers.TailFilter{Project: "globex"}, []string{"g", "s"}},
		"a source":             {auth.Token{}, resolvers.TailFilter{Source: "storage_logs"}, []string{"s"}},
		"a source of a sender": {auth.Token{}, resolvers.TailFilter{Source: "cloudflare.logs.prod"}, []string{"a", "g"}},
		"a text":               {auth.Token{}, resolvers.TailFilter{Text: "Hello"}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				hub := tail.NewHub(tail.DefaultLimits())
				reader, err := tailing(t, hub).follow(contextOf(t, test.token), test.filter)
				require.NoError(t, err)
				defer reader.Close()
				hub.Publish(threeEvents())
				events, dropped, err := reader.Next(t.Context(), 10)
				require.NoError(t, err)
				assert.Zero(t, dropped)
				var ids []string
				for _, event := range events {
					ids = append(ids, event.EventID)
				}
				assert.Equal(t, test.want, ids)
			})
		})
	}
}

// threeEvents returns events of two projects and two sources.
func threeEvents() []logevent.Sourced {
	hello, acme, globex := "hello world", "acme", "globex"
	edge, _ := tables.Shipped().FindSource("edge_logs")
	storage, _ := tables.Shipped().FindSource("storage_logs")
	return []logevent.Sourced{
		{Source: edge, Event: logevent.Event{ID: "a", EventMessage: &hello, Project: &acme}},
		{Source: edge, Event: logevent.Event{ID: "g", Project: &globex}},
		{Source: storage, Event: logevent.Event{ID: "s", Timestamp: time.Unix(1, 0).UTC(), Metadata: []byte(`[{"project":"globex"}]`)}},
	}
}

func TestTailedEvent(t *testing.T) {
	t.Parallel()
	globex := "globex"
	assert.Equal(t, graph.TailedEvent{
		ID: "storage_logs:s", EventID: "s", Timestamp: time.Unix(1, 0).UTC(), Source: "storage_logs", Project: &globex, Metadata: []byte(`[{"project":"globex"}]`),
	}, tailedEvent(&threeEvents()[2]))
}
