package logstore_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/duckdb/connect"
)

// noon is the time of most events of the tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // It is a constant.

// openFiles returns a DuckDB of its own, for files of a store.
func openFiles(t *testing.T) *sql.DB {
	t.Helper()
	connector, err := connect.New("?threads=1", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

// texts returns the texts that a query selects.
func texts(t *testing.T, store *logstore.Store, query string) (found []string) {
	t.Helper()
	var text string
	require.NoError(t, eachRow(t.Context(), store.DB(), query, []any{&text}, func() { found = append(found, text) }))
	return found
}

// rejected returns rejected events, one a second.
func rejectedEvents(count int) []logevent.Rejected {
	events := make([]logevent.Rejected, 0, count)
	for i := range count {
		events = append(events, logevent.Rejected{
			Received: noon.Add(time.Duration(i) * time.Second), RequestID: "r", Source: []string{"edge_logs", "nothing"}[i%2],
			Position: i, Reason: "no id", Event: fmt.Sprintf(`{"n":%d`, i),
		})
	}
	return events
}

func ingestRejected(t *testing.T, store *logstore.Store, position uint64, events []logevent.Rejected) {
	t.Helper()
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(nil), Position: position, Rejected: events}))
}

// A rejected event that arrives while earlier events become a part is in the next file of the state, before the
// write-ahead log may forget it.
func TestRejectedWhileSealing(t *testing.T) {
	t.Parallel()
	directory, model := t.TempDir(), newModel(1)
	var store *logstore.Store
	arrived := false
	store = open(t, directory, logstore.WithSteps(func(step string) error {
		if step == "create the state" && !arrived {
			arrived = true
			ingestRejected(t, store, 3, rejectedEvents(2)[1:])
		}
		return nil
	}))
	require.NoError(t, model.tryIngest(t, store, model.batch(3)))
	ingestRejected(t, store, 2, rejectedEvents(1))
	for range 2 {
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	require.EqualValues(t, 3, store.SealedPosition())
	require.True(t, arrived)
	checkFiles(t, directory)
	require.NoError(t, store.Close())
	store = open(t, directory)
	assert.Equal(t, []string{"0", "1"}, texts(t, store, "SELECT position::VARCHAR FROM rejected_events ORDER BY ALL"))
	require.NoError(t, store.Close())
}
