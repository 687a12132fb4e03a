package usage

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"savedq/sqlq/runner"
)

// account is what one id used on one day.
type account struct {
	id  ID
	day *day
	// meters are by the name of the saved query. The map is replaced, never changed.
	meters atomic.Pointer[map[string]*meter]

	mutex sync.Mutex
	// hour is the hour of the day that hourSpent is about.
	hour                int
	hourSpent, daySpent Amounts
	// changed reports whether the amounts have changed since they were last written.
	changed bool
}

// meter returns the meter of a saved query.
func (a *account) meter(endpoint string) *meter {
	if found := (*a.meters.Load())[endpoint]; found != nil {
		return found
	}
	return a.day.addMeter(a, endpoint)
}

// setMeter adds a meter. The mutex of the day must be held.
func (a *account) setMeter(endpoint string, added *meter) {
	meters := maps.Clone(*a.meters.Load())
	meters[endpoint] = added
	a.meters.Store(&meters)
}

// reserve counts a run against a budget, or returns the error of the limit that is reached.
func (a *account) reserve(budget Budget, now time.Time) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.startHour(now)
	for _, spending := range a.spending(budget) {
		if err := spending.exceeded(now); err != nil {
			return err
		}
	}
	a.spend(Amounts{Requests: 1})
	return nil
}

// release takes back a run that was counted in an hour.
func (a *account) release(hour int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.daySpent.Requests--
	if a.hour == hour {
		a.hourSpent.Requests--
	}
	a.changed = true
}

// charge counts what a run took.
func (a *account) charge(run runner.EngineRun, now time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.startHour(now)
	a.spend(Amounts{Rows: int64(run.Rows), Bytes: run.BytesProcessed, EngineTime: run.Duration})
}

// spend must be called with the mutex held.
func (a *account) spend(amounts Amounts) {
	a.hourSpent.add(amounts)
	a.daySpent.add(amounts)
	a.changed = true
}

// startHour resets what was spent in an earlier hour. If the clock goes back, it does nothing.
// The mutex must be held.
func (a *account) startHour(now time.Time) {
	if hour := a.day.hourOf(now); hour > a.hour {
		a.hour, a.hourSpent = hour, Amounts{}
	}
}

// spending returns what was spent of each part of a budget that has a limit. The mutex must be
// held. The longer period is first, because it resets later.
func (a *account) spending(budget Budget) []Spending {
	var parts []Spending
	if budget.Day != (Amounts{}) {
		parts = append(parts, Spending{Period: Day, Spent: a.daySpent, Allowed: budget.Day, ResetsAt: a.day.end()})
	}
	if budget.Hour != (Amounts{}) {
		resets := a.day.start.Add(time.Duration(a.hour+1) * time.Hour)
		parts = append(parts, Spending{Period: Hour, Spent: a.hourSpent, Allowed: budget.Hour, ResetsAt: resets})
	}
	return parts
}
