package upkeep

import (
	"context"
	"time"

	"github.com/googleapis/gax-go/v2"
)

const (
	// shortestPause and longestPause limit a pause. A step can take long because it waited for others.
	shortestPause = 50 * time.Millisecond
	longestPause  = 5 * time.Second
	// pauseShare is how many times as long as its step a pause takes. On a busy machine, steps take
	// longer, and so do the pauses.
	pauseShare = 3
)

// pacer pauses between the steps of background work, so that they take at most a quarter of the
// time. It is not safe for concurrent use.
type pacer struct {
	clock func() time.Time
	// began is when the current step began.
	began time.Time
}

// newPacer returns a pacer whose first step begins now.
func newPacer(clock func() time.Time) *pacer { return &pacer{clock: clock, began: clock()} }

// pause ends a step and returns when the next one may begin, or an error once the context ends.
func (p *pacer) pause(ctx context.Context) error {
	took := p.clock().Sub(p.began)
	err := gax.Sleep(ctx, min(max(pauseShare*took, shortestPause), longestPause))
	p.began = p.clock()
	return err
}
