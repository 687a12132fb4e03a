package sqlq_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
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

// pester lets so many callers ask about ever other projects, one question after the
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
				_, err := w.Run(ctx, question(uncached, strings.Join([]string{project, strconv.Itoa(caller), strconv.Itoa(i)}, "-")))
				if err == nil {
					t.Error("the question was answered")
				}
				time.Sleep(pause)
			}
		})
	}
	synctest.Wait()
}

// One caller's questions, however slow or bad, leave others alone who get an answer
// now and then.
func TestBreakerSparesOthers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		callers int
		project string
		pause   time.Duration
	}{
		"slow questions":        {callers: 6, project: "slow", pause: time.Millisecond},
		"bad questions":         {callers: 1, project: "bad", pause: 100 * time.Millisecond},
		"bad questions, in one": {callers: 6, project: "bad", pause: 3 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(config *sqlq.Config) { config.EngineConcurrency = 8 })
				w.spoilQuestions()
				w.ask(t, question(uncached, "acme"))
				w.pester(t, test.callers, test.project, test.pause)
				for range 100 {
					time.Sleep(4 * time.Second)
					began := time.Now()
					w.ask(t, question(uncached, "acme"))
					assert.Zero(t, time.Since(began))
				}
			})
		})
	}
}

// Where nobody else asked while one caller's questions failed, the next one who asks
// is the trial.
func TestBreakerLetsTheNextCallerTry(t *testing.T) {
	t.Parallel()
	for _, project := range []string{"slow", "bad"} {
		t.Run(project, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(config *sqlq.Config) { config.EngineConcurrency = 8 })
				w.spoilQuestions()
				var asking sync.WaitGroup
				for i := range 5 {
					asking.Go(func() {
						_, err := w.Run(t.Context(), question(uncached, project+strconv.Itoa(i)))
						assert.Error(t, err)
					})
				}
				asking.Wait()
				w.ask(t, question(uncached, "acme"))
			})
		})
	}
}

// A caller who asks the one slow question again and again is tried, too, but makes
// others wait for no longer than they are told to.
func TestBreakerTriesOthersBesideASlowQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.spoilQuestions()
		w.pester(t, 1, "slow", time.Millisecond)
		time.Sleep(5*30*time.Second + 500*time.Millisecond)
		_, err := w.Run(t.Context(), question(uncached, "acme"))
		refusal := sqlq.AsError(err)
		require.Equal(t, sqlq.Unavailable, refusal.Code)
		time.Sleep(refusal.RetryAfter)
		w.ask(t, question(uncached, "acme"))
	})
}

// An engine that hangs at everything is given few runs, and keeps places for other
// saved queries, while callers learn at once.
func TestBreakerKeepsPlacesForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(config *sqlq.Config) { config.EngineConcurrency = 8 })
		w.spoilQuestions()
		w.pester(t, 50, "slow", time.Second)
		time.Sleep(2 * time.Minute)
		runs, began := w.engine.Runs(), time.Now()
		time.Sleep(10 * time.Minute)
		most := int(time.Since(began)/(30*time.Second)+1) * 4
		assert.LessOrEqual(t, w.engine.Runs()-runs, most, "four places, each for 30 s")
		for i := range 4 {
			began := time.Now()
			w.ask(t, question(cached, strconv.Itoa(i)))
			assert.Zero(t, time.Since(began))
		}
	})
}
