package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines/worker"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// Arguments that make the test program run as a process for SQL, or as a server that has one.
const (
	workArgument   = "work"
	brokenArgument = "broken"
	serverArgument = "server"
)

// Names of saved queries that do something to their process.
const (
	segv    = "segv"
	killed  = "kill"
	failing = "fault"
	refuses = "unavailable"
	panics  = "panic"
	greedy  = "greedy"
	holds   = "hold"
	numbers = "pid"
)

// outdated is the number of a state that cannot be shown any more.
const outdated = 1000

// testMemory is the memory limit of the processes.
const testMemory = 128 << 20

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case workArgument:
		if err := worker.Work(os.Stdin, newBackend(), testMemory); err != nil {
			panic(err)
		}
		os.Exit(0)
	case brokenArgument:
		_, _ = fmt.Fprintln(os.Stderr, "it is broken")
		os.Exit(2)
	case serverArgument:
		serve()
	}
	os.Exit(m.Run())
}

// backend is an engine on an empty store, with statements that do something to the process.
type backend struct {
	*duckdb.Engine

	state atomic.Pointer[string]
}

func newBackend() *backend {
	store, err := logstore.OpenEmpty(context.Background())
	if err != nil {
		panic(err)
	}
	return &backend{Engine: duckdb.New(store.DB())}
}

func (b *backend) Show(_ context.Context, state []byte) error {
	text := string(state)
	if text == fmt.Sprint("state ", outdated) {
		return worker.ErrOutdated
	}
	b.state.Store(&text)
	return nil
}

func (b *backend) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	switch statement.Query.Name {
	case segv:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		select {}
	case killed:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case failing:
		return nil, fmt.Errorf("run: %w: internal error", sqlq.ErrEngineFault)
	case refuses:
		return nil, sqlq.Errorf(sqlq.Unavailable, "the instance is invalid")
	case panics:
		panic("no")
	case greedy:
		var all [][]byte
		for {
			all = append(all, []byte(strings.Repeat("x", 1<<20)))
			time.Sleep(time.Microsecond)
			runtime.KeepAlive(all)
		}
	case holds:
		<-ctx.Done()
		return nil, ctx.Err()
	case numbers:
		return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{{strconv.Itoa(os.Getpid()) + " " + *b.state.Load()}}}, nil
	}
	return b.Engine.Run(ctx, statement)
}

// snapshot is a state that is a number.
type snapshot struct {
	number   uint64
	released *atomic.Int64
}

func (s snapshot) Number() uint64          { return s.number }
func (s snapshot) Encode() ([]byte, error) { return fmt.Appendf(nil, "state %d", s.number), nil }
func (s snapshot) Release()                { s.released.Add(-1) }

// fixture is a worker with the number of its state, and how many states are in use.
type fixture struct {
	*worker.Worker

	state    atomic.Uint64
	acquired atomic.Int64
}

func commandOf(argument string) func() *exec.Cmd {
	return func() *exec.Cmd { return exec.Command(os.Args[0], argument) }
}

func newWorker(t *testing.T, argument string, idle time.Duration) *fixture {
	t.Helper()
	f := new(fixture)
	f.state.Store(1)
	f.Worker = worker.New(worker.Config{
		Command: commandOf(argument), Idle: idle, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Snapshot: func(context.Context, *sqlq.SavedQuery) (worker.Snapshot, error) {
			f.acquired.Add(1)
			return snapshot{f.state.Load(), &f.acquired}, nil
		},
		Outdated: func(context.Context) { f.state.CompareAndSwap(outdated, outdated+1) },
	})
	t.Cleanup(func() {
		f.Close()
		assert.Zero(t, f.acquired.Load(), "states that were not released")
		assert.False(t, f.IsRunning())
	})
	return f
}

// statement returns a run of SQL of a caller.
func statement(name, sql string, columns ...sqlq.Column) sqlq.Statement {
	return sqlq.NewStatement(&sqlq.SavedQuery{Name: name, MaxRows: 100_000, SQL: sql, SQLFile: sqlq.SQLParam, Callers: new(sqlq.CallersSQL), Columns: columns}, nil, time.Now())
}

func text() sqlq.Column { return sqlq.Column{Name: "x", Type: sqlq.String, Nullable: true} }

// process returns the number of the process, and the state that it shows.
func (f *fixture) process(t *testing.T) (number, state string) {
	t.Helper()
	result, err := f.Run(t.Context(), statement(numbers, "", text()))
	require.NoError(t, err)
	number, state, _ = strings.Cut(result.Rows[0][0].(string), " ") //nolint:forcetypeassert // It is a text.
	return number, state
}

