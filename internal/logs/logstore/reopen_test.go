package logstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// lines is a log that several goroutines may write.
type lines struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

func (l *lines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

func (l *lines) count(text string) int { return strings.Count(l.String(), text) }

// walog is a write-ahead log of ingest in memory.
type walog struct {
	mutex sync.Mutex
	all   []logstore.Ingestion
}

func (w *walog) append(ingestion logstore.Ingestion) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.all = append(w.all, ingestion)
}

func (w *walog) replay(_ context.Context, after, through uint64, each func(logstore.Ingestion) error) error {
	w.mutex.Lock()
	all := slices.Clone(w.all)
	w.mutex.Unlock()
	for _, ingestion := range all {
		if ingestion.Position > after && ingestion.Position <= through {
			if err := each(ingestion); err != nil {
				return err
			}
		}
	}
	return nil
}

// breakable is a store with a log, to which a model of events is added.
type breakable struct {
	*model
	*logstore.Store
	t     *testing.T
	log   *lines
	wal   *walog
	files string
}

// openBreakable opens a store in a new directory, which may be opened again at once after a fatal error.
func openBreakable(t *testing.T, options ...logstore.Option) *breakable {
	t.Helper()
	b := &breakable{model: newModel(1), t: t, log: &lines{}, wal: &walog{}, files: t.TempDir()}
	all := []logstore.Option{logstore.WithRecentBytes(60_000), logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)), logstore.WithLogger(slog.New(slog.NewTextHandler(b.log, nil)))}
	b.Store = open(t, b.files, append(all, options...)...)
	b.SetReplay(b.wal.replay)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

// ingest adds events, as the ingest writer does.
func (b *breakable) ingest(count int, rejected ...logevent.Rejected) {
	b.t.Helper()
	events := b.batch(count)
	ingestion := logstore.Ingestion{Events: sequence(events), Rejected: rejected, Position: b.position + 1}
	b.wal.append(ingestion)
	require.NoError(b.t, b.Ingest(b.t.Context(), ingestion))
	b.position++
	b.add(events...)
}

// check compares the store with the model.
func (b *breakable) check() {
	b.t.Helper()
	b.model.check(b.t, b.Store)
}

// poisonOf returns SQL on which DuckDB fails with an internal error while it runs, which invalidates the instance: the
// tree of the SQL in it has a comparison of a type that is none.
func poisonOf(ctx context.Context, db *sql.DB) (string, error) {
	var tree string
	err := db.QueryRowContext(ctx, "SELECT CAST(json_serialize_sql('SELECT a = b AS x FROM (VALUES (1, 2), (3, 4)) AS t(a, b)') AS VARCHAR)").Scan(&tree)
	return "SELECT * FROM json_execute_serialized_sql('" + strings.Replace(tree, "COMPARE_EQUAL", "SUBQUERY", 1) + "')", err
}

// invalidate makes DuckDB reject all further work.
func invalidate(t *testing.T, store interface{ DB() *sql.DB }) {
	t.Helper()
	poison, err := poisonOf(t.Context(), store.DB())
	require.NoError(t, err)
	_, err = store.DB().ExecContext(t.Context(), poison)
	require.ErrorContains(t, err, "INTERNAL Error")
}

func assertUnavailable(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code, err)
}

// After a fatal error the next reader has the store opened again, and sees all that was added. Prepared statements and
// writers go on, and the configuration is locked as before.
func TestReopen(t *testing.T) {
	t.Parallel()
	b := openBreakable(t)
	b.ingest(50)
	_, err := b.Checkpoint(t.Context())
	require.NoError(t, err)
	for range 5 { // some are in schemas to which nothing is added any more, and not in a part yet
		b.ingest(70)
	}
	prepared, err := b.DB().PrepareContext(t.Context(), "SELECT count(*) FROM all_logs")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, prepared.Close()) })
	invalidate(t, b.Store)

	var count int
	require.NoError(t, prepared.QueryRowContext(t.Context()).Scan(&count))
	assert.Equal(t, 400, count)
	b.check()
	require.NoError(t, b.Ping(t.Context()))
	assert.Equal(t, int64(1), b.Reopenings())
	b.ingest(20)
	b.check()
	for _, statement := range []string{"SET GLOBAL enable_external_access = true", "SET GLOBAL memory_limit = '1GiB'"} {
		_, err := b.DB().ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "locked")
	}
	var content string
	err = b.DB().QueryRowContext(t.Context(), "SELECT content FROM read_text('/etc/hostname')").Scan(&content)
	require.ErrorContains(t, err, "disabled by configuration")
	assert.Equal(t, 1, b.log.count("level=WARN"), b.log)
	assert.Equal(t, 1, b.log.count(`level=INFO msg="the store was reopened"`), b.log)

	// Restored events become parts like all others.
	_, err = b.Checkpoint(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Close())
	checkFiles(t, b.files)
	b.Store = open(t, b.files)
	b.check()
}

