// Package httpcache sets the HTTP caching headers of responses and evaluates conditional
// requests (RFC 9110, section 13, and RFC 9111).
package httpcache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/http/contentcoding"
	"savedq/sqlq/runner"
)

// StatusHeader holds the [runner.CacheStatus] of a response.
const StatusHeader = "X-Cache"

// Credentials are the headers that carry a token. Responses vary by them, so that a
// browser does not reuse a response across tokens.
const Credentials = "Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key"

// AddVary adds names to the Vary header. It joins them into one header, because nginx
// before 1.23 reads only the last of several.
func AddVary(header http.Header, names string) {
	if existing := header["Vary"]; len(existing) > 0 {
		names = strings.Join(existing, ", ") + ", " + names
	}
	header["Vary"] = []string{names}
}

// NoCache reports whether a request asks to bypass the cache.
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

// SetFreshness sets X-Cache, Age, Cache-Control and, if the response may be reused,
// Expires. An HTTP response that combines several query responses gets the values of the
// least fresh. Callers must pass at least one response.
//
// A cache subtracts Age from max-age (RFC 9111, section 4.2). So max-age is the full
// lifetime, not the remaining one (D34). Expires gives the same as a time, for caches
// that do not subtract Age.
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
	// This runs on each request, so all strings share one allocation and all values another.
	const capacity = 64
	text := appendSeconds(make([]byte, 0, capacity), age)
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

// rank orders statuses from most to least cached. A combination of several responses has
// the status with the highest rank.
func rank(status runner.CacheStatus) int {
	return slices.Index([]runner.CacheStatus{runner.Hit, runner.Joined, runner.Refreshed, runner.Miss, runner.Off, runner.Stale}, status)
}

// appendSeconds appends a duration in whole seconds.
func appendSeconds(dst []byte, duration time.Duration) []byte {
	return strconv.AppendInt(dst, int64(duration/time.Second), 10)
}

// ETag returns a strong entity tag, derived from the hash of the body.
func ETag(body []byte) string {
	hash := sha256.Sum256(body)
	return `"` + hex.EncodeToString(hash[:16]) + `"`
}

// NotModified reports whether If-None-Match of a request matches the entity tag, so that
// the response is 304. Tags are compared weakly, as If-None-Match requires.
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

// WriteRevalidated writes a document that depends on the token and that caches must
// revalidate, in the content coding that the caller prefers, or 304 if the caller has it
// already.
func WriteRevalidated(w http.ResponseWriter, r *http.Request, contentType string, document []byte) {
	header := w.Header()
	coding := contentcoding.Choose(r.Header["Accept-Encoding"], len(document))
	if coding != contentcoding.Identity {
		document = coding.Encode(document)
	}
	etag := ETag(document)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", etag)
	AddVary(header, "Accept-Encoding, "+Credentials)
	if NotModified(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(document)))
	_, _ = w.Write(document) //nolint:gosec // The caller names its type. An error means that the client has gone.
}
