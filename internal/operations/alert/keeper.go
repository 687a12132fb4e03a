package alert

import (
	"context"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// KeeperConfig is what a keeper needs.
type KeeperConfig struct {
	Book *Book
	// Runner runs the saved queries, and Account pays for the runs.
	Runner  runner.QueryRunner
	Account runner.Account
	// Settled is closed when the tables hold every acknowledged event. Nil means from the start.
	Settled <-chan struct{}
	// Concurrency is how many alerts are checked at the same time.
	Concurrency int
	// Targets returns the targets in use; nil without a file.
	Targets  func() Targets
	Clock    func() time.Time
	Observer Observer
	Logger   *slog.Logger
}

// Keeper checks alerts at their times.
type Keeper struct {
	KeeperConfig

	mutex     sync.Mutex
	scheduled map[string]*scheduled
	changed   chan struct{}
}

// scheduled is an alert with the time of its next check.
type scheduled struct {
	Definition

	next    time.Time
	running bool
	// asOf is the time of the rows of the last check, and failed reports whether it failed.
	asOf   time.Time
	failed bool
}

// NewKeeper returns a keeper. It checks nothing before Run.
func NewKeeper(config KeeperConfig) *Keeper {
	return &Keeper{KeeperConfig: config, scheduled: make(map[string]*scheduled), changed: make(chan struct{}, 1)}
}

// Use replaces the alerts. Unchanged ones keep their times.
func (k *Keeper) Use(ctx context.Context, queries []*sqlq.SavedQuery) {
	definitions := Definitions(queries)
	now := k.Clock()
	if err := k.Book.Use(definitions, now); err != nil {
		k.Logger.ErrorContext(ctx, "the end of removed alerts cannot be stored; the next reload tries again", slog.Any("error", err))
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	before := k.scheduled
	k.scheduled = make(map[string]*scheduled, len(definitions))
	for _, definition := range definitions {
		key := definition.Key()
		if old := before[key]; old != nil && old.Query == definition.Query {
			k.scheduled[key] = old
			continue
		}
		k.scheduled[key] = &scheduled{Definition: definition, next: first(key, definition.Alert.Every, now)}
	}
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// Next returns when an alert is checked next; the zero time if it is unknown.
func (k *Keeper) Next(key string) time.Time {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if of := k.scheduled[key]; of != nil {
		return of.next
	}
	return time.Time{}
}

// Run checks alerts until the context ends. It returns when no check is running any more.
func (k *Keeper) Run(ctx context.Context) {
	defer func() {
		if err := k.Book.Flush(); err != nil {
			k.Logger.ErrorContext(ctx, "the values of the last checks of alerts cannot be stored", slog.Any("error", err))
		}
	}()
	if k.Settled != nil {
		select {
		case <-k.Settled:
		case <-ctx.Done():
			return
		}
	}
	var checks sync.WaitGroup
	defer checks.Wait()
	free := k.Concurrency
	ended := make(chan struct{}, k.Concurrency)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			free++
		case <-k.changed:
		case <-timer.C:
		}
		sleep := longestSleep // how late a step of the clock is noticed
		for free > 0 {
			var due *scheduled
			if due, sleep = k.take(); due == nil {
				break
			}
			free--
			checks.Go(func() {
				k.check(ctx, due)
				k.finish(due)
				ended <- struct{}{}
			})
		}
		timer.Reset(sleep)
	}
}

// take returns the alert that has been due for the longest time. If none is, it returns nil and the
// time until one will be, at most longestSleep.
func (k *Keeper) take() (due *scheduled, sleep time.Duration) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	now := k.Clock()
	sleep = longestSleep
	for key, of := range k.scheduled {
		if of.next.Sub(now) > 2*of.Alert.Every { // the clock went back
			of.next = following(key, of.Alert.Every, now)
		}
		switch left := of.next.Sub(now); {
		case of.running:
		case left > 0:
			sleep = min(sleep, left)
		case due == nil || of.next.Before(due.next):
			due = of
		}
	}
	if due != nil {
		due.running = true
	}
	return due, sleep
}

// finish schedules the next check of an alert. Checks that were missed are not made up for.
func (k *Keeper) finish(of *scheduled) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	of.running = false
	of.next = following(of.Key(), of.Alert.Every, k.Clock())
}

// check checks an alert, and records what it showed.
func (k *Keeper) check(ctx context.Context, of *scheduled) {
	response, err := k.Runner.Run(ctx, runner.Request{Query: of.Query, Params: of.Alert.Params, Background: true, Account: k.Account})
	if ctx.Err() != nil {
		return
	}
	check := Check{At: k.Clock().UTC().Truncate(time.Millisecond), Outcome: Failed, Rows: noRows()}
	if err != nil {
		check.Error = publicText(err)
		k.logFailure(ctx, of, err)
	} else {
		check.Outcome, check.Rows = of.Alert.When.Check(response.Result, response.AsOf), rowsOf(response.Result, of.Alert.Rows)
		check.Value = of.Alert.When.Measure(response.Result)
	}
	k.Observer.AlertChecked(of.Query.Name, check.Outcome)
	same := err == nil && !of.failed && response.AsOf.Equal(of.asOf)
	of.failed = err != nil
	switch {
	case same:
		k.Book.Same(&of.Definition, check.At)
	case err == nil:
		of.asOf = response.AsOf
	}
	if !same {
		if err := k.Book.Checked(&of.Definition, check); err != nil {
			of.asOf = time.Time{}
			k.Logger.ErrorContext(ctx, "the state of an alert cannot be stored; the next check tries again",
				slog.String("endpoint", of.Query.Name), slog.String("alert", of.Alert.Name), slog.Any("error", err))
			return
		}
	}
	k.repeat(of)
}

// repeat sends the begin again to targets that forget it otherwise.
func (k *Keeper) repeat(of *scheduled) {
	targets := k.Targets()
	for _, named := range of.Alert.Notify {
		if targets[named.Name].Form == FormAlertmanager {
			k.Book.Repeat(of.Key(), named.Name)
		}
	}
}

// logFailure logs the first of several failures in a row.
func (k *Keeper) logFailure(ctx context.Context, of *scheduled, err error) {
	if !of.failed {
		k.Logger.WarnContext(ctx, "an alert cannot be checked", slog.String("endpoint", of.Query.Name),
			slog.String("alert", of.Alert.Name), slog.String("code", string(sqlq.AsError(err).Code)), slog.Any("error", err))
	}
}

// publicText returns the message of an error without its cause.
func publicText(err error) string {
	failure := sqlq.AsError(err)
	if failure.Code == sqlq.Internal {
		return "internal server error; the server's log has the cause"
	}
	return failure.PublicText(failure.Param)
}

// firstWithin is the time within which alerts are first checked after a start or a change.
const firstWithin = time.Minute

// offset returns the part of a period at which an alert is checked. It depends on the alert only, so
// that the alerts are spread over their period and stay at their times.
func offset(key string, period time.Duration) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(key))                      // a hash never returns an error
	return time.Duration(hash.Sum64() % uint64(period)) //nolint:gosec // A period is positive.
}

// first returns the time of the first check of an alert.
func first(key string, every time.Duration, now time.Time) time.Time {
	return now.Add(offset(key, min(every, firstWithin)))
}

// following returns the time of the first regular check after a time.
func following(key string, every time.Duration, now time.Time) time.Time {
	shifted := now.Add(-offset(key, every))
	return shifted.Truncate(every).Add(every + offset(key, every))
}
