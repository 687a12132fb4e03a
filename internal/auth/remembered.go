package auth

import (
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Limits of what is remembered of signed tokens, of about 2 KB each.
const (
	maxRemembered = 10_000
	maxLimiters   = 10_000
)

// remembered holds the grants of signed tokens by the hashes of the tokens, so that a token
// is verified once. It is safe for concurrent use.
type remembered struct {
	grants *lru.Cache[Hash, rememberedGrant]
	// limiters are the rates of subjects, so that a fresh token does not get a fresh burst.
	limiters *lru.Cache[limiterKey, *rate.Limiter]
}

type rememberedGrant struct {
	grant   *grant
	current func() bool
}

// limiterKey identifies the rate of a subject, or of a single token that has none.
type limiterKey struct {
	issuer, subject string
	claims          Hash
	rate            float64
	burst           int
}

func newRemembered() *remembered {
	grants, _ := lru.New[Hash, rememberedGrant](maxRemembered) // fails only for a size below 1
	limiters, _ := lru.New[limiterKey, *rate.Limiter](maxLimiters)
	return &remembered{grants: grants, limiters: limiters}
}

// find returns the grant of a token; nil if it is not remembered, or must be verified again.
func (r *remembered) find(hash Hash) *grant {
	found, ok := r.grants.Get(hash)
	if !ok || !found.current() {
		return nil
	}
	return found.grant
}

// add remembers a token, and returns its grant.
func (r *remembered) add(hash Hash, verified Verified) *grant {
	g := newGrant(verified.Token)
	if g.limiter != nil {
		g.limiter = r.limiterOf(verified.Claims, g)
	}
	r.grants.Add(hash, rememberedGrant{grant: g, current: verified.Current})
	return g
}

// limiterOf returns the limiter of the grant's subject, or of its claims if it has none.
func (r *remembered) limiterOf(claims Hash, g *grant) *rate.Limiter {
	key := limiterKey{issuer: g.token.Issuer, subject: g.token.Subject, rate: g.token.Rate, burst: g.token.AllowedBurst()}
	if key.subject == "" {
		key.claims = claims
	}
	if limiter, found := r.limiters.Get(key); found {
		return limiter
	}
	if limiter, found, _ := r.limiters.PeekOrAdd(key, g.limiter); found { // of a token that came at the same time
		return limiter
	}
	return g.limiter
}
