package usage_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Each amount of each period is a limit. The error has what was spent and when it resets.
func TestBudgetLimits(t *testing.T) {
	t.Parallel()
	const reset = "; it resets in 3600 s, at 2026-11-22T13:00:00Z; cached responses are free"
	const dayReset = "; it resets in 43200 s, at 2026-11-23T00:00:00Z; cached responses are free"
	for name, test := range map[string]struct {
		budget usage.Budget
		want   string
	}{
		"none":                    {usage.Budget{}, ""},
		"more":                    {usage.Budget{Hour: usage.Amounts{Requests: 3, Rows: 101, Bytes: 2 << 30, EngineTime: 4 * time.Second}}, ""},
		"requests per hour":       {usage.Budget{Hour: usage.Amounts{Requests: 2}}, "the budget of requests per hour is used up: 2 of 2" + reset},
		"rows per hour":           {usage.Budget{Hour: usage.Amounts{Rows: 99}}, "the budget of rows per hour is used up: 100 of 99" + reset},
		"bytes per hour":          {usage.Budget{Hour: usage.Amounts{Bytes: 1 << 30}}, "the budget of bytes per hour is used up: 1.5 GiB of 1 GiB" + reset},
		"engine seconds per hour": {usage.Budget{Hour: usage.Amounts{EngineTime: 3 * time.Second}}, "the budget of engine seconds per hour is used up: 3.5 of 3" + reset},
		"requests per day":        {usage.Budget{Day: usage.Amounts{Requests: 2}}, "the budget of requests per day is used up: 2 of 2" + dayReset},
		"both":                    {usage.Budget{Hour: usage.Amounts{Requests: 2}, Day: usage.Amounts{Rows: 100}}, "the budget of rows per day is used up: 100 of 100" + dayReset},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			caller := d.Caller(usage.ID{Token: "web"}, test.budget)
			run(t, caller, runner.EngineRun{Rows: 50, BytesProcessed: 1 << 29, Duration: time.Second})
			run(t, caller, runner.EngineRun{Rows: 50, BytesProcessed: 1 << 30, Duration: 2500 * time.Millisecond})
			_, err := caller.Reserve(query("logs.all"))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
			failure := sqlq.AsError(err)
			assert.Equal(t, sqlq.ResourceExhausted, failure.Code)
			assert.Contains(t, []time.Duration{time.Hour, 12 * time.Hour}, failure.RetryAfter)
			assert.Equal(t, int64(1), d.Rejected())
		})
	}
}

// A budget resets at the full hour and at midnight in UTC.
func TestBudgetResets(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	caller := d.Caller(usage.ID{Token: "web"}, usage.Budget{Hour: usage.Amounts{Requests: 1}, Day: usage.Amounts{Requests: 2}})
	reserve := func(at time.Duration) error {
		d.now = noon().Add(at)
		_, err := caller.Reserve(query("logs.all"))
		return err
	}
	require.NoError(t, reserve(time.Minute))
	require.ErrorContains(t, reserve(time.Hour-time.Nanosecond), "per hour is used up: 1 of 1; it resets in 1 s")
	require.NoError(t, reserve(time.Hour))
	require.ErrorContains(t, reserve(2*time.Hour), "per day is used up: 2 of 2")
	require.ErrorContains(t, reserve(12*time.Hour-time.Nanosecond), "per day is used up: 2 of 2")
	require.NoError(t, reserve(12*time.Hour))
	require.ErrorContains(t, reserve(11*time.Hour), "per hour", "a clock that goes back resets nothing")
}

// A clock that was wrong for a while neither resets what was spent before nor spends the budget
// of the right day, whether or not the days were written between.
func TestBudgetAfterClockJumps(t *testing.T) {
	t.Parallel()
	const daily, year = 24 * time.Hour, 365 * 24 * time.Hour
	for name, jump := range map[string]time.Duration{"a year ahead": year, "a day ahead": daily, "a year back": -year} {
		for _, flushed := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", written"}[flushed], func(t *testing.T) {
				t.Parallel()
				d := newDesk(t)
				caller := d.Caller(usage.ID{Token: "web"}, usage.Budget{Day: usage.Amounts{Requests: 2}})
				reserve := func(at time.Duration) error {
					d.now = noon().Add(at)
					_, err := caller.Reserve(query("logs.all"))
					if flushed {
						d.Flush()
						d.Flush()
					}
					return err
				}
				require.NoError(t, reserve(0))
				for range 2 {
					require.NoError(t, reserve(jump))
				}
				require.ErrorContains(t, reserve(jump), "2 of 2")
				require.NoError(t, reserve(time.Minute), "the budget of the right day is left")
				require.ErrorContains(t, reserve(2*time.Minute), "at 2026-11-23T00:00:00Z", "and what was spent of it is not forgotten")
				require.ErrorContains(t, reserve(jump), "2 of 2", "as on every day")
				require.NoError(t, d.Close())
				d.open(t)
				caller = d.Caller(usage.ID{Token: "web"}, usage.Budget{Day: usage.Amounts{Requests: 2}})
				require.ErrorContains(t, reserve(3*time.Minute), "2 of 2", "nor by a restart")
			})
		}
	}
}

