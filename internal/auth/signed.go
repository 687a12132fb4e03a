package auth

import (
	"context"
	"time"

	"savedq/sqlq"
)

// ClockSkew is how far the clock of an issuer may be from the server's.
const ClockSkew = 30 * time.Second

// MaxSignedBytes limits a signed token, before any other work on it. Tokens of identity
// providers have a few hundred bytes to a few thousand.
const MaxSignedBytes = 8 << 10

// Signed verifies tokens that another party signed.
type Signed interface {
	// HasForm reports whether a secret has the form of a signed token.
	HasForm(secret string) bool
	// Verify returns what a signed token allows. The error is one of [InvalidTokenf], or
	// UNAVAILABLE if the token cannot be verified now.
	Verify(ctx context.Context, secret string) (Verified, error)
}

// Verified is a signed token that was verified.
type Verified struct {
	Token Token
	// Claims is a hash of the claims. A token can have several texts, because some signatures
	// have several values, but no other claims than those that its issuer signed.
	Claims Hash
	// Current reports whether the token would be verified in the same way again: its key and
	// the rules of its issuer have not changed. It does not look at the time.
	Current func() bool
}

// InvalidTokenf returns the UNAUTHENTICATED error of a signed token. The caller gets its
// message, which must not reveal keys.
func InvalidTokenf(format string, args ...any) error {
	return &invalidTokenError{sqlq.Errorf(sqlq.Unauthenticated, format, args...)}
}

// invalidTokenError is the error of a signed token.
type invalidTokenError struct{ cause *sqlq.Error }

func (e *invalidTokenError) Error() string { return e.cause.Error() }

func (e *invalidTokenError) Unwrap() error { return e.cause }
