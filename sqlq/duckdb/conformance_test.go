package duckdb_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// TestConformance puts the engine through the suite that every engine has to
// pass.
func TestConformance(t *testing.T) {
	t.Parallel()
	sqlqtest.TestEngine(t, func(tb testing.TB, logs sqlqtest.Logs) sqlq.Engine {
		tb.Helper()
		return duckdb.New(openStore(tb, logs).DB())
	}, sqlqtest.Options{})
}

// openStore returns a store in memory that holds the logs.
func openStore(tb testing.TB, logs sqlqtest.Logs) *logstore.Store {
	tb.Helper()
	store, err := logstore.OpenEmpty(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, store.Close()) })
	fill(tb, store, logs)
	return store
}

// fill adds the logs to a store.
func fill(tb testing.TB, store *logstore.Store, logs sqlqtest.Logs) {
	tb.Helper()
	transaction, err := store.Begin(tb.Context(), logstore.Sent)
	require.NoError(tb, err)
	for table, events := range logs {
		source, ok := store.Tables().FindSource(table)
		require.True(tb, ok, table)
		for _, event := range events {
			require.NoError(tb, transaction.Add(tb.Context(), source, logevent.Event(event)))
		}
	}
	require.NoError(tb, transaction.Commit(tb.Context()))
}

// translated makes the catalog translate query.sql of every folder, because no folder has SQL for an engine of
// this name.
type translated struct{ duckdbsql.Dialect }

func (translated) Name() string { return "translated" }

// translatedEngine runs translated SQL.
type translatedEngine struct{ *duckdb.Engine }

func (translatedEngine) Dialect() sqlq.Dialect { return translated{} }

// D38: the one text in GoogleSQL has the rows of the specification on the embedded engine, too. The
// text of logs.all is also that of [TestConformance].
func TestConformanceOfGoogleSQL(t *testing.T) {
	t.Parallel()
	sqlqtest.TestEngine(t, func(tb testing.TB, logs sqlqtest.Logs) sqlq.Engine {
		tb.Helper()
		return translatedEngine{duckdb.New(openStore(tb, logs).DB())}
	}, sqlqtest.Options{DataSets: 4, ValuesOnce: true, Without: []string{"logs.all"}})
}
