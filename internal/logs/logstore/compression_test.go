package logstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Texts of events are never compressed with a dictionary, not even if all are equal: whether to
// choose one takes a copy of a whole row group. Names of projects are.
func TestTextsOfEventsHaveNoDictionary(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir())
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	for _, source := range shippedTables() {
		_, err := store.DB().ExecContext(t.Context(), "INSERT INTO "+source.Name+" SELECT 'id', now()::TIMESTAMP, 'a text that is repeated', 'a project', '[{\"key\":\"a text that is repeated\"}]' FROM range(10000)")
		require.NoError(t, err)
	}
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	for _, source := range shippedTables() {
		assert.Equal(t, []string{"event_message FSST", "id FSST", "metadata FSST", "project Dictionary"}, texts(t, store,
			"SELECT DISTINCT column_name || ' ' || compression FROM pragma_storage_info('"+source.Name+"') WHERE segment_type = 'VARCHAR' AND compression <> 'Constant' ORDER BY ALL"), source.Name)
	}
}
