package demo

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"savedq/internal/logs/logstore"
)

const (
	// beat is how often live events are written.
	beat = time.Second
	// stride is the longest time whose events are written in one transaction. After a
	// pause of days, as of a laptop that slept, each one is still small enough to be
	// one commit, of which readers see all or nothing.
	stride = time.Hour
)

// Live is what [Run] needs to know.
type Live struct {
	// After is the moment up to which, itself included, the store is filled:
	// [Filling.Through].
	After  time.Time
	Clock  func() time.Time
	Logger *slog.Logger
}

// Run keeps adding the live events, each once and none before its time, until
// the context ends; then it returns nil. A failure to write is logged, and the
// next second makes up for it. Only a store that has come to hold other logs
// ends Run early: the error is [logstore.ErrHoldsOtherLogs] then.
func Run[T Transaction](ctx context.Context, store Store[T], generator *Generator, live Live) error {
	feed := feed[T]{store: store, generator: generator, live: live}
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := feed.advance(ctx); err != nil {
				return err
			}
		}
	}
}

// feed is the state of a [Run].
type feed[T Transaction] struct {
	store     Store[T]
	generator *Generator
	// live.After moves on with each success.
	live Live
	// failures is how many attempts have failed since the last success.
	failures int
}

// advance writes the events up to the present moment.
func (f *feed[T]) advance(ctx context.Context) error {
	now := f.live.Clock().UTC().Truncate(precision)
	for from := later(f.live.After.Add(precision), beginning(now)); !from.After(now); from = f.live.After.Add(precision) {
		through := now
		if end := from.Add(stride); end.Before(now) {
			through = end
		}
		if err := f.advanceTo(ctx, from, through); err != nil {
			return err
		}
		if f.live.After.Before(through) {
			return nil // it failed, and the next beat tries again
		}
	}
	return nil
}

// advanceTo writes the events from one moment through another, both included.
func (f *feed[T]) advanceTo(ctx context.Context, from, through time.Time) error {
	to := through.Add(precision)
	if !f.happens(from, to) {
		f.live.After = through
		return nil
	}
	_, err := write(ctx, f.store, f.generator, from, to)
	switch {
	case err == nil:
		f.succeed(ctx)
		f.live.After = through
		return nil
	case errors.Is(err, logstore.ErrHoldsOtherLogs):
		return err
	case ctx.Err() == nil:
		f.fail(ctx, err)
		return nil
	default:
		// The context's end is no failure, and ends Run.
		return nil
	}
}

// happens says whether there is any event in [from, to). Many seconds have none
// and need no transaction.
func (f *feed[T]) happens(from, to time.Time) bool {
	for _, source := range logstore.Sources() {
		for range f.generator.Events(source, from, to) {
			return true
		}
	}
	return false
}

// fail logs the first failure of a row, and then one a minute: a disk that is
// full stays full for a while.
func (f *feed[T]) fail(ctx context.Context, err error) {
	if f.failures%int(time.Minute/beat) == 0 {
		f.live.Logger.LogAttrs(ctx, slog.LevelWarn, "demo logs were not written, trying again",
			slog.Any("error", err), slog.Time("written_through", f.live.After))
	}
	f.failures++
}

// succeed logs the end of a row of failures.
func (f *feed[T]) succeed(ctx context.Context) {
	if f.failures > 0 {
		f.live.Logger.LogAttrs(ctx, slog.LevelInfo, "demo logs are written again",
			slog.Int("failed_attempts", f.failures))
	}
	f.failures = 0
}
