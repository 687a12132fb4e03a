package duckdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"savedq/sqlq"
)

const (
	// callersShare is the part of DuckDB's memory limit that operators may use while SQL of a caller runs (D40).
	// Memory of saved queries at the same time counts, too, because DuckDB does not tell them apart.
	callersShare = 0.5
	// memoryPause is the time between two looks at the memory.
	memoryPause = 50 * time.Millisecond
)

// errCallersMemory ends SQL of a caller that takes too much memory.
var errCallersMemory = errors.New("SQL of a caller takes more than its share of the memory")

// withinMemory returns a context that ends as soon as operators use more than callers' share of the memory. The
// caller must call end when the run has ended.
func (e *Engine) withinMemory(ctx context.Context) (_ context.Context, end func()) {
	within, cancel := context.WithCancelCause(ctx)
	go func() {
		pause := time.NewTicker(memoryPause)
		defer pause.Stop()
		for {
			select {
			case <-within.Done():
				return
			case <-pause.C:
			}
			if share, err := e.memoryInUse(within); err == nil && share > callersShare {
				cancel(errCallersMemory)
			}
		}
	}()
	return within, func() { cancel(nil) }
}

// memoryInUse returns the part of the memory limit that operators use. Cached blocks of tables do not count.
func (e *Engine) memoryInUse(ctx context.Context) (float64, error) {
	const query = `SELECT sum(memory_usage_bytes), current_setting('memory_limit') FROM duckdb_memory()
WHERE tag IN ('HASH_TABLE', 'ORDER_BY', 'COLUMN_DATA', 'ALLOCATOR', 'WINDOW')`
	var used float64
	var limit, unit string
	if err := e.db.QueryRowContext(ctx, query).Scan(&used, &limit); err != nil {
		return 0, err
	}
	var number float64
	if _, err := fmt.Sscan(limit, &number, &unit); err != nil {
		return 0, fmt.Errorf("read the memory limit %q: %w", limit, err)
	}
	bytes := map[string]float64{"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}[unit]
	return used / (number * bytes), nil
}

// callersMemoryError returns the error of a run that its share of the memory has ended.
func callersMemoryError(err error) error {
	return sqlq.Errorf(sqlq.ResourceExhausted, "the SQL takes more memory than the server has for it; ask for a shorter time range, or group by fewer values").WithCause(err)
}
