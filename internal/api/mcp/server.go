// Package mcp serves saved queries as tools over the Model Context Protocol (D45). It derives tools,
// their schemas and their documentation from the saved queries.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/api/describe"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Path is the path of the server over HTTP.
const Path = "/mcp"

// maxBodyBytes is the maximum size of a request body, as for REST.
const maxBodyBytes = 1 << 20

// instructions describe the server to models.
const instructions = "Each tool runs a saved analytics query and returns its rows. " +
	"The description of a tool says what its columns mean, and the resources have the SQL and the tables. " +
	"If there is a tool " + sqlq.DescribeTool + ", it has them, too. " +
	"A result has at most 200 rows, and about 64 KiB; if it is truncated, its note says how to get more."

// Runner runs saved queries; [*runner.Runner] is one.
type Runner interface {
	// Find returns the saved query that has a name. The error is what the caller gets if there is
	// none that the caller may see.
	Find(ctx context.Context, endpoint string) (*sqlq.SavedQuery, error)
	Run(ctx context.Context, request runner.Request) (*runner.Response, error)
	// Queries returns the saved queries that the caller may run, by name.
	Queries(ctx context.Context) []*sqlq.SavedQuery
}

var _ Runner = (*runner.Runner)(nil)

// Caller says what a caller may use of the saved queries.
type Caller struct {
	// Bound limits parameters; nil limits none.
	Bound describe.Bound
	// Sandbox reports whether the caller may send SQL (D40).
	Sandbox bool
	// Tables reports whether the caller may see which tables there are.
	Tables bool
	// Explore reports whether the caller may run any SELECT over the tables.
	Explore bool
}

// Config configures a [Server]. Every field is required.
type Config struct {
	Runner Runner
	// Queries are all saved queries, and Tables those that they can read.
	Queries []*sqlq.SavedQuery
	Tables  sqlq.Tables
	// Explorer runs SQL of callers that may explore.
	Explorer Explorer
	// Caller returns what the caller of a request may use.
	Caller  func(ctx context.Context) Caller
	Version string
	Errors  *httperror.Writer
	Logger  *slog.Logger
}

// Server serves the saved queries of one catalog.
type Server struct {
	config Config
	// byTool has the saved queries that are tools.
	byTool map[string]*sqlq.SavedQuery
	sdk    *sdk.Server
	http   http.Handler
}

// NewServer returns a server.
func NewServer(config Config) *Server {
	s := &Server{config: config, byTool: make(map[string]*sqlq.SavedQuery)}
	for _, query := range config.Queries {
		if query.Tool != "" {
			s.byTool[query.Tool] = query
		}
	}
	s.sdk = newSDKServer(config.Version, config.Logger, s.handle)
	s.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBodyBytes, Logger: slog.New(slog.DiscardHandler),
		// The server checks hosts and origins itself: a proxy on this machine sends the name of its own host.
		DisableLocalhostProtection: true,
	})
	return s
}

// newSDKServer returns a server whose tools and resources handle serves. It returns nil for
// methods that it leaves to the SDK.
func newSDKServer(version string, logger *slog.Logger, handle func(ctx context.Context, request sdk.Request) (sdk.Result, error)) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "savedq", Title: "savedq", Version: version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		// The tools depend on the token.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		Logger:       logger,
	})
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
			if result, err := handle(ctx, request); result != nil || err != nil {
				return result, err
			}
			return next(ctx, method, request)
		}
	})
	return server
}

// handle serves tools and resources.
func (s *Server) handle(ctx context.Context, request sdk.Request) (sdk.Result, error) {
	ctx, end := untilCallerLeaves(ctx)
	defer end()
	switch request := request.(type) {
	case *sdk.ListToolsRequest:
		return s.listTools(ctx)
	case *sdk.CallToolRequest:
		result, refused := s.call(ctx, request.Params.Name, request.Params.Arguments)
		if refused != nil {
			return nil, refused
		}
		return result.in(request.ProtocolVersion()), nil
	case *sdk.ListResourcesRequest:
		return s.listResources(ctx), nil
	case *sdk.ReadResourceRequest:
		return s.readResource(ctx, request.Params.URI)
	}
	return nil, nil //nolint:nilnil // The SDK serves the other methods.
}

// ServeHTTP serves Streamable HTTP without sessions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		s.config.Errors.WriteMethodNotAllowed(w, r, http.MethodPost)
		return
	}
	var body bytes.Buffer
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	switch {
	case errors.Is(err, httpstatus.ErrSlowBody):
		s.config.Errors.Write(w, r, err)
		return
	case err != nil:
		r.Body = io.NopCloser(io.MultiReader(&body, failingReader{err})) // the SDK responds
	default:
		var call directCall
		if json.Unmarshal(body.Bytes(), &call) == nil { // else the SDK responds
			if name, fault := jsontext.WrongName(body.Bytes(), &call); fault != "" {
				s.config.Errors.Write(w, r, sqlq.ParamErrorf(name, "%s", fault))
				return
			}
			if s.serveCall(w, r, &call) {
				return
			}
		}
		r.Body = io.NopCloser(&body)
	}
	s.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, r.Context())))
}

// failingReader returns an error.
type failingReader struct{ err error }

// Read returns the error.
func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// callerKey is the key of the context that ends when the caller leaves, which the SDK does not
// pass on.
type callerKey struct{}

// untilCallerLeaves returns a context that ends when the caller leaves. The caller of this function
// must call end.
func untilCallerLeaves(ctx context.Context) (_ context.Context, end func()) {
	caller, found := ctx.Value(callerKey{}).(context.Context)
	if !found {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// ServeStdio serves one client over a reader and a writer until the reader or the context ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return serveStdio(ctx, s.sdk, in, out)
}

// serveStdio serves one client over a reader and a writer.
func serveStdio(ctx context.Context, server *sdk.Server, in io.Reader, out io.Writer) error {
	err := server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	if ctx.Err() != nil { // a signal is the usual end
		return nil //nolint:nilerr // The context ended the run.
	}
	return err
}

// unclosed is a writer that outlives the connection.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
