package server

import (
	"context"
	"log/slog"
	"net/http"

	"savedq/internal/api/alerthttp"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/tokenhttp"
	"savedq/internal/api/usagehttp"
	"savedq/internal/api/viewerhttp"
	"savedq/internal/auth"
	"savedq/internal/http/causes"
	"savedq/internal/http/httpserver"
	"savedq/internal/observe/health"
	"savedq/internal/web"
)

// handlers returns the handlers of all paths. Each request reads the current interfaces once.
func (s *Server) handlers() httpserver.Config {
	return httpserver.Config{
		REST:         s.by(func(i *interfaces) http.Handler { return i.rest }),
		GraphQL:      s.by(func(i *interfaces) http.Handler { return i.graphQL }),
		OpenAPI:      s.by(func(i *interfaces) http.Handler { return i.openAPI }),
		MCP:          s.by(func(i *interfaces) http.Handler { return i.mcp }),
		Issuers:      s.issuers,
		SDL:          s.sdl,
		Ingest:       s.ingest(),
		Store:        s.maintenance(),
		Viewer:       viewerhttp.NewHandler(s.viewer, s.errors),
		Explore:      s.by(func(i *interfaces) http.Handler { return i.explore }),
		ClickHouse:   s.by(func(i *interfaces) http.Handler { return i.clickHouse }),
		Alerts:       alerthttp.NewHandler(s.alertsConfig()),
		Tokens:       tokenhttp.NewHandler(s.tokenPaths()),
		Usage:        usagehttp.NewHandler(usagehttp.Config{Report: s.ledger.Report, Clock: s.config.Clock, Errors: s.errors}),
		BasePath:     s.config.BasePath,
		Pages:        web.Handler(s.config.BasePath),
		PagePaths:    web.Paths(),
		NotFoundPage: web.NotFound(s.config.BasePath),
		Metrics: s.metrics.ScopedHandler(func(ctx context.Context) (endpoints []string, all bool) {
			return s.current.Load().scoped.VisibleMetrics(ctx)
		}),
		Alive:        health.Alive(),
		Ready:        s.readiness,
		Keyring:      s.access.keyring,
		Errors:       s.errors,
		GraphQLError: graphqlhttp.ErrorWriter(s.config.Logger),
		Origins:      s.config.Origins,
		MaxRequests:  s.config.MaxRequests,
		Served:       s.metrics.Served,
		Logger:       s.config.Logger,
		LogLimiter:   s.limiter,
		Clock:        s.config.Clock,
	}
}

// by serves requests by one of the current interfaces. With Dev, callers without limits see
// the causes of errors.
func (s *Server) by(choose func(*interfaces) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.config.Dev && auth.Unlimited(r.Context()) {
			r = r.WithContext(causes.Show(r.Context()))
		}
		choose(s.current.Load()).ServeHTTP(w, r)
	})
}

// sdl returns the published GraphQL schema for the caller of a request; nothing without introspection.
func (s *Server) sdl(ctx context.Context) string {
	switch {
	case s.config.GraphQL.WithoutIntrospection:
		return ""
	case auth.Bound(ctx):
		return s.current.Load().boundSDL
	}
	return s.current.Load().sdl
}

// issuers returns the issuers of signed tokens.
func (s *Server) issuers() []string {
	if s.access.signed == nil {
		return nil
	}
	return s.access.signed.Issuers()
}

// serveMetrics serves the metrics and the probes on a separate address until stop is
// called, so that they are available while the server drains.
func (s *Server) serveMetrics(ctx context.Context, config httpserver.Config) (stop func(), err error) {
	listener, err := httpserver.Listen(ctx, "--metrics-addr", s.config.MetricsAddress)
	if err != nil {
		return nil, err
	}
	s.config.Logger.InfoContext(ctx, "metrics and probes are served", slog.String("address", listener.Addr().String()))
	config.Metrics = s.metrics.Handler()
	limits := s.config.Limits
	limits.ShutdownDelay = 0 // it has already passed on the other address when stop is called
	return inBackground(context.WithoutCancel(ctx), func(ctx context.Context) {
		if err := httpserver.Serve(ctx, listener, httpserver.NewMetricsHandler(config, isLoopback(listener.Addr())), limits, s.config.Logger); err != nil {
			s.config.Logger.ErrorContext(ctx, "metrics are no longer served", slog.Any("error", err))
		}
	}), nil
}
