package logstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

// follow follows the store in a directory until the test ends.
func follow(t *testing.T, directory string, options ...logstore.Option) *logstore.Follower {
	t.Helper()
	follower, err := logstore.Follow(t.Context(), directory, "256MiB", options...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, follower.Close()) })
	return follower
}

// refresh makes a follower show what the directory has.
func refresh(t *testing.T, follower *logstore.Follower) (changed bool) {
	t.Helper()
	changed, err := follower.Refresh(t.Context())
	require.NoError(t, err)
	return changed
}

// viewed has the views of a store.
type viewed interface {
	DB() *sql.DB
	Tables() sqlq.Tables
}

// allRows returns the rows of all views.
func allRows(ctx context.Context, store viewed) (map[string][]string, error) {
	found := make(map[string][]string)
	for _, name := range append(store.Tables().Sources().Names(), "all_logs", "all_logs_shared", "function_invocations", "edge_requests", "rejected_events", "savedq_runs") {
		var row string
		rows := []string{}
		err := eachRow(ctx, store.DB(), "SELECT to_json(rows)::VARCHAR FROM "+name+" AS rows", []any{&row}, func() { rows = append(rows, row) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		slices.Sort(rows)
		found[name] = rows
	}
	return found, nil
}

// checkSame checks that two show the same rows in all views.
func checkSame(t *testing.T, want, got viewed) {
	t.Helper()
	wanted, err := allRows(t.Context(), want)
	require.NoError(t, err)
	found, err := allRows(t.Context(), got)
	require.NoError(t, err)
	require.ElementsMatch(t, slices.Collect(maps.Keys(wanted)), slices.Collect(maps.Keys(found)))
	for name := range wanted {
		require.Equal(t, wanted[name], found[name], name)
	}
}

// whileQuerying runs work while readers query a follower all the time. No query may fail or see part of a change.
func whileQuerying(t *testing.T, follower *logstore.Follower, work func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	var queries [1]int
	for reader := range queries {
		readers.Go(func() {
			for ctx.Err() == nil {
				var events, ids int
				err := follower.DB().QueryRowContext(ctx, "SELECT count(*), count(DISTINCT (source, id)) FROM all_logs").Scan(&events, &ids)
				if ctx.Err() != nil {
					return
				}
				if !assert.Equal(t, "<nil>", fmt.Sprint(err)) || !assert.Equal(t, events, ids) {
					return
				}
				queries[reader]++
			}
		})
	}
	work()
	stop()
	readers.Wait()
	assert.NotContains(t, queries, 0)
}

// After each kind of change of a store, a follower shows the rows that the store shows, also while it is queried.
func TestFollower(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			store, model := open(t, directory, logstore.WithRecentBytes(60_000)), newModel(seed)
			t.Cleanup(func() { assert.NoError(t, store.Close()) })
			var passed time.Duration // so that old parts are detached
			follower := follow(t, directory, logstore.WithClock(func() time.Time { passed += 4 * time.Second; return start().Add(passed) }))
			steps := map[string]func(){
				"ingest": func() { model.ingest(t, store, 20+model.random.IntN(150)) },
				"load": func() {
					transaction, err := store.Begin(t.Context(), logstore.Sent)
					require.NoError(t, err)
					for range model.random.IntN(400) {
						event := model.event()
						require.NoError(t, transaction.Add(t.Context(), event.Source, *event.Event))
						model.add(event)
					}
					require.NoError(t, transaction.Commit(t.Context()))
				},
				"merge": func() {
					_, err := store.Merge(t.Context(), start().AddDate(0, 0, model.random.IntN(60)), nil)
					require.NoError(t, err)
				},
				"delete": func() {
					source, _ := model.shipped.FindSource([]string{"edge_logs", "function_edge_logs"}[model.random.IntN(2)])
					deletion := logstore.Deletion{Source: source, Before: start().Add(time.Duration(model.random.IntN(20*3600)) * time.Second)}
					if model.random.IntN(2) == 0 {
						deletion = logstore.Deletion{Source: source, Project: "project-1"}
					}
					count, err := store.Delete(t.Context(), deletion)
					require.NoError(t, err)
					require.Equal(t, model.remove(deletion), count)
				},
				"runs": func() { require.NoError(t, store.AddRuns(t.Context(), runsOf("a", model.random.IntN(50), 5))) },
			}
			names := slices.Sorted(maps.Keys(steps))
			whileQuerying(t, follower, func() {
				for range 15 {
					steps[names[model.random.IntN(len(names))]]()
					_, err := store.Checkpoint(t.Context())
					require.NoError(t, err)
					refresh(t, follower)
					checkSame(t, store, follower)
					require.False(t, refresh(t, follower), "nothing has changed")
				}
			})
			model.check(t, store)
			assert.Empty(t, follower.Shown().Damaged)
			assert.Equal(t, model.position, follower.Shown().Position)
		})
	}
}

