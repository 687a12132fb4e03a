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
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		through, err := advance(ctx, store, generator, live.After, live.Clock().UTC().Truncate(precision))
		live.After = through
		switch {
		case errors.Is(err, logstore.ErrHoldsOtherLogs):
			return err
		case ctx.Err() != nil:
			return nil
		case err != nil:
			// A full disk stays full for a while, so one failure a minute is logged.
			if failures%int(time.Minute/beat) == 0 {
				live.Logger.LogAttrs(ctx, slog.LevelWarn, "demo logs were not written, trying again",
					slog.Any("error", err), slog.Time("written_through", through))
			}
			failures++
		case failures > 0:
			live.Logger.LogAttrs(ctx, slog.LevelInfo, "demo logs are written again",
				slog.Int("failed_attempts", failures))
			failures = 0
		}
	}
}

// advance writes the events after a time up to now, and returns the time up to which it
// has written them.
func advance[T Transaction](ctx context.Context, store Store[T], generator *Generator, after, now time.Time) (time.Time, error) {
	for after.Before(now) {
		from := later(after.Add(precision), beginning(now))
		through := now
		if end := from.Add(stride); end.Before(now) {
			through = end
		}
		if to := through.Add(precision); happens(generator, from, to) {
			if _, err := write(ctx, store, generator, from, to); err != nil {
				return after, err
			}
		}
		after = through
	}
	return after, nil
}

// happens reports whether any event is in [from, to). Many seconds have none and need no
// transaction.
func happens(generator *Generator, from, to time.Time) bool {
	for range generator.all(from, to) {
		return true
	}
	return false
}
