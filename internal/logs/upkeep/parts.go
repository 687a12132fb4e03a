package upkeep

import (
	"context"
	"log/slog"
	"time"

	"github.com/googleapis/gax-go/v2"

	"savedq/internal/logs/logstore"
)

// PartStore is the part of the embedded store that a [PartKeeper] uses; see [logstore.Store].
type PartStore interface {
	SealOlder(ctx context.Context, than time.Time) error
	Merge(ctx context.Context, now time.Time, between func(ctx context.Context) error) (steps int, err error)
}

var _ PartStore = (*logstore.Store)(nil)

// PartObserver observes what a [PartKeeper] does. Its methods must return quickly.
type PartObserver interface {
	// PartsMerged is called with the number of times that parts were merged.
	PartsMerged(steps int)
}

// PartKeeper writes events to parts that were in memory for long, and merges parts, while a server runs.
type PartKeeper struct {
	Store    PartStore
	Clock    func() time.Time
	Logger   *slog.Logger
	Observer PartObserver
}

const (
	// partInterval is the time between two passes of a [PartKeeper].
	partInterval = 15 * time.Second
	// longestRecent is how long events stay in memory at most, so that a killed server has few to read again.
	longestRecent = 30 * time.Second
)

// Run keeps the parts in order until the context ends. The first pass is at once, so that a server that is restarted
// often merges parts, too.
func (k *PartKeeper) Run(ctx context.Context) {
	for {
		k.pass(ctx)
		if gax.Sleep(ctx, partInterval) != nil {
			return
		}
	}
}

// pass does what is due. What fails is tried again in the next pass.
func (k *PartKeeper) pass(ctx context.Context) {
	now := k.Clock()
	k.warn(ctx, k.Store.SealOlder(ctx, now.Add(-longestRecent)), "recent events were not written to a part")
	steps, err := k.Store.Merge(ctx, now, newPacer(k.Clock).pause)
	k.Observer.PartsMerged(steps)
	k.warn(ctx, err, "parts were not merged")
}

func (k *PartKeeper) warn(ctx context.Context, err error, message string) {
	if err != nil && ctx.Err() == nil {
		k.Logger.WarnContext(ctx, message, slog.Any("error", err)) //nolint:sloglint // It is one of a few constants.
	}
}
