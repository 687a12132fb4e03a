package sqlq

import "time"

// Observer is told what a runner does, for metrics. A nil error is success. It is
// called by many at a time.
type Observer interface {
	// Answered is called for each request for a saved query that exists, with how
	// the caller came by the answer, or with the error.
	Answered(query *SavedQuery, status CacheStatus, err error)
	// EngineRan is called for each run of the engine, with how long it took.
	EngineRan(query *SavedQuery, duration time.Duration, err error)
	// Refused is called for each run that was kept from the engine: by the breaker, or
	// because it did not get its turn.
	Refused(query *SavedQuery, err error)
	// Warmed is called for each answer that was made anew in the background.
	Warmed(query *SavedQuery, err error)
}

// unobserved is an observer that does not care.
type unobserved struct{}

func (unobserved) Answered(*SavedQuery, CacheStatus, error)    {}
func (unobserved) EngineRan(*SavedQuery, time.Duration, error) {}
func (unobserved) Refused(*SavedQuery, error)                  {}
func (unobserved) Warmed(*SavedQuery, error)                   {}
