package logstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq/tables"
)

// damages are ways in which a file is damaged so that it cannot be opened.
func damages() map[string]func(path string) error {
	return map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"short":   func(path string) error { return os.Truncate(path, 5000) },
		"zeros":   func(path string) error { return overwrite(path, 0, make([]byte, 12288)) },
		"no file": func(path string) error { return os.WriteFile(path, []byte("not a part"), 0o600) },
	}
}

// overwrite writes into a file.
func overwrite(path string, at int64, content []byte) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := file.WriteAt(content, at); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// twoDays fills a store with parts of a day each, and returns the files of the events of the earlier one.
func twoDays(t *testing.T, directory string) (all *model, damaged parts.Part) {
	t.Helper()
	store, all := open(t, directory, logstore.WithRangeBytes(1)), newModel(20)
	all.ingest(t, store, 600)
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	_, err = store.Merge(t.Context(), start().AddDate(0, 0, 4), nil)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	require.Greater(t, len(manifest.Parts), 2)
	for _, part := range manifest.Parts {
		if part.Sources[0].Oldest.Format(time.DateOnly) == "2026-11-21" {
			return all, part
		}
	}
	t.Fatal("no part of the day")
	return nil, parts.Part{}
}

// A store with a damaged part opens. Queries over its events say so, whatever they read of it, and all others go on.
func TestDamagedPart(t *testing.T) {
	t.Parallel()
	for name, damage := range damages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			all, part := twoDays(t, directory)
			path := filepath.Join(directory, parts.Directory, part.FileName())
			intact, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, damage(path))
			var found []string
			require.NoError(t, logstore.Check(t.Context(), directory, func(damaged logstore.DamagedPart) { found = append(found, damaged.String()) }))
			require.Len(t, found, 1)
			assert.Contains(t, found[0], part.FileName()+" is damaged: it")
			assert.Contains(t, found[0], fmt.Sprintf("it has %d events of 2026-11-21 (auth_logs, edge_logs, function_edge_logs, postgres_logs)", part.Events()))

			store := open(t, directory)
			require.Len(t, store.Recovery().Damaged, 1)
			assert.Contains(t, store.Recovery().Notes()[0], "events of 2026-11-21")
			checkDamagedQueries(t, store, part)
			checkWorkBesideDamage(t, store, all)
			require.NoError(t, store.Close())

			require.NoError(t, os.WriteFile(path, intact, 0o600))
			store = open(t, directory)
			assert.Empty(t, store.Recovery().Notes())
			all.check(t, store)
			require.NoError(t, store.Close())
		})
	}
}

// checkDamagedQueries checks which queries fail.
func checkDamagedQueries(t *testing.T, store viewed, part parts.Part) {
	t.Helper()
	query := func(text string) error {
		rows, err := store.DB().QueryContext(t.Context(), text) //nolint:sqlclosecheck // They are read to the end.
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return rows.Err()
	}
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	views := map[string]string{"edge_logs": "edge_logs", "function_edge_logs": "function_edge_logs", "postgres_logs": "postgres_logs", "auth_logs": "auth_logs", "function_invocations": "function_edge_logs", "edge_requests": "edge_logs", "all_logs": ""}
	for view, name := range views {
		within := []time.Time{day.Add(12 * time.Hour)}
		if source, has := part.Source(name); has {
			within = append(within, source.Oldest, source.Newest)
		}
		require.ErrorContains(t, query("SELECT count(*) FROM "+view), "events of 2026-11-21", view)
		for _, column := range columnsOf(t, store, view) {
			require.ErrorContains(t, query(fmt.Sprintf("SELECT max(%s::VARCHAR) FROM %s", column, view)), "cannot be read", "%s.%s", view, column)
			if column == "timestamp" || column == "source" || column == "source_alias" {
				continue // they are known
			}
			for _, condition := range []string{"%s IS NULL", "%s IS NOT NULL", "%s::VARCHAR = 'x'", "%s::VARCHAR IN ('x', 'y')", "%s::VARCHAR LIKE 'x%%'", "(%s IS NOT DISTINCT FROM NULL)"} {
				require.ErrorContains(t, query("SELECT count(*) FROM "+view+" WHERE "+fmt.Sprintf(condition, column)), "cannot be read", "%s: %s", view, fmt.Sprintf(condition, column))
			}
		}
		prepared, err := store.DB().PrepareContext(t.Context(), "SELECT count(*) FROM "+view+" WHERE timestamp >= $1 AND timestamp < $2")
		require.NoError(t, err)
		between := func(from, to time.Time) error {
			var count int64
			return prepared.QueryRowContext(t.Context(), from, to).Scan(&count)
		}
		for range 2 {
			require.NoError(t, between(day.AddDate(0, 0, -5), day), view)
			require.NoError(t, between(day.AddDate(0, 0, 1), day.AddDate(0, 0, 9)), view)
			require.ErrorContains(t, between(day.AddDate(0, 0, -5), day.AddDate(0, 0, 9)), "cannot be read")
			for _, moment := range within { // nothing of the shortest time is missed
				require.ErrorContains(t, between(moment, moment.Add(time.Microsecond)), "cannot be read", "%s at %s", view, moment)
			}
		}
		require.NoError(t, prepared.Close())
		require.NoError(t, query("SELECT * FROM "+view+" WHERE timestamp < '2026-11-21' ORDER BY timestamp DESC LIMIT 10"))
		require.NoError(t, query("SELECT * FROM "+view+" WHERE timestamp >= '2026-11-22' ORDER BY timestamp DESC LIMIT 10"))
		require.ErrorContains(t, query("SELECT * FROM "+view+" WHERE timestamp < '2026-11-22' ORDER BY timestamp DESC LIMIT 10"), "cannot be read")
	}
	require.NoError(t, query("SELECT * FROM realtime_logs"), "the part has no events of the source")
	require.NoError(t, query("SELECT * FROM all_logs WHERE source = 'realtime_logs'"))
}

