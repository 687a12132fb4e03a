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
	// secretPrefix lets people, and scanners for leaked secrets, see what a secret
	// is for. It also keeps one from beginning with a dash, which commands take
	// for a flag.
	secretPrefix = "savedq_"
	// secretBytes is 256 bits, which nobody guesses.
	secretBytes = 32
	// mostSecretBytes bounds what is hashed for a caller who is not known yet.
	mostSecretBytes = 512
)

// New returns a fresh secret. It is base64url, which needs no quoting in a header,
// a shell or a YAML file. The error is that of the random source.
func New(random io.Reader) (string, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return secretPrefix + base64.RawURLEncoding.EncodeToString(secret), nil
}

// IsSecret tells whether a text has the form of what [New] returns.
func IsSecret(text string) bool {
	encoded, found := strings.CutPrefix(text, secretPrefix)
	secret, err := base64.RawURLEncoding.DecodeString(encoded)
	return found && err == nil && len(secret) == secretBytes
}

// CheckSecret says why a secret could never be presented in a header. It does not
// quote it.
func CheckSecret(secret string) error {
	switch {
	case secret == "":
		return errors.New("the token is empty")
	case len(secret) > mostSecretBytes:
		return fmt.Errorf("the token is longer than %d bytes", mostSecretBytes)
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the token holds a space, a line break or another character that no header can carry")
	}
	return nil
}

// Hash is the SHA-256 of a secret, by which tokens are kept: who reads them cannot
// present them. A plain hash is enough, since a secret of 256 random bits cannot be
// found by trying.
type Hash [sha256.Size]byte

// HashOf returns the hash of a secret.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// parseHash reads 64 hexadecimal digits.
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
