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
			due := r.due()
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

// due returns an answer that is to be made anew now; nil where there is none. One
// that nobody asked for is looked at again at its next warming time.
func (r *Runner) due() *item {
	r.cache.mutex.Lock()
	defer r.cache.mutex.Unlock()
	now := r.config.Clock()
	for {
		first := r.cache.refreshes.first()
		if first == nil || first.at.After(now) {
			return nil
		}
		held := first.value
		query := held.answer.Query
		if now.UnixNano()-held.asked.Load() < int64(query.Cache) {
			r.cache.refreshes.remove(first)
			return held
		}
		r.cache.refreshes.set(first, r.nextRefresh(query, now))
	}
}

// refresh makes an answer anew. Where that fails the old one stays, and it is tried
// again after a pause that doubles with each failure.
func (r *Runner) refresh(ctx context.Context, held *item) {
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
	r.cache.mutex.Lock()
	defer r.cache.mutex.Unlock()
	if !held.kept.Load() {
		return
	}
	const first, most = time.Second, 10 // doublings
	pause := max(failure.RetryAfter, min(query.Warm, first<<min(held.failures, most)))
	held.failures++
	r.cache.refreshes.set(&held.refresh, r.config.Clock().Add(r.jitter(pause)))
	r.cache.wake()
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

// next is the time at which something is to be done; the zero time where nothing
// is. Refreshes count where there is room for one.
func (c *cache) next(refreshes bool) time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var next time.Time
	if first := c.expiries.first(); first != nil {
		next = first.at.Add(c.staleFor)
	}
	if first := c.refreshes.first(); refreshes && first != nil && (next.IsZero() || first.at.Before(next)) {
		next = first.at
	}
	return next
}
