// Package httpserver puts the interfaces behind one address: routes, request
// ids, the log line of each request, time limits and an orderly end.
package httpserver

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"savedq/internal/requestid"
	"savedq/internal/rest"
	"savedq/sqlq"
)

// Config is what the server puts behind its address.
type Config struct {
	REST    http.Handler
	GraphQL http.Handler
	// SDL is the published GraphQL schema.
	SDL string
	// Metrics serves the metrics.
	Metrics http.Handler
	// Served is called for each request, with the interface that served it, one of
	// a few names.
	Served func(servedBy string, status int, duration time.Duration)
	Logger *slog.Logger
	Clock  func() time.Time
}

// Paths of the config.
const (
	GraphQLPath = "/graphql"
	SchemaPath  = "/schema.graphql"
	MetricsPath = "/metrics"
	RESTPath    = "/api/endpoints/"
)

// NewHandler routes requests to the config.
func NewHandler(config Config) http.Handler {
	errors := rest.NewErrorWriter(config.Logger)
	mux := http.NewServeMux()
	mux.Handle("/api/", config.REST)
	mux.Handle(GraphQLPath, config.GraphQL)
	mux.Handle(MetricsPath, config.Metrics)
	mux.HandleFunc(SchemaPath, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, config.SDL)
	})
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		errors.Write(w, r, sqlq.Errorf(sqlq.NotFound,
			"nothing is served at this path; GraphQL is at %s, its schema at %s, and saved queries are at %s<name>",
			GraphQLPath, SchemaPath, RESTPath))
	}
	mux.HandleFunc("/", elsewhere)
	mux.HandleFunc("/api", elsewhere) // or the mux would redirect to /api/
	return requestid.Handler(logged(recovered(exactPath(mux), errors), config))
}

// exactPath keeps the mux from redirecting a path such as //graphql to its clean
// form, with a page that no caller of an API expects.
func exactPath(next *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if clean := path.Clean(r.URL.Path); clean != r.URL.Path && clean+"/" != r.URL.Path {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = "/", "" // nothing is served there
		}
		next.ServeHTTP(w, r)
	})
}

// logged writes a line for each request, and counts it.
func logged(next http.Handler, config Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := config.Clock()
		counter := &responseCounter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(counter, r)
		duration := config.Clock().Sub(began)
		config.Logger.LogAttrs(r.Context(), slog.LevelInfo, "request",
			slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", counter.status), slog.Int64("bytes", counter.bytes),
			slog.Duration("duration", duration))
		config.Served(interfaceOf(r.URL.Path), counter.status, duration)
	})
}

// interfaceOf names the interface that serves a path.
func interfaceOf(path string) string {
	switch {
	case path == GraphQLPath:
		return "graphql"
	case strings.HasPrefix(path, RESTPath):
		return "rest"
	case path == SchemaPath:
		return "schema"
	case path == MetricsPath:
		return "metrics"
	default:
		return "none"
	}
}

// recovered turns a panic into one INTERNAL error and one log line.
func recovered(next http.Handler, errors *rest.ErrorWriter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch reason := recover(); reason {
			case nil:
			case http.ErrAbortHandler:
				panic(reason)
			default:
				errors.Write(w, r, fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// responseCounter remembers what was answered.
type responseCounter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (c *responseCounter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *responseCounter) Write(body []byte) (int, error) {
	n, err := c.ResponseWriter.Write(body)
	c.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the real writer.
func (c *responseCounter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
