package runner

import "savedq/sqlq"

// Account pays for the runs of the engine that its requests start. It must be safe for
// concurrent use.
type Account interface {
	// Reserve reserves a run of a saved query, before it waits for the engine. An error ends
	// the request, and is not an error of the engine: no stale entry is served for it.
	Reserve(query *sqlq.SavedQuery) (Reservation, error)
}

// Reservation is a run that an account pays for. The runner calls exactly one of the methods,
// once.
type Reservation interface {
	// Payer identifies who pays. The runs of one payer never take the whole engine. The empty
	// string is nobody, whose runs can.
	Payer() string
	// Release ends the reservation of a run that did not reach the engine.
	Release()
	// Charge ends the reservation of a run, whether or not it succeeded.
	Charge(run EngineRun)
}

// reserve reserves a run for an account, which may be nil.
func reserve(account Account, query *sqlq.SavedQuery) (Reservation, error) {
	if account == nil {
		return unpaid{}, nil
	}
	return account.Reserve(query)
}

// unpaid is the reservation of a run that no account pays for.
type unpaid struct{}

func (unpaid) Payer() string    { return "" }
func (unpaid) Release()         {}
func (unpaid) Charge(EngineRun) {}
