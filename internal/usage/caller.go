package usage

import (
	"sync/atomic"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Caller counts the usage of a token, and holds it to its budget. Callers with the same id
// share what they spend. It is safe for concurrent use.
type Caller struct {
	ledger *Ledger
	id     ID
	budget Budget
	// account is the account of the day on which it was last used.
	account atomic.Pointer[account]
}

var _ runner.Account = (*Caller)(nil)

// current returns the account of today.
func (c *Caller) current() *account {
	today := c.ledger.today.Load()
	if found := c.account.Load(); found != nil && found.day == today {
		return found
	}
	found := today.account(c.id)
	c.account.Store(found)
	return found
}

// Responded counts a request for a saved query. The response is nil if the error is not.
func (c *Caller) Responded(query *sqlq.SavedQuery, response *runner.Response, err error) {
	meter := c.current().meter(query.Name)
	meter.requests.Add(1)
	if err != nil {
		meter.errors.Add(1)
		return
	}
	if response.Cache == runner.Hit || response.Cache == runner.Stale {
		meter.hits.Add(1)
	}
	if !query.Stream { // [reservation.Charge] counts these
		meter.rows.Add(int64(response.Result.RowCount()))
	}
}

// Reserve implements [runner.Account]. The error is RESOURCE_EXHAUSTED.
func (c *Caller) Reserve(query *sqlq.SavedQuery) (runner.Reservation, error) {
	now := c.ledger.now()
	account := c.current()
	if err := account.reserve(c.budget, now); err != nil {
		c.ledger.rejected.Add(1)
		return nil, err
	}
	return &reservation{caller: c, account: account, hour: account.day.hourOf(now), query: query}, nil
}

// Spending returns what was spent of each part of the budget, the day first. It returns nil
// if there is no budget.
func (c *Caller) Spending() []Spending {
	now := c.ledger.now()
	account := c.current()
	account.mutex.Lock()
	defer account.mutex.Unlock()
	account.startHour(now)
	return account.spending(c.budget)
}

// reservation is a run that a caller pays for.
type reservation struct {
	caller  *Caller
	account *account
	hour    int
	query   *sqlq.SavedQuery
}

// Payer implements [runner.Reservation].
func (r *reservation) Payer() string { return r.caller.id.Token + "\x00" + r.caller.id.Subject }

// Release implements [runner.Reservation].
func (r *reservation) Release() { r.account.release(r.hour) }

// Charge implements [runner.Reservation]. A run is charged at its end.
func (r *reservation) Charge(run runner.EngineRun) {
	now := r.caller.ledger.now()
	account := r.caller.current()
	account.charge(run, now)
	meter := account.meter(r.query.Name)
	meter.runs.Add(1)
	if r.query.Stream { // its rows are sent while it runs, also if it fails later
		meter.rows.Add(int64(run.Rows))
	}
	meter.bytes.Add(run.BytesProcessed)
	meter.engineTime.Add(int64(run.Duration))
}
