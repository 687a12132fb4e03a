// Package httpserver serves the interfaces on one address. It provides routing, access
// control, request ids, request logging, limits and graceful shutdown.
package httpserver

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"savedq/internal/api/alerthttp"
	"savedq/internal/api/clickhousehttp"
	"savedq/internal/api/explorehttp"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/api/mcp"
	"savedq/internal/api/rest"
	"savedq/internal/api/storehttp"
	"savedq/internal/api/tokenhttp"
	"savedq/internal/api/usagehttp"
	"savedq/internal/api/viewerhttp"
	"savedq/internal/auth"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/internal/http/origins"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// Config configures the server.
type Config struct {
	// BasePath begins all paths of the server, such as /savedq; empty for none.
	BasePath string
	REST     http.Handler
	GraphQL  http.Handler
	// MCP serves the tools.
	MCP http.Handler
	// Issuers returns the issuers of signed tokens.
	Issuers func() []string
	// SDL returns the published GraphQL schema for the caller of a request; empty if it is not published.
	SDL func(ctx context.Context) string
	// Ingest serves the paths that receive log events.
	Ingest *ingesthttp.Handlers
	// Store serves the paths that maintain the store.
	Store http.Handler
	// Viewer serves what the token of a request allows.
	Viewer http.Handler
	// Explore serves SQL of callers over the tables.
	Explore http.Handler
	// ClickHouse serves SQL of callers to clients of ClickHouse.
	ClickHouse http.Handler
	// Alerts serves the states of alerts.
	Alerts http.Handler
	// Tokens lists, creates and revokes tokens.
	Tokens http.Handler
	// Usage serves what tokens used.
	Usage http.Handler
	// OpenAPI serves the description of the REST interface.
	OpenAPI http.Handler
	// Pages serves the browser pages on PagePaths, without a token: they load all data
	// through the interfaces. A path that ends in a slash, other than the root, matches
	// all paths below it.
	Pages     http.Handler
	PagePaths []string
	// NotFoundPage serves browsers on unknown paths, with the status 404. It is nil if
	// there are no pages.
	NotFoundPage http.Handler
	// Metrics serves the metrics. It is nil if they have a separate address.
	Metrics http.Handler
	// Alive and Ready serve probes, which carry no token.
	Alive, Ready http.Handler
	// Keyring holds the tokens that requests must present. If it is nil, the server
	// requires no token, but a Host header that names loopback.
	Keyring *auth.Keyring
	// Errors writes error responses, and GraphQLError those of GraphQL requests.
	Errors       *httperror.Writer
	GraphQLError func(w http.ResponseWriter, r *http.Request, err error)
	// Origins are the origins whose pages may send requests.
	Origins origins.Set
	// MaxRequests limits concurrent requests. Requests beyond it are rejected.
	MaxRequests int
	// Served is called after each request. servedBy is the interface that served it, one
	// of a few names.
	Served func(servedBy string, status int, duration time.Duration)
	Logger *slog.Logger
	// LogLimiter limits the log lines about unauthenticated requests; nil means no limit.
	LogLimiter *requestlog.Limiter
	Clock      func() time.Time
}

// graphQLInterface is the name of the GraphQL interface in metrics.
const graphQLInterface = "graphql"

// Paths of the interfaces.
const (
	GraphQLPath = "/graphql"
	SchemaPath  = "/schema.graphql"
	OpenAPIPath = "/openapi.json"
	RESTPath    = rest.Path
	IngestPath  = "/api/logs"
	MCPPath     = mcp.Path
	MetricsPath = "/metrics"
	AlivePath   = "/healthz"
	ReadyPath   = "/readyz"
	// HealthPath is where clients of the original service probe readiness.
	HealthPath = "/health"
	// BackendsPath is where clients of the original service list where it forwards logs to.
	BackendsPath = "/api/backends"
	// LogsPath receives events, and is a page for GET.
	LogsPath = "/logs"
	OTLPPath = otlpPrefix + "logs"
	// otlpPrefix begins the paths of OTLP.
	otlpPrefix = "/v1/"
)

// NewHandler returns a handler that routes requests to the interfaces.
func NewHandler(config Config) http.Handler {
	routes := config.routes()
	served := func(r *http.Request, status int, duration time.Duration) {
		servedBy := routes.find(config.inner(r.URL.Path)).interfaceOf(r)
		if servedBy == graphQLInterface && isStream(r) {
			servedBy = "stream" // its duration is up to the client
		}
		config.Served(servedBy, status, duration)
	}
	handler := config.allowOrigins(recoverPanics(routes, &config))
	if config.Keyring == nil {
		handler = config.require(auth.NamesLoopback, handler)
	}
	return cleanPaths(requestlog.Handler(securityHeaders(config.underBasePath(handler)), config.Logger, config.LogLimiter, config.Clock, served))
}

