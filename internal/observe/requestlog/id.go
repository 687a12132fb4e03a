package requestlog

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// IDHeader carries the id of a request, by which an answer and the log lines about
// it find each other, in requests and in answers (D15).
const IDHeader = "X-Request-Id"

// mostIDBytes is how long an id may be that a caller sends.
const mostIDBytes = 128

// idOf returns the id that the caller sends if it is fit for a log, or else a new
// one.
func idOf(r *http.Request) string {
	if id := r.Header.Get(IDHeader); id != "" && len(id) <= mostIDBytes && !strings.ContainsFunc(id, unfit) {
		return id
	}
	return uuid.NewString()
}

// unfit says whether a character is none of letters, digits, dots, underscores and
// dashes.
func unfit(char rune) bool {
	switch {
	case 'a' <= char && char <= 'z', 'A' <= char && char <= 'Z', '0' <= char && char <= '9':
		return false
	default:
		return char != '.' && char != '_' && char != '-'
	}
}
