package logstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

const (
	storeFile = "savedq.duckdb"
	walFile   = "savedq.duckdb.wal"
)

// snapshot copies the files of an open store. A killed process leaves the same files.
func snapshot(t *testing.T, directory string) string {
	t.Helper()
	crashed := t.TempDir()
	copyStore(t, directory, crashed, -1)
	return crashed
}

// copyStore copies a store's files, with the write-ahead log cut to a length; -1
// copies all of it.
func copyStore(t *testing.T, from, to string, length int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, storeFile+"*"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if filepath.Base(file) == walFile && length >= 0 {
			data = data[:length]
		}
		require.NoError(t, os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o600))
	}
}

func walSize(t *testing.T, directory string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(directory, walFile))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(t, err)
	return info.Size()
}

// lengths returns lengths between two of a file: evenly spaced ones, and those
// around both ends.
func lengths(from, to int64, count int) []int64 {
	var lengths []int64
	for i := range int64(count) {
		lengths = append(lengths, from+(to-from)*i/int64(count))
	}
	for _, back := range []int64{17, 1, 0} {
		lengths = append(lengths, max(from, to-back))
	}
	return lengths
}

// event returns a minimal event with a record in both record tables.
func event(i int) logevent.Event {
	return logevent.Event{
		ID: strconv.Itoa(i), Timestamp: noon,
		Metadata: []byte(`[{"request":[{}],"response":[{}]}]`),
	}
}

// load adds events with the numbers from first on.
func load(ctx context.Context, store *logstore.Store, source *sqlq.Table, first, count int) error {
	transaction, err := store.Begin(ctx, logstore.Sent)
	if err != nil {
		return err
	}
	transaction.Remember(noon)
	for i := range count {
		if err := transaction.Add(ctx, source, event(first+i)); err != nil {
			return err
		}
	}
	return transaction.Commit(ctx)
}

// inParts makes transactions of a few thousand events take several commits, as larger ones do.
func inParts() logstore.Option {
	return logstore.WithFlushBytes(inPartsEvents * len(event(0).Metadata))
}

// inPartsEvents is the number of events that such a transaction holds in memory.
const inPartsEvents = 1000

// contents counts the rows and the distinct events of a source and of its records.
func contents(t *testing.T, store *logstore.Store, table, records string) string {
	t.Helper()
	return texts(t, store, fmt.Sprintf("SELECT concat_ws(' ', (SELECT count(*) FROM %[1]s), (SELECT count(DISTINCT id) FROM %[1]s), (SELECT count(*) FROM %[2]s), (SELECT count(*) FROM load_journal))", table, records))[0]
}

func holds(events int) string { return fmt.Sprintf("%[1]d %[1]d %[1]d 0", events) }

// fillBefore adds events before the first one of load, as load does.
func fillBefore(t *testing.T, store *logstore.Store, table, records string, count int) {
	t.Helper()
	for _, insert := range []string{
		"INSERT INTO " + table + " (id, timestamp) SELECT -i - 1, '2026-03-01 12:00:00' FROM range(?) AS numbers(i)",
		"INSERT INTO " + records + " (timestamp) SELECT '2026-03-01 12:00:00' FROM range(?)",
		"INSERT INTO recent_ids SELECT '2026-03-01 12:00:00', i, i FROM range(?) AS numbers(i)",
	} {
		_, err := store.DB().ExecContext(t.Context(), insert, count)
		require.NoError(t, err)
	}
}

