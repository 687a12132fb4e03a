package graphqlhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// hashPrefix may stand before the hash of a document, to say which hash it is (GraphQL
// over HTTP, appendix A). Apollo's clients leave it out.
const hashPrefix = "sha256:"

// hashOf returns the SHA-256 hash of a document, in lower-case hexadecimal digits.
func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// hashDigits returns a hash without its prefix, and whether that is the only one that
// is understood.
func hashDigits(hash string) (digits string, understood bool) {
	digits = strings.TrimPrefix(hash, hashPrefix)
	return digits, !strings.Contains(digits, ":")
}
