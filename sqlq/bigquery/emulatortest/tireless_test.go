package emulatortest

import (
	"context"
	"sync"
	"testing"

	"savedq/sqlq"
	"savedq/sqlq/sqlqtest"
)

// runsOfEmulator is after how many runs an emulator is replaced. It makes a table
// of every answer and keeps it, and at every request reads the schemas of all
// tables and all jobs that it ever had, so that it gets slower and slower.
const runsOfEmulator = 40

// tirelessEngine is the engine on emulators that hold the same logs, one after the
// other.
type tirelessEngine struct {
	tb   testing.TB
	logs sqlqtest.Logs

	// mutex is held for reading by whoever uses the current emulator.
	mutex   sync.RWMutex
	current *emulator
	// counting guards runs.
	counting sync.Mutex
	runs     int
}

var _ sqlq.Engine = (*tirelessEngine)(nil)

func newTirelessEngine(tb testing.TB, logs sqlqtest.Logs) *tirelessEngine {
	tb.Helper()
	return &tirelessEngine{tb: tb, logs: logs, current: startEmulator(tb, logs)}
}

// Dialect is that of the engine.
func (e *tirelessEngine) Dialect() sqlq.Dialect { return sqlq.BigQuery }

// Check checks on the current emulator.
func (e *tirelessEngine) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	e.mutex.RLock()
	defer e.mutex.RUnlock()
	return e.current.engine.Check(ctx, query)
}

// Run runs on the current emulator, or on a new one when that is tired.
func (e *tirelessEngine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if e.isTired() {
		e.mutex.Lock()
		e.current.close(e.tb)
		e.current = startEmulator(e.tb, e.logs)
		e.mutex.Unlock()
	}
	e.mutex.RLock()
	defer e.mutex.RUnlock()
	return e.current.engine.Run(ctx, statement)
}

// isTired counts a run and says whether the emulator has had its share.
func (e *tirelessEngine) isTired() bool {
	e.counting.Lock()
	defer e.counting.Unlock()
	e.runs++
	return e.runs%runsOfEmulator == 0
}
