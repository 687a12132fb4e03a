package httpserver

import (
	"net/http"

	"github.com/rs/cors"

	"savedq/internal/auth"
	"savedq/internal/http/accept"
	"savedq/internal/http/httpcache"
	"savedq/internal/observe/requestlog"
	"savedq/internal/rest"
)

// secured sets what every answer tells a browser: to take it for what it says it
// is, to run nothing of it, to show it in no frame, and to tell nobody where it
// came from. A page sets a policy of its own instead.
func secured(next http.Handler) http.Handler {
	nosniff, noReferrer := []string{"nosniff"}, []string{"no-referrer"} // all answers share them
	nothing := []string{"default-src 'none'; frame-ancestors 'none'"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header["X-Content-Type-Options"], header["Referrer-Policy"] = nosniff, noReferrer
		header["Content-Security-Policy"] = nothing
		next.ServeHTTP(w, r)
	})
}

// preflightSeconds is for how long a browser may remember what is allowed.
const preflightSeconds = 600

// allowOrigins lets pages of other origins ask, and read what concerns them. They
// send a token in a header, so that no cookie is needed.
func allowOrigins(next http.Handler, origins []string) http.Handler {
	if len(origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{
			auth.KeyHeader, "Authorization", "Content-Type", "Cache-Control", "If-None-Match",
			requestlog.IDHeader, "Traceparent", "Tracestate",
		},
		ExposedHeaders: []string{
			"Age", "ETag", "Retry-After", httpcache.StatusHeader, requestlog.IDHeader, rest.TruncatedHeader,
		},
		MaxAge: preflightSeconds,
	}).Handler(next)
}

// opensPage reports whether a browser opens an address: it accepts HTML by name, which
// API clients do not.
func opensPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for item := range accept.Items(r.Header["Accept"]) {
		if item.Value == "text/html" {
			return !item.Malformed && item.Quality > 0
		}
	}
	return false
}
