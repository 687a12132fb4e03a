package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// A store that was invalid is restored from the write-ahead log, while further events are committed.
func TestReadAgainAfterAFatalError(t *testing.T) {
	t.Parallel()
	config := setup(t, &fakeStore{})
	store, err := logstore.Open(t.Context(), t.TempDir(), "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	config.Store = store
	writer := open(t, config)
	count := func() (events, ids int) {
		t.Helper()
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT id) FROM edge_logs").Scan(&events, &ids))
		return events, ids
	}
	for i := range 20 {
		commit(t, writer, batchOf(fmt.Sprint("a", i), fmt.Sprint("b", i)))
	}
	require.NoError(t, writer.WaitStored(t.Context()))
	var tree string
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT CAST(json_serialize_sql('SELECT a = b AS x FROM (VALUES (1, 2), (3, 4)) AS t(a, b)') AS VARCHAR)").Scan(&tree))
	_, err = store.DB().ExecContext(t.Context(), "SELECT * FROM json_execute_serialized_sql('"+strings.Replace(tree, "COMPARE_EQUAL", "SUBQUERY", 1)+"')")
	require.ErrorContains(t, err, "INTERNAL Error")
	commit(t, writer, batchOf("c"))
	events, ids := count()
	assert.GreaterOrEqual(t, events, 40)
	assert.Equal(t, events, ids)
	require.NoError(t, writer.WaitStored(t.Context()))
	events, ids = count()
	assert.Equal(t, 41, events)
	assert.Equal(t, 41, ids)
	assert.Equal(t, int64(1), store.Reopenings())
	require.NoError(t, writer.Close(t.Context()))
}
