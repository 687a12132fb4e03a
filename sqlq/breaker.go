package sqlq

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// breakerFailures is how many runs in a row have to fail before a saved query is
	// kept from the engine, and breakerPause for how long it is, before one run tries
	// whether the engine has recovered.
	breakerFailures = 5
	breakerPause    = 5 * time.Second
)

// breaker keeps a saved query from an engine that fails at it again and again, so
// that callers learn at once what they would learn anyhow, and the engine gets rest.
type breaker struct {
	query   *SavedQuery
	clock   func() time.Time
	logger  *slog.Logger
	circuit *gobreaker.TwoStepCircuitBreaker[*Answer]
	// opened is when runs were last found to fail, in nanoseconds since the epoch.
	opened atomic.Int64

	mutex sync.Mutex
	// trial is the permit of a trial that came to nothing; nil where there is none.
	trial *permit
}

func newBreaker(query *SavedQuery, clock func() time.Time, logger *slog.Logger) *breaker {
	b := &breaker{query: query, clock: clock, logger: logger}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[*Answer](gobreaker.Settings{
		Timeout:       breakerPause,
		ReadyToTrip:   func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= breakerFailures },
		OnStateChange: b.changed,
	})
	return b
}

// changed is called under the circuit's mutex.
func (b *breaker) changed(_ string, from, to gobreaker.State) {
	if to == gobreaker.StateOpen {
		b.opened.Store(b.clock().UnixNano())
	}
	endpoint := slog.String("endpoint", b.query.Name)
	switch {
	case from == gobreaker.StateClosed:
		b.logger.Warn("the engine fails again and again, and is left alone but for trials",
			endpoint, slog.Int("failures", breakerFailures), slog.Duration("pause", breakerPause))
	case to == gobreaker.StateClosed:
		b.logger.Info("the engine has recovered", endpoint)
	}
}

// permit lets one run go on to the engine. Each is handed back once, by [permit.done]
// or [permit.unused].
type permit struct {
	breaker *breaker
	// trial says that the run is to show whether the engine has recovered.
	trial  bool
	report func(success bool)
}

// enter returns a permit. The error is an UNAVAILABLE [*Error] while the engine is
// left alone.
func (b *breaker) enter() (*permit, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if trial := b.trial; trial != nil {
		b.trial = nil
		return trial, nil
	}
	report, err := b.circuit.Allow()
	if err != nil {
		return nil, b.refusal()
	}
	// Only the trial itself can end the state in which it was let through.
	return &permit{breaker: b, trial: b.circuit.State() == gobreaker.StateHalfOpen, report: report}, nil
}

// refusal is the error of a run that is not let through.
func (b *breaker) refusal() error {
	err := Errorf(Unavailable, "the engine failed %d times in a row; it is tried again within %s", breakerFailures, breakerPause)
	err.RetryAfter = breakerPause
	if left := breakerPause - b.clock().Sub(time.Unix(0, b.opened.Load())); left > 0 {
		err.RetryAfter = left
	}
	return err
}

// check returns the refusal for a run that was let through, but has waited since
// while others found the engine to fail.
func (p *permit) check() error {
	if !p.trial && p.breaker.circuit.State() == gobreaker.StateOpen {
		return p.breaker.refusal()
	}
	return nil
}

// done reports how a run ended. A run that ended because nobody waited for it any
// more tells nothing about the engine; an error that is not the engine's fault tells
// that the engine is well.
func (p *permit) done(err error) {
	if err == nil {
		p.report(true)
		return
	}
	code := AsError(err).Code
	if code == Cancelled {
		p.unused()
		return
	}
	p.report(!code.IsServerFault())
}

// unused hands back the permit of a run that tells nothing about the engine: if it
// was the trial, the next run is.
func (p *permit) unused() {
	if !p.trial {
		return
	}
	p.breaker.mutex.Lock()
	defer p.breaker.mutex.Unlock()
	p.breaker.trial = p
}
