package runner_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
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

// spoilQuestions makes the engine hang at questions about projects that begin with
// "slow", and fail at those that begin with "bad". It is well otherwise.
func (w *world) spoilQuestions() {
	run := w.engine.RunFunc
	w.engine.RunFunc = func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		project := statement.Args[0].Value.(string)
		switch {
		case strings.HasPrefix(project, "slow"):
			<-ctx.Done()
			return nil, ctx.Err()
		case strings.HasPrefix(project, "bad"):
			return nil, errors.New("disk on fire")
		}
		return run(ctx, statement)
	}
}

// pester lets callers ask about ever other projects, one question after the
// other with a pause between them, until the test ends. It returns when all have
// begun.
func (w *world) pester(t *testing.T, callers int, project string, pause time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var pestering sync.WaitGroup
	t.Cleanup(func() {
		stop()
		pestering.Wait()
	})
	for caller := range callers {
		pestering.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_, err := w.Run(ctx, requestFor(uncached, strings.Join([]string{project, strconv.Itoa(caller), strconv.Itoa(i)}, "-")))
				if err == nil {
					t.Error("the request succeeded")
				}
				time.Sleep(pause)
			}
		})
	}
	synctest.Wait()
}

// D33: one caller's queries, however slow or bad, leave others alone, whether or not any
// of theirs succeeded before.
func TestOneCallersQueriesSpareOthers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		callers int
		project string
		pause   time.Duration
	}{
		"slow queries":        {callers: 6, project: "slow", pause: time.Millisecond},
		"bad queries":         {callers: 1, project: "bad", pause: 100 * time.Millisecond},
		"bad queries, in one": {callers: 6, project: "bad", pause: 3 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 8 }, func(t *testing.T, w *world) {
				w.spoilQuestions()
				w.pester(t, test.callers, test.project, test.pause)
				for range 25 {
					time.Sleep(40 * time.Second)
					began := time.Now()
					w.run(t, requestFor(uncached, "acme"))
					assert.Zero(t, time.Since(began))
				}
			})
		})
	}
}

// One account leaves a quarter of the runs and of the queue to all others, however many slow
// queries it sends.
func TestOneAccountLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	const places = 16
	for concurrency, most := range map[int]int{8: 6, 4: 3, 2: 2, 1: 1} {
		t.Run(strconv.Itoa(concurrency), func(t *testing.T) {
			inWorld(t, func(config *runner.Config) {
				config.EngineConcurrency, config.QueueLength = concurrency, places
			}, func(t *testing.T, w *world) {
				w.spoilQuestions()
				ctx, leave := context.WithCancel(t.Context())
				var running sync.WaitGroup
				ask := func(account string, count int) (rejected *atomic.Int64) {
					rejected = new(atomic.Int64)
					for i := range count {
						running.Go(func() {
							_, err := w.Run(ctx, paidBy(requestFor(uncached, "slow-"+account+strconv.Itoa(i)), &fakeAccount{name: account}))
							if sqlq.AsError(err).Code == sqlq.Unavailable {
								rejected.Add(1)
							}
						})
						synctest.Wait()
					}
					return rejected
				}
				rejected := ask("hog", most+places)
				assert.Equal(t, most, w.engine.Runs())
				assert.Equal(t, int64(places/4), rejected.Load())
				for i := range concurrency - most {
					_, err := w.Run(t.Context(), paidBy(requestFor(uncached, "acme-"+strconv.Itoa(i)), &fakeAccount{name: "other"}))
					require.NoError(t, err)
				}
				assert.Zero(t, ask("other", concurrency-most+places/4).Load())
				assert.Equal(t, concurrency+concurrency-most, w.engine.Runs(), "all of the engine is in use")
				leave()
				running.Wait()
				w.run(t, requestFor(uncached, "acme"))
			})
		})
	}
}

// Runs that no account pays for can take the whole engine.
func TestRunsWithoutAccountTakeAll(t *testing.T) {
	inWorld(t, func(config *runner.Config) { config.EngineConcurrency = 8 }, func(t *testing.T, w *world) {
		w.spoilQuestions()
		w.pester(t, 9, "slow", time.Millisecond)
		assert.Equal(t, 8, w.engine.Runs())
	})
}
