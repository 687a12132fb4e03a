package logstore_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// crashes is a store whose directory is copied before each step that changes files: a killed process leaves the same files.
// Each copy is opened and compared with what was acknowledged before.
type crashes struct {
	*model
	t         *testing.T
	directory string
	store     *logstore.Store
	// log is what the write-ahead log of ingest has: all ingestions, the one that is acknowledged next included.
	log []logstore.Ingestion
	// doing is what is done now: events that are added or deleted, all or none.
	doing    []logstore.Accepted
	deletion *logstore.Deletion
	// every is how often a copy is checked, and steps and checked count the steps.
	every, steps, checked int
	names                 map[string]int
}

func key(event *logstore.Accepted) string { return event.Source.Name + "/" + event.Event.ID }

func (c *crashes) step(name string) error {
	c.steps++
	c.names[name]++
	if c.steps%c.every == 0 {
		c.checked++
		c.check(name)
	}
	return nil
}

// check opens a copy of the directory.
func (c *crashes) check(step string) {
	t := c.t
	crashed := t.TempDir()
	require.NoError(t, os.CopyFS(crashed, os.DirFS(c.directory)))
	if step == "write the manifest" { // the process ends while it writes the new one
		require.NoError(t, os.WriteFile(filepath.Join(crashed, parts.ManifestName+".part"), []byte(`{"format": 1, "st`), 0o600))
	}
	store := open(t, crashed, logstore.WithRecentBytes(60_000))
	sealed := store.SealedPosition()
	checkFiles(t, crashed)
	for _, ingestion := range c.log {
		if ingestion.Position > sealed {
			require.NoError(t, store.Ingest(t.Context(), ingestion))
		}
	}
	c.compareAfter(step, store)
	if c.deletion != nil { // the caller repeats it
		_, err := store.Delete(t.Context(), *c.deletion)
		require.NoError(t, err)
	}
	_, err := store.Merge(t.Context(), start().AddDate(1, 0, 0), nil)
	require.NoError(t, err)
	c.compareAfter(step+", repeated and merged", store)
	require.NoError(t, store.Close())
	checkFiles(t, crashed)
	if c.deletion != nil && c.deletion.Project != "" {
		c.checkGone(crashed)
	}
	require.NoError(t, os.RemoveAll(crashed))
}

// compareAfter compares a store that was opened after a crash with what was acknowledged.
func (c *crashes) compareAfter(step string, store *logstore.Store) {
	got, err := rowsOf(c.t.Context(), store)
	require.NoError(c.t, err)
	found := make(map[string]int)
	for _, row := range got {
		found[row]++
		require.Equal(c.t, 1, found[row], "before %q: %s is there twice", step, row)
	}
	var doing, partly int
	isDone := make(map[string]bool)
	for i := range c.doing {
		event := &c.doing[i]
		isDone[row(event)] = true
		doing++
		partly += found[row(event)]
		delete(found, row(event))
	}
	assert.True(c.t, partly == 0 || partly == doing, "before %q: %d of %d events of a step", step, partly, doing)
	for _, event := range c.events {
		if !isDone[row(&event)] {
			require.Equal(c.t, 1, found[row(&event)], "before %q: %s was acknowledged", step, row(&event))
			delete(found, row(&event))
		}
	}
	require.Empty(c.t, found, "before %q", step)
}

// checkGone checks that no file has events of a project that was deleted.
func (c *crashes) checkGone(directory string) {
	db := openFiles(c.t)
	for _, path := range glob(c.t, directory, "*.events") {
		_, err := db.ExecContext(c.t.Context(), "ATTACH '"+path+"' AS part (READ_ONLY)")
		require.NoError(c.t, err)
		query := fmt.Sprintf("SELECT count(*) FROM part.events WHERE source = '%s' AND of_project = '%s'", c.deletion.Source.Name, c.deletion.Project)
		if !c.deletion.Before.IsZero() {
			query += " AND timestamp < '" + c.deletion.Before.Format(time.DateTime) + "'"
		}
		var count int
		require.NoError(c.t, db.QueryRowContext(c.t.Context(), query).Scan(&count))
		assert.Zero(c.t, count, "events of a deleted project in %s", path)
		_, err = db.ExecContext(c.t.Context(), "DETACH part")
		require.NoError(c.t, err)
	}
}

