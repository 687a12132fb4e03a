package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// secretPrefix lets people and secret scanners recognize a secret. It also prevents a
	// leading dash, which commands would read as a flag.
	secretPrefix = "savedq_"
	// secretBytes is 256 bits, too many to guess.
	secretBytes = 32
	// maxSecretBytes limits what is hashed for an unauthenticated caller.
	maxSecretBytes = 512
)

// New returns a new secret in base64url, which needs no quoting in a header, a shell or a
// YAML file. It fails if the random source does.
func New(random io.Reader) (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("generate a token: %w", err)
	}
	return secretPrefix + base64.RawURLEncoding.EncodeToString(secret), nil
}

// IsSecret reports whether a string has the form of a secret from [New].
func IsSecret(text string) bool {
	encoded, found := strings.CutPrefix(text, secretPrefix)
	secret, err := base64.RawURLEncoding.DecodeString(encoded)
	return found && err == nil && len(secret) == secretBytes
}

// CheckSecret returns an error if a secret cannot be presented in a header. The error does
// not quote the secret.
func CheckSecret(secret string) error {
	switch {
	case secret == "":
		return errors.New("the token is empty")
	case len(secret) > maxSecretBytes:
		return fmt.Errorf("the token is longer than %d bytes", maxSecretBytes)
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the token has a space, a line break or another character that is not allowed in a header")
	}
	return nil
}

// Hash is the SHA-256 of a secret. Tokens are stored by hash, so that reading them does not
// reveal the secrets. A plain hash is enough, because 256 random bits cannot be found by
// brute force.
type Hash [sha256.Size]byte

// HashOf returns the hash of a secret.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// parseHash parses 64 hexadecimal digits.
func parseHash(text string) (Hash, bool) {
	digits, err := hex.DecodeString(text)
	if err != nil || len(digits) != sha256.Size {
		return Hash{}, false
	}
	return Hash(digits), true
}

// String returns the hash as 64 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Credential is a token with the hash of its secret.
type Credential struct {
	Token Token
	Hash  Hash
}
