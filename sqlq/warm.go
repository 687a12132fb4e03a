package sqlq

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Maintain keeps answers warm and lets expired ones go, until the context ends. It
// returns when no refresh runs any more.
//
// An answer that somebody asked for within the last caching time is made anew at
// every warming time, give or take a tenth, while the old one is served. An answer
// that nobody asks for is left to expire.
func (r *Runner) Maintain(ctx context.Context) {
	var refreshes sync.WaitGroup
	defer refreshes.Wait()
	free := r.config.WarmConcurrency
	ended := make(chan struct{}, r.config.WarmConcurrency)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			free++
		case <-r.cache.changed:
		case <-timer.C:
		}
		r.cache.expire(r.config.Clock())
		for free > 0 {
			due := r.cache.due(r.config.Clock(), r.nextRefresh)
			if due == nil {
				break
			}
			free--
			refreshes.Go(func() {
				r.refresh(ctx, due)
				ended <- struct{}{}
			})
		}
		if next := r.cache.next(free > 0); !next.IsZero() {
			timer.Reset(next.Sub(r.config.Clock()))
		}
	}
}

// refresh makes an answer anew. Where that fails the old one stays, and it is tried
// again after a pause that doubles with each failure.
func (r *Runner) refresh(ctx context.Context, held *entry) {
	query := held.answer.Query
	_, err := r.join(ctx, r.warm(ctx, question{query: query, args: held.answer.Args, key: held.key}))
	if ctx.Err() != nil {
		return
	}
	r.config.Observer.Warmed(query, err)
	if err == nil {
		return
	}
	failure := AsError(err)
	if !failure.TurnedAway() {
		r.config.Logger.WarnContext(ctx, "an answer could not be kept warm", slog.String("endpoint", query.Name),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
	r.cache.retry(held, func(failures int) time.Time {
		const first, most = time.Second, 10 // doublings
		pause := max(failure.RetryAfter, min(query.Warm, first<<min(failures, most)))
		return r.config.Clock().Add(r.jitter(pause))
	})
}

// warm returns the flight that makes an answer anew, in which the caller counts as
// one who waits.
func (r *Runner) warm(ctx context.Context, q question) *flight {
	r.flights.mutex.Lock()
	defer r.flights.mutex.Unlock()
	if f := r.flights.byKey[q.key]; f != nil {
		f.waiting++
		return f
	}
	return r.start(ctx, q, true)
}

// nextRefresh is when an answer of a query is to be made anew; the zero time where
// the query is not kept warm.
func (r *Runner) nextRefresh(query *SavedQuery, now time.Time) time.Time {
	if query.Warm == 0 {
		return time.Time{}
	}
	return now.Add(r.jitter(query.Warm))
}

// jitter changes a duration by up to a tenth.
func (r *Runner) jitter(duration time.Duration) time.Duration {
	return time.Duration(float64(duration) * (0.9 + 0.2*r.config.Random()))
}