// Spending survives a restart, and a crash except for what was not written yet.
func TestBudgetSurvivesRestarts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	budget := usage.Budget{Hour: usage.Amounts{Requests: 3}}
	for range 2 {
		run(t, d.Caller(usage.ID{Token: "web"}, budget), runner.EngineRun{})
		d.Flush()
		d.crash(t)
	}
	run(t, d.Caller(usage.ID{Token: "web"}, budget), runner.EngineRun{})
	require.NoError(t, d.Close())
	d.open(t)
	_, err := d.Caller(usage.ID{Token: "web"}, budget).Reserve(query("logs.all"))
	require.ErrorContains(t, err, "3 of 3")
	_, err = d.Caller(usage.ID{Token: "app"}, budget).Reserve(query("logs.all"))
	require.NoError(t, err, "each token has its own")
	_, err = d.Caller(usage.ID{Token: "web", Subject: "ann"}, budget).Reserve(query("logs.all"))
	require.NoError(t, err, "and each subject")
	require.NoError(t, d.Close())
	d.now = noon().Add(time.Hour)
	d.open(t)
	_, err = d.Caller(usage.ID{Token: "web"}, budget).Reserve(query("logs.all"))
	require.NoError(t, err, "the hour has ended meanwhile")
}

// A reservation is taken back by a run that does not reach the engine, in the hour in which it
// was made.
func TestBudgetReleases(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	caller := d.Caller(usage.ID{Token: "web"}, usage.Budget{Hour: usage.Amounts{Requests: 1}, Day: usage.Amounts{Requests: 2}})
	reservation, err := caller.Reserve(query("logs.all"))
	require.NoError(t, err)
	reservation.Release()
	late, err := caller.Reserve(query("logs.all"))
	require.NoError(t, err)
	d.now = noon().Add(time.Hour)
	_, err = caller.Reserve(query("logs.all"))
	require.NoError(t, err)
	late.Release()
	assert.Equal(t, []usage.Spending{
		{Period: usage.Day, Spent: usage.Amounts{Requests: 1}, Allowed: usage.Amounts{Requests: 2}, ResetsAt: noon().Add(12 * time.Hour)},
		{Period: usage.Hour, Spent: usage.Amounts{Requests: 1}, Allowed: usage.Amounts{Requests: 1}, ResetsAt: noon().Add(2 * time.Hour)},
	}, caller.Spending())
	assert.Empty(t, d.Caller(usage.ID{Token: "web"}, usage.Budget{}).Spending())
}

// Thousands of concurrent requests spend no request too many, and other amounts by no more than what
// is in flight.
func TestBudgetOfConcurrentRequests(t *testing.T) {
	t.Parallel()
	const concurrent, inFlight = 1_500, 64
	for name, test := range map[string]struct {
		allowed usage.Amounts
		most    int64
	}{
		"requests":       {usage.Amounts{Requests: 1000}, 1000},
		"rows":           {usage.Amounts{Rows: 1000 * 7}, 1000 + inFlight},
		"bytes":          {usage.Amounts{Bytes: 1000 * 11}, 1000 + inFlight},
		"engine seconds": {usage.Amounts{EngineTime: 1000 * time.Second}, 1000 + inFlight},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			var admitted atomic.Int64
			var requests sync.WaitGroup
			slots := make(chan struct{}, inFlight)
			for range concurrent {
				requests.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					reservation, err := d.Caller(usage.ID{Token: "web"}, usage.Budget{Hour: test.allowed}).Reserve(query("logs.all"))
					if err != nil {
						return
					}
					admitted.Add(1)
					reservation.Charge(runner.EngineRun{Rows: 7, BytesProcessed: 11, Duration: time.Second})
				})
			}
			requests.Wait()
			assert.GreaterOrEqual(t, admitted.Load(), int64(1000))
			assert.LessOrEqual(t, admitted.Load(), test.most)
			assert.Equal(t, admitted.Load(), d.report(t)[0].Runs)
		})
	}
}
