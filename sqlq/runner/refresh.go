package runner

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// Maintain refreshes entries and removes expired ones until the context ends. It returns
// when no refresh is running any more.
//
// An entry that a caller requested within the last caching time is refreshed at every
// warming time, give or take a tenth. Callers get the old one meanwhile. An entry that no
// caller requests expires.
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
		case <-r.cache.Changed():
		case <-timer.C:
		}
		r.cache.Expire(r.config.Clock())
		for free > 0 {
			due := r.cache.Due(r.config.Clock(), r.nextRefresh)
			if due == nil {
				break
			}
			free--
			refreshes.Go(func() {
				r.refresh(ctx, due)
				ended <- struct{}{}
			})
		}
		if next := r.cache.Next(free > 0); !next.IsZero() {
			timer.Reset(next.Sub(r.config.Clock()))
		}
	}
}

// refresh refreshes an entry with the current saved query. If that fails the old one stays, and the refresh is tried
// again after a pause that doubles with each failure.
func (r *Runner) refresh(ctx context.Context, due *cache.Entry) {
	query := r.served.Load().successor(due.Key, due.Query)
	if query == nil {
		return // it was changed or removed since the entry was due
	}
	call, err := r.joinOrStartRefresh(ctx, job{query: query, args: due.Args, key: due.Key})
	entry := due
	if err == nil {
		if refreshed, failure := r.wait(ctx, call); failure == nil {
			entry = refreshed
		} else {
			err = failure
		}
	}
	if ctx.Err() != nil {
		return
	}
	r.config.Observer.Refreshed(entry, err)
	if err == nil {
		return
	}
	failure := sqlq.AsError(err)
	if !failure.Rejected() {
		r.config.Logger.WarnContext(ctx, "a cache entry could not be refreshed", slog.String("endpoint", query.Name),
			slog.String("code", string(failure.Code)), slog.Any("error", err))
	}
	r.cache.Retry(due, func(failures int) time.Time {
		const first, most = time.Second, 10 // doublings
		pause := max(failure.RetryAfter, min(query.Warm, first<<min(failures, most)))
		return r.config.Clock().Add(r.jitter(pause))
	})
}

// joinOrStartRefresh returns the call that refreshes an entry. The caller is counted as a
// waiter of it. If the account that pays for refreshes refuses it, its error is returned.
func (r *Runner) joinOrStartRefresh(ctx context.Context, j job) (*call, error) {
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	if c := r.inFlight.byKey[j.key]; c != nil {
		c.callers++
		return c, nil
	}
	reservation, err := reserve(r.config.Refreshes, j.query)
	if err != nil {
		return nil, err
	}
	return r.start(ctx, j, reservation, Request{Background: true}), nil
}

// nextRefresh returns when an entry of a saved query is to be refreshed; the zero time if
// it never is.
func (r *Runner) nextRefresh(query *sqlq.SavedQuery, now time.Time) time.Time {
	if query.Warm == 0 {
		return time.Time{}
	}
	return now.Add(r.jitter(query.Warm))
}

// jitter changes a duration by up to a tenth.
func (r *Runner) jitter(duration time.Duration) time.Duration {
	return time.Duration(float64(duration) * (0.9 + 0.2*r.config.Random()))
}
