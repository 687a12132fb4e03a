package runner

import (
	"time"

	"savedq/sqlq"
)

// Observer observes a runner, for metrics. A nil error is success. It must be safe for
// concurrent use.
type Observer interface {
	// Responded is called for each request for a saved query that exists, with the status
	// of the response or with the error.
	Responded(query *sqlq.SavedQuery, status CacheStatus, err error)
	// EngineRan is called for each run of the engine, with its duration.
	EngineRan(query *sqlq.SavedQuery, duration time.Duration, err error)
	// Rejected is called for each run that did not reach the engine, because of the
	// breaker or of the queue.
	Rejected(query *sqlq.SavedQuery, err error)
	// Refreshed is called for each refresh in the background.
	Refreshed(query *sqlq.SavedQuery, err error)
}

// unobserved is the observer of a runner that has none.
type unobserved struct{}

func (unobserved) Responded(*sqlq.SavedQuery, CacheStatus, error)   {}
func (unobserved) EngineRan(*sqlq.SavedQuery, time.Duration, error) {}
func (unobserved) Rejected(*sqlq.SavedQuery, error)                 {}
func (unobserved) Refreshed(*sqlq.SavedQuery, error)                {}
