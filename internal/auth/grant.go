package auth

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// grant is a token with the data that is derived from it once.
type grant struct {
	token Token
	// endpoints is a set of names, ids and aliases; nil means all.
	endpoints map[string]bool
	// bindings are the bound parameters, by name.
	bindings []binding
	// scope is equal for all tokens with the same access; see [scopeOf].
	scope string
	// limiter is nil if the token has no rate.
	limiter *rate.Limiter
	// caller counts the token's usage. It is nil before the first request.
	caller atomic.Pointer[usage.Caller]
	// used is the second, since 1970, of the latest request; zero before the first one.
	used atomic.Int64
}

func newGrant(token Token) *grant {
	g := &grant{
		token:     token,
		endpoints: setOf(token.Endpoints, canonicalEndpoint),
		bindings:  bindingsOf(&token),
		scope:     scopeOf(token),
	}
	if token.Rate > 0 {
		g.limiter = rate.NewLimiter(rate.Limit(token.Rate), token.AllowedBurst())
	}
	return g
}

// noteUse records the time of a request. It writes once a second, because all processors share the field.
func (g *grant) noteUse(now time.Time) {
	if second := now.Unix(); g.used.Load() < second {
		g.used.Store(second)
	}
}

// lastUse returns the time of the latest request, to the second; the zero time before the first one.
func (g *grant) lastUse() time.Time {
	if second := g.used.Load(); second > 0 {
		return time.Unix(second, 0).UTC()
	}
	return time.Time{}
}

// callerOf returns the caller whose usage the grant's requests are.
func (g *grant) callerOf(ledger *usage.Ledger) *usage.Caller {
	if known := g.caller.Load(); known != nil {
		return known
	}
	caller := ledger.Caller(usageOf(&g.token), g.token.Budget)
	g.caller.Store(caller)
	return caller
}

// usageOf returns the account that a token is charged to: its name, or the issuer and the
// subject of a signed one.
func usageOf(token *Token) usage.ID {
	if token.Issuer == "" {
		return usage.ID{Token: token.Name}
	}
	return usage.ID{Token: token.Issuer, Subject: cmp.Or(token.Subject, "(none)")}
}

// canonicalEndpoint returns a name as it is, and a UUID in lower case.
func canonicalEndpoint(nameOrID string) string {
	if id, ok := sqlq.ParseID(nameOrID); ok {
		return id.String()
	}
	return nameOrID
}

// setOf returns the set of the converted values, or nil for nil.
func setOf(values []string, convert func(string) string) map[string]bool {
	if values == nil {
		return nil
	}
	set := make(map[string]bool, len(values))
	for _, value := range values {
		set[convert(value)] = true
	}
	return set
}

// scopeOf returns a canonical description of a token's access, on one line. It returns
// an empty string for a token that may access everything. A signed token never may.
func scopeOf(token Token) string {
	if token.Endpoints == nil && token.Projects == nil && token.MaxTier == "" && !token.signed() {
		return ""
	}
	list := func(names []string) string {
		if names == nil {
			return "all"
		}
		return fmt.Sprintf("%q", slices.Compact(slices.Sorted(slices.Values(names))))
	}
	var scope strings.Builder
	_, _ = fmt.Fprintf(&scope, "endpoints %s projects %s tier %q", list(token.Endpoints), list(token.Projects), token.MaxTier)
	if token.signed() {
		scope.WriteString(" signed")
		for _, name := range slices.Sorted(maps.Keys(token.Bound)) {
			_, _ = fmt.Fprintf(&scope, " %q %s", name, list(token.Bound[name]))
		}
	}
	return scope.String()
}

type grantKey struct{}

// withGrant returns a context whose requests are checked against the token. Only
// [Handler] and [NoAuth] call it.
func withGrant(ctx context.Context, g *grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

// grantOf returns the grant of a request, or nil if it has none. Callers must deny
// requests without a grant.
func grantOf(ctx context.Context) *grant {
	g, _ := ctx.Value(grantKey{}).(*grant)
	return g
}

// FromContext returns the token of a request, and whether it has one.
func FromContext(ctx context.Context) (Token, bool) {
	g := grantOf(ctx)
	if g == nil {
		return Token{}, false
	}
	return g.token, true
}

// Bound reports whether the token of a request binds parameters.
func Bound(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && len(g.bindings) > 0
}

// Unlimited reports whether the token of a request may run every saved query with any
// arguments. It returns false for a request without a token.
func Unlimited(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.scope == ""
}
