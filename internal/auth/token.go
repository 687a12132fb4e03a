package auth

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// Token describes what the holder of a secret may do. It must not be changed.
type Token struct {
	// Name identifies the token in logs; see [CheckName].
	Name string
	// Created is when the token was created; the zero time means that it is unknown.
	Created time.Time
	// Expires is when the token ends; the zero time means never.
	Expires time.Time
	// Endpoints are names, ids or aliases of the saved queries that may be run; nil means
	// all.
	Endpoints []string
	// Projects are the only values that a parameter with [sqlq.ScopeProject] may have, and for
	// a signed token also one that is named like [ProjectParameter]. Nil means any. Saved
	// queries without that parameter may not be run, unless the token is signed and its
	// Endpoints name them.
	Projects []string
	// Bound are the only values that further parameters may have, by name, as Projects are.
	Bound map[string][]string
	// MaxTier is the highest value that a parameter with [sqlq.ScopeTier] may have; empty
	// means any. Saved queries without one are not limited by it.
	MaxTier string
	// Rate is how many requests a second are allowed; zero means no limit.
	Rate float64
	// Burst is how many requests are allowed at once after a pause; zero means Rate,
	// rounded up.
	Burst int
	// Budget is how much work of the engine the token may cause.
	Budget usage.Budget
	// Ingest reports whether the token may ingest events.
	Ingest bool
	// Sources are the tables of the log sources whose events it may ingest; nil means all.
	Sources []string
	// Refresh reports whether no-cache requests bypass cached responses. For other tokens
	// no-cache is ignored, because browsers send it on every page reload.
	Refresh bool
	// Sandbox reports whether the token may send SQL of its own to saved queries with a sandbox (D40).
	Sandbox bool
	// Explore reports whether the token may run any SELECT over the tables, of which it reads the rows that its bound
	// parameters allow (ADR 049). Endpoints do not limit it.
	Explore bool
	// Alerts reports whether the token may silence and acknowledge the alerts that it sees.
	Alerts bool
	// Metrics reports whether all metrics may be read, whatever the limits above.
	Metrics bool
	// ManageTokens reports whether the token may list, create and revoke tokens. Such a token has no limits, and no
	// signed token is one.
	ManageTokens bool
	// Issuer signed the token, for Subject, and named it ID. Issuer is empty for a token that
	// is not signed; Subject and ID can be empty.
	Issuer, Subject, ID string
}

// ProjectParameter is the usual name of the parameter with [sqlq.ScopeProject].
const ProjectParameter = "project"

// FullAccess returns a token that may do everything.
func FullAccess(name string) Token {
	return Token{Name: name, Ingest: true, Refresh: true, Sandbox: true, Explore: true, Alerts: true, ManageTokens: true}
}

// Allows returns the names of the saved queries that the token may run, each once.
func (t *Token) Allows(queries []*sqlq.SavedQuery) []string {
	g := newGrant(*t)
	var names []string
	for _, query := range queries {
		if g.mayRun(query) && !slices.Contains(names, query.Name) {
			names = append(names, query.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Limits returns the only values that the token allows for a parameter, and whether it limits
// the parameter.
func (t *Token) Limits(param *sqlq.Param) (values []string, limited bool) {
	return newGrant(*t).limits(param)
}

// AllowsProject reports whether the token may see a project.
func (t *Token) AllowsProject(project string) bool {
	return t.Projects == nil || slices.Contains(t.Projects, project)
}

// Values returns the only values of parameters that the token may use, by name.
func (t *Token) Values() map[string][]string {
	values := make(map[string][]string, len(t.Bound)+1)
	maps.Copy(values, t.Bound)
	if t.Projects != nil {
		values[ProjectParameter] = t.Projects
	}
	return values
}

// AllowedBurst returns how many requests are allowed at once; zero means no limit.
func (t *Token) AllowedBurst() int {
	if t.Burst > 0 {
		return t.Burst
	}
	return int(math.Ceil(t.Rate))
}

// signed reports whether another party signed the token.
func (t *Token) signed() bool { return t.Issuer != "" }

// expired reports whether the token has expired. A signed one may be used a little longer.
func (t *Token) expired(now time.Time) bool {
	end := t.Expires
	if t.signed() {
		end = end.Add(ClockSkew)
	}
	return !t.Expires.IsZero() && !now.Before(end)
}

// maxNameBytes limits the name of a token.
const maxNameBytes = 64

// CheckName returns an error unless a name of a token is suitable for logs and metric
// labels.
func CheckName(name string) error {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	rest := strings.TrimLeft(name, letters)
	if len(name) == len(rest) || len(name) > maxNameBytes || strings.Trim(rest, letters+"._-") != "" {
		return fmt.Errorf("a token's name must have at most %d letters, digits, dots, dashes and underscores, and begin with a letter or digit", maxNameBytes)
	}
	return nil
}

// Upper bounds of a token's rate and burst.
const (
	highestRate  = 1_000_000
	highestBurst = 1_000_000
)

// CheckRate returns an error unless a rate, in requests a second, is in bounds.
func CheckRate(rate float64) error {
	if !(rate > 0 && rate <= highestRate) { // written so that NaN fails
		return fmt.Errorf("the rate must be a number of requests a second above 0 and up to %d, such as 2.5; leave it out for no limit", highestRate)
	}
	return nil
}

// CheckBurst returns an error unless a burst, in requests, is in bounds.
func CheckBurst(burst int) error {
	if burst < 1 || burst > highestBurst {
		return fmt.Errorf("the burst must be a whole number of requests from 1 to %d", highestBurst)
	}
	return nil
}

// ParseExpiry parses an expiry: an RFC 3339 time, or a date, which stands for its start in
// UTC.
func ParseExpiry(text string) (time.Time, error) {
	if expires, ok := parseTime(text); ok {
		return expires, nil
	}
	return time.Time{}, errors.New("the expiry must be a date such as 2027-01-31, at whose beginning in UTC the token expires, or an RFC 3339 time such as 2027-01-31T12:00:00Z")
}

// expiryAt parses the expiry of a new token: as [ParseExpiry] does, or a time relative to now, such as now+90d.
func expiryAt(text string, now time.Time) (time.Time, error) {
	if !strings.HasPrefix(text, "now") {
		return ParseExpiry(text)
	}
	expires, err := sqlq.ParseTimestampAt(text, now)
	return expires.Truncate(time.Second), err
}

// parseTime parses an RFC 3339 time, or a date, which stands for its start in UTC.
func parseTime(text string) (parsed time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if parsed, err := time.Parse(layout, text); err == nil && !parsed.IsZero() {
			return parsed.UTC(), true
		}
	}
	return time.Time{}, false
}
