package runner_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// fakeAccount records what it pays for.
type fakeAccount struct {
	name               string
	mutex              sync.Mutex
	reserved, released int
	runs               []runner.EngineRun
	// refuses is the error of further reservations.
	refuses error
}

func (a *fakeAccount) Reserve(*sqlq.SavedQuery) (runner.Reservation, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.refuses != nil {
		return nil, a.refuses
	}
	a.reserved++
	return a, nil
}

func (a *fakeAccount) Payer() string { return a.name }

func (a *fakeAccount) Release() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.released++
}

func (a *fakeAccount) Charge(run runner.EngineRun) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.runs = append(a.runs, run)
}

// paidBy returns the request of an account.
func paidBy(request runner.Request, account runner.Account) runner.Request {
	request.Account = account
	return request
}

// assertPaid asserts how many runs an account reserved and released, and what it was charged.
func (a *fakeAccount) assertPaid(t *testing.T, reserved, released int, runs ...runner.EngineRun) {
	t.Helper()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	assert.Equal(t, reserved, a.reserved, "reserved")
	assert.Equal(t, released, a.released, "released")
	assert.Equal(t, runs, a.runs)
}

// Only the engine's work is paid for, and a cached response is free.
func TestAccountPaysForRuns(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		account := &fakeAccount{}
		w.takes(3 * time.Second)
		request := paidBy(requestFor(cached, "acme"), account)
		w.assertRun(t, request, runner.Miss, 1)
		w.assertRun(t, request, runner.Hit, 1)
		account.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1, Duration: 3 * time.Second})
	})
}

// A failed run is paid for by its time.
func TestAccountPaysForFailedRuns(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		account := &fakeAccount{}
		w.takes(time.Second)
		w.fail(sqlq.Errorf(sqlq.Unavailable, "the engine is down"))
		_, err := w.Run(t.Context(), paidBy(requestFor(uncached, "acme"), account))
		require.Error(t, err)
		account.assertPaid(t, 1, 0, runner.EngineRun{Duration: time.Second})
	})
}

// A joined call is paid for once, by the account of the request that started it.
func TestAccountOfTheFirstCallerPays(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.takes(2 * time.Second)
		first, second := &fakeAccount{}, &fakeAccount{refuses: sqlq.Errorf(sqlq.ResourceExhausted, "nothing is left")}
		var callers sync.WaitGroup
		callers.Go(func() { w.assertRun(t, paidBy(requestFor(cached, "acme"), first), runner.Miss, 1) })
		synctest.Wait()
		callers.Go(func() { w.assertRun(t, paidBy(requestFor(cached, "acme"), second), runner.Joined, 1) })
		callers.Wait()
		first.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1, Duration: 2 * time.Second})
		second.assertPaid(t, 0, 0)
	})
}

// An account that refuses a run gets its error, even if a stale entry is there. It still gets
// fresh entries, also for no-cache.
func TestAccountRefuses(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		account := &fakeAccount{}
		request := paidBy(requestFor(cached, "acme"), account)
		w.assertRun(t, request, runner.Miss, 1)
		account.refuses = sqlq.Rejectf(sqlq.ResourceExhausted, time.Minute, "nothing is left")
		w.assertRun(t, request, runner.Hit, 1)
		w.assertRun(t, noCache(request), runner.Hit, 1)
		time.Sleep(15*time.Minute + time.Second)
		_, err := w.Run(t.Context(), request)
		require.Equal(t, account.refuses, err)
		account.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1})
	})
}

// A run that the queue rejects costs nothing.
func TestAccountGetsReservationsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, account := newWorld(t, func(config *runner.Config) { config.EngineConcurrency, config.QueueTimeout = 1, time.Second }), &fakeAccount{}
		w.takes(20 * time.Second)
		go func() { _, _ = w.Run(t.Context(), requestFor(uncached, "acme")) }()
		synctest.Wait()
		_, err := w.Run(t.Context(), paidBy(requestFor(uncached, "globex"), account))
		assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
		account.assertPaid(t, 1, 1)
		time.Sleep(time.Minute)
	})
}

// A run whose callers have left is paid for until it ends.
func TestAccountPaysForAbandonedRuns(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		account := &fakeAccount{}
		w.takes(20 * time.Second)
		ctx, leave := context.WithTimeout(t.Context(), 4*time.Second)
		defer leave()
		_, err := w.Run(ctx, paidBy(requestFor(uncached, "acme"), account))
		require.Error(t, err)
		synctest.Wait()
		account.assertPaid(t, 1, 0, runner.EngineRun{Duration: 4 * time.Second})
	})
}

// Refreshes in the background are paid for by the server, not by those who use the entry.
func TestRefreshesHaveTheirOwnAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, account := &fakeAccount{}, &fakeAccount{}
		w := newWorld(t, func(config *runner.Config) { config.Refreshes = server })
		w.maintain(t)
		w.takes(time.Second)
		w.assertRun(t, paidBy(requestFor(cached, "acme"), account), runner.Miss, 1)
		time.Sleep(6 * time.Minute)
		account.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1, Duration: time.Second})
		server.assertPaid(t, 1, 0, runner.EngineRun{Rows: 1, Duration: time.Second})
	})
}
