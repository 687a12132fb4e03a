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

// Account pays for the runs of the engine that its requests start. It must be safe for
// concurrent use.
type Account interface {
	// Reserve reserves a run of a saved query, before it waits for the engine. An error ends
	// the request, and is not an error of the engine: no stale entry is served for it.
	Reserve(query *sqlq.SavedQuery) (Reservation, error)
}

// Reservation is a run that an account pays for. The runner calls exactly one of the methods,
// once.
type Reservation interface {
	// Payer identifies who pays. The runs of one payer never take the whole engine. The empty
	// string is nobody, whose runs can.
	Payer() string
	// Release ends the reservation of a run that did not reach the engine.
	Release()
	// Charge ends the reservation of a run, whether or not it succeeded.
	Charge(run EngineRun)
}

// reserve reserves a run for an account, which may be nil.
func reserve(account Account, query *sqlq.SavedQuery) (Reservation, error) {
	if account == nil {
		return unpaid{}, nil
	}
	return account.Reserve(query)
}

// unpaid is the reservation of a run that no account pays for.
type unpaid struct{}

func (unpaid) Payer() string    { return "" }
func (unpaid) Release()         {}
func (unpaid) Charge(EngineRun) {}
