package usage

import (
	"sync/atomic"
	"time"
)

// meter counts the requests of one account for one saved query on one day.
type meter struct {
	// owner is the account whose usage the meter counts.
	owner    *account
	endpoint string

	requests, hits, errors, rows, runs, bytes, engineTime atomic.Int64

	// The mutex of the day guards what follows: what was counted before the last collect, and
	// whether it has changed since it was last written.
	totals  Totals
	changed bool
}

// collect adds what was counted since the last call to the totals. The mutex of the day must
// be held.
func (m *meter) collect() {
	counted := Totals{
		Requests: m.requests.Swap(0), Hits: m.hits.Swap(0), Errors: m.errors.Swap(0), Rows: m.rows.Swap(0),
		Runs: m.runs.Swap(0), Bytes: m.bytes.Swap(0), EngineTime: time.Duration(m.engineTime.Swap(0)),
	}
	if counted != (Totals{}) {
		m.totals.add(counted)
		m.changed = true
	}
}
