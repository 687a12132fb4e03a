package runner_test

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
				for range 100 {
					time.Sleep(40 * time.Second)
					began := time.Now()
					w.run(t, requestFor(uncached, "acme"))
					assert.Zero(t, time.Since(began))
				}
			})
		})
	}
}
