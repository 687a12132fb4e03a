package emulatortest

import (
	"testing"

	"savedq/sqlq"
	"savedq/sqlq/sqlqtest"
)

// dataSets is how many random sets of logs are tried.
const dataSets = 5

// invocationStats is the saved query of the percentiles.
const invocationStats = "functions.invocation-stats"

// TestConformance puts the engine through the suite that every engine has to pass.
func TestConformance(t *testing.T) {
	emulators := newPool(t)
	sqlqtest.TestEngine(t, func(tb testing.TB, logs sqlqtest.Logs) sqlq.Engine {
		tb.Helper()
		return emulators.lend(tb, logs).engine
	}, sqlqtest.Options{TypedMetadata: true, DataSets: dataSets, Parallel: true, ValuesOnce: true})
}
