package demo

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"savedq/internal/logs/logstore"
)

const (
	// beat is the interval at which live events are written.
	beat = time.Second
	// stride is the longest period that one transaction writes. Even after days of sleep a
	// transaction is then small enough for a single commit, which readers see wholly or not
	// at all.
	stride = time.Hour
)

// Live configures [Run].
type Live struct {
	// After is [Filling.Through].
	After  time.Time
	Clock  func() time.Time
	Logger *slog.Logger
}

// Run adds each live event once, at its time, until the context ends. Then it returns nil.
// It logs a failed write and retries every second. It returns [logstore.ErrHoldsOtherLogs]
// as soon as the store holds other logs.
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
	// failures counts the failed attempts since the last success.
	failures int
}

// advance writes the events up to now.
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
			return nil // it failed; retry at the next beat
		}
	}
	return nil
}

// advanceTo writes the events of a period, including both ends.
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
		// The context has ended, and so does Run.
		return nil
	}
}

// happens reports whether any event is in [from, to). Many seconds have none and need no
// transaction.
func (f *feed[T]) happens(from, to time.Time) bool {
	for _, source := range logstore.Sources() {
		for range f.generator.Events(source, from, to) {
			return true
		}
	}
	return false
}

// fail logs the first of consecutive failures, and then one a minute. A full disk stays
// full for a while.
func (f *feed[T]) fail(ctx context.Context, err error) {
	if f.failures%int(time.Minute/beat) == 0 {
		f.live.Logger.LogAttrs(ctx, slog.LevelWarn, "demo logs were not written, trying again",
			slog.Any("error", err), slog.Time("written_through", f.live.After))
	}
	f.failures++
}

// succeed logs the first success after failures.
func (f *feed[T]) succeed(ctx context.Context) {
	if f.failures > 0 {
		f.live.Logger.LogAttrs(ctx, slog.LevelInfo, "demo logs are written again",
			slog.Int("failed_attempts", f.failures))
	}
	f.failures = 0
}