// A follower has the tables of authors with their fields, as they are declared, filled and dropped.
func TestFollowerTables(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	follower := follow(t, directory)
	check := func() {
		t.Helper()
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
		assert.True(t, refresh(t, follower))
		checkSame(t, store, follower)
	}
	declare(t, store, orders("total FLOAT64 total"))
	check()
	addOrders(t, store, 0, `{"shop":"a","total":1.5,"paid":true}`)
	check()
	assert.Equal(t, "1.5", valuesOf(t, follower, "orders", "total"))
	declare(t, store, orders("total FLOAT64 total", "paid BOOL paid"))
	check()
	_, err := store.Fill(t.Context(), nil)
	require.NoError(t, err)
	check()
	assert.Equal(t, "true", valuesOf(t, follower, "orders", "paid"))
	require.NoError(t, store.DropField(t.Context(), "orders", "total"))
	check()
}

// A follower never shows less than a manifest names while the store removes the files of earlier ones.
func TestFollowerBesideMerges(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, model := open(t, directory, logstore.WithRecentBytes(20_000)), newModel(7)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	model.ingest(t, store, 300)
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	follower := follow(t, directory)
	whileQuerying(t, follower, func() {
		var refreshing sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		refreshing.Go(func() {
			for ctx.Err() == nil {
				_, err := follower.Refresh(t.Context())
				if !assert.Equal(t, "<nil>", fmt.Sprint(err)) || !assert.Empty(t, follower.Shown().Damaged) || !assert.Zero(t, follower.Shown().Waiting) {
					return
				}
			}
		})
		for range 15 {
			model.ingest(t, store, 60)
			_, err := store.Checkpoint(t.Context())
			require.NoError(t, err)
			_, err = store.Merge(t.Context(), start().AddDate(0, 0, 60), nil)
			require.NoError(t, err)
		}
		stop()
		refreshing.Wait()
	})
	refresh(t, follower)
	checkSame(t, store, follower)
}

// copyStore copies the files of a store, except for some of its parts.
func copyStore(t *testing.T, from, to string, except ...string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(to, parts.Directory), 0o700))
	entries, err := os.ReadDir(filepath.Join(from, parts.Directory))
	require.NoError(t, err)
	names := []string{parts.ManifestName}
	for _, entry := range entries {
		names = append(names, filepath.Join(parts.Directory, entry.Name()))
	}
	for _, name := range names {
		if slices.Contains(except, filepath.Base(name)) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(from, name))
		require.NoError(t, err)
		written := filepath.Join(to, "written") // as rsync does
		require.NoError(t, os.WriteFile(written, content, 0o600))
		require.NoError(t, os.Rename(written, filepath.Join(to, name)))
	}
}