func glob(t *testing.T, directory, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, parts.Directory, pattern))
	require.NoError(t, err)
	return paths
}

// A process that ends at any moment loses nothing that was acknowledged, and has nothing twice; a transaction and a
// deletion have happened wholly or not at all; no event of a deleted project comes back; and no file is left over.
func TestCrashBeforeEachStep(t *testing.T) {
	t.Parallel()
	every := 41 // the steps of all seeds together are of all kinds
	if os.Getenv("SAVEDQ_CRASH") == "all" {
		every = 1
	}
	names := make(chan map[string]int, 3)
	t.Run("seeds", func(t *testing.T) {
		for seed := range uint64(3) {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				c := &crashes{
					model: newModel(seed + 100), t: t, directory: t.TempDir(),
					every: every, steps: int(seed), names: make(map[string]int),
				}
				c.store = open(t, c.directory, logstore.WithRecentBytes(60_000), logstore.WithSteps(c.step), logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)))
				c.store.SetReplay(c.replay)
				for range 40 {
					c.next()
				}
				require.NoError(t, c.store.Close())
				t.Logf("%d of %d steps", c.checked, c.steps)
				names <- c.names
			})
		}
	})
	close(names)
	seen := make(map[string]bool)
	for some := range names {
		for name := range some {
			seen[name] = true
		}
	}
	for _, name := range []string{
		"create a part", "checkpoint a part", "write the ids of a part", "sync a file", "sync the directory of the parts", "write the manifest",
		"use the manifest", "change the views", "remove a file", "create the state", "checkpoint the state",
	} {
		assert.True(t, seen[name], name)
	}
}

// replay implements [logstore.Replay].
func (c *crashes) replay(ctx context.Context, after, through uint64, each func(logstore.Ingestion) error) error {
	wal := &walog{all: c.log}
	return wal.replay(ctx, after, through, each)
}

// next does something with the store.
func (c *crashes) next() {
	t, ctx, store := c.t, c.t.Context(), c.store
	c.doing, c.deletion = nil, nil
	switch step := c.random.IntN(13); step {
	case 0, 1, 2, 3:
		c.ingest()
	case 12:
		invalidate(t, store)
		require.NoError(t, store.Ping(ctx))
	case 4:
		require.NoError(t, store.Ingest(ctx, logstore.Ingestion{Events: sequence(nil), Position: c.position + 1, Rejected: rejected(1)}))
		c.position++
	case 5:
		transaction, err := store.Begin(ctx, logstore.Sent)
		require.NoError(t, err)
		c.doing = c.batch(c.random.IntN(300))
		for i := range c.doing {
			require.NoError(t, transaction.Add(ctx, c.doing[i].Source, *c.doing[i].Event))
		}
		require.NoError(t, transaction.Commit(ctx))
		c.add(c.doing...)
	case 6, 7:
		_, err := store.Checkpoint(ctx)
		require.NoError(t, err)
	case 8, 9:
		_, err := store.Merge(ctx, start().AddDate(0, 0, c.random.IntN(60)), nil)
		require.NoError(t, err)
	default:
		c.delete(step == 10)
	}
	c.doing, c.deletion = nil, nil
}

// ingest is what the ingest writer does. Parts are not written in the background, so that each step is a moment at which
// nothing else happens.
func (c *crashes) ingest() {
	events := c.batch(c.random.IntN(60))
	ingestion := logstore.Ingestion{Events: sequence(events), Position: c.position + 1}
	c.log = append(c.log, ingestion)
	require.NoError(c.t, c.store.Ingest(c.t.Context(), ingestion))
	c.position++
	c.add(events...)
	if c.store.RecentBytes() > 40_000 {
		_, err := c.store.Checkpoint(c.t.Context())
		require.NoError(c.t, err)
	}
}

