package auth

import (
	"context"
	"time"
)

// WithToken returns a context whose requests are held against the token, as
// [Handler] and [NoAuth] make it.
func WithToken(ctx context.Context, token Token) context.Context {
	return withGrant(ctx, newGrant(token))
}

// FromContext returns the token of a request; false where it has none.
func FromContext(ctx context.Context) (Token, bool) {
	g := grantOf(ctx)
	if g == nil {
		return Token{}, false
	}
	return g.token, true
}

// Authenticate returns the token whose secret is presented.
func (k *Keyring) Authenticate(presented string, now time.Time) (Token, error) {
	g, err := k.authenticate(presented, now)
	if err != nil {
		return Token{}, err
	}
	return g.token, nil
}
