package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/mcp"
	"savedq/sqlq"
)

// overStdio returns a session over pipes, which serve serves.
func overStdio(t *testing.T, serve func(ctx context.Context, in io.Reader, out io.Writer) error) *sdk.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(t.Context(), in, out) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, session.Close())
		assert.NoError(t, <-ended)
	})
	return session
}

// Over standard input and output, a running server's tools and resources are the same.
func TestForwarded(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{{int64(9007199254740993)}}}, nil
	})
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	remote := &mcp.Remote{URL: server.URL + "/", Token: "acme", Transport: server.Client().Transport, Version: "test", Logger: slog.New(slog.DiscardHandler)}
	session := overStdio(t, remote.ServeStdio)

	direct, err := s.connect(t, "acme").ListTools(t.Context(), nil)
	require.NoError(t, err)
	forwarded, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, direct.Tools, forwarded.Tools)
	_, text := call(t, session, "many_rows", json.RawMessage(`{}`))
	assert.Contains(t, text, `{"rows":[{"n":9007199254740993}]`)
	result, text := call(t, session, "many_rows", map[string]any{"project": "globex"})
	assert.True(t, result.IsError)
	assert.Contains(t, text, "PERMISSION_DENIED")
	_, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "nosuch"})
	said := new(jsonrpc.Error)
	require.ErrorAs(t, err, &said)
	assert.Equal(t, `there is no tool "nosuch"; tools/list has the tools of your token`, said.Message)
	resources, err := session.ListResources(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, resources.Resources, 9)
	read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "savedq://queries/many.rows"})
	require.NoError(t, err)
	assert.Contains(t, read.Contents[0].Text, "# many.rows")
	assert.Contains(t, session.InitializeResult().Instructions, "saved analytics query")
}

// A wrong token or address is an error before the client is served.
func TestForwardedToNobody(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	for _, remote := range []*mcp.Remote{
		{URL: server.URL, Token: "wrong"},
		{URL: "http://127.0.0.1:1"},
	} {
		remote.Transport, remote.Logger = &http.Transport{DisableKeepAlives: true}, slog.New(slog.DiscardHandler)
		err := remote.ServeStdio(t.Context(), http.NoBody, io.Discard)
		require.ErrorContains(t, err, "check the URL and the token in the variable SAVEDQ_TOKEN")
	}
}
