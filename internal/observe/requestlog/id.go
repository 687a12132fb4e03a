package requestlog

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// IDHeader is the header for the id of a request, in requests and responses. The id
// connects a response with its log lines (D15).
const IDHeader = "X-Request-Id"

// maxIDBytes is the maximum length of a caller's id.
const maxIDBytes = 128

// idOf returns the id that the caller sends if it is fit for a log, or else a new
// one.
func idOf(r *http.Request) string {
	if id := r.Header.Get(IDHeader); id != "" && len(id) <= maxIDBytes && !strings.ContainsFunc(id, isUnfit) {
		return id
	}
	return uuid.NewString()
}

// isUnfit reports whether a character is not a letter, digit, dot, underscore or dash.
func isUnfit(char rune) bool {
	switch {
	case 'a' <= char && char <= 'z', 'A' <= char && char <= 'Z', '0' <= char && char <= '9':
		return false
	default:
		return char != '.' && char != '_' && char != '-'
	}
}
