package runner

import (
	"log/slog"
	"sync"
	"time"

	"savedq/sqlq"
)

const (
	// breakerFailures is how many runs must find the engine unavailable, with no
	// success between them, before the breaker opens.
	breakerFailures = 5
	// trialPause is the time between two trials while the breaker is open.
	trialPause = time.Second
)

// breaker protects an engine that is unavailable from further runs, and callers from
// waiting for it (D33). It counts only errors with the code UNAVAILABLE, which are
// those that all callers share. Timeouts and cancelled runs belong to one query and leave
// it as it is, and so do SQL errors and rejections, as for files that change while they are read; but an engine that
// found fault with an argument has
// responded, which is a success.
//
// While it is open, it admits one run per [trialPause]. The first success closes it.
// A trial does not have to end before the next one begins, so a slow query that
// happens to be a trial delays nobody.
type breaker struct {
	clock  func() time.Time
	logger *slog.Logger

	mutex sync.Mutex
	// failures counts the runs that found the engine unavailable since the last success.
	failures  int
	nextTrial time.Time
}

func newBreaker(clock func() time.Time, logger *slog.Logger) *breaker {
	return &breaker{clock: clock, logger: logger}
}

// check returns an UNAVAILABLE [*Error] if a run would be rejected now. Runs that have
// to queue first call it before they do.
func (b *breaker) check() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.rejection(b.clock())
}

// admit returns nil if the caller may start a run now, and otherwise an UNAVAILABLE
// [*Error].
func (b *breaker) admit() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	now := b.clock()
	if err := b.rejection(now); err != nil {
		return err
	}
	if b.open() {
		b.nextTrial = now.Add(trialPause)
	}
	return nil
}

// rejection must be called with the mutex held.
func (b *breaker) rejection(now time.Time) error {
	wait := b.nextTrial.Sub(now)
	if !b.open() || wait <= 0 {
		return nil
	}
	return sqlq.Rejectf(sqlq.Unavailable, wait, "the engine is unavailable; try again in a moment")
}

// open must be called with the mutex held.
func (b *breaker) open() bool { return b.failures >= breakerFailures }

// record counts the result of a run.
func (b *breaker) record(err error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch failure := sqlq.AsError(err); {
	case failure == nil, failure.Code == sqlq.InvalidArgument:
		if b.open() {
			b.logger.Info("the engine is available again")
		}
		b.failures = 0
	case failure.Code == sqlq.Unavailable && !failure.Rejected():
		b.failures++
		if b.failures == breakerFailures {
			b.nextTrial = b.clock().Add(trialPause)
			b.logger.Warn("the engine is unavailable; queries are rejected except for trials",
				slog.Int("failures", breakerFailures), slog.Duration("pause", trialPause), slog.Any("error", err))
		}
	}
}