// columnsOf returns the columns of a view.
func columnsOf(t *testing.T, store viewed, view string) (columns []string) {
	t.Helper()
	rows, err := store.DB().QueryContext(t.Context(), "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND database_name = 'memory' AND schema_name = 'main'", view) //nolint:sqlclosecheck // They are read to the end.
	require.NoError(t, err)
	for rows.Next() {
		var column string
		require.NoError(t, rows.Scan(&column))
		columns = append(columns, column)
	}
	require.NoError(t, rows.Err())
	require.NotEmpty(t, columns)
	return columns
}

// checkWorkBesideDamage checks that a store with a damaged part does all of its work.
func checkWorkBesideDamage(t *testing.T, store *logstore.Store, all *model) {
	t.Helper()
	all.ingest(t, store, 50)
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	all.ingest(t, store, 50)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	event := all.event()
	require.NoError(t, transaction.Add(t.Context(), event.Source, *event.Event))
	all.add(event)
	var known logstore.Accepted
	for _, other := range all.events {
		if other.Event.Timestamp.Before(start().Add(2 * time.Hour)) {
			known = other
			require.NoError(t, transaction.Add(t.Context(), known.Source, *known.Event))
			break
		}
	}
	require.NoError(t, transaction.Commit(t.Context()))
	added, _ := transaction.Counts()
	assert.Equal(t, 1, added)
	_, err = store.Merge(t.Context(), start().AddDate(0, 0, 60), nil)
	require.NoError(t, err)
	_, err = store.Fill(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, store.RecentIDs(t.Context(), start(), func(logstore.RecentID) {}))
	_, err = store.Stats(t.Context(), start())
	require.NoError(t, err)
	empty, err := store.Empty(t.Context())
	require.NoError(t, err)
	assert.False(t, empty)
	edge, _ := tables.Shipped().FindSource("edge_logs")
	oldest, found, err := store.Oldest(t.Context(), edge)
	require.NoError(t, err)
	assert.True(t, found)
	assert.True(t, oldest.Before(start().Add(2*time.Hour)))
	before := logstore.Deletion{Source: edge, Before: start().Add(time.Hour)}
	count, err := store.Delete(t.Context(), before)
	require.NoError(t, err)
	assert.Equal(t, all.remove(before), count)
}

