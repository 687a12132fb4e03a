package logstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// shippedTables reads the shipped tables once, because tests need them for every event.
var shippedTables = sync.OnceValue(tables.Shipped) //nolint:gochecknoglobals // They do not change.

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // It is a constant.

func open(t *testing.T, directory string) *logstore.Store {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	return store
}

func source(t *testing.T, name string) *sqlq.Table {
	t.Helper()
	source, ok := shippedTables().FindSource(name)
	require.True(t, ok)
	return source
}

// add adds events with the ids to edge_logs and commits.
func add(t *testing.T, store *logstore.Store, origin logstore.Origin, ids ...string) (added, duplicates int) {
	t.Helper()
	transaction, err := store.Begin(t.Context(), origin)
	require.NoError(t, err)
	for _, id := range ids {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), logevent.Event{ID: id, Timestamp: noon}))
	}
	require.NoError(t, transaction.Commit(t.Context()))
	return transaction.Counts()
}

// texts returns the rows of a query, each as one text.
func texts(t *testing.T, store *logstore.Store, sql string) []string {
	t.Helper()
	rows, err := store.DB().QueryContext(t.Context(), sql)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	var texts []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// D22: nine sources, each under two names.
func TestFindSource(t *testing.T) {
	t.Parallel()
	assert.Len(t, shippedTables(), 9)
	for _, source := range shippedTables() {
		for _, name := range []string{source.Name, source.Aliases[0]} {
			found, ok := shippedTables().FindSource(name)
			assert.True(t, ok)
			assert.Equal(t, source, found)
		}
	}
	for _, name := range []string{"", "EDGE_LOGS", "cloudflare", "store_info"} {
		_, ok := shippedTables().FindSource(name)
		assert.False(t, ok, name)
	}
}

func TestStoreKeepsEventsOverRestart(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "new", "data")
	store := open(t, directory)
	add(t, store, logstore.Sent, "a", "b")
	require.NoError(t, store.Close())
	store = open(t, directory)
	assert.Equal(t, []string{"a", "b"}, texts(t, store, "SELECT id FROM edge_logs ORDER BY id"))
	require.NoError(t, store.Close())
}

// D23: all columns arrive, and NULL stays NULL.
func TestTransactionKeepsValues(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	message, project := "a\x00b'\"ü", "acme"
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for _, event := range []logevent.Event{
		{ID: "full", Timestamp: noon.Add(time.Microsecond), EventMessage: &message, Project: &project, Metadata: []byte(`[{"n":12345678901234567890,"<":1.0}]`)},
		{ID: "bare", Timestamp: noon},
	} {
		require.NoError(t, transaction.Add(t.Context(), source(t, "auth_logs"), event))
	}
	require.NoError(t, transaction.Commit(t.Context()))
	rows := texts(t, store, `SELECT concat_ws('|', id, epoch_us(timestamp), coalesce(event_message, 'NULL'), coalesce(project, 'NULL'), coalesce(metadata, 'NULL')) FROM auth_logs ORDER BY id`)
	assert.Equal(t, []string{
		"bare|1772366400000000|NULL|NULL|NULL",
		`full|1772366400000001|` + message + `|acme|[{"n":12345678901234567890,"<":1.0}]`,
	}, rows)
}

// An id is stored once in its source, within a transaction and across them.
func TestTransactionAddsNoEventTwice(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	added, duplicates := add(t, store, logstore.Sent, "a", "b", "a")
	assert.Equal(t, []int{2, 1}, []int{added, duplicates})
	added, duplicates = add(t, store, logstore.Sent, "c", "b")
	assert.Equal(t, []int{1, 1}, []int{added, duplicates})
	assert.Equal(t, []string{"a", "b", "c"}, texts(t, store, "SELECT id FROM edge_logs ORDER BY id"))

	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, transaction.Add(t.Context(), source(t, "auth_logs"), logevent.Event{ID: "a", Timestamp: noon}))
	require.NoError(t, transaction.Commit(t.Context()))
	added, _ = transaction.Counts()
	assert.Equal(t, 1, added, "another source has ids of its own")
}

// More events than a transaction holds in memory, with ids that repeat after the first
// ones are written.
func TestTransactionFlushes(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	ids := make([]string, 0, 51_000)
	for i := range 51_000 {
		ids = append(ids, fmt.Sprintf("event-%d", i%50_500))
	}
	added, duplicates := add(t, store, logstore.Sent, ids...)
	assert.Equal(t, []int{50_500, 500}, []int{added, duplicates})
	assert.Equal(t, []string{"50500"}, texts(t, store, "SELECT count(DISTINCT id)::VARCHAR FROM edge_logs"))
}

