package alert

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// funcRunner is a runner that is a function.
type funcRunner func(request runner.Request) (*runner.Response, error)

func (f funcRunner) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	return f(request)
}

// keep returns a keeper of a book that keeps nothing, whose runner is a function, and its log.
func keep(t *testing.T, run funcRunner) (*Keeper, *strings.Builder) {
	t.Helper()
	book, err := OpenBook(Nowhere{}, everyTarget)
	require.NoError(t, err)
	log := &strings.Builder{}
	return NewKeeper(KeeperConfig{
		Book: book, Runner: run, Concurrency: 4, Targets: func() Targets { return Targets{"am": {Form: FormAlertmanager}} },
		Clock: time.Now, Observer: unobserved{}, Logger: slog.New(slog.NewTextHandler(log, nil)),
	}), log
}

// rows returns a response with a count, computed now.
func rows(d *Definition, errors int64) *runner.Response {
	return &runner.Response{Entry: &cache.Entry{AsOf: time.Now(), Result: &sqlq.Result{Columns: d.Query.Columns, Rows: [][]any{{errors}}}}}
}

// Many alerts are spread over their minute, and each is checked once in it.
func TestAlertsAreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mutex sync.Mutex
		bySecond := make(map[int]int)
		byAlert := make(map[string]int)
		started := time.Now()
		k, _ := keep(t, func(request runner.Request) (*runner.Response, error) {
			mutex.Lock()
			defer mutex.Unlock()
			assert.True(t, request.Background)
			bySecond[int(time.Since(started).Seconds())]++
			byAlert[request.Query.Name]++
			return rows(&Definition{Query: request.Query}, 1), nil
		})
		const alerts = 300 // five in a second
		var queries []*sqlq.SavedQuery
		for i := range alerts {
			query := *declared(t, "errors > 5").Query
			query.ID, query.Name = uuid.NewSHA1(uuid.Nil, []byte{byte(i), byte(i >> 8)}), query.Name+uuid.NewSHA1(uuid.Nil, []byte{byte(i), byte(i >> 8)}).String()
			queries = append(queries, &query)
		}
		k.Use(t.Context(), queries)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); k.Run(ctx) }()
		time.Sleep(3*time.Minute + time.Millisecond)
		stop()
		<-done
		assert.Len(t, byAlert, alerts)
		for _, count := range byAlert {
			assert.InDelta(t, 3, count, 1)
		}
		for second, count := range bySecond {
			assert.Less(t, count, 18, "second %d", second)
		}
	})
}

func TestChecks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := declared(t, "errors > 5", "am")
		var responses []func() (*runner.Response, error)
		k, log := keep(t, func(runner.Request) (*runner.Response, error) {
			next := responses[0]
			responses = responses[1:]
			return next()
		})
		k.Use(t.Context(), []*sqlq.SavedQuery{d.Query})
		status := func() Listed {
			return k.Book.List(func(*sqlq.SavedQuery, map[string][]string) bool { return true }, k.Next, k.Clock())[0]
		}
		assert.Equal(t, Unknown, status().State)
		assert.LessOrEqual(t, time.Until(*status().Next), firstWithin)
		cached := rows(d, 7)
		d.Alert.For = 2
		check := func(response *runner.Response, err error) Listed {
			responses = append(responses, func() (*runner.Response, error) { return response, err })
			time.Sleep(time.Minute)
			k.check(t.Context(), k.scheduled[d.Key()])
			return status()
		}
		assert.Equal(t, Pending, check(cached, nil).State)
		assert.Equal(t, Pending, check(cached, nil).State, "the same rows count once")
		firing := check(rows(d, 8), nil)
		assert.Equal(t, []any{8.0, sqlq.Met, "errors", 5.0}, []any{*firing.Points[1].Value, firing.Points[1].Outcome, firing.Measured, *firing.Threshold})
		assert.Equal(t, []any{Firing, `[{"errors":8}]`, 1}, []any{firing.State, string(firing.Rows.Rows), firing.Notify[0].Pending})
		failed := check(nil, errors.New("secret"))
		assert.Equal(t, []any{Firing, "internal server error; the server's log has the cause", "[]"}, []any{failed.State, *failed.Error, string(failed.Rows.Rows)})
		failing := check(nil, sqlq.Rejectf(sqlq.Unavailable, time.Second, "the server is busy"))
		assert.Equal(t, []any{Failing, "the server is busy"}, []any{failing.State, *failing.Error})
		assert.Equal(t, 1, strings.Count(log.String(), "an alert cannot be checked"), "the first of several failures")
		assert.Equal(t, OK, check(rows(d, 1), nil).State)
		assert.Len(t, status().History, 4)
	})
}

// Alertmanager gets the begin again at each check of an episode, and nothing after its end.
func TestRepeats(t *testing.T) {
	t.Parallel()
	d := declared(t, "errors > 5", "am")
	errorsSeen := int64(7)
	k, _ := keep(t, func(runner.Request) (*runner.Response, error) { return rows(d, errorsSeen), nil })
	k.Use(t.Context(), []*sqlq.SavedQuery{d.Query})
	now := noon
	k.Clock = func() time.Time { return now }
	var sent []string
	check := func() {
		now = now.Add(time.Minute)
		k.check(t.Context(), k.scheduled[d.Key()])
		for {
			due, found := k.Book.Due(now)["am"]
			if !found {
				return
			}
			sent = append(sent, string(due.Message.Event)+map[bool]string{true: " again"}[due.Repeated])
			require.NoError(t, k.Book.Delivered(due, now))
		}
	}
	check()
	check()
	errorsSeen = 1
	check()
	check()
	assert.Equal(t, []string{"begin", "begin again", "end"}, sent)
}

// Checks begin once the tables are settled, and go on after the clock went back.
func TestTimesOfChecks(t *testing.T) {
	t.Parallel()
	key, every := "a.b", time.Hour
	at := following(key, every, noon)
	assert.Equal(t, at.Add(time.Hour), following(key, every, at))
	assert.Equal(t, at, following(key, every, at.Add(-time.Nanosecond)))
	assert.Equal(t, at, following(key, every, at.Add(-time.Hour)))
	assert.True(t, at.After(noon) && !at.After(noon.Add(time.Hour)))
	synctest.Test(t, func(t *testing.T) {
		d := declared(t, "errors > 5")
		var back atomic.Bool // the clock
		checks := make(chan time.Time, 100)
		k, _ := keep(t, func(runner.Request) (*runner.Response, error) {
			checks <- time.Now()
			return rows(d, 1), nil
		})
		settled := make(chan struct{})
		k.Settled, k.Clock = settled, func() time.Time {
			if back.Load() {
				return time.Now().Add(-24 * time.Hour)
			}
			return time.Now()
		}
		k.Use(t.Context(), []*sqlq.SavedQuery{d.Query})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); k.Run(ctx) }()
		time.Sleep(10 * time.Minute)
		assert.Empty(t, checks)
		close(settled)
		time.Sleep(time.Second)
		assert.Len(t, checks, 1)
		back.Store(true)
		time.Sleep(5 * time.Minute)
		assert.GreaterOrEqual(t, len(checks), 4)
		stop()
		<-done
	})
}