// NewMetricsHandler returns a handler that serves the metrics and the probes on a separate
// address, without a token. If loopback is true, the Host header must name loopback.
func NewMetricsHandler(config Config, loopback bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(MetricsPath, config.Metrics)
	mux.Handle(AlivePath, config.Alive)
	mux.Handle(ReadyPath, config.Ready)
	handler := recoverPanics(mux, &config)
	if loopback {
		handler = config.require(auth.NamesLoopback, handler)
	}
	return cleanPaths(securityHeaders(handler))
}

// guard requires a token, unless the server has no keyring. later may be nil; see
// [auth.HandlerConfig].
func (c *Config) guard(next http.Handler, later func(*http.Request) bool) http.Handler {
	return c.guardWith(next, auth.HandlerConfig{Later: later})
}

// guardWith is guard with the optional parts of a configuration.
func (c *Config) guardWith(next http.Handler, config auth.HandlerConfig) http.Handler {
	if c.Keyring == nil {
		return auth.NoAuth(next)
	}
	config.Keyring, config.Clock, config.Logger, config.WriteError = c.Keyring, c.Clock, c.Logger, c.writeError
	return auth.Handler(next, config)
}

// require passes on requests for which check returns no error; see [auth.Require].
func (c *Config) require(check func(r *http.Request) error, next http.Handler) http.Handler {
	return auth.Require(next, check, c.Logger, c.writeError)
}

// writeError writes an error in the form of the requested interface.
func (c *Config) writeError(w http.ResponseWriter, r *http.Request, err error) {
	var writeOfProtocol func(w http.ResponseWriter, r *http.Request, err error)
	if c.Ingest != nil { // the metrics are served without it
		writeOfProtocol = c.Ingest.ErrorWriter(r.URL.Path)
	}
	switch {
	case writeOfProtocol != nil:
		writeOfProtocol(w, r, err)
	case r.URL.Path == GraphQLPath:
		c.GraphQLError(w, r, err)
	case clickhousehttp.Serves(r.URL.Path):
		clickhousehttp.WriteError(c.Errors, w, r, err)
	case strings.HasPrefix(r.URL.Path, otlpPrefix):
		c.Ingest.WriteOTLPError(w, r, err)
	default:
		c.Errors.Write(w, r, err)
	}
}

// routes returns the routes of the server. Only probes and pages are open to everyone. All
// other paths, unknown ones included, require a token (D17).
func (c *Config) routes() *routes {
	slots := make(chan struct{}, c.MaxRequests)
	guarded := func(path string, handler http.Handler, servedBy string) route {
		return route{path: path, handler: c.guard(c.bounded(handler, slots), nil), servedBy: servedBy}
	}
	notFound := guarded("", http.HandlerFunc(c.notFound), "none")
	all := &routes{exact: make(map[string]route), notFound: c.withNotFoundPage(notFound)}
	all.exact[MetricsPath] = notFound // without a token, nobody can find out whether it is served
	all.add(route{path: AlivePath, handler: c.Alive, servedBy: "health"})
	all.add(route{path: ReadyPath, handler: c.Ready, servedBy: "health"})
	all.add(route{path: HealthPath, handler: c.Ready, servedBy: "health"})
	for _, path := range c.PagePaths {
		all.add(route{path: path, handler: c.Pages, servedBy: "pages"})
	}
	// Before /api/, which has it as a part.
	all.add(guarded(storehttp.Path, c.require(auth.FullAccessTo("maintain the store"), c.Store), "store"))
	all.add(guarded(viewerhttp.Path, c.Viewer, "viewer"))
	explore := c.require(auth.MayExplore, c.Explore)
	all.add(guarded(explorehttp.Path, explore, "explore"))
	all.add(guarded(explorehttp.Path+"/", explore, "explore"))
	clickHouse := c.sameOrigin("send SQL", c.require(auth.MayExplore, c.ClickHouse)) // whatever its content type is
	all.add(guarded(clickhousehttp.Path, clickHouse, "clickhouse"))
	all.add(guarded(clickhousehttp.Path+"/", clickHouse, "clickhouse"))
	all.add(guarded(alerthttp.Path, c.Alerts, "alerts"))
	all.add(guarded(alerthttp.Path+"/", c.Alerts, "alerts"))
	tokens := c.sameOrigin("manage tokens", c.require(auth.MayManageTokens, c.Tokens))
	all.add(guarded(tokenhttp.Path, tokens, "tokens"))
	all.add(guarded(tokenhttp.Path+"/", tokens, "tokens"))
	all.add(guarded(usagehttp.Path, c.require(auth.FullAccessTo("read usage"), c.Usage), "usage"))
	all.add(guarded(BackendsPath, c.require(auth.FullAccessTo("list backends"), c.Errors.ForGet(backends)), "rest"))
	all.add(guarded(rest.LegacyPath, c.REST, "rest"))
	all.add(guarded("/api/", c.REST, "rest")) // its errors help callers of the original service to fix their paths
	all.add(route{path: GraphQLPath, handler: c.guard(c.bounded(c.GraphQL, slots), opensWebSocket), servedBy: graphQLInterface})
	c.addMCP(all, slots, notFound.handler)
	all.add(guarded(SchemaPath, c.Errors.ForGet(c.schema), "schema"))
	ingesting := func(path string, handler http.Handler) {
		all.add(guarded(path, c.sameOrigin("send log events", c.require(auth.MayIngestAny, handler)), "ingest"))
	}
	for _, path := range []string{IngestPath, "/api/events", LogsPath} {
		ingesting(path, c.Ingest.JSON)
		ingesting(path+"/json", c.Ingest.JSON)
		ingesting(path+"/cloudflare", c.Ingest.Cloudflare)
		ingesting(path+"/vector", c.Ingest.Vector)
		ingesting(path+"/vercel", c.Ingest.Vercel)
		ingesting(path+"/syslog", c.Ingest.Syslog)
		// The paths of the original service.
		ingesting(path+"/zeit", c.Ingest.Vercel)
		ingesting(path+"/logplex", c.Ingest.Syslog)
		ingesting(path+"/syslogs", c.Ingest.Syslog)
		ingesting(path+"/netlify", c.Ingest.JSON)
		ingesting(path+"/elixir/logger", c.Ingest.JSON)
	}
	for _, protocol := range c.Ingest.Protocols {
		for _, path := range protocol.Sends {
			ingesting(path, protocol.Handler)
		}
		for _, path := range protocol.Others {
			all.add(guarded(path, protocol.Handler, "ingest"))
		}
	}
	ingesting(OTLPPath, c.Ingest.OTLP)
	for _, signal := range []string{"traces", "metrics"} {
		ingesting(otlpPrefix+signal, http.HandlerFunc(c.onlyLogs))
	}
	if slices.Contains(c.PagePaths, LogsPath) {
		all.add(route{path: LogsPath, handler: c.pageOrIngest(all.exact[LogsPath].handler), servedBy: "pages", postServedBy: "ingest"})
	}
	all.add(guarded(OpenAPIPath, c.OpenAPI, "schema"))
	if c.Metrics != nil {
		all.add(guarded(MetricsPath, c.Metrics, "metrics"))
	}
	return all
}

