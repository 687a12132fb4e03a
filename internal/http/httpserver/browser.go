package httpserver

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/rs/cors"

	"savedq/internal/api/format"
	"savedq/internal/api/rest"
	"savedq/internal/auth"
	"savedq/internal/http/accept"
	"savedq/internal/http/httpcache"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// securityHeaders sets the browser security headers of every response: no content
// sniffing, no referrer, no scripts and no framing. Pages override the policy.
func securityHeaders(next http.Handler) http.Handler {
	nosniff, noReferrer := []string{"nosniff"}, []string{"no-referrer"} // shared by all responses
	policy := []string{"default-src 'none'; frame-ancestors 'none'"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header["X-Content-Type-Options"], header["Referrer-Policy"] = nosniff, noReferrer
		header["Content-Security-Policy"] = policy
		next.ServeHTTP(w, r)
	})
}

// preflightSeconds is how long a browser may cache a preflight response.
const preflightSeconds = 600

// allowOrigins lets pages of other origins send requests and read the responses. Pages send the
// token in a header, so cookies are not allowed, and any other header may be sent with it: client
// libraries and tracers add theirs.
func (c *Config) allowOrigins(next http.Handler) http.Handler {
	next = c.logPreflights(next)
	if len(c.Origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowOriginFunc: c.Origins.Allows,
		AllowedMethods:  []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders:  []string{"*"},
		// A preflight of another origin is passed on, so that the log has it.
		OptionsPassthrough: true,
		ExposedHeaders: []string{
			"Age", "ETag", "Retry-After", httpcache.StatusHeader, auth.RateLimitHeader, auth.RateLimitPolicyHeader, requestlog.IDHeader,
			format.TruncatedHeader, rest.RowsHeader, rest.BytesHeader, rest.NextHeader, "X-Store-Written", "Link", "WWW-Authenticate",
		},
		MaxAge: preflightSeconds,
	}).Handler(next)
}

// logPreflights ends the preflights of browsers, and logs those of origins that are not allowed:
// the browser shows no more than that the request failed.
func (c *Config) logPreflights(next http.Handler) http.Handler {
	const message = "a browser asked for a page of another origin, which --cors-origins does not allow"
	logger := c.Logger
	if c.LogLimiter != nil {
		logger = slog.New(c.LogLimiter.LimitHandler(c.Logger.Handler(), message))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		switch {
		case r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "":
			next.ServeHTTP(w, r)
		case c.Origins.Allows(origin):
			w.WriteHeader(http.StatusNoContent)
		default:
			logger.WarnContext(r.Context(), message, slog.String("origin", origin), slog.String("path", r.URL.Path))
			w.WriteHeader(http.StatusForbidden)
		}
	})
}

// sameOrigin rejects requests that a browser sends for a page of another origin, unless the
// origin is allowed. A server without tokens needs this: a form of any page could otherwise
// add events, because browsers send these requests without a preflight. The action is a part of the
// error, such as "send log events".
func (c *Config) sameOrigin(action string, next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if protection.Check(r) != nil && !c.Origins.Allows(r.Header.Get("Origin")) {
			c.writeError(w, r, sqlq.Errorf(sqlq.PermissionDenied,
				"pages of other origins may not %s; --cors-origins of the server allows their origins", action))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// opensWebSocket reports whether a request opens a WebSocket. Browsers cannot send a token
// with it, so the client may send it as the first message.
func opensWebSocket(r *http.Request) bool {
	upgrade := r.Header["Upgrade"]
	return len(upgrade) == 1 && r.Method == http.MethodGet && strings.EqualFold(upgrade[0], "websocket")
}

// isStream reports whether the response to a GraphQL request can last as long as the client
// likes.
func isStream(r *http.Request) bool {
	return opensWebSocket(r) || len(r.Header["Accept"]) > 0 && strings.Contains(r.Header["Accept"][0], "text/event-stream")
}

// opensPage reports whether a request comes from a browser that opens an address. Browsers
// accept text/html explicitly, API clients do not.
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
