package duckdb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logevent"
	"savedq/internal/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
)

// TestConformance puts the engine through the suite that every engine has to
// pass.
func TestConformance(t *testing.T) {
	t.Parallel()
	sqlqtest.TestEngine(t, func(t testing.TB, logs sqlqtest.Logs) sqlq.Engine {
		return duckdb.New(openStore(t, logs).DB())
	})
}

// openStore returns a store that holds the logs.
func openStore(t testing.TB, logs sqlqtest.Logs) *logstore.Store {
	t.Helper()
	store, err := logstore.Open(t.Context(), t.TempDir(), "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for table, events := range logs {
		source, ok := logstore.FindSource(table)
		require.True(t, ok, table)
		for _, event := range events {
			require.NoError(t, transaction.Add(t.Context(), source, logevent.Event(event)))
		}
	}
	require.NoError(t, transaction.Commit(t.Context()))
	return store
}