func (c *crashes) delete(ofProject bool) {
	source, _ := c.shipped.FindSource([]string{"edge_logs", "function_edge_logs"}[c.random.IntN(2)])
	deletion := logstore.Deletion{Source: source, Before: start().Add(time.Duration(c.random.IntN(20*3600)) * time.Second)}
	if ofProject {
		deletion.Project = fmt.Sprintf("project-%d", c.random.IntN(4))
		if c.random.IntN(2) == 0 {
			deletion.Before = time.Time{}
		}
	}
	before := make(map[string]logstore.Accepted)
	maps.Copy(before, c.events)
	after := *c.model
	after.events = make(map[string]logstore.Accepted)
	maps.Copy(after.events, c.events)
	want := after.remove(deletion)
	for name, event := range before {
		if _, kept := after.events[name]; !kept {
			c.doing = append(c.doing, event)
		}
	}
	c.deletion = &deletion
	count, err := c.store.Delete(c.t.Context(), deletion)
	require.NoError(c.t, err)
	require.Equal(c.t, want, count)
	for _, event := range c.doing {
		delete(c.events, key(&event))
	}
}

// Whatever step fails, in any order, the store shows what it should, and nothing is left of what failed. The next attempt
// succeeds.
func TestFailureOfEachStep(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			directory, failing := t.TempDir(), 0
			model := newModel(seed + 200)
			store := open(t, directory, logstore.WithRecentBytes(1<<30), logstore.WithSteps(func(step string) error {
				if failing--; failing == 0 {
					return fmt.Errorf("%s: %w", step, assert.AnError)
				}
				return nil
			}))
			failures := 0
			attempt := func(work func() error) {
				t.Helper()
				for n := 1; ; n += 1 + model.random.IntN(3) {
					require.Less(t, n, 200)
					failing = n
					err := work()
					if err != nil {
						require.ErrorIs(t, err, assert.AnError)
						failures++
					}
					done := failing > 0
					failing = 0
					model.check(t, store)
					if done {
						require.NoError(t, err)
						break
					}
					if err == nil {
						break // the rest was done although a step failed
					}
				}
			}
			ctx := t.Context()
			for range 2 {
				for range 3 {
					require.NoError(t, model.tryIngest(t, store, model.batch(40)))
				}
				require.NoError(t, store.Ingest(ctx, logstore.Ingestion{Events: sequence(nil), Position: model.position + 1, Rejected: rejected(1)}))
				model.position++
				attempt(func() error { _, err := store.Checkpoint(ctx); return err })
				require.Equal(t, model.position, store.SealedPosition())
				events := model.batch(50)
				attempt(func() error {
					transaction, err := store.Begin(ctx, logstore.Sent)
					require.NoError(t, err)
					for i := range events {
						require.NoError(t, transaction.Add(ctx, events[i].Source, *events[i].Event))
					}
					err = transaction.Commit(ctx)
					failing = max(failing, 0)
					_, _ = store.Count(ctx, logstore.Deletion{Source: events[0].Source}) // what is durable is visible then
					if rows, rowsErr := rowsOf(ctx, store); rowsErr == nil && slices.Contains(rows, row(&events[0])) {
						model.add(events...)
					}
					return err
				})
				attempt(func() error { _, err := store.Merge(ctx, start().AddDate(0, 0, 40), nil); return err })
				source, _ := model.shipped.FindSource("edge_logs")
				deletion := logstore.Deletion{Source: source, Project: fmt.Sprintf("project-%d", model.random.IntN(4))}
				attempt(func() error {
					_, err := store.Delete(ctx, deletion)
					if count, countErr := store.Count(ctx, deletion); countErr == nil && count == 0 {
						model.remove(deletion)
					}
					return err
				})
			}
			require.Greater(t, failures, 15)
			require.NoError(t, store.Close())
			store = open(t, directory)
			model.check(t, store)
			require.NoError(t, store.Close())
			checkFiles(t, directory)
		})
	}
}
