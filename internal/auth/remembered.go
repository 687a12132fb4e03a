package auth

import (
	"sync"
	"time"

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
	mutex  sync.RWMutex
	grants map[Hash]rememberedGrant
	// limiters are the rates of subjects, so that a fresh token does not get a fresh burst.
	limiters map[limiterKey]*rate.Limiter
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
	return &remembered{grants: make(map[Hash]rememberedGrant), limiters: make(map[limiterKey]*rate.Limiter)}
}

// find returns the grant of a token; nil if it is not remembered, or must be verified again.
func (r *remembered) find(hash Hash) *grant {
	r.mutex.RLock()
	found, ok := r.grants[hash]
	r.mutex.RUnlock()
	if !ok {
		return nil
	}
	if !found.current() {
		r.forget(hash)
		return nil
	}
	return found.grant
}

// forget removes a token.
func (r *remembered) forget(hash Hash) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.grants, hash)
}

// add remembers a token, and returns its grant.
func (r *remembered) add(hash Hash, verified Verified, now time.Time) *grant {
	g := newGrant(verified.Token)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if g.limiter != nil {
		g.limiter = r.limiterOf(verified.Claims, g, now)
	}
	if len(r.grants) >= maxRemembered {
		r.makeRoom(now)
	}
	r.grants[hash] = rememberedGrant{grant: g, current: verified.Current}
	return g
}

// makeRoom removes tokens that have expired, or any one.
func (r *remembered) makeRoom(now time.Time) {
	var last Hash
	for hash, found := range r.grants {
		if found.grant.token.expired(now) || !found.current() {
			delete(r.grants, hash)
		}
		last = hash
	}
	if len(r.grants) >= maxRemembered {
		delete(r.grants, last)
	}
}

// limiterOf returns the limiter of the grant's subject, or of its claims if it has none.
func (r *remembered) limiterOf(claims Hash, g *grant, now time.Time) *rate.Limiter {
	key := limiterKey{issuer: g.token.Issuer, subject: g.token.Subject, rate: g.token.Rate, burst: g.token.burst()}
	if key.subject == "" {
		key.claims = claims
	}
	if limiter := r.limiters[key]; limiter != nil {
		return limiter
	}
	if len(r.limiters) >= maxLimiters {
		var last limiterKey
		for key, limiter := range r.limiters {
			if limiter.TokensAt(now) >= float64(limiter.Burst()) {
				delete(r.limiters, key) // a new one is the same
			}
			last = key
		}
		if len(r.limiters) >= maxLimiters {
			delete(r.limiters, last)
		}
	}
	r.limiters[key] = g.limiter
	return g.limiter
}
