package logstore_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

const schemaVersion = "SELECT value FROM store_info WHERE key = 'schema_version'"

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
	db := logstore.MakeStore(t, directory, 1)
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
	assert.Equal(t, []string{"5"}, texts(t, store, schemaVersion))
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
			db := logstore.MakeStore(t, directory, 1)
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
		assert.Equal(t, []string{"5"}, texts(t, store, schemaVersion))
		require.NoError(t, store.Close())
		require.NoError(t, os.RemoveAll(crashed))
	}
}

// A store of each earlier version has the same tables after the upgrade as a new store, and
// its events.
func TestUpgradeGivesTheTablesOfANewStore(t *testing.T) {
	t.Parallel()
	const columns = `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_index) FROM duckdb_columns() WHERE NOT internal ORDER BY ALL`
	created := open(t, t.TempDir())
	want := texts(t, created, columns)
	require.NoError(t, created.Close())
	for version := 1; version <= 4; version++ {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			db := logstore.MakeStore(t, directory, version)
			logstore.LoadVersion1(t, db, source(t, "edge_logs"), events(0, 100))
			require.NoError(t, db.Close())
			store := open(t, directory)
			assert.Equal(t, logstore.Recovery{UpgradedFrom: version}, store.Recovery())
			assert.Equal(t, []string{fmt.Sprintf("the store was upgraded from schema version %d to 5; the savedq that wrote it cannot open it any more", version)}, store.Recovery().Notes())
			assert.Equal(t, want, texts(t, store, columns))
			assert.Equal(t, []string{"5"}, texts(t, store, schemaVersion))
			assert.Equal(t, holds(100), contents(t, store, "edge_logs", "edge_requests"))
			require.NoError(t, store.Close())
		})
	}
}

// An upgrade can be killed at any point. The next start completes it, and undoes a load that
// was interrupted before it. The kills leave stores of the later versions behind, so these are
// covered too.
func TestUpgradeIsCrashSafe(t *testing.T) {
	t.Parallel()
	const before, count = 1000, 60_000
	for _, version := range []int{1, 2} {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			db := logstore.MakeStore(t, directory, version)
			logstore.LoadVersion1(t, db, source(t, "edge_logs"), events(-before, before))
			if version > 1 {
				logstore.InterruptLoad(t, db, source(t, "edge_logs"), events(0, count))
			}
			killed := snapshot(t, directory)
			require.NoError(t, db.Close())
			begin := walSize(t, killed)
			upgrading, err := logstore.OpenWithoutCheckpoints(t.Context(), killed)
			require.NoError(t, err)
			upgraded := snapshot(t, killed)
			require.NoError(t, upgrading.Close())
			require.Greater(t, walSize(t, upgraded), begin)
			left := make(map[string]bool)
			end := walSize(t, upgraded)
			// The upgrades are short, and precede the removal of the interrupted load.
			for _, length := range append(lengths(begin, min(begin+3000, end), 30), lengths(begin, end, 15)...) {
				crashed := t.TempDir()
				copyStore(t, upgraded, crashed, length)
				left[logstore.VersionOf(t, crashed)] = true
				store := open(t, crashed)
				assert.Equal(t, holds(before), contents(t, store, "edge_logs", "edge_requests"), "cut to %d", length)
				assert.Equal(t, []string{"5 0 0"}, texts(t, store, "SELECT concat_ws(' ', ("+schemaVersion+"), (SELECT count(*) FROM recent_ids), (SELECT count(*) FROM rejected_events))"))
				require.NoError(t, store.Close())
				require.NoError(t, os.RemoveAll(crashed))
			}
			assert.Len(t, left, 6-version, "a kill leaves each version in between behind")
		})
	}
}

// filesOf returns the checksums of the files in a directory.
func filesOf(t *testing.T, directory string) map[string][sha256.Size]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*"))
	require.NoError(t, err)
	sums := make(map[string][sha256.Size]byte)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		sums[filepath.Base(file)] = sha256.Sum256(content)
	}
	return sums
}

// A store of a later version is rejected, with the program that can open it, and not changed.
func TestLaterVersionIsRejected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ version, program, want string }{
		"of an unknown program": {"6", "", "has schema version 6, and this savedq reads versions 1 to 5; use the savedq that wrote it or a newer one, or choose another --data directory"},
		"of a known program":    {"99", "savedq v9.1.0", "has schema version 99, and this savedq reads versions 1 to 5; it was written by savedq v9.1.0; use that one or a newer one, or choose another --data directory"},
		"a version before all":  {"0", "", "has schema version 0, and this savedq reads"},
		"not a version":         {"two", "", "has schema version two, and this savedq reads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed, killed := t.TempDir(), t.TempDir()
			store, err := logstore.Open(t.Context(), closed, "", logstore.WithProgram(test.program), logstore.WithDuckDB("checkpoint_threshold=1TB"))
			require.NoError(t, err)
			_, err = store.DB().ExecContext(t.Context(), "UPDATE store_info SET value = ? WHERE key = 'schema_version'", test.version)
			require.NoError(t, err)
			require.NoError(t, os.CopyFS(killed, os.DirFS(closed)))
			require.NoError(t, store.Close())
			for _, directory := range []string{closed, killed} {
				before := filesOf(t, directory)
				_, err = logstore.Open(t.Context(), directory, "", logstore.WithProgram("savedq v1"))
				require.ErrorContains(t, err, "the store in "+directory+" "+test.want)
				assert.Equal(t, before, filesOf(t, directory), "no file is changed")
			}
		})
	}
}
