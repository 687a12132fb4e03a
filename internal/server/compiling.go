package server

import (
	"context"
	"slices"
	"sync"
	"time"

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

// compiling bounds the processes that compile SQL of callers. Tokens take turns: one with many requests does not make
// those of others wait for all of them. It is safe for concurrent use.
type compiling struct {
	mutex   sync.Mutex
	running int
	// requests are those that compile or wait, by token.
	requests map[caller]int
	// waiting are those that wait, by token, in the order in which they came. Each is closed when its turn has come.
	waiting map[caller][]chan struct{}
	// turns are the tokens with requests that wait, the next one first.
	turns []caller
}

// caller is who pays for a request: a token, or the subject of a signed one.
type caller struct{ token, issuer, subject string }

// callerOf returns who pays for a request: nobody in particular on a server without tokens.
func callerOf(ctx context.Context) caller {
	token, ok := auth.FromContext(ctx)
	if !ok {
		return caller{}
	}
	return caller{token.Name, token.Issuer, token.Subject}
}

func newCompiling() *compiling {
	return &compiling{requests: make(map[caller]int), waiting: make(map[caller][]chan struct{})}
}

// enter waits for the turn of a request. Callers must call leave after enter succeeds. The error is
// RESOURCE_EXHAUSTED if the token has too many requests, UNAVAILABLE if the wait is too long, or that of the context.
func (c *compiling) enter(ctx context.Context, of caller) (leave func(), err error) {
	turn, ok := c.join(of)
	if !ok {
		return nil, sqlq.Rejectf(sqlq.ResourceExhausted, time.Second, "the token has %d requests that compile SQL; send the next one after one of them has ended", mostOfToken)
	}
	leave = func() { c.leave(of) }
	waiting, end := context.WithTimeout(ctx, compilingPatience)
	defer end()
	select {
	case <-turn:
		return leave, nil
	case <-waiting.Done():
	}
	c.withdraw(of, turn)
	if ctx.Err() != nil {
		return nil, sqlq.AsError(ctx.Err())
	}
	return nil, sqlq.Rejectf(sqlq.Unavailable, time.Second, "too many requests compile SQL; try again in a moment")
}

// join adds a request, whose turn has come when the channel is closed. It reports false if its token has too many.
func (c *compiling) join(of caller) (turn chan struct{}, ok bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.requests[of] >= mostOfToken {
		return nil, false
	}
	c.requests[of]++
	turn = make(chan struct{})
	if c.waiting[of] = append(c.waiting[of], turn); len(c.waiting[of]) == 1 {
		c.turns = append(c.turns, of)
	}
	c.next()
	return turn, true
}

// leave ends a request whose turn had come.
func (c *compiling) leave(of caller) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.running--
	c.remove(of)
	c.next()
}

// withdraw ends a request that stops waiting. Its turn may have come at the last moment.
func (c *compiling) withdraw(of caller, turn chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.remove(of)
	at := slices.Index(c.waiting[of], turn)
	if at < 0 {
		c.running--
		c.next()
		return
	}
	if c.waiting[of] = slices.Delete(c.waiting[of], at, at+1); len(c.waiting[of]) == 0 {
		delete(c.waiting, of)
		c.turns = slices.DeleteFunc(c.turns, func(other caller) bool { return other == of })
	}
}

// next gives turns while processes are free. A token that has more requests is the last one then. The mutex must be
// held.
func (c *compiling) next() {
	for c.running < mostCompiling && len(c.turns) > 0 {
		of := c.turns[0]
		c.turns = c.turns[1:]
		c.running++
		close(c.waiting[of][0])
		if c.waiting[of] = c.waiting[of][1:]; len(c.waiting[of]) > 0 {
			c.turns = append(c.turns, of)
		} else {
			delete(c.waiting, of)
		}
	}
}

// remove forgets a request. The mutex must be held.
func (c *compiling) remove(of caller) {
	if c.requests[of]--; c.requests[of] == 0 {
		delete(c.requests, of)
	}
}