// No connection has DuckDB's caching operators, which read freed memory: neither those that are opened after the
// configuration is locked, nor those of a store that was opened again.
func TestConnectionsHaveNoCachingOperators(t *testing.T) {
	t.Parallel()
	b := openBreakable(t)
	check := func() {
		t.Helper()
		for range 3 {
			conn, err := b.DB().Conn(t.Context())
			require.NoError(t, err)
			defer func() { assert.NoError(t, conn.Close()) }()
			var enabled bool
			require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT current_setting('enable_caching_operators')").Scan(&enabled))
			assert.False(t, enabled)
		}
	}
	check()
	invalidate(t, b.Store)
	require.NoError(t, b.Ping(t.Context()))
	check()
}

// A store that becomes invalid again and again costs readers and the writer a wait, and never an error: those that run
// meanwhile, those that come while it is opened, and those that come later.
func TestReopenCostsAWait(t *testing.T) {
	t.Parallel()
	b := openBreakable(t, logstore.WithAttempts(rate.NewLimiter(rate.Every(20*time.Millisecond), 1)))
	b.ingest(30)
	const rounds, readers = 10, 8
	for range rounds {
		var reading sync.WaitGroup
		for range readers {
			reading.Go(func() {
				if err := b.compare(t.Context(), b.Store); err != nil {
					t.Error(err)
				}
			})
		}
		invalidate(t, b.Store)
		require.NoError(t, b.Ping(t.Context()))
		reading.Wait()
	}
	assert.Equal(t, int64(rounds), b.Reopenings())
	assert.Equal(t, rounds, b.log.count(`msg="the store was reopened"`), b.log)
}

// A reader whose context ends does not wait for the store to be opened again, nor does one that has waited for long.
func TestReopenWaitEnds(t *testing.T) {
	t.Parallel()
	b := openBreakable(t, logstore.WithPatience(time.Nanosecond))
	b.ingest(1)
	reached, release := make(chan struct{}), make(chan struct{})
	b.SetReplay(func(ctx context.Context, after, through uint64, each func(logstore.Ingestion) error) error {
		close(reached)
		<-release
		return b.wal.replay(ctx, after, through, each)
	})
	invalidate(t, b.Store)
	pinged := make(chan error, 1)
	go func() { pinged <- b.Ping(t.Context()) }()
	<-reached
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.Ping(ctx), context.Canceled)
	assertUnavailable(t, b.Ping(t.Context()))
	close(release)
	require.NoError(t, <-pinged, "who opens the store does not give up")
	b.SetReplay(b.wal.replay)
	b.check()
}

// While the store cannot be opened, readers get UNAVAILABLE and no fewer rows, attempts are rare, and the first one is
// logged. It recovers automatically.
func TestReopenFailsForAWhile(t *testing.T) {
	t.Parallel()
	attempts := rate.NewLimiter(0, 3)
	b := openBreakable(t, logstore.WithAttempts(attempts))
	b.ingest(2)
	b.ingest(3)
	broken := func(what string) logstore.Replay {
		return func(ctx context.Context, after, through uint64, each func(logstore.Ingestion) error) error {
			if what == "an event is missing" {
				return b.wal.replay(ctx, after, through-1, each)
			}
			return errors.New(what)
		}
	}
	b.SetReplay(broken("an event is missing"))
	invalidate(t, b.Store)
	assertUnavailable(t, b.Ping(t.Context()))
	assert.Contains(t, b.log.String(), "the write-ahead log has 2 of 5 events")
	b.SetReplay(broken("disk on fire"))
	for range 10 {
		assertUnavailable(t, b.Ping(t.Context()))
	}
	assert.Equal(t, 1, b.log.count("the store cannot be reopened"), b.log)
	b.SetReplay(b.wal.replay)
	assertUnavailable(t, b.Ping(t.Context()))
	attempts.SetLimit(rate.Inf)
	b.check()
	assert.Equal(t, 2, b.log.count("level=WARN"), b.log)
	assert.Equal(t, 1, b.log.count("level=INFO"), b.log)
}

