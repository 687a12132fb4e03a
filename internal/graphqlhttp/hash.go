package graphqlhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// hashPrefix is the optional prefix of a document's hash, which names the algorithm
// (GraphQL over HTTP, appendix A). Apollo's clients omit it.
const hashPrefix = "sha256:"

// hashOf returns the SHA-256 hash of a document, in lower-case hexadecimal digits.
func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// hashDigits returns a hash without its prefix, and reports whether the prefix is
// supported or absent.
func hashDigits(hash string) (digits string, supported bool) {
	digits = strings.TrimPrefix(hash, hashPrefix)
	return digits, !strings.Contains(digits, ":")
}
