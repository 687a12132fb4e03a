package upkeep

import (
	"context"
	"log/slog"
	"time"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// RetentionStore is the part of the embedded store that a [RetentionKeeper] uses; see [logstore.Store].
type RetentionStore interface {
	Delete(ctx context.Context, deletion logstore.Deletion) (int64, error)
	ForgetRejected(ctx context.Context, before time.Time) error
	Tables() sqlq.Tables
	Oldest(ctx context.Context, source *sqlq.Table) (time.Time, bool, error)
}

var _ RetentionStore = (*logstore.Store)(nil)

// RetentionObserver observes what a [RetentionKeeper] does. Its methods must return quickly.
type RetentionObserver interface {
	// EventsDeleted is called with the number of deleted events of a source.
	EventsDeleted(source string, count int64)
	// OldestEvent is called with the time of the oldest event of a source, or the zero time.
	OldestEvent(source string, at time.Time)
}

// RetentionKeeper deletes old events while a server runs.
type RetentionKeeper struct {
	Store RetentionStore
	// Policy returns how long events are kept. It is called before each pass.
	Policy   func() RetentionPolicy
	Clock    func() time.Time
	Logger   *slog.Logger
	Observer RetentionObserver
	// Purge is called after events were deleted by another policy than before, because what is
	// cached holds them. Events that pass the same age are in it until its caching time ends.
	Purge func()

	// applied is the policy of the last pass that deleted everything.
	applied *RetentionPolicy
}

// retentionInterval is the time between two passes of a [RetentionKeeper].
const retentionInterval = time.Minute

// Run deletes events that have become too old, every minute until the context ends.
func (k *RetentionKeeper) Run(ctx context.Context) {
	ticker := time.NewTicker(retentionInterval)
	defer ticker.Stop()
	for {
		k.pass(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// pass deletes what is too old now. What fails is tried again in the next pass.
func (k *RetentionKeeper) pass(ctx context.Context) {
	policy, now := k.Policy(), k.Clock()
	total, complete := int64(0), true
	for _, source := range k.Store.Tables() {
		if kept := policy.Of(source); kept > 0 {
			deleted, err := k.Store.Delete(ctx, logstore.Deletion{Source: source, Before: now.Add(-kept), Between: newPacer(k.Clock).pause})
			k.Observer.EventsDeleted(source.Name, deleted)
			total += deleted
			complete = complete && err == nil
			k.warn(ctx, err, "old events were not deleted")
		}
		oldest, found, err := k.Store.Oldest(ctx, source)
		k.warn(ctx, err, "the oldest event was not found")
		if err == nil {
			if !found {
				oldest = time.Time{}
			}
			k.Observer.OldestEvent(source.Name, oldest)
		}
	}
	if total > 0 && (k.applied == nil || !k.applied.equal(policy)) {
		k.Purge()
	}
	if complete {
		k.applied = &policy
	}
	if policy.Default > 0 {
		k.warn(ctx, k.Store.ForgetRejected(ctx, now.Add(-policy.Default)), "old rejected events were not deleted")
	}
}

func (k *RetentionKeeper) warn(ctx context.Context, err error, message string) {
	if err != nil && ctx.Err() == nil {
		k.Logger.WarnContext(ctx, message, slog.Any("error", err)) //nolint:sloglint // It is one of a few constants.
	}
}
