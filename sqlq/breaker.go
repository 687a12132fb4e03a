package sqlq

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// breakerFailures is how many runs have to fail, with no success between them,
	// before a saved query is on trial.
	breakerFailures = 5
	// trialPause is how long after a trial the next may begin, whether or not the
	// first has ended: one that is slow does not hold up the others.
	trialPause = time.Second
	// successHolds is for how long a success speaks for the engine. A run that began
	// within that time, and fails, tells of its own question alone.
	successHolds = 5 * time.Second
)

// breaker keeps a saved query from an engine that fails at it again and again, so
// that callers learn at once what they would learn anyhow, and the engine gets rest.
//
// The saved query is on trial then: a run is let through now and then, whoever asks
// for it, and the first that succeeds ends the trial. So no caller's questions can
// shut out others for longer than it takes one of theirs to be let through.
type breaker struct {
	query  *SavedQuery
	clock  func() time.Time
	logger *slog.Logger
	// mostTrials is how many trials there are at a time.
	mostTrials int

	mutex sync.Mutex
	// failures counts the runs that failed since one succeeded, at succeeded.
	failures  int
	succeeded time.Time
	// trials is how many trials there are now, and nextTrial when the next may begin.
	trials    int
	nextTrial time.Time
}

// newBreaker returns the breaker of a saved query. Trials take no more than half of
// the places that the engine has for runs: other saved queries need the rest.
func newBreaker(query *SavedQuery, engineConcurrency int, clock func() time.Time, logger *slog.Logger) *breaker {
	return &breaker{query: query, clock: clock, logger: logger, mostTrials: max(1, engineConcurrency/2)}
}

// onTrial is called under the mutex.
func (b *breaker) onTrial() bool { return b.failures >= breakerFailures }

// permit lets one run go on to the engine. Each is handed back once, by [permit.done]
// or [permit.unused].
type permit struct {
	breaker *breaker
	// began is when the run was let through.
	began time.Time
	// trial says that the run is to show whether the engine has recovered.
	trial bool
}

// enter returns a permit. The error is an UNAVAILABLE [*Error] where the run is not
// let through.
func (b *breaker) enter() (*permit, error) {
	p := &permit{breaker: b}
	if err := p.renew(); err != nil {
		return nil, err
	}
	return p, nil
}

// renew lets a run through that begins now. One that has waited since it was let
// through may find the saved query on trial. The error is an UNAVAILABLE [*Error].
func (p *permit) renew() error {
	b := p.breaker
	b.mutex.Lock()
	defer b.mutex.Unlock()
	p.began = b.clock()
	if p.trial || !b.onTrial() {
		return nil
	}
	if wait := b.nextTrial.Sub(p.began); wait > 0 {
		return refusal(wait)
	}
	if b.trials == b.mostTrials {
		return refusal(trialPause)
	}
	p.trial = true
	b.trials++
	b.nextTrial = p.began.Add(trialPause)
	return nil
}

// refusal is the error of a run that is not let through.
func refusal(wait time.Duration) error {
	return TurnAway(Unavailable, wait, "the engine failed %d times in a row and is only tried now and then; try again in a moment", breakerFailures)
}

// done reports how a run ended. A run that ended because nobody waited for it any
// more tells nothing about the engine; an error that is not the engine's fault tells
// that the engine is well.
func (p *permit) done(err error) {
	failure := AsError(err)
	b := p.breaker
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case failure == nil, failure.Code != Cancelled && !failure.Code.IsServerFault():
		b.success()
	case failure.Code != Cancelled && p.began.Sub(b.succeeded) >= successHolds:
		b.failure()
	}
	p.release()
}

// unused hands back the permit of a run that never began.
func (p *permit) unused() {
	p.breaker.mutex.Lock()
	defer p.breaker.mutex.Unlock()
	p.release()
}

// release is called under the mutex.
func (p *permit) release() {
	if p.trial {
		p.breaker.trials--
	}
}

// success is called under the mutex.
func (b *breaker) success() {
	if b.onTrial() {
		b.logger.Info("the engine has recovered", slog.String("endpoint", b.query.Name))
	}
	b.failures, b.succeeded = 0, b.clock()
}

// failure is called under the mutex.
func (b *breaker) failure() {
	b.failures++
	if b.failures == breakerFailures {
		b.logger.Warn("the engine fails again and again, and is left alone but for trials",
			slog.String("endpoint", b.query.Name), slog.Int("failures", breakerFailures), slog.Duration("pause", trialPause))
	}
}