// A transaction that has begun on the invalid instance fails, and nothing of it is stored, also if some of it was in a
// file. It can be repeated.
func TestReopenEndsTransactions(t *testing.T) {
	t.Parallel()
	for name, events := range map[string]int{"small": 5, "with parts": 9000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBreakable(t)
			b.ingest(10)
			events := b.batch(events)
			load := func(between func()) error {
				transaction, err := b.Begin(t.Context(), logstore.Sent)
				require.NoError(t, err)
				for i := range events {
					if err := transaction.Add(t.Context(), events[i].Source, *events[i].Event); err != nil {
						return errors.Join(err, transaction.Rollback())
					}
				}
				between()
				return transaction.Commit(t.Context())
			}
			assertUnavailable(t, load(func() { invalidate(t, b.Store) }))
			b.check()
			require.NoError(t, load(func() {}))
			b.add(events...)
			b.check()
			require.NoError(t, b.Close())
			checkFiles(t, b.files)
			b.Store = open(t, b.files)
		})
	}
}

// Rejected events and runs are as before, whether they are in a file or not, and so is what was deleted of them.
func TestReopenRestoresState(t *testing.T) {
	t.Parallel()
	b := openBreakable(t)
	run := func(project string) []driver.Value {
		columns := tables.Runs().Own
		row := make([]driver.Value, len(columns))
		for i, column := range columns {
			switch {
			case column.Name == "timestamp":
				row[i] = start()
			case column.Name == "project":
				row[i] = project
			case column.Type == sqlq.String:
				row[i] = "x"
			case column.Type == sqlq.Int64:
				row[i] = int64(1)
			case column.Type == sqlq.Float64:
				row[i] = 1.0
			case column.Type == sqlq.Bool:
				row[i] = true
			}
		}
		return row
	}
	state := func() (text string) {
		t.Helper()
		require.NoError(t, b.DB().QueryRowContext(t.Context(), "SELECT string_agg(project, ' ' ORDER BY rowid) FROM savedq_runs").Scan(&text))
		require.NoError(t, b.Rejected(t.Context(), logstore.RejectedFilter{}, func(event logevent.Rejected) error {
			text += " " + event.Reason
			return nil
		}))
		return text
	}
	reject := func(reason string, hours int) logevent.Rejected {
		return logevent.Rejected{Received: start().Add(time.Duration(hours) * time.Hour), Source: "edge_logs", Reason: reason, Event: "{}"}
	}
	b.ingest(1, reject("old", 0), reject("stored", 2))
	require.NoError(t, b.AddRuns(t.Context(), [][]driver.Value{run("a"), run("b")}))
	_, err := b.Checkpoint(t.Context())
	require.NoError(t, err)
	b.ingest(1, reject("new", 3))
	require.NoError(t, b.AddRuns(t.Context(), [][]driver.Value{run("a"), run("c")}))
	require.NoError(t, b.DeleteRuns(t.Context(), "a", time.Time{}))
	require.NoError(t, b.AddRuns(t.Context(), [][]driver.Value{run("a")}))
	require.NoError(t, b.ForgetRejected(t.Context(), start().Add(time.Hour)))
	const want = "b c a stored new"
	require.Equal(t, want, state())
	for range 2 {
		invalidate(t, b.Store)
		require.Equal(t, want, state())
		_, err := b.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, want, state())
	require.NoError(t, b.AddRuns(t.Context(), [][]driver.Value{run("d")}))
	require.NoError(t, b.SealOlder(t.Context(), time.Now().Add(time.Hour)), "runs do not wait for events")
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(b.files)))
	killed := open(t, copied)
	var runs int
	require.NoError(t, killed.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM savedq_runs").Scan(&runs))
	assert.Equal(t, 4, runs)
	require.NoError(t, killed.Close())
}

