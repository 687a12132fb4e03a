package faults_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// deaf returns an engine that hangs until it is released, and ignores its context.
func deaf() (hang run, release func()) {
	released := make(chan struct{})
	return func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
		<-released
		return nil, context.DeadlineExceeded
	}, func() { close(released) }
}

// While the engine fails, and after it has recovered, responses come in time with the
// right codes, and metrics add up. The server recovers within the pause between trials.
func TestServerSurvivesItsEngine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault run
		// want are outcomes that callers must get, and may are others that are allowed.
		// Callers who leave may always get CANCELLED.
		want, may []sqlq.Code
		// serves is true if responses are not only stale, and fast if runs fail at once for
		// reasons that are not unavailability, so that the breaker stays closed.
		serves, fast bool
	}{
		"slow":             {fault: after(1500*time.Millisecond, work), want: []sqlq.Code{sqlq.Unavailable}, may: []sqlq.Code{sqlq.DeadlineExceeded}, serves: true},
		"failing":          {fault: failing, want: []sqlq.Code{sqlq.Unavailable}},
		"failing, slowly":  {fault: after(time.Second, broken), want: []sqlq.Code{sqlq.Unavailable, sqlq.Internal}},
		"hanging":          {fault: hanging, want: []sqlq.Code{sqlq.Unavailable, sqlq.DeadlineExceeded}},
		"hanging and deaf": {want: []sqlq.Code{sqlq.Unavailable}, may: []sqlq.Code{sqlq.DeadlineExceeded}},
		"flapping":         {fault: flapping, want: []sqlq.Code{sqlq.Unavailable}, serves: true},
		"panicking":        {fault: panicking, want: []sqlq.Code{sqlq.Internal}, fast: true},
		"nonsensical":      {fault: nonsensical, want: []sqlq.Code{sqlq.Internal}, fast: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(t)
				stop := s.maintain(t)
				defer stop()
				c := newCrowd(t, s)
				assertNothingBut(t, c.ask(callers, time.Second), ok)

				fault, release := deaf()
				if test.fault != nil {
					fault = test.fault
				}
				s.engine.spoil(fault)
				time.Sleep(1000 * time.Second) // entries expire, and cannot be refreshed
				runs, _ := s.engine.counts()
				failing := c.ask(callers, 4*time.Second)
				for _, code := range test.want {
					assert.Positive(t, failing[string(code)], code)
				}
				if !test.serves {
					runsNow, _ := s.engine.counts()
					assert.Equal(t, test.fast, runsNow-runs >= sum(failing)/20, "the breaker is open")
					assert.Zero(t, failing[ok])
					assert.Positive(t, failing[stale])
				}
				assertNothingBut(t, failing, append([]string{ok, stale}, texts(append(test.want, test.may...))...)...)

				s.engine.spoil(nil)
				release()
				c.ask(callers/10, trialPause+queryTimeout+time.Second)
				assertNothingBut(t, c.ask(callers, time.Second), ok)
				s.assertCounted(t, c)
			})
		})
	}
}

func texts(codes []sqlq.Code) []string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = string(code)
	}
	return texts
}

// assertNothingBut asserts that callers got responses, with no other outcomes.
func assertNothingBut(t *testing.T, outcomes map[string]int, allowed ...string) {
	t.Helper()
	assert.Greater(t, sum(outcomes), callers/4)
	allowed = append(allowed, string(sqlq.Cancelled))
	assert.Subset(t, allowed, slices.Collect(maps.Keys(outcomes)), outcomes)
}

// assertCounted asserts that the metrics match what callers got and the engine did.
func (s *server) assertCounted(t *testing.T, c *crowd) {
	t.Helper()
	outcomes := c.all()
	counted := s.count(t, "savedq_cache_requests_total", "result")
	assert.Equal(t, sum(outcomes), sum(counted))
	assert.Equal(t, outcomes[stale], counted["stale"])
	left := outcomes[string(sqlq.Cancelled)]
	assert.Equal(t, left, counted["cancelled"])
	assert.Equal(t, sum(outcomes)-outcomes[ok]-outcomes[stale]-left, counted["failed"])
	assert.Equal(t, sum(outcomes), sum(s.count(t, "savedq_request_seconds", "interface")))

	synctest.Wait()
	runs, most := s.engine.counts()
	assert.Equal(t, runs, sum(s.count(t, "savedq_engine_queries_total", "outcome")))
	assert.LessOrEqual(t, most, engineConcurrency+engineConcurrency/4, "a quarter more while slow queries run")
	assert.LessOrEqual(t, s.runner.CacheBytes(), int64(cacheBytes))
}
