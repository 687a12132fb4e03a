package auth

import (
	"context"
	"time"
)

// WithToken returns a context whose requests are checked against the token, as [Handler]
// and [NoAuth] do.
func WithToken(ctx context.Context, token Token) context.Context {
	return withGrant(ctx, newGrant(token))
}

// Authenticate returns the token of the presented secret.
func (k *Keyring) Authenticate(presented string, now time.Time) (Token, error) {
	g, err := k.authenticate(context.Background(), presented, now)
	if err != nil {
		return Token{}, err
	}
	return g.token, nil
}

// MaxRemembered is how many signed tokens are remembered.
const MaxRemembered = maxRemembered

// Remembered returns how many signed tokens, and rates of their subjects, are remembered.
func (k *Keyring) Remembered() (tokens, limiters int) {
	return k.remembered.grants.Len(), k.remembered.limiters.Len()
}
