package usage

import (
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Caller counts the usage of a token, and holds it to its budget. Callers with the same id
// share what they spend. It is safe for concurrent use.
type Caller struct {
	ledger *Ledger
	id     ID
	budget Budget
}

var _ runner.Account = (*Caller)(nil)

// Responded counts a request for a saved query. The response is nil if the error is not.
func (c *Caller) Responded(query *sqlq.SavedQuery, response *runner.Response, err error) {
	counted := Totals{Requests: 1}
	if err != nil {
		counted.Errors = 1
	} else {
		if response.Cache == runner.Hit || response.Cache == runner.Stale {
			counted.Hits = 1
		}
		if !query.Stream { // [reservation.Charge] counts these
			counted.Rows = int64(response.Result.RowCount())
		}
	}
	c.ledger.today.Load().count(c.id, query.Name, counted)
}

// Reserve implements [runner.Account]. The error is RESOURCE_EXHAUSTED.
func (c *Caller) Reserve(query *sqlq.SavedQuery) (runner.Reservation, error) {
	now := c.ledger.now()
	today := c.ledger.today.Load()
	if err := today.reserve(c.id, c.budget, now); err != nil {
		c.ledger.rejected.Add(1)
		return nil, err
	}
	return &reservation{caller: c, day: today, hour: today.hourOf(now), query: query}, nil
}

// Spending returns what was spent of each part of the budget, the day first. It returns nil
// if there is no budget.
func (c *Caller) Spending() []Spending {
	now := c.ledger.now()
	today := c.ledger.today.Load()
	today.mutex.Lock()
	defer today.mutex.Unlock()
	return today.spending(c.id, c.budget, now)
}

// reservation is a run that a caller pays for.
type reservation struct {
	caller *Caller
	// day and hour are when it was reserved.
	day   *day
	hour  int
	query *sqlq.SavedQuery
}

// Payer implements [runner.Reservation].
func (r *reservation) Payer() string { return r.caller.id.Token + "\x00" + r.caller.id.Subject }

// Release implements [runner.Reservation].
func (r *reservation) Release() { r.day.release(r.caller.id, r.hour) }

// Charge implements [runner.Reservation]. A run is charged at its end.
func (r *reservation) Charge(run runner.EngineRun) {
	now := r.caller.ledger.now()
	counted := Totals{Runs: 1, Bytes: run.BytesProcessed, EngineTime: run.Duration}
	if r.query.Stream { // its rows are sent while it runs, also if it fails later
		counted.Rows = int64(run.Rows)
	}
	today := r.caller.ledger.today.Load()
	today.charge(r.caller.id, Amounts{Rows: int64(run.Rows), Bytes: run.BytesProcessed, EngineTime: run.Duration}, now)
	today.count(r.caller.id, r.query.Name, counted)
}
