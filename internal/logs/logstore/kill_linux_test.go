package logstore_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// Environment variables that make the test program a writer: its directory, the number of its first event, the seed of
// what it does, and whether the sizes of files are limited.
const (
	writerDirectory = "SAVEDQ_TEST_WRITER"
	writerFirst     = "SAVEDQ_TEST_WRITER_FIRST"
	writerSeed      = "SAVEDQ_TEST_WRITER_SEED"
	writerLimited   = "SAVEDQ_TEST_WRITER_LIMITED"
)

// TestMain lets the test program be a writer.
func TestMain(m *testing.M) {
	if directory := os.Getenv(writerDirectory); directory != "" {
		if err := write(directory); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// uncounted counts nothing.
type uncounted struct{}

func (uncounted) EventsCommitted(string, ingest.Counts) {}
func (uncounted) EventsRejected(string, int)            {}
func (uncounted) BatchCommitted(time.Duration)          {}
func (uncounted) BatchRefused()                         {}
func (uncounted) EventsStored(int, time.Duration)       {}

// writer does one thing after the other with a store, and prints what it begins and what is done.
type writer struct {
	store  *logstore.Store
	ingest *ingest.Writer
	random *rand.Rand
	next   int
}

const (
	// writerProjects is the number of projects of a writer's events. An event's project is its number modulo that.
	writerProjects = 4
	// writerMinutes is the number of minutes of the events. An event's minute is its number modulo that.
	writerMinutes = 4000
)

// writerID returns the id of an event: few are no UUIDs, so that parts with and without them are merged.
func writerID(number int) string {
	if number%500 == 0 {
		return fmt.Sprintf("%012d", number)
	}
	return fmt.Sprintf("0a1b2c3d-4e5f-4a6b-8c7d-%012d", number)
}

// opening is what a writer prints before it opens the store.
const opening = "opening"

func walOf(directory string) string { return filepath.Join(directory, "ingest-log") }

// write is a writer that ends when it is killed, or after a number of steps if the sizes of files are limited.
func write(directory string) error {
	ctx := context.Background()
	first, _ := strconv.Atoi(os.Getenv(writerFirst))
	seed, _ := strconv.ParseUint(os.Getenv(writerSeed), 10, 64)
	fmt.Println(opening)
	store, err := logstore.Open(ctx, directory, "256MiB", logstore.WithRecentBytes(60_000))
	if err != nil {
		return err
	}
	w := &writer{store: store, random: rand.New(rand.NewPCG(seed, 0)), next: first}
	w.ingest, err = ingest.Open(ctx, ingest.Config{
		Store: store, Directory: walOf(directory), WaitingBytes: 64 << 20, IDBytes: 1 << 20,
		Clock: time.Now, Logger: slog.New(slog.DiscardHandler), Observer: uncounted{}, Committed: func([]logevent.Sourced) {},
	})
	if err != nil {
		return err
	}
	if err := w.ingest.WaitRecovered(ctx); err != nil {
		return err
	}
	if os.Getenv(writerLimited) == "" {
		for {
			w.step(ctx)
		}
	}
	signal.Ignore(syscall.SIGXFSZ)
	unlimited := limit(unlimitedBytes)
	const steps = 25
	for range steps {
		unlimited = errors.Join(unlimited, limit(uint64(w.random.IntN(300_000))))
		w.step(ctx)
		if w.random.IntN(3) == 0 {
			unlimited = errors.Join(unlimited, limit(unlimitedBytes))
			w.step(ctx)
		}
	}
	return errors.Join(unlimited, limit(unlimitedBytes), w.ingest.Close(ctx), store.Close())
}

// unlimitedBytes is the limit of files without one.
const unlimitedBytes = math.MaxUint64

// limit limits the sizes of files that are written from now on.
func limit(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: unlimitedBytes})
}