// A load that is interrupted at any point leaves the store as before or as after it, and
// can be repeated. DuckDB itself retains a part of a commit of more than a row group, as under
// the journal.
func TestLoadIsAtomic(t *testing.T) {
	t.Parallel()
	const row = logstore.RowGroup
	noCheckpoints := logstore.WithDuckDB("checkpoint_threshold=1TB")
	for _, test := range []struct {
		table, records string
		before, count  int
		points         int
		options        []logstore.Option
	}{
		{"edge_logs", "edge_requests", 10, row + 10_000, 1, nil},
		{"edge_logs", "edge_requests", 0, 1, 10, nil},
		{"edge_logs", "edge_requests", row, 1, 1, nil},
		{"edge_logs", "edge_requests", 0, inPartsEvents - 1, 1, []logstore.Option{inParts()}},
		{"function_edge_logs", "function_invocations", 1, inPartsEvents, 1, []logstore.Option{inParts()}},
		{"edge_logs", "edge_requests", 0, inPartsEvents + 1, 1, []logstore.Option{inParts()}},
	} {
		t.Run(fmt.Sprintf("%d %s after %d", test.count, test.table, test.before), func(t *testing.T) {
			t.Parallel()
			source := source(t, test.table)
			directory := t.TempDir()
			store, err := logstore.Open(t.Context(), directory, "", append(test.options, noCheckpoints)...)
			require.NoError(t, err)
			fillBefore(t, store, test.table, test.records, test.before)
			begin := walSize(t, directory)
			require.NoError(t, load(t.Context(), store, source, 0, test.count))
			killed := snapshot(t, directory)
			require.NoError(t, store.Close())
			end := walSize(t, killed)
			if test.count > row {
				begin += (end - begin) / 2 // The others are cut at their beginning.
			}
			for i, length := range lengths(begin, end, test.points) {
				crashed := t.TempDir()
				copyStore(t, killed, crashed, length)
				store := open(t, crashed)
				after := contents(t, store, test.table, test.records)
				assert.Contains(t, []string{holds(test.before), holds(test.before + test.count)}, after, "cut to %d", length)
				assert.Equal(t, strings.Fields(after)[0], texts(t, store, "SELECT count(*)::VARCHAR FROM recent_ids")[0], "the remembered ids, cut to %d", length)
				if i == test.points/2+1 {
					require.NoError(t, load(t.Context(), store, source, 0, test.count))
					assert.Equal(t, holds(test.before+test.count), contents(t, store, test.table, test.records), "loaded again")
				}
				require.NoError(t, store.Close())
				require.NoError(t, os.RemoveAll(crashed))
			}
		})
	}
}

// A load that is cut off between its commits is undone when the store is opened, and
// the undoing can itself be cut off at any moment.
func TestUndoIsAtomic(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]logstore.Option{
		"with checkpoints":    {inParts()},
		"without checkpoints": {inParts(), logstore.WithDuckDB("checkpoint_threshold=1TB")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const before, count = 10, 2*inPartsEvents + 500
			source := source(t, "edge_logs")
			directory := t.TempDir()
			store, err := logstore.Open(t.Context(), directory, "", options...)
			require.NoError(t, err)
			require.NoError(t, load(t.Context(), store, source, -before, before))
			transaction, err := store.Begin(t.Context(), logstore.Sent)
			require.NoError(t, err)
			for i := range count {
				require.NoError(t, transaction.Add(t.Context(), source, event(i)))
			}
			killed := snapshot(t, directory)
			require.NoError(t, transaction.Rollback())
			assert.Equal(t, holds(before), contents(t, store, "edge_logs", "edge_requests"), "Rollback undoes, too")
			require.NoError(t, store.Close())

			directory = killed
			begin := walSize(t, directory)
			undoing, err := logstore.OpenWithoutCheckpoints(t.Context(), directory)
			require.NoError(t, err)
			const left = inPartsEvents // the others were not committed yet
			assert.Equal(t, []logstore.RemovedRows{{Table: "edge_logs", Rows: left}, {Table: "edge_requests", Rows: left}}, undoing.Recovery().Removed)
			assert.Equal(t, holds(before), contents(t, undoing, "edge_logs", "edge_requests"))
			undone := snapshot(t, directory)
			require.NoError(t, undoing.Close())
			require.Greater(t, walSize(t, undone), begin)
			for i, length := range lengths(begin, walSize(t, undone), 2) {
				crashed := t.TempDir()
				copyStore(t, undone, crashed, length)
				store := open(t, crashed)
				assert.Equal(t, holds(before), contents(t, store, "edge_logs", "edge_requests"), "cut to %d", length)
				if i == 1 {
					require.NoError(t, load(t.Context(), store, source, 0, count))
					assert.Equal(t, holds(before+count), contents(t, store, "edge_logs", "edge_requests"))
				}
				require.NoError(t, store.Close())
				again := open(t, crashed)
				assert.Empty(t, again.Recovery(), "there is nothing left to mend")
				require.NoError(t, again.Close())
			}
		})
	}
}