// There is a process from the first statement on, and it runs all further ones.
func TestProcessIsStartedOnce(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, 0)
	assert.False(t, f.IsRunning())
	first, state := f.process(t)
	assert.NotEqual(t, strconv.Itoa(os.Getpid()), first)
	assert.Equal(t, "state 1", state)
	assert.True(t, f.IsRunning())
	f.state.Store(2)
	second, state := f.process(t)
	assert.Equal(t, first, second)
	assert.Equal(t, "state 2", state)
	f.state.Store(1)
	_, state = f.process(t)
	assert.Equal(t, "state 2", state, "an earlier state does not come back")
}

// A process without requests ends, and the next statement starts another one.
func TestIdleProcessEnds(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, time.Millisecond)
	first, _ := f.process(t)
	require.Eventually(t, func() bool { return f.Ends(worker.Idle) == 1 }, time.Minute, time.Millisecond)
	assert.False(t, f.IsRunning())
	second, _ := f.process(t)
	assert.NotEqual(t, first, second)
}

// A statement that ends its process gets an error with the reason, and the next one has another process.
func TestProcessDies(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		code   sqlq.Code
		reason string
	}{
		segv: {sqlq.Internal, worker.Crash}, killed: {sqlq.ResourceExhausted, worker.Memory}, greedy: {sqlq.ResourceExhausted, worker.Memory},
		failing: {sqlq.Internal, worker.Fault}, panics: {sqlq.Internal, worker.Fault},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newWorker(t, workArgument, 0)
			first, _ := f.process(t)
			_, err := f.Run(t.Context(), statement(name, "", text()))
			require.ErrorIs(t, err, sqlq.ErrEngineFault)
			assert.Equal(t, want.code, sqlq.AsError(err).Code, err)
			second, _ := f.process(t)
			assert.NotEqual(t, first, second)
			require.Eventually(t, func() bool { return f.Ends(want.reason) == 1 }, time.Minute, time.Millisecond)
			for _, other := range worker.Reasons() {
				assert.Equal(t, other == want.reason, f.Ends(other) == 1, other)
			}
		})
	}
}

// An instance that refuses to work is replaced, once for each statement.
func TestUnavailableInstanceIsReplaced(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, 0)
	_, err := f.Run(t.Context(), statement(refuses, "", text()))
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
	require.NotErrorIs(t, err, sqlq.ErrEngineFault)
	require.Eventually(t, func() bool { return f.Ends(worker.Fault) == 2 }, time.Minute, time.Millisecond)
}

// Of the statements that run when the process dies, only the one to blame gets an error.
func TestOthersAreRepeated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{segv, killed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newWorker(t, workArgument, 0)
			const others = 63
			var running sync.WaitGroup
			for n := range others {
				running.Go(func() {
					result, err := f.Run(t.Context(), statement("sum", "SELECT sum(i * i + "+strconv.Itoa(n)+")::VARCHAR AS x FROM range(3000000) AS t(i)", text()))
					if assert.NoError(t, err) {
						assert.Len(t, result.Rows, 1)
					}
				})
			}
			_, err := f.Run(t.Context(), statement(name, "", text()))
			require.ErrorIs(t, err, sqlq.ErrEngineFault)
			running.Wait()
			f.process(t)
		})
	}
}

// The end of the context ends a statement in the process, which goes on.
func TestCancellation(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, 0)
	first, _ := f.process(t)
	for _, slow := range []sqlq.Statement{
		statement(holds, "", text()),
		statement("product", "SELECT count(*)::VARCHAR AS x FROM range(1000000) AS a(i), range(1000000) AS b(j) WHERE (i * j) % 7 = 3", text()),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		started := time.Now()
		_, err := f.Run(ctx, slow)
		cancel()
		assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code, err)
		assert.Less(t, time.Since(started), time.Minute)
	}
	second, _ := f.process(t)
	assert.Equal(t, first, second)
	// It computes nothing any more: its processor time stays.
	const often, interval = 10, 20 * time.Millisecond
	last, same := -1, 0
	require.Eventually(t, func() bool {
		now := processorTicks(t, first)
		same++
		if now != last {
			last, same = now, 0
		}
		return same == often
	}, time.Minute, interval)
}

// processorTicks returns the processor time of a process.
func processorTicks(t *testing.T, number string) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the processor time of a process in a file")
	}
	content, err := os.ReadFile("/proc/" + number + "/stat")
	require.NoError(t, err)
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')'):]))
	user, err := strconv.Atoi(fields[12-1])
	require.NoError(t, err)
	system, err := strconv.Atoi(fields[13-1])
	require.NoError(t, err)
	return user + system
}

