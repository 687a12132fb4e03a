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

	"savedq/sqlq"
)

// StatusHeader says how the caller came by an answer: a [sqlq.CacheStatus].
const StatusHeader = "X-Cache"

// Credentials are the headers that say who asks. An answer varies by them: a browser must
// not give what it keeps for one token to another.
const Credentials = "Authorization, X-API-KEY"

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

// SetFreshness sets the headers that say how fresh an answer made of the replies
// is: X-Cache, Age and Cache-Control, all of the least fresh of them. There is at
// least one reply.
func SetFreshness(header http.Header, replies ...*sqlq.Reply) {
	status, age, left := replies[0].Cache, replies[0].Age, replies[0].Left
	for _, reply := range replies[1:] {
		if rank(reply.Cache) > rank(status) {
			status = reply.Cache
		}
		age, left = max(age, reply.Age), min(left, reply.Left)
	}
	values := [...]string{string(status), seconds(age), "private, max-age=" + seconds(left)} // one allocation
	header[StatusHeader], header["Age"], header["Cache-Control"] = values[0:1:1], values[1:2:2], values[2:3:3]
}

// rank orders statuses by how much an answer owes to the cache: an answer of
// several replies has the status of the one that says most about it.
func rank(status sqlq.CacheStatus) int {
	switch status {
	case sqlq.Hit:
		return 0
	case sqlq.Joined:
		return 1
	case sqlq.Refreshed:
		return 2
	case sqlq.Miss:
		return 3
	case sqlq.Off:
		return 4
	case sqlq.Stale:
		return 5
	}
	return 0
}

func seconds(duration time.Duration) string {
	return strconv.FormatInt(int64(duration/time.Second), 10)
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