// The journal still identifies the rows of a load after a checkpoint in the middle of it.
// The checkpoint removes rows deleted earlier, as retention will, and shifts the row ids
// of later ones.
func TestUndoAfterRowIDsShifted(t *testing.T) {
	t.Parallel()
	const deletedRows, stayingRows = logstore.RowGroup + 7_000, 1000
	directory := t.TempDir()
	source := source(t, "edge_logs")
	store, err := logstore.OpenWithoutCheckpoints(t.Context(), directory)
	require.NoError(t, err)
	for _, sql := range []string{
		fmt.Sprintf("INSERT INTO edge_logs (id, timestamp) SELECT i, '2026-03-01' FROM range(%d) AS numbers(i)", deletedRows+stayingRows),
		fmt.Sprintf("INSERT INTO edge_requests (timestamp) SELECT '2026-03-01' FROM range(%d)", deletedRows+stayingRows),
		"CHECKPOINT",
		fmt.Sprintf("DELETE FROM edge_logs WHERE id::INT < %d", deletedRows),
		fmt.Sprintf("DELETE FROM edge_requests WHERE rowid < %d", deletedRows),
	} {
		_, err := store.DB().ExecContext(t.Context(), sql)
		require.NoError(t, err)
	}
	rowID := fmt.Sprintf("SELECT rowid::VARCHAR FROM edge_logs WHERE id = '%d'", deletedRows+stayingRows-1)
	before := texts(t, store, rowID)
	deleted := snapshot(t, directory)
	require.NoError(t, store.Close())

	// Nearly every commit is followed by a checkpoint.
	store, err = logstore.Open(t.Context(), deleted, "", inParts(), logstore.WithDuckDB("checkpoint_threshold=1KB"))
	require.NoError(t, err)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	var killed []string
	shifted := false
	for i := range 3 * inPartsEvents {
		require.NoError(t, transaction.Add(t.Context(), source, event(1_000_000+i)))
		if (i+1)%inPartsEvents == 0 {
			killed = append(killed, snapshot(t, deleted))
			shifted = shifted || texts(t, store, rowID)[0] != before[0]
		}
	}
	require.NoError(t, transaction.Commit(t.Context()))
	require.NoError(t, store.Close())
	require.True(t, shifted, "a checkpoint closes gaps")
	for i, crashed := range killed {
		again := open(t, crashed)
		assert.Equal(t, i > 0, len(again.Recovery().Removed) > 0)
		assert.Equal(t, []string{fmt.Sprintf("%d %d", deletedRows, deletedRows+stayingRows-1)}, texts(t, again, "SELECT concat_ws(' ', min(id::INT), max(id::INT)) FROM edge_logs"))
		assert.Equal(t, holds(stayingRows), contents(t, again, "edge_logs", "edge_requests"))
		require.NoError(t, again.Close())
	}
}

// An event can have more records than a commit may have rows.
func TestRecordsOfOneEventAreAtomic(t *testing.T) {
	t.Parallel()
	const count = logstore.RowGroup + 10_000
	source := source(t, "edge_logs")
	directory := t.TempDir()
	store, err := logstore.OpenWithoutCheckpoints(t.Context(), directory)
	require.NoError(t, err)
	begin := walSize(t, directory)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	metadata := `[{"request":[` + strings.Repeat("{},", count-1) + `{}]}]`
	require.NoError(t, transaction.Add(t.Context(), source, logevent.Event{ID: "1", Timestamp: noon, Metadata: []byte(metadata)}))
	require.NoError(t, transaction.Commit(t.Context()))
	killed := snapshot(t, directory)
	require.NoError(t, store.Close())
	for _, length := range lengths(begin, walSize(t, killed), 2) {
		crashed := t.TempDir()
		copyStore(t, killed, crashed, length)
		store := open(t, crashed)
		assert.Contains(t, []string{"0 0 0 0", fmt.Sprintf("1 1 %d 0", count)}, contents(t, store, "edge_logs", "edge_requests"), "cut to %d", length)
		require.NoError(t, store.Close())
		require.NoError(t, os.RemoveAll(crashed))
	}
}