// A copy can have the manifest before the files that it names. The earlier events are shown until the files are there, or
// for some minutes.
func TestFollowerOfIncompleteCopy(t *testing.T) {
	t.Parallel()
	directory, copied := t.TempDir(), t.TempDir()
	store, model := open(t, directory), newModel(3)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	checkpoint := func() (added string) {
		model.ingest(t, store, 100)
		require.NoError(t, store.AddRuns(t.Context(), runsOf("a", model.made, 1)))
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
		manifest, err := parts.Read(directory)
		require.NoError(t, err)
		return manifest.Parts[len(manifest.Parts)-1].FileName()
	}
	checkpoint()
	copyStore(t, directory, copied)
	now := start()
	follower := follow(t, copied, logstore.WithClock(func() time.Time { return now }))
	checkSame(t, store, follower)
	before, err := allRows(t.Context(), follower)
	require.NoError(t, err)
	position, written := follower.Shown().Position, follower.Shown().Written
	checkBefore := func(waiting time.Time) {
		t.Helper()
		assert.False(t, refresh(t, follower))
		found, err := allRows(t.Context(), follower)
		require.NoError(t, err)
		assert.Equal(t, before, found)
		assert.Equal(t, position, follower.Shown().Position)
		assert.Equal(t, written, follower.Shown().Written)
		assert.Equal(t, waiting, follower.Shown().Waiting)
	}

	missing := checkpoint()
	copyStore(t, directory, copied, missing)
	checkBefore(now)
	copyStore(t, directory, copied)
	require.NoError(t, os.Truncate(filepath.Join(copied, parts.Directory, missing), 20_000)) // half of it is there
	since := now
	now = now.Add(time.Minute)
	checkBefore(since)
	copyStore(t, directory, copied)
	assert.True(t, refresh(t, follower))
	checkSame(t, store, follower)
	assert.Zero(t, follower.Shown().Waiting)
	assert.Greater(t, follower.Shown().Position, position)

	missing = checkpoint()
	copyStore(t, directory, copied, missing)
	assert.False(t, refresh(t, follower))
	now = now.Add(5 * time.Minute)
	assert.True(t, refresh(t, follower))
	_, err = allRows(t.Context(), follower)
	require.ErrorContains(t, err, "it is missing")
	require.ErrorContains(t, err, "copy the file again, or restore it from a backup; queries of other times and sources work")
	require.Len(t, follower.Shown().Damaged, 1)
	assert.Equal(t, missing, follower.Shown().Damaged[0].Name)
	assert.False(t, refresh(t, follower))
	copyStore(t, directory, copied)
	assert.True(t, refresh(t, follower))
	checkSame(t, store, follower)
	assert.Empty(t, follower.Shown().Damaged)
	assert.Equal(t, model.position, follower.Shown().Position)
}

// A damaged part costs queries of its events, as in the store.
func TestFollowerOfDamagedPart(t *testing.T) {
	t.Parallel()
	for name, damage := range damages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			_, part := twoDays(t, directory)
			path := filepath.Join(directory, parts.Directory, part.FileName())
			intact, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, damage(path))
			follower := follow(t, directory)
			require.Len(t, follower.Shown().Damaged, 1)
			checkDamagedQueries(t, follower, part)
			assert.False(t, refresh(t, follower))
			require.NoError(t, os.WriteFile(path+".new", intact, 0o600))
			require.NoError(t, os.Rename(path+".new", path))
			assert.True(t, refresh(t, follower))
			store := open(t, directory)
			checkSame(t, store, follower)
			require.NoError(t, store.Close())
		})
	}
}

// filesIn describes the files in a directory.
func filesIn(t *testing.T, directory string) (found []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		found = append(found, fmt.Sprintf("%s %s %d %s", path, info.Mode(), info.Size(), info.ModTime()))
		return nil
	}))
	return found
}

// A follower writes nothing into the directory, needs no permission to, and takes no lock. Its queries cannot write either.
func TestFollowerWritesNothing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, model := open(t, directory), newModel(4)
	model.ingest(t, store, 500)
	require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 0, 3)))
	require.NoError(t, store.Close())
	require.NoError(t, os.Chmod(directory, 0o500))
	require.NoError(t, os.Chmod(filepath.Join(directory, parts.Directory), 0o500))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(directory, 0o700)) })
	t.Cleanup(func() { assert.NoError(t, os.Chmod(filepath.Join(directory, parts.Directory), 0o700)) })
	before := filesIn(t, directory)
	follower := follow(t, directory)
	other := follow(t, directory, logstore.WithSpillDirectory(t.TempDir()))
	checkSame(t, follower, other)
	_, err := follower.Refresh(t.Context())
	require.NoError(t, err)
	_, err = follower.DB().ExecContext(t.Context(), "INSERT INTO part1.events SELECT * FROM part1.events")
	require.ErrorContains(t, err, "read-only")
	_, err = follower.DB().ExecContext(t.Context(), "COPY (SELECT 1) TO '"+t.TempDir()+"/x'")
	require.ErrorContains(t, err, "disabled by configuration")
	_, err = follower.DB().ExecContext(t.Context(), "SET memory_limit = '4GB'")
	require.ErrorContains(t, err, "locked")
	assert.Equal(t, before, filesIn(t, directory))
}

