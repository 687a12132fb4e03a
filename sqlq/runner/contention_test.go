package runner_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// The saved queries of a busy world, by how long they take.
const (
	fast = uncached
	slow = cached
)

// busyWorld is a world whose runs share processors.
type busyWorld struct {
	*world
	processors int
	running    atomic.Int64
	sent       atomic.Int64
	// done is how much time on a processor all runs took.
	done atomic.Int64
}

func newBusyWorld(t *testing.T, processors int, change func(*runner.Config)) *busyWorld {
	t.Helper()
	b := &busyWorld{processors: processors}
	b.world = newWorld(t, func(config *runner.Config) {
		config.EngineConcurrency, config.CacheBytes = min(max(4, 2*processors), 8), 0 // the default with DuckDB
		if change != nil {
			change(config)
		}
	})
	b.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		work := map[string]time.Duration{fast: 20 * time.Millisecond, slow: 10 * time.Second}[statement.Query.Name]
		b.running.Add(1)
		defer b.running.Add(-1)
		const slice = 4 * time.Millisecond
		for done := time.Duration(0); done < work; {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(slice):
			}
			share := slice
			if running := time.Duration(b.running.Load()); running > time.Duration(b.processors) {
				share = slice * time.Duration(b.processors) / running
			}
			done += share
			b.done.Add(int64(share))
		}
		return &sqlq.Result{}, nil
	}
	return b
}

// request returns a request that shares its run with no other.
func (b *busyWorld) request(endpoint, payer string) runner.Request {
	return paidBy(requestFor(endpoint, strconv.FormatInt(b.sent.Add(1), 10)), &fakeAccount{name: payer})
}

// keep keeps a number of requests of a payer in flight until the context ends.
func (b *busyWorld) keep(ctx context.Context, running *sync.WaitGroup, requests int, endpoint, payer string) {
	for range requests {
		running.Go(func() {
			for ctx.Err() == nil {
				if _, err := b.Run(ctx, b.request(endpoint, payer)); err != nil {
					time.Sleep(50 * time.Millisecond)
				}
			}
		})
	}
}

// slowest returns the p99 of the requests of a payer, one after the other.
func (b *busyWorld) slowest(t *testing.T, endpoint, payer string) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 400 {
		began := time.Now()
		_, err := b.Run(t.Context(), b.request(endpoint, payer))
		require.NoError(t, err)
		took = append(took, time.Since(began))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// Slow runs, and many runs, of others or of the caller's own, leave fast runs fast, and the engine is as busy as it would be
// without the rules for it.
func TestFastQueriesStayFast(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		processors, requests int
		endpoint             string
		payers               []string
		most, busy           float64
	}{
		"slow runs of another token":                    {2, 8, slow, []string{"other"}, 5, 0.95},
		"slow runs of its own":                          {2, 8, slow, []string{"own"}, 5, 0.95},
		"slow runs of everybody":                        {2, 1, slow, []string{"a", "b", "c", "d", "e", "f", "g", "own"}, 5, 0.95},
		"slow runs without a token":                     {2, 8, slow, []string{""}, 5, 0.95},
		"many slow runs":                                {2, 40, slow, []string{"other", "own"}, 5, 0.95},
		"slow runs that do not compete":                 {16, 8, slow, []string{"other", "own", ""}, 1.5, 0.95},
		"many fast runs of another token":               {2, 200, fast, []string{"other"}, 3, 0.95},
		"many fast runs of another that do not compete": {16, 200, fast, []string{"other"}, 1.5, 0.8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBusyWorld(t, test.processors, nil)
				alone := b.slowest(t, fast, "own")
				ctx, leave := context.WithCancel(t.Context())
				var running sync.WaitGroup
				defer running.Wait()
				defer leave()
				for _, payer := range test.payers {
					b.keep(ctx, &running, test.requests, test.endpoint, payer)
				}
				time.Sleep(time.Second)
				began, done := time.Now(), b.done.Load()
				beside := b.slowest(t, fast, "own")
				busy := float64(b.done.Load()-done) / float64(time.Since(began)) / float64(min(test.processors, 8))
				assert.LessOrEqual(t, beside.Seconds()/alone.Seconds(), test.most)
				assert.GreaterOrEqual(t, busy, test.busy)
			})
		})
	}
}

// Payers that compete have equal shares of the engine's time, however long their runs take and however many they send.
func TestPayersShareTheEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBusyWorld(t, 8, func(config *runner.Config) { config.QueueTimeout = time.Minute })
		ctx, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer leave()
		accounts := map[string]*fakeAccount{"many": {name: "many"}, "few": {name: "few"}, "slow": {name: "slow"}}
		for name, requests := range map[string]int{"many": 40, "few": 8, "slow": 8} {
			endpoint := fast
			if name == "slow" {
				endpoint = slow
			}
			for range requests {
				running.Go(func() {
					for ctx.Err() == nil {
						request := b.request(endpoint, name)
						request.Account = accounts[name]
						if _, err := b.Run(ctx, request); err != nil {
							time.Sleep(50 * time.Millisecond)
						}
					}
				})
			}
		}
		time.Sleep(4 * time.Minute)
		had := make(map[string]time.Duration)
		for name, account := range accounts {
			account.mutex.Lock()
			for _, run := range account.runs {
				had[name] += run.Duration
			}
			account.mutex.Unlock()
		}
		for name := range accounts {
			assert.InEpsilon(t, had["few"].Seconds(), had[name].Seconds(), 0.1, name)
		}
	})
}
