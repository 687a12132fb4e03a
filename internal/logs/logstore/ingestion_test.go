package logstore_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// ingestionOf returns an ingestion of events of a source with ids from first to last.
func ingestionOf(source *sqlq.Table, first, last int) logstore.Ingestion {
	ingestion := logstore.Ingestion{Position: uint64(last)}
	for i := first; i <= last; i++ {
		ingestion.IDs = append(ingestion.IDs, logstore.RecentID{Accepted: time.UnixMicro(int64(i)).UTC(), Fingerprint: logevent.Fingerprint{High: uint64(i), Low: 1 << 63}})
	}
	ingestion.Events = func(yield func(*sqlq.Table, logevent.Event) bool) {
		for i := first; i <= last; i++ {
			event := logevent.Event{
				ID: strconv.Itoa(i), Timestamp: time.UnixMicro(int64(i)).UTC(),
				Metadata: []byte(`[{"project_ref":"acme","execution_time_ms":5,"response":[{"status_code":200}]}]`),
			}
			if !yield(source, event) {
				return
			}
		}
	}
	return ingestion
}

func countOf(t *testing.T, store *logstore.Store, table string) int {
	t.Helper()
	var count int
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&count))
	return count
}

func TestIngestStoresEverythingInOneTransaction(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	position, err := store.IngestPosition(t.Context())
	require.NoError(t, err)
	assert.Zero(t, position)

	source, _ := shippedTables().FindSource("function_edge_logs")
	ingestion := ingestionOf(source, 1, 3)
	ingestion.Generated = true
	require.NoError(t, store.Ingest(t.Context(), ingestion))
	other, err := store.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	assert.False(t, other, "demo logs")

	ingestion = ingestionOf(source, 4, 5)
	ingestion.Rejected = []logevent.Rejected{{
		Received: time.UnixMicro(7).UTC(), RequestID: "request", Source: "edge_logs", Position: 2, Reason: "reason", Event: "event",
	}}
	require.NoError(t, store.Ingest(t.Context(), ingestion))
	require.NoError(t, store.Close())

	store, err = logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	position, err = store.IngestPosition(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 5, position)
	other, err = store.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	assert.True(t, other)
	assert.Equal(t, 5, countOf(t, store, "function_edge_logs"))
	assert.Equal(t, 5, countOf(t, store, "function_invocations"))
	assert.Equal(t, 1, countOf(t, store, "rejected_events"))

	var recent []logstore.RecentID
	require.NoError(t, store.RecentIDs(t.Context(), time.UnixMicro(4), func(id logstore.RecentID) { recent = append(recent, id) }))
	assert.Equal(t, []logstore.RecentID{
		{Accepted: time.UnixMicro(4).UTC(), Fingerprint: logevent.Fingerprint{High: 4, Low: 1 << 63}}, {Accepted: time.UnixMicro(5).UTC(), Fingerprint: logevent.Fingerprint{High: 5, Low: 1 << 63}},
	}, recent)
	require.NoError(t, store.ForgetIDs(t.Context(), time.UnixMicro(5)))
	assert.Equal(t, 1, countOf(t, store, "recent_ids"))
}

// More events than one commit of DuckDB may have are stored wholly or not at all, too.
func TestALargeIngestionIsStoredWholly(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithoutAutomaticCheckpoints(), inParts())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	source, _ := shippedTables().FindSource("function_edge_logs")
	const many = 5 * inPartsEvents
	ingestion := ingestionOf(source, 1, many)
	ingestion.IDs = nil
	require.NoError(t, store.Ingest(t.Context(), ingestion))
	assert.Equal(t, many, countOf(t, store, "function_edge_logs"))
	assert.Zero(t, countOf(t, store, "load_journal"))
}

func TestCheckpointEmptiesTheLog(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	source, _ := shippedTables().FindSource("function_edge_logs")
	require.NoError(t, store.Ingest(t.Context(), ingestionOf(source, 1, 10_000)))
	assert.Greater(t, store.UncheckpointedBytes(), int64(1<<20))
	done, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	assert.True(t, done)
	assert.Less(t, store.UncheckpointedBytes(), int64(1<<10))
}
