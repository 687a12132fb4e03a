package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/http/outgoing"
)

// Remote is a running server whose tools are served to a client that only speaks over standard
// input and output.
type Remote struct {
	// URL is the address of the server, such as http://127.0.0.1:8080, and Token is sent with each
	// request, unless it is empty.
	URL, Token string
	Transport  http.RoundTripper
	Version    string
	Logger     *slog.Logger
}

// ServeStdio serves the tools and resources of the server to one client until the reader or the
// context ends.
func (r *Remote) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "savedq", Version: r.Version}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: strings.TrimSuffix(r.URL, "/") + Path, HTTPClient: &http.Client{Transport: &tokenTransport{r}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return fmt.Errorf("connect to %s: %w; check the URL and the token in the variable SAVEDQ_TOKEN", r.URL, err)
	}
	defer func() { _ = session.Close() }()
	return serveStdio(ctx, newSDKServer(r.Version, r.Logger, func(ctx context.Context, request sdk.Request) (sdk.Result, error) {
		result, err := forward(ctx, session, request)
		if said := new(jsonrpc.Error); errors.As(err, &said) {
			return nil, said // without what the SDK adds of its way here
		}
		return result, err
	}), in, out)
}

// forward sends a request to the server.
func forward(ctx context.Context, session *sdk.ClientSession, request sdk.Request) (sdk.Result, error) {
	switch request := request.(type) {
	case *sdk.ListToolsRequest:
		return session.ListTools(ctx, request.Params)
	case *sdk.CallToolRequest:
		result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: request.Params.Name, Arguments: request.Params.Arguments})
		if err != nil {
			return nil, err
		}
		return unchanged(result, request.ProtocolVersion()), nil
	case *sdk.ListResourcesRequest:
		return session.ListResources(ctx, request.Params)
	case *sdk.ReadResourceRequest:
		return session.ReadResource(ctx, request.Params)
	}
	return nil, nil //nolint:nilnil // The SDK serves the other methods.
}

// unchanged returns a result of the server with all digits of its numbers, which the text has and
// the decoded object does not.
func unchanged(result *sdk.CallToolResult, version string) sdk.Result {
	if len(result.Content) != 1 {
		return result
	}
	content, isText := result.Content[0].(*sdk.TextContent)
	if !isText {
		return result
	}
	text, err := json.Marshal(content.Text)
	if err != nil {
		return result
	}
	var structured []byte
	if result.StructuredContent != nil {
		structured = []byte(content.Text)
	}
	return newResult(text, structured, result.IsError).in(version)
}

// tokenTransport sends the token with each request.
type tokenTransport struct{ remote *Remote }

// RoundTrip implements [http.RoundTripper].
func (t *tokenTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	outgoing.Identify(request)
	if t.remote.Token != "" {
		request.Header.Set("X-API-KEY", t.remote.Token) //nolint:canonicalheader // As the documents write it.
	}
	return t.remote.Transport.RoundTrip(request)
}