// A part whose middle is damaged opens. Check finds it, and queries that read it fail.
func TestDamagedContent(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	_, part := twoDays(t, directory)
	path := filepath.Join(directory, parts.Directory, part.FileName())
	intact, err := os.ReadFile(path)
	require.NoError(t, err)
	const headers, blockBytes = 12288, 256 << 10
	failed, opened := 0, 0
	for at := headers; at < len(intact); at += blockBytes { // a block at a time
		require.NoError(t, os.WriteFile(path, intact, 0o600))
		require.NoError(t, overwrite(path, int64(at)+200, []byte("damage")))
		var found []string
		require.NoError(t, logstore.Check(t.Context(), directory, func(damaged logstore.DamagedPart) { found = append(found, damaged.Reason) }))
		assert.Equal(t, []string{"its checksum is wrong"}, found)
		store := open(t, directory)
		if len(store.Recovery().Damaged) == 0 {
			opened++
		}
		var hash string
		if err := store.DB().QueryRowContext(t.Context(), "SELECT sum(hash(rows))::VARCHAR FROM (FROM all_logs) AS rows").Scan(&hash); err != nil {
			failed++
			require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT sum(hash(rows))::VARCHAR FROM (FROM all_logs WHERE timestamp < '2026-11-21') AS rows").Scan(&hash), "other days")
		}
		ids := 0
		require.NoError(t, store.RecentIDs(t.Context(), time.Time{}, func(logstore.RecentID) { ids++ }), "ingest must start")
		assert.Positive(t, ids, "ids of other parts")
		require.NoError(t, store.Close())
	}
	assert.Positive(t, failed)
	t.Logf("%d of %d damaged parts open", opened, failed)
}

// Check finds damage in the files beside the events.
func TestCheckOtherFiles(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, all := open(t, directory), newModel(21)
	all.ingest(t, store, 20)
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(nil), Rejected: rejected(1), Position: 9}))
	require.NoError(t, store.Close())
	check := func() string {
		var found []string
		require.NoError(t, logstore.Check(t.Context(), directory, func(damaged logstore.DamagedPart) { found = append(found, damaged.String()) }))
		return strings.Join(found, "\n")
	}
	require.Empty(t, check())
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	ids := filepath.Join(directory, parts.Directory, manifest.Parts[0].IDName())
	require.NoError(t, overwrite(ids, 20, []byte("damage")))
	assert.Contains(t, check(), manifest.Parts[0].IDName()+" is damaged: block 0 of ")
	require.NoError(t, os.Remove(ids))
	assert.Contains(t, check(), manifest.Parts[0].IDName()+" is damaged: it is missing")
	require.NoError(t, os.Truncate(filepath.Join(directory, parts.Directory, manifest.StateName()), 5000))
	assert.Contains(t, check(), manifest.StateName()+" is damaged: ")
	assert.Contains(t, check(), "no log events")
}

// rejected returns rejected events.
func rejected(count int) (events []logevent.Rejected) {
	for i := range count {
		events = append(events, logevent.Rejected{Received: start().Add(time.Duration(i) * time.Second), RequestID: "r", Source: "edge_logs", Position: i, Reason: "no id", Event: `{"a":1}`})
	}
	return events
}

// A file with the ids of a part that is missing or damaged is made again from the events, for a load and for a backup.
func TestDamagedIDs(t *testing.T) {
	t.Parallel()
	for name, damage := range damages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			store, path := fillAndSeal(t, directory)
			intact, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, damage(path))
			checkDuplicates(t, store)
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, intact, content)

			require.NoError(t, damage(path))
			backup := filepath.Join(t.TempDir(), "backup")
			backUp(t, store, newWriter(t, backup), nil)
			checkFiles(t, backup)
			require.NoError(t, logstore.Check(t.Context(), backup, func(damaged logstore.DamagedPart) { t.Error(damaged) }))
			require.NoError(t, store.Close())
		})
	}
	t.Run("a block", func(t *testing.T) { // its ids are looked up in the events
		t.Parallel()
		store, path := fillAndSeal(t, t.TempDir())
		require.NoError(t, overwrite(path, 20, []byte("damage")))
		checkDuplicates(t, store)
		require.NoError(t, store.Close())
	})
}

// fillAndSeal fills a store with the events 0 to 199 of edge_logs, and returns the path of the file with their ids.
func fillAndSeal(t *testing.T, directory string) (store *logstore.Store, path string) {
	t.Helper()
	store = open(t, directory)
	require.NoError(t, load(t.Context(), store, source(t, "edge_logs"), 0, 200))
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	require.Len(t, manifest.Parts, 1)
	return store, filepath.Join(directory, parts.Directory, manifest.Parts[0].IDName())
}

// checkDuplicates loads the events 100 to 299.
func checkDuplicates(t *testing.T, store *logstore.Store) {
	t.Helper()
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for i := range 200 {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), event(100+i)))
	}
	require.NoError(t, transaction.Commit(t.Context()))
	added, duplicates := transaction.Counts()
	assert.Equal(t, []int{100, 100}, []int{added, duplicates})
	assert.Equal(t, holds(300), contents(t, store, "edge_logs", "edge_requests"))
}
