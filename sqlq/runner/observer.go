package runner

import (
	"context"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// Observer observes a runner, for metrics. A nil error is success. It must be safe for
// concurrent use.
type Observer interface {
	// Responded is called for each request for a saved query that exists, with the status
	// of the response or with the error.
	Responded(query *sqlq.SavedQuery, status CacheStatus, err error)
	// EngineRan is called for each run of the engine. The context has the values of the caller
	// that started the run, or none if it refreshes an entry.
	EngineRan(ctx context.Context, query *sqlq.SavedQuery, run EngineRun, err error)
	// Rejected is called for each run that did not reach the engine, because of the
	// breaker or of the queue.
	Rejected(query *sqlq.SavedQuery, err error)
	// Refreshed is called for each refresh in the background, with the new entry or, after an error, the old one.
	Refreshed(entry *cache.Entry, err error)
}

// EngineRun is what a run of the engine took, and what it gave if it did not fail.
type EngineRun struct {
	Duration time.Duration
	// Rows is how many rows the engine returned.
	Rows int
	// BytesProcessed is what the engine read and bills for; zero where it does not count.
	BytesProcessed int64
	// ReusedRows is how many more rows the response has, of earlier runs, and ReusedBytes how
	// much less the engine read because of them.
	ReusedRows  int
	ReusedBytes int64
}

// unobserved is the observer of a runner that has none.
type unobserved struct{}

func (unobserved) Responded(*sqlq.SavedQuery, CacheStatus, error)                {}
func (unobserved) EngineRan(context.Context, *sqlq.SavedQuery, EngineRun, error) {}
func (unobserved) Rejected(*sqlq.SavedQuery, error)                              {}
func (unobserved) Refreshed(*cache.Entry, error)                                 {}