// The errors of the engine arrive with all that callers and the log see of them.
func TestErrors(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, 0)
	_, err := f.Run(t.Context(), statement("x", "SELECT nosuch AS x", text()))
	var failure *sqlq.Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, sqlq.InvalidArgument, failure.Code)
	assert.Equal(t, sqlq.SQLParam, failure.Param)
	assert.Equal(t, 1, failure.Place.Line)
	assert.Equal(t, 8, failure.Place.Column)
	assert.Contains(t, failure.Message, `Referenced column "nosuch" was not found`)
	assert.Contains(t, err.Error(), "run x: Binder Error")
	large := statement("x", "SELECT repeat('x', 1000) AS x FROM range(1000)", text())
	large.Query.Callers.MostBytes = 100_000
	_, err = f.Run(t.Context(), large)
	assert.Equal(t, sqlq.ResourceExhausted, sqlq.AsError(err).Code, err)
	_, err = f.Run(t.Context(), statement("x", "SELECT repeat('x', 1000000000) AS x", text()))
	require.Error(t, err)
	assert.Contains(t, []sqlq.Code{sqlq.ResourceExhausted}, sqlq.AsError(err).Code, err)
}

// A program that does not come to work is no reason to blame a statement.
func TestProcessDoesNotStart(t *testing.T) {
	t.Parallel()
	f := newWorker(t, brokenArgument, 0)
	_, err := f.Run(t.Context(), statement("x", "SELECT 'x' AS x", text()))
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
	require.NotErrorIs(t, err, sqlq.ErrEngineFault)
	require.ErrorContains(t, err, "exit status 2: it is broken")
	missing := worker.New(worker.Config{
		Command: func() *exec.Cmd { return exec.Command("/nosuch/savedq") }, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Snapshot: func(context.Context, *sqlq.SavedQuery) (worker.Snapshot, error) {
			f.acquired.Add(1)
			return snapshot{1, &f.acquired}, nil
		},
	})
	defer missing.Close()
	_, err = missing.Run(t.Context(), statement("x", "SELECT 'x' AS x", text()))
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
	require.ErrorContains(t, err, "no such file")
}

// If there is no state to show, the statement fails with the error of the state.
func TestNoSnapshot(t *testing.T) {
	t.Parallel()
	none := worker.New(worker.Config{
		Command: commandOf(workArgument), Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Snapshot: func(context.Context, *sqlq.SavedQuery) (worker.Snapshot, error) { return nil, errors.New("no disk") },
	})
	defer none.Close()
	_, err := none.Run(t.Context(), statement("x", "SELECT 'x' AS x", text()))
	require.EqualError(t, err, "no disk")
}

// serve is a server with a process, which computes for minutes. It prints the number of the process.
func serve() {
	w := worker.New(worker.Config{
		Command: commandOf(workArgument), Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		Snapshot: func(context.Context, *sqlq.SavedQuery) (worker.Snapshot, error) {
			return snapshot{1, new(atomic.Int64)}, nil
		},
	})
	result, err := w.Run(context.Background(), statement(numbers, "", text()))
	if err != nil {
		panic(err)
	}
	go func() {
		_, _ = w.Run(context.Background(), statement("product", "SELECT count(*)::VARCHAR AS x FROM range(10000000) AS a(i), range(1000000) AS b(j) WHERE (i * j) % 7 = 3", text()))
	}()
	_, _ = fmt.Println(result.Rows[0][0])
	select {}
}

// A process ends with its server, also one that is killed, although it computes.
func TestProcessEndsWithItsServer(t *testing.T) {
	t.Parallel()
	server := exec.CommandContext(t.Context(), os.Args[0], serverArgument)
	output, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	var number int
	var state string
	_, err = fmt.Fscan(output, &number, &state)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(number, 0))
	require.NoError(t, server.Process.Kill())
	_ = server.Wait()
	require.Eventually(t, func() bool { return hasEnded(number) }, time.Minute, time.Millisecond)
}

// hasEnded reports whether a process has ended. One that nobody waits for stays as a zombie.
func hasEnded(number int) bool {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(number) + "/stat")
	if err == nil {
		return strings.HasPrefix(string(content[strings.LastIndexByte(string(content), ')'):]), ") Z")
	}
	return syscall.Kill(number, 0) != nil
}

// Signals that end a service, or that a terminal sends, leave the process to its server.
func TestProcessIgnoresSignals(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, 0)
	first, _ := f.process(t)
	number, err := strconv.Atoi(first)
	require.NoError(t, err)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		require.NoError(t, syscall.Kill(number, signal))
	}
	second, _ := f.process(t)
	assert.Equal(t, first, second)
}

// A state that cannot be shown any more is replaced by a later one, and nobody notices.
func TestOutdatedState(t *testing.T) {
	t.Parallel()
	f := newWorker(t, workArgument, time.Minute)
	f.state.Store(outdated)
	result, err := f.Run(t.Context(), statement(numbers, "SELECT 1", sqlq.Column{Name: "a", Type: sqlq.String}))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(result.Rows[0][0].(string), fmt.Sprint(" state ", outdated+1)), result.Rows) //nolint:forcetypeassert // It is a text.
	assert.Zero(t, f.Ends(worker.Fault))
}
