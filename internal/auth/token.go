package auth

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Token is what the holder of a secret may do. It is immutable.
type Token struct {
	// Name stands for the token in logs; see [CheckName].
	Name string
	// Expires is when the token ends; the zero time means never.
	Expires time.Time
	// Endpoints are the names of the saved queries that may be asked for; nil means
	// all of them.
	Endpoints []string
	// Projects are the only values that a parameter with [sqlq.ScopeProject] may have;
	// saved queries without one may not be run. Nil means any.
	//
	// Where the saved query takes a regular expression, the value is matched
	// literally, but still where that query looks for it: usage.api-counts looks
	// anywhere in a URL, so that "acme" counts the requests of "acme2", too.
	Projects []string
	// MaxTier is the highest value that a parameter with [sqlq.ScopeTier] may have; empty
	// means any. Saved queries without one are not limited by it.
	MaxTier string
	// Rate is how many requests a second are let in; zero means any number.
	Rate float64
	// Burst is how many requests are let in at once where there were none for a
	// while; zero means Rate, rounded up.
	Burst int
	// Ingest says whether events may be sent in.
	Ingest bool
	// Refresh says whether answers may be computed anew at the caller's wish.
	// Elsewhere the wish is ignored: browsers express it whenever a page is
	// reloaded.
	Refresh bool
	// Metrics reports whether all metrics may be read, whatever the limits above are.
	Metrics bool
}

// FullAccess returns a token that may do everything.
func FullAccess(name string) Token { return Token{Name: name, Ingest: true, Refresh: true} }

// burst returns how many requests are let in at once.
func (t *Token) burst() int {
	if t.Burst > 0 {
		return t.Burst
	}
	return int(math.Ceil(t.Rate))
}

// expired says whether the token has ended.
func (t *Token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// mostNameBytes bounds the name of a token.
const mostNameBytes = 64

// CheckName says what is wrong with the name of a token, which has to be fit for
// logs and for labels of metrics.
func CheckName(name string) error {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	begin := strings.TrimLeft(name, letters)
	if len(name) == len(begin) || len(name) > mostNameBytes || strings.Trim(begin, letters+"._-") != "" {
		return fmt.Errorf("a token's name has letters, digits, dots, dashes and underscores, at most %d, and begins with a letter or digit", mostNameBytes)
	}
	return nil
}

// Bounds of a token's rate and burst: more is no limit.
const (
	highestRate  = 1_000_000
	highestBurst = 1_000_000
)

// CheckRate says what is wrong with a rate, in requests a second.
func CheckRate(rate float64) error {
	if !(rate > 0 && rate <= highestRate) { // written so that NaN is wrong
		return fmt.Errorf("the rate must be a number of requests a second above 0 and up to %d, such as 2.5; leave it out for no limit", highestRate)
	}
	return nil
}

// CheckBurst says what is wrong with a burst, in requests.
func CheckBurst(burst int) error {
	if burst < 1 || burst > highestBurst {
		return fmt.Errorf("the burst must be a whole number of requests from 1 to %d", highestBurst)
	}
	return nil
}

// ParseExpiry reads when a token ends: an RFC 3339 time, or a date, at whose first
// instant in UTC the token ends.
func ParseExpiry(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if expires, err := time.Parse(layout, text); err == nil && !expires.IsZero() {
			return expires.UTC(), nil
		}
	}
	return time.Time{}, errors.New("the expiry must be a date such as 2027-01-31, which ends the token as that day begins in UTC, or an RFC 3339 time such as 2027-01-31T12:00:00Z")
}
