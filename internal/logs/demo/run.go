package demo

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

const (
	// beat is the interval at which live events are written.
	beat = time.Second
	// stride is the longest period of one batch, which is then small even after days of sleep.
	stride = time.Hour
)

// Live configures [Run].
type Live struct {
	// After is [Filling.Through].
	After  time.Time
	Clock  func() time.Time
	Logger *slog.Logger
}

// Run commits each live event once, at its time, until the context ends. Then it returns nil.
// It logs a failed commit and retries every second. It returns [logstore.ErrHoldsOtherLogs]
// as soon as the store holds other logs.
func Run(ctx context.Context, committer ingest.Committer, generator *Generator, live Live) error {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		through, err := advance(ctx, committer, generator, live.After, live.Clock().UTC().Truncate(precision))
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

// advance commits the events after a time up to now, and returns the time up to which it has
// committed them.
func advance(ctx context.Context, committer ingest.Committer, generator *Generator, after, now time.Time) (time.Time, error) {
	for after.Before(now) {
		from := later(after.Add(precision), beginning(now))
		through := now
		if end := from.Add(stride); end.Before(now) {
			through = end
		}
		batch := ingest.Batch{Generated: true, Received: now}
		for source, event := range generator.all(from, through.Add(precision)) {
			batch.Events = append(batch.Events, logevent.Sourced{Source: source, Event: event})
		}
		if len(batch.Events) > 0 { // many seconds have none
			if _, err := committer.Commit(ctx, batch); err != nil {
				return after, err
			}
		}
		after = through
	}
	return after, nil
}
