package ingest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// D30: an event that was loaded into the store before the server started is a duplicate within
// the window. One of a load that was undone is not.
func TestLoadedEventsAreDuplicates(t *testing.T) {
	store, err := logstore.Open(t.Context(), t.TempDir(), "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	config := setup(t, store)
	loadEvents(t, store, config.Clock().Add(-2*config.Deduplicate), true, "old")
	loadEvents(t, store, config.Clock(), true, "loaded")
	loadEvents(t, store, config.Clock(), false, "undone")
	writer := open(t, config)
	assert.Equal(t, Counts{Accepted: 2, Duplicates: 1}, commit(t, writer, batchOf("old", "loaded", "undone")))
	finish(t, writer)
}

// loadEvents loads events at a time, and commits or undoes that.
func loadEvents(t *testing.T, store *logstore.Store, at time.Time, committed bool, ids ...string) {
	t.Helper()
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	transaction.Remember(at)
	for _, event := range batchOf(ids...).Events {
		require.NoError(t, transaction.Add(t.Context(), event.Source, event.Event))
	}
	if !committed {
		require.NoError(t, transaction.Rollback())
		return
	}
	require.NoError(t, transaction.Commit(t.Context()))
}