func TestRollbackLeavesNothing(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", inParts())
	require.NoError(t, err)
	ctx, leave := context.WithCancel(t.Context())
	transaction, err := store.Begin(ctx, logstore.Sent)
	require.NoError(t, err)
	for i := range 3 * inPartsEvents { // more than a transaction holds in memory
		require.NoError(t, transaction.Add(ctx, source(t, "edge_logs"), event(i)))
	}
	leave()
	require.Error(t, transaction.Commit(ctx), "its caller has left")
	require.NoError(t, transaction.Rollback(), "a second end does nothing")
	assert.Equal(t, []string{"0"}, texts(t, store, "SELECT count(*)::VARCHAR FROM edge_logs"))
	require.NoError(t, store.Close())
}

// Demo logs are never added to other logs.
func TestGeneratedEventsAreRejected(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	_, found, err := store.Newest(t.Context())
	require.NoError(t, err)
	assert.False(t, found)
	empty, err := store.Empty(t.Context())
	require.NoError(t, err)
	assert.True(t, empty)
	add(t, store, logstore.Generated, "a")
	empty, err = store.Empty(t.Context())
	require.NoError(t, err)
	assert.False(t, empty)
	newest, found, err := store.Newest(t.Context())
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, noon, newest)
	add(t, store, logstore.Generated, "b")
	add(t, store, logstore.Sent, "a") // adds nothing
	add(t, store, logstore.Generated, "c")
	add(t, store, logstore.Sent, "d")
	_, err = store.Begin(t.Context(), logstore.Generated)
	require.ErrorIs(t, err, logstore.ErrHoldsOtherLogs)
}

// A directory means what the system means by it, even if DuckDB interprets its name.
func TestOpenWithSpecialDirectoryNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, directory := range []string{"~/logs", "~", "file:x", "s3:x", "md:x", "duckdb:x", ":memory:", "./with space/x"} {
		store, err := logstore.Open(t.Context(), directory, "")
		require.NoError(t, err, directory)
		require.NoError(t, store.Close())
		assert.True(t, logstore.Exists(directory), directory)
	}
}

// Open rejects a file that is not a store, and does not change it.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	t.Run("a file that is not a store", func(t *testing.T) {
		t.Parallel()
		directory := t.TempDir()
		file := filepath.Join(directory, "savedq.duckdb")
		content := []byte(strings.Repeat("not a database\n", 1000))
		require.NoError(t, os.WriteFile(file, content, 0o600))
		_, err := logstore.Open(t.Context(), directory, "")
		require.ErrorContains(t, err, "open the store in "+directory)
		require.ErrorContains(t, err, "it was not changed: restore a copy into an empty directory, or move it away, or choose another --data directory")
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, content, after)
	})
	t.Run("a directory that cannot be made", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		_, err := logstore.Open(t.Context(), filepath.Join(file, "data"), "")
		require.ErrorContains(t, err, "create the data directory")
	})
	t.Run("a link to nothing", func(t *testing.T) {
		t.Parallel()
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "unmounted"), link))
		for _, directory := range []string{link, filepath.Join(link, "data")} {
			_, err := logstore.Open(t.Context(), directory, "")
			require.ErrorContains(t, err, "create the data directory: "+link+" is a link to a directory that does not exist; choose another --data directory")
		}
	})
	t.Run("a directory that DuckDB would misread", func(t *testing.T) {
		t.Parallel()
		directory := filepath.Join(t.TempDir(), "what?")
		_, err := logstore.Open(t.Context(), directory, "")
		require.ErrorContains(t, err, "must not have a question mark in its name")
		assert.NoDirExists(t, directory)
	})
	t.Run("an invalid memory limit", func(t *testing.T) {
		t.Parallel()
		_, err := logstore.Open(t.Context(), t.TempDir(), "plenty")
		require.ErrorContains(t, err, "prepare the store")
	})
}

// A store has an id of its own, which stays the same.
func TestStoreID(t *testing.T) {
	directory := t.TempDir()
	idOf := func(directory string) string {
		store, err := logstore.Open(t.Context(), directory, "")
		require.NoError(t, err)
		id, err := store.ID(t.Context())
		require.NoError(t, err)
		require.NoError(t, store.Close())
		return id
	}
	id := idOf(directory)
	assert.NotEmpty(t, id)
	assert.Equal(t, id, idOf(directory))
	assert.NotEqual(t, id, idOf(t.TempDir()))
}
