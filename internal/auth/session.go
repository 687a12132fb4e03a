package auth

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"savedq/sqlq"
)

// Sessions authenticate connections that outlive a request, whose token can end meanwhile.
type Sessions struct {
	// Keyring is nil if the server requires no token.
	Keyring *Keyring
	Clock   func() time.Time
	Logger  *slog.Logger
}

// Session is the access of one connection. It is safe for concurrent use.
type Session struct {
	sessions *Sessions
	secret   string
	grant    *grant
}

// HasCredentials reports whether the headers of a request hold a token, valid or not.
func HasCredentials(header http.Header) bool {
	return slices.ContainsFunc(credentialHeaders(), func(name string) bool { return len(header[name]) > 0 })
}

// Open returns the session of the token in the headers, or of the secret if they hold none.
// It must get the context of the request. The error is UNAUTHENTICATED, and is logged.
func (s *Sessions) Open(ctx context.Context, header http.Header, secret string) (*Session, error) {
	if s.Keyring == nil {
		return &Session{sessions: s, grant: newGrant(FullAccess("no-auth"))}, nil
	}
	var err error
	if HasCredentials(header) {
		secret, err = s.Keyring.presentedIn(header)
	}
	var g *grant
	if err == nil {
		g, err = s.Keyring.authenticate(ctx, secret, s.Clock())
	}
	noteToken(ctx, g, err, s.Logger)
	if err != nil {
		return nil, err
	}
	g.noteUse(s.Clock())
	return &Session{sessions: s, secret: secret, grant: g}, nil
}

// Context returns a context whose requests are checked against the session's token.
func (s *Session) Context(ctx context.Context) context.Context { return withGrant(ctx, s.grant) }

// Check returns an UNAUTHENTICATED error if the token has expired, was removed or revoked, or
// has other limits than at the beginning, because what the connection receives could exceed
// them. While a signed token cannot be verified again, it stays valid.
func (s *Session) Check(ctx context.Context) error {
	if s.sessions.Keyring == nil {
		return nil
	}
	now := s.sessions.Clock()
	current, err := s.sessions.Keyring.authenticate(ctx, s.secret, now)
	switch {
	case err == nil:
	case sqlq.AsError(err).Code == sqlq.Unauthenticated || s.grant.token.expired(now):
		return err
	default:
		return nil
	}
	if !current.hasLimitsOf(s.grant) {
		return sqlq.Errorf(sqlq.Unauthenticated, "the limits of the token have changed; connect again")
	}
	return nil
}

// hasLimitsOf reports whether a grant allows the same as another one.
func (g *grant) hasLimitsOf(other *grant) bool {
	a, b := &g.token, &other.token
	return g.scope == other.scope && a.Rate == b.Rate && a.AllowedBurst() == b.AllowedBurst() && a.Budget == b.Budget && a.Refresh == b.Refresh && a.Sandbox == b.Sandbox && a.Explore == b.Explore && a.Alerts == b.Alerts
}

// Admit counts an operation against the token's rate. The error is RESOURCE_EXHAUSTED.
func (s *Session) Admit() error { return s.grant.admit(s.sessions.Clock()) }
