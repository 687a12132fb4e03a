package server

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"savedq/internal/auth"
	"savedq/sqlq"
)

const (
	// mostCompiling is how many processes compile SQL of callers at the same time. Each takes up to some hundred MiB.
	mostCompiling = 1
	// mostOfToken is how many requests of a token compile SQL or wait to.
	mostOfToken = 4
	// compilingPatience is how long a request waits for its turn.
	compilingPatience = 10 * time.Second
)

// compiling bounds the processes that compile SQL of callers, and shares them between tokens. It is safe for
// concurrent use.
type compiling struct {
	turns *semaphore.Weighted
	mutex sync.Mutex
	// requests are those that compile or wait, by token.
	requests map[caller]int
}

// caller is who pays for a request: a token, or the subject of a signed one.
type caller struct{ token, issuer, subject string }

func newCompiling() *compiling {
	return &compiling{turns: semaphore.NewWeighted(mostCompiling), requests: make(map[caller]int)}
}

// enter waits for the turn of a request. Callers must call leave after enter succeeds. The error is
// RESOURCE_EXHAUSTED if the token has too many requests, UNAVAILABLE if the wait is too long, or that of the context.
func (c *compiling) enter(ctx context.Context) (leave func(), err error) {
	var of caller
	if token, ok := auth.FromContext(ctx); ok {
		of = caller{token.Name, token.Issuer, token.Subject}
	}
	if !c.add(of) {
		return nil, sqlq.Rejectf(sqlq.ResourceExhausted, time.Second, "the token has %d requests that compile SQL; send the next one after one of them has ended", mostOfToken)
	}
	waiting, end := context.WithTimeout(ctx, compilingPatience)
	defer end()
	if err := c.turns.Acquire(waiting, 1); err != nil {
		c.remove(of)
		if ctx.Err() != nil {
			return nil, sqlq.AsError(ctx.Err())
		}
		return nil, sqlq.Rejectf(sqlq.Unavailable, time.Second, "too many requests compile SQL; try again in a moment")
	}
	return func() {
		c.turns.Release(1)
		c.remove(of)
	}, nil
}

// add counts a request. It reports false if its token has too many.
func (c *compiling) add(of caller) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.requests[of] >= mostOfToken {
		return false
	}
	c.requests[of]++
	return true
}

func (c *compiling) remove(of caller) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.requests[of]--; c.requests[of] == 0 {
		delete(c.requests, of)
	}
}