// A directory that cannot be followed is refused with the reason.
func TestFollowNothing(t *testing.T) {
	t.Parallel()
	fill := func(name, content string) func(string) error {
		return func(directory string) error {
			return os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600)
		}
	}
	for name, test := range map[string]struct {
		prepare func(directory string) error
		want    string
	}{
		"an empty directory": {func(string) error { return nil }, "there is no store in %s; it needs a manifest.json"},
		"no directory":       {os.Remove, "there is no store in %s; it needs a manifest.json"},
		"a file": {func(directory string) error {
			if err := os.Remove(directory); err != nil {
				return err
			}
			return os.WriteFile(directory, nil, 0o600)
		}, "%s is a file, not the data directory of a store"},
		"an old store":       {fill("savedq.duckdb", "x"), "the store in %s was written by savedq 0.1; start this savedq on it once, which converts it, before another process follows it"},
		"a damaged manifest": {fill("manifest.json", "{"), "%s/manifest.json is damaged; restore it from a backup, it was not changed"},
		"a later format":     {fill("manifest.json", `{"format":9,"program":"savedq 9"}`), "the store in %s was written by savedq 9 and has the format 9, but this savedq reads formats up to 1; use that program or a newer one, or choose another --data directory"},
		"tables of another":  {fill("manifest.json", `{"format":1,"store":"s","tables":{}}`), "read what was declared about tables"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.Mkdir(directory, 0o700))
			require.NoError(t, test.prepare(directory))
			_, err := logstore.Follow(t.Context(), directory, "")
			require.ErrorContains(t, err, strings.ReplaceAll(test.want, "%s", directory))
		})
	}
	_, err := logstore.Follow(t.Context(), "a?b", "")
	require.ErrorContains(t, err, "must not have a question mark in its name")
}

// A manifest that cannot be read leaves what was shown.
func TestFollowerKeepsShowing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	all, _ := twoDays(t, directory)
	follower := follow(t, directory)
	path := filepath.Join(directory, parts.ManifestName)
	manifest, err := os.ReadFile(path)
	require.NoError(t, err)
	for want, spoil := range map[string]func() error{
		"is damaged": func() error { return os.Truncate(path, 10) },
		"no such":    func() error { return os.Remove(path) },
	} {
		require.NoError(t, spoil())
		_, err := follower.Refresh(t.Context())
		require.ErrorContains(t, err, want)
		var count int
		require.NoError(t, follower.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM all_logs").Scan(&count))
		assert.Len(t, all.events, count)
		require.NoError(t, os.WriteFile(path, manifest, 0o600))
		refresh(t, follower)
	}
}

// Another store can take the place of the one that is shown, and so can an earlier state of the same store, whose next
// parts get the same names again.
func TestFollowerOfReplacedStore(t *testing.T) {
	t.Parallel()
	first, second, copied := t.TempDir(), t.TempDir(), t.TempDir()
	store, model := open(t, first), newModel(5)
	model.ingest(t, store, 100)
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	copyStore(t, first, second)
	model.ingest(t, store, 100)
	require.NoError(t, store.Close())
	restored, earlier := open(t, second), newModel(6)
	earlier.position, earlier.made = 100, 1000
	earlier.ingest(t, restored, 100)
	require.NoError(t, restored.Close())
	other, otherModel := t.TempDir(), newModel(8)
	otherStore := open(t, other)
	otherModel.ingest(t, otherStore, 70)
	require.NoError(t, otherStore.Close())

	copyStore(t, first, copied)
	follower := follow(t, copied, logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)))
	whileQuerying(t, follower, func() {
		for _, directory := range []string{second, other, first, other} {
			version := follower.Changes().Version()
			require.NoError(t, os.RemoveAll(filepath.Join(copied, parts.Directory)))
			copyStore(t, directory, copied)
			assert.True(t, refresh(t, follower))
			store := open(t, directory)
			checkSame(t, store, follower)
			require.NoError(t, store.Close())
			_, known := follower.Changes().Since(version, []string{"edge_logs"})
			assert.False(t, known && directory == other)
		}
	})
}