// pageOrIngest serves a page to browsers that open the path, and passes events on.
func (c *Config) pageOrIngest(ingest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			ingest.ServeHTTP(w, r)
		case http.MethodGet, http.MethodHead:
			c.Pages.ServeHTTP(w, r)
		default:
			c.Errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead, http.MethodPost)
		}
	})
}

// schema serves the published GraphQL schema.
func (c *Config) schema(w http.ResponseWriter, r *http.Request) error {
	sdl := c.SDL(r.Context())
	if sdl == "" {
		return sqlq.Errorf(sqlq.PermissionDenied, "introspection is disabled; the schema is not served")
	}
	httpcache.WriteRevalidated(w, r, "text/plain; charset=utf-8", []byte(sdl))
	return nil
}

// backends serves the list of backends that logs are forwarded to, in the form of the original service.
// It is empty, because savedq forwards none.
func backends(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "[]\n") // an error means that the client has gone
	return nil
}

// withNotFoundPage returns the route with a page for browsers in place of JSON. Browsers
// send no token when they open an address, so the page requires none.
func (c *Config) withNotFoundPage(notFound route) route {
	if c.NotFoundPage == nil {
		return notFound
	}
	json := notFound.handler
	notFound.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if opensPage(r) {
			c.NotFoundPage.ServeHTTP(w, r)
			return
		}
		json.ServeHTTP(w, r)
	})
	return notFound
}

// notFound writes a 404 response that lists the served paths.
func (c *Config) notFound(w http.ResponseWriter, r *http.Request) {
	c.writeError(w, r, sqlq.Errorf(sqlq.NotFound,
		"nothing is served at this path; GraphQL is at %s, its schema at %s, saved queries are at %s<name>, and described at %s; events are received at %s",
		c.BasePath+GraphQLPath, c.BasePath+SchemaPath, c.BasePath+RESTPath, c.BasePath+OpenAPIPath, c.BasePath+IngestPath))
}

// onlyLogs writes the error for the signals of OTLP that are not received. Exporters do not
// repeat a request after a 404.
func (c *Config) onlyLogs(w http.ResponseWriter, r *http.Request) {
	c.writeError(w, r, sqlq.Errorf(sqlq.NotFound, "only logs are received, at %s; turn the exporter of this signal off", c.BasePath+OTLPPath))
}

// recoverPanics turns a panic into one INTERNAL error and one log line.
func recoverPanics(next http.Handler, config *Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch reason := recover(); reason {
			case nil:
			case http.ErrAbortHandler:
				panic(reason)
			default:
				config.writeError(w, r, fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// busyRetryAfter is how long a rejected caller should wait before retrying.
const busyRetryAfter = 5 * time.Second

// bounded rejects requests while all slots are taken. It does not queue them, because an
// unbounded queue serves nobody.
func (c *Config) bounded(next http.Handler, slots chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
			next.ServeHTTP(w, r)
		default:
			c.writeError(w, r, sqlq.Rejectf(sqlq.Unavailable, busyRetryAfter, "the server is busy; try again later"))
		}
	})
}