// A store with events in memory that no log has cannot be opened again: it does not show fewer. Without such events it
// can, with its runs.
func TestReopenInMemory(t *testing.T) {
	t.Parallel()
	store, err := logstore.OpenEmpty(t.Context(), logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1)))
	require.NoError(t, err)
	invalidate(t, store)
	require.NoError(t, store.Ping(t.Context()))
	event := newModel(1).event()
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, transaction.Add(t.Context(), event.Source, *event.Event))
	invalidate(t, store)
	assertUnavailable(t, transaction.Commit(t.Context()))
	transaction, err = store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	require.NoError(t, transaction.Add(t.Context(), event.Source, *event.Event))
	require.NoError(t, transaction.Commit(t.Context()))
	invalidate(t, store)
	err = store.Ping(t.Context())
	assertUnavailable(t, err)
	require.ErrorContains(t, errors.Unwrap(sqlq.AsError(err)), "no write-ahead log")
	require.NoError(t, store.Close())
}

// Closing a store that is invalid writes what is in memory to parts, and is no error.
func TestCloseInvalid(t *testing.T) {
	t.Parallel()
	b := openBreakable(t)
	b.ingest(3)
	invalidate(t, b.Store)
	require.NoError(t, b.Close())
	_, err := rowsOf(t.Context(), b.Store)
	require.Error(t, err)
	var coded *sqlq.Error
	require.NotErrorAs(t, err, &coded)
	b.Store = open(t, b.files)
	b.check()
}

// Before each step that changes files, the instance of DuckDB becomes invalid. The step or its whole work is repeated,
// or fails and nothing has changed. No file is left over.
func TestInvalidBeforeEachStep(t *testing.T) {
	t.Parallel()
	var b *breakable
	var poison string
	var failing atomic.Int64
	b = openBreakable(t, logstore.WithRecentBytes(1<<30), logstore.WithSteps(func(string) error {
		if failing.Add(-1) == 0 {
			_, err := b.DB().ExecContext(context.Background(), poison)
			if err == nil {
				return errors.New("the poison does no harm")
			}
		}
		return nil
	}))
	var err error
	poison, err = poisonOf(t.Context(), b.DB())
	require.NoError(t, err)
	ctx := t.Context()
	source, _ := b.shipped.FindSource("edge_logs")
	kept := tables.Shipped()
	work := map[string]func(n int) error{
		"seal": func(int) error { _, err := b.Checkpoint(ctx); return err },
		"merge": func(int) error {
			_, err := b.Merge(ctx, start().AddDate(0, 0, 40), nil)
			return err
		},
		"delete": func(n int) error {
			deletion := logstore.Deletion{Source: source, Project: fmt.Sprintf("project-%d", n%4)}
			_, err := b.Delete(ctx, deletion)
			if err != nil { // the caller repeats it
				_, err = b.Delete(ctx, deletion)
			}
			b.remove(deletion)
			return err
		},
		"declare": func(n int) error {
			name := fmt.Sprintf("own_%d", n)
			kept = append(slices.Clone(kept), &sqlq.Table{Name: name, Fields: []sqlq.Field{{Name: "f", Type: sqlq.String, Path: []string{"f"}}}})
			return b.Declare(ctx, kept)
		},
		"load": func(int) error {
			events := b.batch(20)
			err := errors.New("not tried")
			for range 2 { // the caller repeats it
				var transaction *logstore.Transaction
				if transaction, err = b.Begin(ctx, logstore.Sent); err != nil {
					continue
				}
				for i := range events {
					require.NoError(t, transaction.Add(ctx, events[i].Source, *events[i].Event))
				}
				if err = transaction.Commit(ctx); err == nil {
					break
				}
				assertUnavailable(t, err)
				b.check()
			}
			b.add(events...)
			return err
		},
	}
	for _, name := range []string{"seal", "load", "merge", "delete", "declare"} {
		isDone, before := false, b.Reopenings()
		for n := 1; n < 12 && !isDone; n += 1 + b.random.IntN(3) {
			b.ingest(30)
			if name == "merge" { // events of several days in one part
				_, err := b.Checkpoint(ctx)
				require.NoError(t, err)
			}
			failing.Store(int64(n))
			require.NoError(t, work[name](n), "%s: invalid before step %d", name, n)
			isDone = failing.Load() > 0
			failing.Store(0)
			b.check()
		}
		assert.Greater(t, b.Reopenings(), before, name)
	}
	_, err = b.Checkpoint(ctx)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	checkFiles(t, b.files)
	b.Store = open(t, b.files)
	b.check()
	manifest, err := parts.Read(filepath.Clean(b.files))
	require.NoError(t, err)
	assert.Equal(t, b.position, manifest.Position)
}
