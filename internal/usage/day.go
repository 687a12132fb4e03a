package usage

import (
	"sync"
	"time"
)

const (
	// maxAccounts bounds the subjects of a day. Further ones of a token share an account, and
	// so a budget.
	maxAccounts = 100_000
	// maxRows bounds the rows of a day. Further subjects of a token share a row for each saved
	// query.
	maxRows = 10_000
	// dayLength is the length of a day in UTC.
	dayLength = 24 * time.Hour
	// slack is how far the clock may go back at the start of a day without a change of the day:
	// clocks are adjusted by less.
	slack = time.Hour
)

// limits bound a day. They are the constants, except in tests.
type limits struct{ accounts, rows int }

// day is the usage of one day, in UTC. Budgets end with it, because hours and days do.
type day struct {
	start  time.Time
	limits limits

	mutex    sync.Mutex
	accounts map[ID]*account
	// rows is how many meters there are.
	rows int
}

func newDay(now time.Time, limits limits) *day {
	return &day{start: startOf(now), limits: limits, accounts: make(map[ID]*account)}
}

// startOf returns the start of the day of a time.
func startOf(now time.Time) time.Time { return now.UTC().Truncate(dayLength) }

func (d *day) end() time.Time { return d.start.Add(dayLength) }

// contains reports whether requests at a time count for the day.
func (d *day) contains(now time.Time) bool {
	return !now.Before(d.start.Add(-slack)) && now.Before(d.end())
}

// hourOf returns the hour of the day that a time is in. A time beyond the day is in its first
// or last hour.
func (d *day) hourOf(now time.Time) int {
	const last = 23
	return min(max(int(now.Sub(d.start)/time.Hour), 0), last)
}

// account returns the account of an id, or the account of the other subjects of its token if there
// are too many.
func (d *day) account(id ID) *account {
	id = id.bounded()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if id.Subject != "" && d.accounts[id] == nil && len(d.accounts) >= d.limits.accounts {
		id.Subject = other
	}
	return d.addAccount(id)
}

// addAccount returns the account of an id. The mutex must be held.
func (d *day) addAccount(id ID) *account {
	if found := d.accounts[id]; found != nil {
		return found
	}
	added := &account{id: id, day: d}
	added.meters.Store(&map[string]*meter{})
	d.accounts[id] = added
	return added
}

// addMeter returns the meter of an account for a saved query, or the meter of the other subjects of
// its token if there are too many.
func (d *day) addMeter(a *account, endpoint string) *meter {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if found := (*a.meters.Load())[endpoint]; found != nil {
		return found
	}
	owner := a
	if a.id.Subject != "" && a.id.Subject != other && d.rows >= d.limits.rows {
		owner = d.addAccount(ID{Token: a.id.Token, Subject: other})
	}
	found := (*owner.meters.Load())[endpoint]
	if found == nil {
		found = &meter{owner: owner, endpoint: endpoint}
		owner.setMeter(endpoint, found)
		d.rows++
	}
	if owner != a {
		a.setMeter(endpoint, found)
	}
	return found
}

// eachRow calls row for the totals of all meters, up to now.
func (d *day) eachRow(row func(id ID, endpoint string, totals Totals)) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, account := range d.accounts {
		for endpoint, meter := range *account.meters.Load() {
			if meter.owner != account {
				continue
			}
			if meter.collect(); meter.totals != (Totals{}) {
				row(account.id, endpoint, meter.totals)
			}
		}
	}
}

// appendLines appends the lines of what has changed since the last call, or of everything.
func (d *day) appendLines(dst []byte, everything bool) []byte {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, account := range d.accounts {
		for _, meter := range *account.meters.Load() {
			if meter.owner != account {
				continue
			}
			meter.collect()
			if meter.changed || everything && meter.totals != (Totals{}) {
				dst = appendLine(dst, line{ID: account.id, Endpoint: meter.endpoint, Totals: &meter.totals})
			}
			meter.changed = false
		}
		dst = account.appendLine(dst, everything)
	}
	return dst
}

// appendLine appends the line of the spent amounts if they have changed, or in any case.
func (a *account) appendLine(dst []byte, always bool) []byte {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.changed || always && a.daySpent != (Amounts{}) {
		dst = appendLine(dst, line{ID: a.id, Spent: &spent{Hour: a.hour, OfHour: a.hourSpent, OfDay: a.daySpent}})
	}
	a.changed = false
	return dst
}

// restore adds what a line of the file says.
func (d *day) restore(read line) {
	account := d.account(read.ID)
	if read.Spent != nil {
		account.hour, account.hourSpent, account.daySpent = read.Spent.Hour, read.Spent.OfHour, read.Spent.OfDay
	}
	if read.Totals != nil {
		account.meter(read.Endpoint).totals = *read.Totals
	}
}
