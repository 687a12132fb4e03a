// Package httpserver puts the interfaces behind one address: routes, who may come
// in, request ids, the log line of each request, limits and an orderly end.
package httpserver

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"savedq/internal/auth"
	"savedq/internal/observe/requestlog"
	"savedq/internal/rest"
	"savedq/sqlq"
)

// Config is what the server puts behind its address.
type Config struct {
	REST    http.Handler
	GraphQL http.Handler
	// SDL is the published GraphQL schema.
	SDL string
	// OpenAPI serves the description of the REST interface; nil serves none.
	OpenAPI http.Handler
	// Pages serves the browser pages on PagePaths, to everybody: what they show, they
	// ask the interfaces for. A path that ends in a slash, other than the root, stands
	// for all under it.
	Pages     http.Handler
	PagePaths []string
	// NotFoundPage serves browsers on paths at which nothing is served, with the status
	// 404; nil where there are no pages.
	NotFoundPage http.Handler
	// Metrics serves the metrics; nil where they have an address of their own.
	Metrics http.Handler
	// Alive and Ready answer probes, which carry no token.
	Alive, Ready http.Handler
	// Keyring holds the tokens that let requests in; nil lets everybody in who names the
	// server by a loopback address.
	Keyring *auth.Keyring
	// Errors answers a failure, and GraphQLError one of a request to GraphQL.
	Errors       *rest.ErrorWriter
	GraphQLError func(w http.ResponseWriter, r *http.Request, err error)
	// CORSOrigins are the origins whose pages may ask; none where it is empty.
	CORSOrigins []string
	// MaxRequests is how many requests are answered at the same time; further ones
	// are turned away.
	MaxRequests int
	// Served is called for each request, with the interface that served it, one of
	// a few names.
	Served func(servedBy string, status int, duration time.Duration)
	Logger *slog.Logger
	// LogLimiter bounds the lines about requests that are not let in; nil bounds none.
	LogLimiter *requestlog.Limiter
	Clock      func() time.Time
}

// Paths of the interfaces.
const (
	GraphQLPath = "/graphql"
	SchemaPath  = "/schema.graphql"
	OpenAPIPath = "/openapi.json"
	RESTPath    = rest.Path
	MetricsPath = "/metrics"
	AlivePath   = "/healthz"
	ReadyPath   = "/readyz"
)

// NewHandler routes requests to the interfaces.
func NewHandler(config Config) http.Handler {
	routes := config.routes()
	served := func(r *http.Request, status int, duration time.Duration) {
		config.Served(routes.find(r.URL.Path).servedBy, status, duration)
	}
	handler := allowOrigins(recovered(routes, &config), config.CORSOrigins)
	if config.Keyring == nil {
		handler = auth.LoopbackHosts(handler, config.Logger, config.writeError)
	}
	return requestlog.Handler(secured(handler), config.Logger, config.LogLimiter, config.Clock, served)
}

// NewMetricsHandler serves the metrics and the probes, without a token, on an
// address of their own. Where that is a loopback address, requests must name one.
func NewMetricsHandler(config Config, loopback bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(MetricsPath, config.Metrics)
	mux.Handle(AlivePath, config.Alive)
	mux.Handle(ReadyPath, config.Ready)
	handler := recovered(mux, &config)
	if loopback {
		handler = auth.LoopbackHosts(handler, config.Logger, config.writeError)
	}
	return secured(handler)
}

// guard lets requests in that present a token.
func (c *Config) guard(next http.Handler) http.Handler {
	if c.Keyring == nil {
		return auth.NoAuth(next)
	}
	return auth.Handler(next, auth.HandlerConfig{Keyring: c.Keyring, Clock: c.Clock, Logger: c.Logger, WriteError: c.writeError})
}

// writeError answers a failure in the form of the interface that is asked.
func (c *Config) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if r.URL.Path == GraphQLPath {
		c.GraphQLError(w, r, err)
		return
	}
	c.Errors.Write(w, r, err)
}

// routes are open to everybody for probes and pages. All others, and all that lead
// nowhere, have to be let in (D17).
func (c *Config) routes() *routes {
	places := make(chan struct{}, c.MaxRequests)
	guarded := func(path string, handler http.Handler, servedBy string) route {
		return route{path, c.guard(c.bounded(handler, places)), servedBy}
	}
	elsewhere := guarded("", http.HandlerFunc(c.elsewhere), "none")
	all := &routes{at: make(map[string]route), elsewhere: c.withNotFoundPage(elsewhere)}
	// Without a token nobody learns whether these are served.
	for _, path := range []string{OpenAPIPath, MetricsPath} {
		all.at[path] = elsewhere
	}
	all.add(route{AlivePath, c.Alive, "health"})
	all.add(route{ReadyPath, c.Ready, "health"})
	for _, path := range c.PagePaths {
		all.add(route{path, c.Pages, "pages"})
	}
	all.add(guarded("/api/", c.REST, "rest")) // which tells callers of the original what to correct
	all.add(guarded(GraphQLPath, c.GraphQL, "graphql"))
	all.add(guarded(SchemaPath, http.HandlerFunc(c.schema), "schema"))
	if c.OpenAPI != nil {
		all.add(guarded(OpenAPIPath, c.OpenAPI, "schema"))
	}
	if c.Metrics != nil {
		all.add(guarded(MetricsPath, c.Metrics, "metrics"))
	}
	return all
}

// schema serves the published GraphQL schema.
func (c *Config) schema(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		c.Errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, c.SDL)
}

// withNotFoundPage serves browsers a page in place of the JSON of a route. Browsers send
// no token when they open an address, so the page is for everybody.
func (c *Config) withNotFoundPage(elsewhere route) route {
	if c.NotFoundPage == nil {
		return elsewhere
	}
	json := elsewhere.handler
	elsewhere.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if opensPage(r) {
			c.NotFoundPage.ServeHTTP(w, r)
			return
		}
		json.ServeHTTP(w, r)
	})
	return elsewhere
}

// elsewhere tells where something is served.
func (c *Config) elsewhere(w http.ResponseWriter, r *http.Request) {
	c.writeError(w, r, sqlq.Errorf(sqlq.NotFound,
		"nothing is served at this path; GraphQL is at %s, its schema at %s, saved queries are at %s<name>, and described at %s",
		GraphQLPath, SchemaPath, RESTPath, OpenAPIPath))
}

// recovered turns a panic into one INTERNAL error and one log line.
func recovered(next http.Handler, config *Config) http.Handler {
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

// busyPause is how long who is turned away does well to wait for a place.
const busyPause = 5 * time.Second

// bounded turns requests away while all places are taken: who waits in a line
// without end is not served either.
func (c *Config) bounded(next http.Handler, places chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		default:
			c.writeError(w, r, sqlq.Rejectf(sqlq.Unavailable, busyPause, "the server is busy; try again later"))
		}
	})
}