// After a fatal error of DuckDB, the next reader sees all that was shown.
func TestFollowerAfterFatalError(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, model := open(t, directory), newModel(9)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	follower := follow(t, directory, logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)))
	for range 3 {
		model.ingest(t, store, 50)
		require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 0, 1)))
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
		refresh(t, follower)
		invalidate(t, follower)
		checkSame(t, store, follower)
		invalidate(t, follower)
		refresh(t, follower)
		checkSame(t, store, follower)
	}
	assert.EqualValues(t, 6, follower.Reopenings())
	require.NoError(t, follower.Ping(t.Context()))
}

// Caches are told where events have changed, and nowhere else.
func TestFollowerChanges(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	follower := follow(t, directory)
	since := func(work func()) (changed []sqlq.Range) {
		t.Helper()
		version := follower.Changes().Version()
		work()
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
		refresh(t, follower)
		changed, known := follower.Changes().Since(version, []string{"edge_logs"})
		require.True(t, known)
		return changed
	}
	second := []sqlq.Range{{From: noon.Truncate(time.Second), To: noon.Truncate(time.Second).Add(time.Second)}}
	assert.Equal(t, second, since(func() { add(t, store, logstore.Sent, "a", "b") }))
	assert.Empty(t, since(func() { addEvents(t, store, "auth_logs", event(1)) }))
	assert.Empty(t, since(func() {}))
	assert.Equal(t, second, since(func() {
		_, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "edge_logs"), Before: noon.Add(time.Minute)})
		require.NoError(t, err)
	}))
	version := follower.Changes().Version()
	declare(t, store, orders("total FLOAT64 total"))
	refresh(t, follower)
	_, known := follower.Changes().Since(version, []string{"edge_logs"})
	assert.False(t, known)
}

// A process shows what another one with the store has: a manifest, and the events in its memory in a file.
func TestShow(t *testing.T) {
	t.Parallel()
	directory, files := t.TempDir(), t.TempDir()
	store, model := open(t, directory, logstore.WithReadableDirectories(files)), newModel(11)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	declare(t, store, orders("total FLOAT64 total"))
	model.ingest(t, store, 100)
	require.NoError(t, store.AddRuns(t.Context(), runsOf("a", 0, 2)))
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	follower := follow(t, directory, logstore.WithReadableDirectories(files), logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)))
	checkSame(t, store, follower)
	var last string
	whileQuerying(t, follower, func() {
		for i := range 3 {
			model.ingest(t, store, 100)
			addOrders(t, store, i, `{"shop":"a","total":1.5}`)
			require.NoError(t, store.AddRuns(t.Context(), runsOf("b", i, 1)))
			latest, err := parts.Read(directory)
			require.NoError(t, err)
			last = filepath.Join(files, fmt.Sprintf("%d.events", i))
			copyRecent(t, store, last)
			require.NoError(t, follower.Show(t.Context(), latest, last))
			checkSame(t, store, follower)
		}
	})
	assert.Equal(t, "1.5 1.5 1.5", valuesOf(t, follower, "orders", "total"))
	invalidate(t, follower)
	checkSame(t, store, follower)

	require.ErrorContains(t, follower.Show(t.Context(), manifest, filepath.Join(files, "none.events")), "none.events")
	checkSame(t, store, follower)
	_, err = store.Checkpoint(t.Context())
	require.NoError(t, err)
	_, err = store.Merge(t.Context(), start().AddDate(0, 0, 60), nil)
	require.NoError(t, err)
	other := follow(t, directory)
	require.ErrorIs(t, other.Show(t.Context(), manifest, ""), logstore.ErrOutdated, "its parts were merged")
	checkSame(t, store, other)
	assert.True(t, refresh(t, follower), "the directory again")
	checkSame(t, store, follower)
}

