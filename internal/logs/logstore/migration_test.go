package logstore_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// twoSteps upgrades a store by two versions. None of its statements works twice.
func twoSteps() logstore.Option {
	return logstore.WithMigrations("CREATE TABLE first_step (a BIGINT)", "CREATE TABLE second_step (b BIGINT); INSERT INTO second_step SELECT count(*) FROM store_info")
}

// version returns the schema version of a store, and which tables of the steps it has.
func version(t *testing.T, store *logstore.Store) []string {
	t.Helper()
	return texts(t, store, "SELECT value FROM store_info WHERE key = 'schema_version' UNION ALL (SELECT table_name FROM duckdb_tables() WHERE table_name LIKE '%_step' ORDER BY 1)")
}

// A store of an earlier version is upgraded once, step by step. The upgrade can be killed at any
// point: the next start completes it, and undoes a load that was interrupted before it. Afterwards
// the earlier program refuses the store.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const before, count = 100, 2*inPartsEvents + 500
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "", inParts(), logstore.WithDuckDB("checkpoint_threshold=1TB"))
	require.NoError(t, err)
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), -before, before))
	assert.Equal(t, []string{"7"}, version(t, store))
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range count {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(i)))
	}
	killed := snapshot(t, directory)
	require.NoError(t, transaction.Rollback())
	require.NoError(t, store.Close())

	begin := walSize(t, killed)
	upgrading, err := logstore.Open(t.Context(), killed, "", twoSteps(), logstore.WithDuckDB("checkpoint_threshold=1TB"))
	require.NoError(t, err)
	assert.Equal(t, 7, upgrading.Recovery().UpgradedFrom)
	assert.NotEmpty(t, upgrading.Recovery().Removed)
	assert.Equal(t, "the store was upgraded from schema version 7; the savedq that wrote it cannot open it any more", upgrading.Recovery().Notes()[0])
	upgraded := snapshot(t, killed)
	require.NoError(t, upgrading.Close())
	left := make(map[string]bool)
	end := walSize(t, upgraded)
	// The upgrades are short, and precede the removal of the interrupted load.
	for _, length := range append(lengths(begin+(end-begin)/2, end, 1), begin, begin+300, begin+600, begin+900, begin+1200, begin+1500) {
		crashed := t.TempDir()
		copyStore(t, upgraded, crashed, length)
		left[logstore.VersionOf(t, crashed)] = true
		store, err := logstore.Open(t.Context(), crashed, "", twoSteps())
		require.NoError(t, err, "cut to %d", length)
		assert.Equal(t, holds(before), contents(t, store, "edge_logs", "edge_requests"), "cut to %d", length)
		assert.Equal(t, []string{"9", "first_step", "second_step"}, version(t, store))
		require.NoError(t, store.Close())
		require.NoError(t, os.RemoveAll(crashed))
	}
	assert.Equal(t, map[string]bool{"7": true, "8": true, "9": true}, left, "a kill leaves each version behind")

	again, err := logstore.Open(t.Context(), killed, "", twoSteps())
	require.NoError(t, err)
	assert.Empty(t, again.Recovery())
	require.NoError(t, again.Close())
	_, err = logstore.Open(t.Context(), killed, "")
	require.ErrorContains(t, err, "has schema version 9, and this savedq reads versions 6 to 7; use the savedq that wrote it or a newer one")
}

// D46: a store of release 0.1.0, which had no tables of authors, is upgraded with its events.
func TestUpgradeFromRelease(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), 0, 10))
	_, err := store.DB().ExecContext(t.Context(), "DROP TABLE own_tables; DROP TABLE unfilled_fields; UPDATE store_info SET value = '6' WHERE key = 'schema_version'")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	store = open(t, directory)
	assert.Equal(t, 6, store.Recovery().UpgradedFrom)
	declare(t, store, orders("n INT64 n"))
	addOrders(t, store, 0, `{"n":1}`)
	assert.Equal(t, "1", valuesIn(t, store, "n"))
	assert.Equal(t, []string{"10"}, texts(t, store, "SELECT count(*)::VARCHAR FROM edge_logs"))
	require.NoError(t, store.Close())
}

// A step that fails changes nothing.
func TestUpgradeThatFails(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, open(t, directory).Close())
	_, err := logstore.Open(t.Context(), directory, "", logstore.WithMigrations("CREATE TABLE first_step (a BIGINT); DROP TABLE missing"))
	require.ErrorContains(t, err, "upgrade the store in "+directory+" from schema version 7: ")
	store := open(t, directory)
	assert.Empty(t, store.Recovery())
	assert.Equal(t, []string{"7"}, version(t, store))
	require.NoError(t, store.Close())
}

// The store names the program that had it open last.
func TestProgramOfAStore(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for _, program := range []string{"savedq 0.1.0", "savedq 0.1.0", "savedq 0.2.0"} {
		store, err := logstore.Open(t.Context(), directory, "", logstore.WithProgram(program))
		require.NoError(t, err)
		assert.Equal(t, []string{program}, texts(t, store, "SELECT value FROM store_info WHERE key = 'program'"))
		require.NoError(t, store.Close())
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

// A store of another version is rejected with what can be done, and not changed.
func TestOtherVersionIsRejected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ version, program, want string }{
		"of an unknown program":    {"8", "", "has schema version 8, and this savedq reads versions 6 to 7; use the savedq that wrote it or a newer one, or choose another --data directory"},
		"of a known program":       {"99", "savedq v9.1.0", "has schema version 99, and this savedq reads versions 6 to 7; it was written by savedq v9.1.0; use that one or a newer one, or choose another --data directory"},
		"before the first release": {"5", "savedq (devel)", "was written by a build before 0.1.0, with schema version 5; load its events again into another --data directory"},
		"not a version":            {"two", "", "has schema version two, and this savedq reads"},
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
