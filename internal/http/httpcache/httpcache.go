// Package httpcache tells HTTP callers how fresh an answer is, and spares them one
// that they have (RFC 9110, section 13, and RFC 9111).
package httpcache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq/runner"
)

// StatusHeader says how the caller came by an answer: a [runner.CacheStatus].
const StatusHeader = "X-Cache"

// Credentials are the headers that say who asks. An answer varies by them: a browser must
// not give what it keeps for one token to another.
const Credentials = "Authorization, X-API-KEY"

// AddVary adds names to Vary, which can already name the origin. They stay one header: of
// several, nginx before 1.23 reads the last alone.
func AddVary(header http.Header, names string) {
	if already := header["Vary"]; len(already) > 0 {
		names = strings.Join(already, ", ") + ", " + names
	}
	header["Vary"] = []string{names}
}

// NoCache says whether a request does not want an answer that was kept.
func NoCache(r *http.Request) bool {
	for _, header := range r.Header["Cache-Control"] {
		for directive := range strings.SplitSeq(header, ",") {
			if strings.EqualFold(strings.TrimSpace(directive), "no-cache") {
				return true
			}
		}
	}
	return false
}

// SetFreshness sets the headers that tell how fresh a response made of the responses is:
// X-Cache, Age, Cache-Control and, where the response may be reused, Expires. All are
// those of the least fresh response. There is at least one response.
//
// A cache subtracts Age from max-age (RFC 9111, section 4.2), so that max-age is the
// full lifetime, not what is left of it (D34). Expires says the same as a time, for
// caches that do not subtract Age.
func SetFreshness(header http.Header, responses ...*runner.Response) {
	status, age, left, expires := responses[0].Cache, responses[0].Age, responses[0].Left, responses[0].Expires
	for _, response := range responses[1:] {
		if rank(response.Cache) > rank(status) {
			status = response.Cache
		}
		if response.Left < left {
			left, expires = response.Left, response.Expires
		}
		age = max(age, response.Age)
	}
	lifetime := time.Duration(0)
	if left > 0 {
		lifetime = age + left
	}
	// One allocation for all texts, and one for all values: this is done for each request.
	const enough = 64
	text := appendSeconds(make([]byte, 0, enough), age)
	ageEnd := len(text)
	text = appendSeconds(append(text, "private, max-age="...), lifetime)
	controlEnd := len(text)
	if left > 0 {
		text = expires.UTC().AppendFormat(text, http.TimeFormat)
	}
	all := string(text)
	values := [...]string{string(status), all[:ageEnd], all[ageEnd:controlEnd], all[controlEnd:]}
	header[StatusHeader], header["Age"], header["Cache-Control"] = values[0:1:1], values[1:2:2], values[2:3:3]
	if left > 0 {
		header["Expires"] = values[3:4:4]
	}
}

// rank orders statuses by how much an answer owes to the cache: an answer of
// several responses has the status of the one that says most about it.
func rank(status runner.CacheStatus) int {
	switch status {
	case runner.Hit:
		return 0
	case runner.Joined:
		return 1
	case runner.Refreshed:
		return 2
	case runner.Miss:
		return 3
	case runner.Off:
		return 4
	case runner.Stale:
		return 5
	}
	return 0
}

// appendSeconds appends a duration in whole seconds.
func appendSeconds(dst []byte, duration time.Duration) []byte {
	return strconv.AppendInt(dst, int64(duration/time.Second), 10)
}

// ETag returns a strong entity tag of a body. Two bodies with the same tag are the
// same.
func ETag(body []byte) string {
	hash := sha256.Sum256(body)
	return `"` + hex.EncodeToString(hash[:16]) + `"`
}

// NotModified says whether a request names the entity tag as one of those that its
// caller has, so that 304 is answer enough. Tags are compared weakly, as
// If-None-Match asks for.
func NotModified(r *http.Request, etag string) bool {
	opaque := strings.TrimPrefix(etag, "W/")
	for _, header := range r.Header["If-None-Match"] {
		for tag := range strings.SplitSeq(header, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == opaque {
				return true
			}
		}
	}
	return false
}
