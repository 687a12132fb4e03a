package auth

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"golang.org/x/time/rate"
)

// grant is a token with what is worked out of it once.
type grant struct {
	token Token
	// endpoints and projects are sets; nil means all.
	endpoints, projects map[string]bool
	// patterns are regular expressions that match the projects literally.
	patterns map[string]bool
	// scope is the same for all tokens that see the same; see [scopeOf].
	scope string
	// limiter is nil where there is no limit.
	limiter *rate.Limiter
}

func newGrant(token Token) *grant {
	g := &grant{
		token:     token,
		endpoints: setOf(token.Endpoints, func(name string) string { return name }),
		projects:  setOf(token.Projects, func(project string) string { return project }),
		patterns:  setOf(token.Projects, regexp.QuoteMeta),
		scope:     scopeOf(token),
	}
	if token.Rate > 0 {
		g.limiter = rate.NewLimiter(rate.Limit(token.Rate), token.burst())
	}
	return g
}

// setOf returns the set of what the texts become; nil for nil.
func setOf(texts []string, become func(string) string) map[string]bool {
	if texts == nil {
		return nil
	}
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[become(text)] = true
	}
	return set
}

// scopeOf spells out what a token may see, in one way only and on one line. The
// scope of a token that may see everything is empty.
func scopeOf(token Token) string {
	if token.Endpoints == nil && token.Projects == nil && token.MaxTier == "" {
		return ""
	}
	list := func(texts []string) string {
		if texts == nil {
			return "all"
		}
		return fmt.Sprintf("%q", slices.Compact(slices.Sorted(slices.Values(texts))))
	}
	return fmt.Sprintf("endpoints %s projects %s tier %q", list(token.Endpoints), list(token.Projects), token.MaxTier)
}

type grantKey struct{}

// withGrant returns a context whose requests are held against the token. Nothing but
// [Handler] and [NoAuth] lets a request in.
func withGrant(ctx context.Context, g *grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

// grantOf returns the grant of a request; nil where it has none, so that it must be
// denied whatever it asks for.
func grantOf(ctx context.Context) *grant {
	g, _ := ctx.Value(grantKey{}).(*grant)
	return g
}

// FromContext returns the token of a request; false where it has none.
func FromContext(ctx context.Context) (Token, bool) {
	g := grantOf(ctx)
	if g == nil {
		return Token{}, false
	}
	return g.token, true
}
