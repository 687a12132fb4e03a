package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// HandlerConfig configures [Handler]. Every field but Later and Metadata is required.
type HandlerConfig struct {
	Keyring *Keyring
	Clock   func() time.Time
	Logger  *slog.Logger
	// WriteError writes an [*sqlq.Error] in the form of the requested interface.
	WriteError func(w http.ResponseWriter, r *http.Request, err error)
	// Later reports whether a request without a token may present it later, on the connection
	// that it opens. Such a request is passed on without a token. Nil means none may.
	Later func(r *http.Request) bool
	// Metadata returns the URL of what clients read to find out who issues tokens (RFC 9728); empty for
	// none.
	Metadata func(r *http.Request) string
}

// Handler passes on requests that present a valid token within its rate, with the token in
// their context. It denies and logs all others, whatever their path, so that a caller
// without a token cannot find out what exists (D17). [requestlog.Limiter] limits the log.
func Handler(next http.Handler, config HandlerConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if config.Later != nil && config.Later(r) && !HasCredentials(r.Header) {
			next.ServeHTTP(w, r)
			return
		}
		g, err := config.authenticate(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", config.challenge(r, err))
		} else {
			now := config.Clock()
			g.noteUse(now)
			err = g.admit(now)
			g.setRateLimit(w.Header(), now)
		}
		noteToken(r.Context(), g, err, config.Logger)
		if err != nil {
			config.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(withGrant(r.Context(), g)))
	})
}

// authenticate returns the grant of the token in the headers. It returns both the grant
// and an error if the token has expired.
func (c *HandlerConfig) authenticate(r *http.Request) (*grant, error) {
	presented, err := c.Keyring.presentedIn(r.Header)
	switch {
	case err != nil:
		return nil, err
	case presented == "" && holdsKey(r.URL.Query()):
		return nil, inQuery()
	}
	return c.Keyring.authenticate(r.Context(), presented, c.Clock())
}

// challenge returns the value of WWW-Authenticate for an error.
func (c *HandlerConfig) challenge(r *http.Request, err error) string {
	text := challenge(err)
	if c.Metadata != nil {
		if metadata := c.Metadata(r); metadata != "" {
			text += `, resource_metadata="` + metadata + `"`
		}
	}
	return text
}

// challenge returns the value of WWW-Authenticate for an error. RFC 6750 requires a parameter
// after the scheme. For a signed token it has the reason, which clients of the protocol expect.
func challenge(err error) string {
	const realm = `Bearer realm="savedq"`
	invalid := &invalidTokenError{}
	if !errors.As(err, &invalid) {
		return realm
	}
	description := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' { // which RFC 6750 does not allow
			return '\''
		}
		return r
	}, invalid.cause.Message)
	return realm + `, error="invalid_token", error_description="` + description + `"`
}

// noteToken records the token of a request, nil for none, and logs the error of one that is denied.
func noteToken(ctx context.Context, g *grant, err error, logger *slog.Logger) {
	name := ""
	if g != nil {
		name = g.token.Name
	}
	requestlog.NoteToken(ctx, name, err == nil)
	if err != nil {
		logDenied(ctx, logger, err)
	}
}

// NoAuth passes every request on with a full-access token. It is for a server that only
// its own machine can reach.
func NoAuth(next http.Handler) http.Handler {
	fullAccess := newGrant(FullAccess("no-auth"))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requestlog.NoteToken(r.Context(), "", true)
		next.ServeHTTP(w, r.WithContext(withGrant(r.Context(), fullAccess)))
	})
}

// logDenied writes the audit line of a denied request. The line never contains a secret,
// its hash or the query string, where a caller may have put a secret by mistake.
// [requestlog.LogHandler] adds the request's id and the name of its token.
func logDenied(ctx context.Context, logger *slog.Logger, err error, extra ...slog.Attr) {
	failure := sqlq.AsError(err)
	attrs := []slog.Attr{slog.String("code", string(failure.Code)), slog.String("reason", failure.PublicText(failure.Param))}
	attrs = append(append(attrs, requestlog.Origin(ctx)...), extra...)
	logger.LogAttrs(ctx, slog.LevelWarn, "request denied", attrs...)
}

// Require passes on requests for which check returns no error. It denies and logs all others.
func Require(
	next http.Handler, check func(r *http.Request) error, logger *slog.Logger,
	writeError func(w http.ResponseWriter, r *http.Request, err error),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := check(r); err != nil {
			logDenied(r.Context(), logger, err)
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
