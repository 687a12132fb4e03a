package auth

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
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
	burst, left := g.token.AllowedBurst(), max(0, g.limiter.TokensAt(now))
	full := (float64(burst) - left) / g.token.Rate
	header[RateLimitPolicyHeader] = []string{`"requests";q=` + strconv.Itoa(burst) + ";w=" + seconds(float64(burst)/g.token.Rate)}
	header[RateLimitHeader] = []string{`"requests";r=` + strconv.Itoa(int(left)) + ";t=" + seconds(full)}
}

func seconds(value float64) string { return strconv.FormatInt(int64(math.Ceil(value)), 10) }

// admit counts a request, or returns a RESOURCE_EXHAUSTED error that says how long the caller should
// wait before retrying.
func (g *grant) admit(now time.Time) error {
	// Reserving and cancelling would lose tokens of the limiter if another reservation
	// came in between, so admit uses AllowN.
	if g.limiter == nil || g.limiter.AllowN(now, 1) {
		return nil
	}
	missing := 1 - g.limiter.TokensAt(now)
	wait := time.Duration(max(1, min(missing/g.token.Rate*float64(time.Second), math.MaxInt64/2)))
	unit := "requests"
	if g.token.Rate == 1 {
		unit = "request"
	}
	return sqlq.Rejectf(sqlq.ResourceExhausted, wait,
		"the rate of the token is used up (%v %s per second); try again in %d s", g.token.Rate, unit, httpstatus.WholeSeconds(wait))
}
