// Package pacing leaves most of the time of a server to its callers while background work runs in
// steps.
package pacing

import (
	"context"
	"time"

	"github.com/googleapis/gax-go/v2"
)

const (
	// shortest and longest limit a pause. A step can take long because it waited for others.
	shortest = 50 * time.Millisecond
	longest  = 5 * time.Second
	// share is how many times as long as its step a pause takes. On a busy machine, steps take
	// longer, and so do the pauses.
	share = 3
)

// Pacer pauses between the steps of background work, so that they take at most a quarter of the
// time. It is not safe for concurrent use.
type Pacer struct {
	clock func() time.Time
	// began is when the current step began.
	began time.Time
}

// New returns a pacer whose first step begins now.
func New(clock func() time.Time) *Pacer { return &Pacer{clock: clock, began: clock()} }

// Pause ends a step and returns when the next one may begin, or an error once the context ends.
func (p *Pacer) Pause(ctx context.Context) error {
	took := p.clock().Sub(p.began)
	err := gax.Sleep(ctx, min(max(share*took, shortest), longest))
	p.began = p.clock()
	return err
}
