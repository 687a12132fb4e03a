package auth

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// Names of the headers of a rate (draft-ietf-httpapi-ratelimit-headers).
const (
	RateLimitHeader       = "Ratelimit"
	RateLimitPolicyHeader = "Ratelimit-Policy"
)

// setRateLimit tells a caller whose token has a rate how many requests are left at once, and
// after how many seconds the burst is whole again.
func (g *grant) setRateLimit(header http.Header, now time.Time) {
	if g.limiter == nil {
		return
	}
	burst, left := g.token.burst(), max(0, g.limiter.TokensAt(now))
	full := (float64(burst) - left) / g.token.Rate
	header[RateLimitPolicyHeader] = []string{`"requests";q=` + strconv.Itoa(burst) + ";w=" + seconds(float64(burst)/g.token.Rate)}
	header[RateLimitHeader] = []string{`"requests";r=` + strconv.Itoa(int(left)) + ";t=" + seconds(full)}
}

func seconds(value float64) string { return strconv.FormatInt(int64(math.Ceil(value)), 10) }
