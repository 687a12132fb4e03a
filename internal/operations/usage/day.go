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
	// journal is the file of the day. The mutex writing of the ledger guards it.
	journal journal

	mutex    sync.Mutex
	accounts map[ID]*account
	// rows is how many rows the accounts have.
	rows int
}

// account is what one id used. The mutex of the day guards it.
type account struct {
	// rows are the totals by the name of the saved query.
	rows map[string]*row
	// hour is the hour of the day that OfHour is about.
	spent
	changed bool
}

// row has the totals of an id and a saved query, and reports whether they have changed since they
// were last written.
type row struct {
	Totals
	changed bool
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
// are too many. The mutex must be held.
func (d *day) account(id ID) *account {
	found := d.accounts[id]
	if found == nil && id.Subject != "" && len(d.accounts) >= d.limits.accounts {
		id.Subject = other
		found = d.accounts[id]
	}
	if found == nil {
		found = &account{rows: make(map[string]*row)}
		d.accounts[id] = found
	}
	return found
}

// row returns the row of an id and a saved query, or the row of the other subjects of its token if
// there are too many. The mutex must be held.
func (d *day) row(id ID, endpoint string) *row {
	account := d.account(id)
	found := account.rows[endpoint]
	switch {
	case found != nil:
		return found
	case id.Subject != "" && id.Subject != other && d.rows >= d.limits.rows:
		return d.row(ID{Token: id.Token, Subject: other}, endpoint)
	}
	found = &row{}
	account.rows[endpoint] = found
	d.rows++
	return found
}

// count counts requests for a saved query, or runs of it.
func (d *day) count(id ID, endpoint string, counted Totals) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	row := d.row(id, endpoint)
	row.add(counted)
	row.changed = true
}

// reserve counts a run against a budget, or returns the error of the limit that is reached.
func (d *day) reserve(id ID, budget Budget, now time.Time) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, spending := range d.spending(id, budget, now) {
		if err := spending.exceeded(now); err != nil {
			return err
		}
	}
	d.account(id).spend(Amounts{Requests: 1})
	return nil
}

// release takes back a run that was counted in an hour.
func (d *day) release(id ID, hour int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	account := d.account(id)
	account.OfDay.Requests--
	if account.Hour == hour {
		account.OfHour.Requests--
	}
	account.changed = true
}

// charge counts what a run took.
func (d *day) charge(id ID, amounts Amounts, now time.Time) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	account := d.account(id)
	account.startHour(d.hourOf(now))
	account.spend(amounts)
}

func (a *account) spend(amounts Amounts) {
	a.OfHour.add(amounts)
	a.OfDay.add(amounts)
	a.changed = true
}

// startHour resets what was spent in an earlier hour. If the clock goes back, it does nothing.
func (a *account) startHour(hour int) {
	if hour > a.Hour {
		a.Hour, a.OfHour = hour, Amounts{}
	}
}

// spending returns what was spent of each part of a budget that has a limit. The longer period is
// first, because it resets later. The mutex must be held.
func (d *day) spending(id ID, budget Budget, now time.Time) []Spending {
	account := d.account(id)
	account.startHour(d.hourOf(now))
	var parts []Spending
	if budget.Day != (Amounts{}) {
		parts = append(parts, Spending{Period: Day, Spent: account.OfDay, Allowed: budget.Day, ResetsAt: d.end()})
	}
	if budget.Hour != (Amounts{}) {
		resets := d.start.Add(time.Duration(account.Hour+1) * time.Hour)
		parts = append(parts, Spending{Period: Hour, Spent: account.OfHour, Allowed: budget.Hour, ResetsAt: resets})
	}
	return parts
}

// lines returns the lines of what has changed since it was last written, or of everything. If they
// are written, it has not changed any more.
func (d *day) lines(everything, written bool) []line {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	var lines []line
	for id, account := range d.accounts {
		for endpoint, row := range account.rows {
			if row.changed || everything {
				lines = append(lines, line{ID: id, Endpoint: endpoint, Totals: new(row.Totals)})
			}
			row.changed = row.changed && !written
		}
		if account.changed || everything && account.OfDay != (Amounts{}) {
			lines = append(lines, line{ID: id, Spent: new(account.spent)})
		}
		account.changed = account.changed && !written
	}
	return lines
}

// restore adds what a line of the file says.
func (d *day) restore(read line) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if read.Spent != nil {
		d.account(read.ID).spent = *read.Spent
	}
	if read.Totals != nil {
		d.row(read.ID, read.Endpoint).Totals = *read.Totals
	}
}
