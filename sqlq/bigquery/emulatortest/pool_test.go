package emulatortest

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/sqlqtest"
)

// loansOfEmulator is after how many loans an emulator is replaced. It never gives
// memory back, and has failed after ten minutes in one process.
const loansOfEmulator = 40

// pool lends emulators, each to one test at a time: to start one and make its
// tables takes a second of computing, to empty and fill its tables a fraction.
type pool struct {
	mutex sync.Mutex
	free  []*emulator
}

// newPool returns a pool that ends with the test.
func newPool(tb testing.TB) *pool {
	tb.Helper()
	lending := &pool{}
	tb.Cleanup(func() {
		for unused := lending.take(); unused != nil; unused = lending.take() {
			assert.NoError(tb, unused.close())
		}
	})
	return lending
}

// lend returns an emulator that holds the logs and nothing else, until the end of
// the test.
func (p *pool) lend(tb testing.TB, logs sqlqtest.Logs) *emulator {
	tb.Helper()
	lent := p.take()
	if lent == nil {
		started, err := start(tb.Context())
		require.NoError(tb, err)
		lent = started
	}
	if err := lent.prepare(tb.Context(), logs); err != nil {
		require.NoError(tb, errors.Join(err, lent.close()))
	}
	tb.Cleanup(func() { assert.NoError(tb, p.giveBack(lent)) })
	return lent
}

// prepare makes an emulator, new or used, hold the logs for one more loan.
func (e *emulator) prepare(ctx context.Context, logs sqlqtest.Logs) error {
	if e.loans == 0 {
		if err := e.createTables(ctx); err != nil {
			return err
		}
	}
	e.loans++
	if reflect.DeepEqual(e.holds, logs) {
		return nil
	}
	return e.load(ctx, logs)
}

// take returns an emulator that nobody uses, or nil.
func (p *pool) take() *emulator {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.free) == 0 {
		return nil
	}
	last := len(p.free) - 1
	taken := p.free[last]
	p.free = p.free[:last]
	return taken
}

// giveBack keeps an emulator for the next test, unless it has had its share.
func (p *pool) giveBack(used *emulator) error {
	if used.loans >= loansOfEmulator {
		return used.close()
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.free = append(p.free, used)
	return nil
}