// step does something, between lines that say what, and whether it is done.
func (w *writer) step(ctx context.Context) {
	count := 1 + w.random.IntN(60)
	switch w.random.IntN(11) {
	case 0, 1, 2, 3:
		w.report("add", w.next, count, w.commit(ctx, w.batch(count)))
	case 4:
		events := w.batch(count * 5)
		w.report("add", w.next, len(events), w.load(ctx, events))
	case 5:
		w.report("seal", 0, 0, func() error {
			_, err := w.store.Checkpoint(ctx)
			return err
		})
	case 6, 7:
		w.report("merge", 0, 0, func() error {
			_, err := w.store.Merge(ctx, start().AddDate(0, 0, 60), nil)
			return err
		})
	case 8:
		w.report("backup", 0, 0, func() error {
			return w.store.Backup(ctx, logstore.BackupOptions{}, func(file logstore.BackupFile) error {
				_, err := io.Copy(io.Discard, file.Content)
				return err
			})
		})
	case 9:
		minute := w.random.IntN(writerMinutes / 10)
		w.report("retain", minute, 0, func() error {
			return w.delete(ctx, logstore.Deletion{Before: start().Add(time.Duration(minute) * time.Minute)})
		})
	default:
		project := w.random.IntN(writerProjects)
		w.report("delete", project, 0, func() error { return w.delete(ctx, logstore.Deletion{Project: fmt.Sprint("p", project)}) })
	}
}

// report prints what work is, and then whether it is done.
func (w *writer) report(what string, first, count int, work func() error) {
	fmt.Printf("begin %s %d %d\n", what, first, count)
	w.next += count
	if err := work(); err != nil {
		fmt.Printf("failed %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Println("done")
}

// batch returns the next events.
func (w *writer) batch(count int) []logevent.Sourced {
	source, _ := tables.Shipped().FindSource("edge_logs")
	events := make([]logevent.Sourced, count)
	for i := range events {
		number := w.next + i
		project, message := fmt.Sprint("p", number%writerProjects), strings.Repeat("x", number%300)
		events[i] = logevent.Sourced{Source: source, Event: logevent.Event{
			ID: writerID(number), Timestamp: start().Add(time.Duration(number%writerMinutes) * time.Minute), Project: &project, EventMessage: &message,
			Metadata: []byte(`[{"request":[{"url":"a"}]}]`),
		}}
	}
	return events
}

func (w *writer) commit(ctx context.Context, events []logevent.Sourced) func() error {
	return func() error {
		_, err := w.ingest.Commit(ctx, ingest.Batch{Received: time.Now(), Events: events})
		return err
	}
}

func (w *writer) load(ctx context.Context, events []logevent.Sourced) func() error {
	return func() error {
		transaction, err := w.store.Begin(ctx, logstore.Sent)
		if err != nil {
			return err
		}
		for i := range events {
			if err := transaction.Add(ctx, events[i].Source, events[i].Event); err != nil {
				return errors.Join(err, transaction.Rollback())
			}
		}
		return transaction.Commit(ctx)
	}
}

func (w *writer) delete(ctx context.Context, deletion logstore.Deletion) error {
	waiting, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := w.ingest.WaitStored(waiting); err != nil {
		return err
	}
	deletion.Source, _ = tables.Shipped().FindSource("edge_logs")
	_, err := w.store.Delete(ctx, deletion)
	return err
}

// written is what writers have said about a directory.
type written struct {
	t         *testing.T
	directory string
	next      int
	// events are those that must be there.
	events map[int]bool
	// unclear are steps that were not acknowledged: events that were added, all or none, or deleted.
	unclear [][]int
	// deleting are events that may be deleted.
	deleting map[int]bool
	failures int
}

// onText is a writer that calls do when a text is written to it, which no two writes share.
type onText struct {
	text string
	do   func()
}

func (o *onText) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(o.text)) {
		o.do()
	}
	return len(p), nil
}

// run runs a writer until it is killed, a time after it has printed a text, or, without such a text, until it ends by itself
// with limited sizes of files. It reads what the writer has printed.
func (w *written) run(seed uint64, text string, kill time.Duration) {
	t, limited := w.t, text == ""
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), writerDirectory+"="+w.directory, fmt.Sprintf("%s=%d", writerFirst, w.next), fmt.Sprintf("%s=%d", writerSeed, seed))
	var printed, failure bytes.Buffer
	command.Stdout, command.Stderr = &printed, &failure
	if limited {
		command.Env = append(command.Env, writerLimited+"=1")
	} else {
		timer := time.AfterFunc(math.MaxInt64, func() { _ = command.Process.Kill() })
		defer timer.Stop()
		command.Stdout = io.MultiWriter(&printed, &onText{text, sync.OnceFunc(func() { timer.Reset(kill) })})
	}
	require.NoError(t, command.Start())
	err := command.Wait()
	if limited {
		require.NoError(t, err, failure.String())
	} else {
		require.ErrorContains(t, err, "killed", failure.String())
	}
	w.read(&printed)
}

