package logstore_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

func events(first, count int) []logevent.Event {
	events := make([]logevent.Event, 0, count)
	for i := range count {
		events = append(events, event(first+i))
	}
	return events
}

// An intact store of version 1 is upgraded unchanged.
func TestUpgradeOfIntactStore(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	db := logstore.MakeVersion1(t, directory)
	logstore.LoadVersion1(t, db, source(t, "edge_logs"), events(0, 1000))
	logstore.LoadVersion1(t, db, source(t, "function_edge_logs"), events(0, 500))
	require.NoError(t, db.Close())
	store := open(t, directory)
	assert.Equal(t, logstore.Recovery{UpgradedFrom: 1}, store.Recovery())
	assert.Equal(t, holds(1000), contents(t, store, "edge_logs", "edge_requests"))
	assert.Equal(t, holds(500), contents(t, store, "function_edge_logs", "function_invocations"))
	require.NoError(t, store.Close())
	store = open(t, directory)
	assert.Empty(t, store.Recovery(), "it is verified once")
	assert.Equal(t, []string{"2"}, texts(t, store, "SELECT value FROM store_info WHERE key = 'schema_version'"))
	require.NoError(t, store.Close())
}

// Version 1 could leave a part of a load behind. The upgrade repairs it, and can itself be
// interrupted at any point.
func TestUpgradeRepairsHalfLoadedStore(t *testing.T) {
	t.Parallel()
	const before, count = 1000, logstore.RowGroup + 7_000
	for _, test := range []struct{ table, records string }{{"edge_logs", "edge_requests"}, {"function_edge_logs", "function_invocations"}} {
		t.Run(test.table, func(t *testing.T) {
			t.Parallel()
			source := source(t, test.table)
			directory := t.TempDir()
			db := logstore.MakeVersion1(t, directory)
			logstore.LoadVersion1(t, db, source, events(-before, before))
			begin := walSize(t, directory)
			logstore.LoadVersion1(t, db, source, events(0, count))
			killed := snapshot(t, directory)
			require.NoError(t, db.Close())

			halves := 0
			for _, length := range lengths(begin, walSize(t, killed), 4) {
				crashed := t.TempDir()
				copyStore(t, killed, crashed, length)
				half := logstore.CountVersion1(t, crashed, test.table) != logstore.CountVersion1(t, crashed, test.records)
				if half {
					halves++
				}
				store, err := logstore.OpenWithoutCheckpoints(t.Context(), crashed)
				require.NoError(t, err)
				assert.Len(t, store.Recovery().Rebuilt, map[bool]int{true: 1}[half], "cut to %d", length)
				inSource := texts(t, store, "SELECT count(*)::VARCHAR FROM "+test.table)
				assert.Equal(t, inSource, texts(t, store, "SELECT count(*)::VARCHAR FROM "+test.records))
				if half && halves == 1 {
					checkUpgradeCutOff(t, crashed, length, test.table, test.records, inSource[0])
					require.NoError(t, load(t.Context(), store, source, 0, count, func() {}))
					assert.Equal(t, holds(before+count), contents(t, store, test.table, test.records), "loaded again")
				}
				require.NoError(t, store.Close())
				require.NoError(t, os.RemoveAll(crashed))
			}
			assert.Positive(t, halves, "version 1 leaves parts of a load")
		})
	}
}

// checkUpgradeCutOff truncates the log of an upgrade that began with a log of a given
// length.
func checkUpgradeCutOff(t *testing.T, upgraded string, begin int64, table, records, inSource string) {
	t.Helper()
	done := snapshot(t, upgraded)
	for _, length := range lengths(begin, walSize(t, done), 6) {
		crashed := t.TempDir()
		copyStore(t, done, crashed, length)
		store := open(t, crashed)
		for _, table := range []string{table, records} {
			assert.Equal(t, []string{inSource}, texts(t, store, "SELECT count(*)::VARCHAR FROM "+table), "upgrade cut to %d", length)
		}
		assert.Equal(t, []string{"2"}, texts(t, store, "SELECT value FROM store_info WHERE key = 'schema_version'"))
		require.NoError(t, store.Close())
		require.NoError(t, os.RemoveAll(crashed))
	}
}