// copyRecent writes the events that a store has in memory to a file with the tables of a part, and the tables of the state.
func copyRecent(t *testing.T, store *logstore.Store, path string) {
	t.Helper()
	conn, err := store.DB().Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	run := func(statement string) {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	run("ATTACH '" + path + "' AS copied (STORAGE_VERSION 'latest')")
	for _, table := range []string{"events", "records"} {
		var selects []string
		for _, schema := range texts(t, store, "SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'memory' AND schema_name LIKE 'recent%' ORDER BY ALL") {
			selects = append(selects, "SELECT * FROM memory."+schema+"."+table)
		}
		run("CREATE TABLE copied." + table + " AS " + strings.Join(selects, " UNION ALL BY NAME "))
	}
	for _, table := range []string{"rejected_events", "savedq_runs"} {
		run("CREATE TABLE copied." + table + " AS SELECT * FROM memory.main." + table)
	}
	run("DETACH copied")
}

// Tables and fields that are declared beside those of the store are empty and NULL, and queries of fields that events lack
// are rejected. A declaration that contradicts the store is a mistake.
func TestFollowerDeclare(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	follower := follow(t, directory)
	both := orders("total FLOAT64 total", "paid BOOL paid")
	require.NoError(t, follower.Declare(t.Context(), sqlq.Tables{both}))
	assert.Empty(t, valuesOf(t, follower, "orders", "total"), "the store has no such table")
	query := &sqlq.SavedQuery{Tables: sqlq.Tables{both}, SQL: "SELECT paid FROM orders"}
	require.NoError(t, follower.CheckFilled(query), "there are no events")

	declare(t, store, orders("total FLOAT64 total"))
	addOrders(t, store, 0, `{"shop":"a","total":1.5,"paid":true}`)
	refresh(t, follower)
	assert.Equal(t, "1.5", valuesOf(t, follower, "orders", "total"))
	assert.Equal(t, "NULL", valuesOf(t, follower, "orders", "paid"))
	err := follower.CheckFilled(query)
	assertUnavailable(t, err)
	require.ErrorContains(t, err, "the store that is followed does not have the field paid of orders in all of its events yet")
	declare(t, store, both)
	_, err = store.Fill(t.Context(), nil)
	require.NoError(t, err)
	refresh(t, follower)
	require.NoError(t, follower.CheckFilled(query))
	checkSame(t, store, follower)

	var mistakes sqlq.FileErrors
	require.ErrorAs(t, follower.Declare(t.Context(), sqlq.Tables{orders("total STRING total")}), &mistakes)
	assert.Equal(t, "tables/orders/table.yaml:4:5: the store that is followed has a field total of the type FLOAT64 and the path metadata.total; declare it as the server that writes the store does", mistakes.Error())
	checkSame(t, store, follower)
}

// Another process can show what a follower shows, with the log sources that only the follower was given. Once files are gone
// that the follower has open, it learns that there is something newer.
func TestStateOfAFollower(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	model, store := newModel(3), open(t, directory)
	seal := func() {
		model.ingest(t, store, 100)
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	seal()
	standby, process := follow(t, directory), follow(t, directory)
	require.NoError(t, standby.Declare(t.Context(), append(shippedTables(), &sqlq.Table{Name: "worker_logs", Fields: []sqlq.Field{{Name: "took", Type: sqlq.Int64, Path: []string{"took"}}}})))
	last := uint64(0)
	show := func(process *logstore.Follower) error {
		number, manifest, err := standby.State()
		require.NoError(t, err)
		assert.GreaterOrEqual(t, number, last)
		last = number
		return process.Show(t.Context(), manifest, "")
	}
	same := func(process *logstore.Follower) {
		t.Helper()
		want, err := allRows(t.Context(), standby)
		require.NoError(t, err)
		got, err := allRows(t.Context(), process)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Contains(t, got, "worker_logs")
	}
	require.NoError(t, show(process))
	same(process)
	seal()
	before := last
	require.True(t, refresh(t, standby))
	require.NoError(t, show(process))
	assert.Greater(t, last, before)
	same(process)

	_, err := store.Merge(t.Context(), start().AddDate(1, 0, 0), nil)
	require.NoError(t, err)
	late := follow(t, directory)
	require.ErrorIs(t, show(late), logstore.ErrOutdated)
	require.NoError(t, show(process), "it has the files open")
	require.True(t, refresh(t, standby))
	require.NoError(t, show(late))
	same(late)
	require.NoError(t, show(process))
	same(process)
	require.NoError(t, store.Close())
}