// read reads what a writer has printed.
func (w *written) read(printed io.Reader) {
	var what string
	var first, count int
	begun := false
	end := func(done bool) {
		switch {
		case !begun:
		case what == "add":
			group := make([]int, count)
			for i := range group {
				group[i] = first + i
				w.events[first+i] = w.events[first+i] || done
			}
			if !done {
				w.unclear = append(w.unclear, group)
			}
			w.next = first + count
		case what == "delete" || what == "retain":
			for number := range w.events {
				if what == "delete" && number%writerProjects != first || what == "retain" && number%writerMinutes >= first {
					continue
				}
				if done {
					delete(w.events, number)
				} else {
					w.deleting[number] = true
				}
			}
		}
		begun = false
	}
	lines := bufio.NewScanner(printed)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch word, rest, _ := strings.Cut(lines.Text(), " "); word {
		case "begin":
			_, err := fmt.Sscanf(rest, "%s %d %d", &what, &first, &count)
			begun = err == nil
		case "done":
			end(true)
		case "failed":
			w.failures++
			end(false)
		}
	}
	require.NoError(w.t, lines.Err())
	end(false)
}

// check opens the store and compares it with what the writers have said.
func (w *written) check() {
	t := w.t
	store := open(t, w.directory)
	require.NoError(t, ingest.StoreCommitted(t.Context(), store, walOf(w.directory), slog.New(slog.DiscardHandler)))
	found := make(map[int]int)
	var number int
	require.NoError(t, eachRow(t.Context(), store.DB(), "SELECT right(id, 12)::INTEGER FROM edge_logs", []any{&number}, func() { found[number]++ }))
	foreign := texts(t, store, fmt.Sprintf("SELECT id FROM edge_logs WHERE project <> 'p' || (right(id, 12)::INTEGER %% %d)", writerProjects))
	require.Empty(t, foreign, "events have the project that they were sent with")
	require.NoError(t, store.Close())
	checkFiles(t, w.directory)
	for number, times := range found {
		require.Equal(t, 1, times, "event %d", number)
		_, added := w.events[number]
		require.True(t, added, "event %d was deleted", number)
	}
	for _, group := range w.unclear {
		there, all := 0, 0
		for _, number := range group {
			if _, added := w.events[number]; added && !w.deleting[number] {
				all++
				there += found[number]
			}
		}
		require.True(t, there == 0 || there == all, "%d of %d events of one step", there, all)
	}
	for number, acknowledged := range w.events {
		require.True(t, found[number] == 1 || !acknowledged || w.deleting[number], "event %d was acknowledged", number)
		if found[number] == 0 {
			delete(w.events, number)
		} else {
			w.events[number] = true
		}
	}
	w.unclear, w.deleting = nil, make(map[int]bool)
}

func newWritten(t *testing.T) *written {
	t.Helper()
	return &written{t: t, directory: t.TempDir(), events: make(map[int]bool), deleting: make(map[int]bool)}
}

// A process that is killed at any moment loses nothing that it has acknowledged, has nothing twice, and leaves no files
// over. SAVEDQ_KILLS is the number of kills.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 4
	if text := os.Getenv("SAVEDQ_KILLS"); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	w, random := newWritten(t), rand.New(rand.NewPCG(uint64(kills), 1))
	for kill := range kills {
		text := "begin add "
		if kill%4 == 3 {
			text = opening
		}
		w.run(uint64(kill), text, time.Duration(random.IntN(1500))*time.Millisecond)
		w.check()
	}
	assert.Positive(t, w.next)
	t.Logf("%d kills, %d events were added, %d are left", kills, w.next, len(w.events))
}

// Whatever file grows too large at whatever byte, that is an error: nothing that was acknowledged is lost, nothing is
// there twice, and everything goes on as soon as files may grow.
func TestLimitedFiles(t *testing.T) {
	t.Parallel()
	w := newWritten(t)
	for seed := range uint64(2) {
		w.run(1000+seed, "", 0)
		w.check()
	}
	assert.Greater(t, w.failures, 5)
	assert.NotEmpty(t, w.events)
	t.Logf("%d steps failed, %d events were added, %d are left", w.failures, w.next, len(w.events))
}
