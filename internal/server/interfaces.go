package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"savedq/graph"
	"savedq/internal/api/describe"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/mcp"
	"savedq/internal/api/openapi"
	"savedq/internal/api/rest"
	"savedq/internal/auth"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// interfaces are all that depends on the saved queries of one catalog: a request that is
// served by them sees no half of a change. They are immutable.
type interfaces struct {
	catalog *catalog.Catalog
	// scoped runs the saved queries within the scope of the caller's token.
	scoped  *auth.Runner
	rest    http.Handler
	graphQL http.Handler
	openAPI http.Handler
	mcp     http.Handler
	explore http.Handler
	// clickHouse serves SQL to clients of ClickHouse.
	clickHouse http.Handler
	// boundSDL is the schema for callers with bound parameters.
	sdl, boundSDL string
}

// buildFirst builds the interfaces of the saved queries that the server starts with.
func (s *Server) buildFirst(context.Context) error {
	s.openStreams()
	first, err := s.build(s.current.Load().catalog)
	if err != nil {
		return err
	}
	s.current.Store(first)
	s.succeed()
	return nil
}

// build returns the interfaces of a version. Saved queries run within the scope of the
// caller's token and are recorded for the request log.
func (s *Server) build(current *catalog.Catalog) (*interfaces, error) {
	logger := s.config.Logger
	scoped := auth.NewRunner(s.tracing.Runner(s.runner), s.runner, current, logger).WithUsage(s.ledger).WithRuns(s.runs)
	schema, err := graph.NewSchema(current)
	if err != nil {
		return nil, err
	}
	boundSchema, err := graph.NewBoundSchema(current)
	if err != nil {
		return nil, err
	}
	s.built++
	config := s.config.GraphQL
	config.Runner, config.Schema, config.BoundSchema, config.Bound, config.Logger = scoped.Via("graphql"), schema, boundSchema, auth.Bound, logger
	config.Version = strconv.Itoa(s.built)
	config.Viewer = func(ctx context.Context) graph.Viewer {
		viewer := viewerOf(ctx)
		viewer.Budget, viewer.ManageTokens = budgetOf(scoped.Spending(ctx)), s.managesTokens(ctx)
		return viewer
	}
	config.Catalog, config.Persisted, config.Streams = s.catalogState, s.persisted, s.streams
	if s.engine.Ingest != nil {
		config.Tail = s.follow
	}
	if s.config.TrustedDocuments != "" {
		if config.Trusted, err = s.trustedDocuments(schema, boundSchema); err != nil {
			return nil, err
		}
	}
	return &interfaces{
		explore:    s.explorer(current.Tables(), scoped.Via("explore")).handler(),
		clickHouse: s.explorer(current.Tables(), scoped.Via("clickhouse")).clickHouse(),
		catalog:    current,
		scoped:     scoped,
		rest:       rest.NewHandler(scoped.Via("rest"), func(ctx context.Context) describe.Bound { return auth.BoundValues(ctx) }, logger),
		graphQL:    graphqlhttp.NewHandler(config),
		openAPI:    openapi.NewHandler(scoped.Queries, s.described, s.config.Version, s.errors),
		mcp: mcp.NewServer(mcp.Config{
			Runner: scoped.Via("mcp"), Queries: current.Queries(), Tables: current.Tables(), Caller: toolCaller,
			Explorer: s.explorer(current.Tables(), scoped.Via("mcp")).tool(),
			Version:  s.config.Version, Errors: s.errors, Logger: slog.New(slog.DiscardHandler),
		}),
		sdl:      schema.SDL(),
		boundSDL: boundSchema.SDL(),
	}, nil
}

// explorer returns what runs SQL of callers over tables.
func (s *Server) explorer(tables sqlq.Tables, scoped *auth.Runner) *explorer {
	return &explorer{server: s, tables: tables, scoped: scoped}
}

// trustedDocuments returns the only documents that are run. Those of callers with signed tokens
// omit what is bound.
func (s *Server) trustedDocuments(schema, boundSchema *graph.Schema) (*graphqlhttp.TrustedDocuments, error) {
	if s.access.signed != nil {
		schema = boundSchema
	}
	trusted, err := graphqlhttp.ReadTrustedDocuments(s.config.TrustedDocuments, s.config.GraphQL.Limits, schema)
	if err != nil {
		return nil, fmt.Errorf("--trusted-documents: %w", err)
	}
	return trusted, nil
}

// toolCaller returns what the caller of a request may use of tools. The tables are of all saved
// queries, so they are for tokens without limits.
func toolCaller(ctx context.Context) mcp.Caller {
	token, _ := auth.FromContext(ctx)
	return mcp.Caller{Bound: auth.BoundValues(ctx), Sandbox: token.Sandbox, Tables: auth.Unlimited(ctx), Explore: auth.Explores(ctx)}
}

// described returns what the OpenAPI document of the caller of a request has.
func (s *Server) described(ctx context.Context) openapi.Caller {
	return openapi.Caller{
		Ingest: s.writer != nil && auth.Ingests(ctx), Sources: s.tables().Sources(), Usage: auth.HasFullAccess(ctx), Tokens: s.managesTokens(ctx), Explore: auth.Explores(ctx), Bound: auth.BoundValues(ctx), BasePath: s.config.BasePath,
		Alerts: auth.ManagesAlerts(ctx), Develops: s.writesFolders(ctx),
	}
}
