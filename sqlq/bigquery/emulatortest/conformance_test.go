package emulatortest

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// dataSets is how many random sets of logs are tried.
const dataSets = 40

// invocationStats is the saved query of the percentiles.
const invocationStats = "functions.invocation-stats"

// TestConformance puts the engine through the suite that every engine has to
// pass. DuckDB gets the same questions about the same logs, and has to give the
// same rows.
func TestConformance(t *testing.T) {
	queries := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	emulators := newPool(t)
	var compared atomic.Int64
	sqlqtest.TestEngine(t, func(tb testing.TB, logs sqlqtest.Logs) sqlq.Engine {
		tb.Helper()
		return besideDuckDB{
			Engine:   emulators.lend(tb, logs).engine,
			duckDB:   openDuckDB(tb, logs),
			queries:  queries,
			compared: &compared,
		}
	}, sqlqtest.WithTypedMetadata(), sqlqtest.WithDataSets(dataSets), sqlqtest.WithParallel())
	assert.Positive(t, compared.Load())
	t.Logf("%d results were the same", compared.Load())
}
