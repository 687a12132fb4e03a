package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"savedq/sqlq"
)

// Snapshot is a state of the store.
type Snapshot interface {
	// Number is greater for later states.
	Number() uint64
	// Encode returns the state for [Backend.Show].
	Encode() ([]byte, error)
	// Release must be called once the state is not shown any more. The process keeps what it has shown.
	Release()
}

// Config configures a worker.
type Config struct {
	// Command returns the command of a process that runs [Work].
	Command func() *exec.Cmd
	// Snapshot returns a state for a saved query that has everything that was visible when it was called.
	Snapshot func(ctx context.Context, query *sqlq.SavedQuery) (Snapshot, error)
	// Outdated is called after a state could not be shown because there is a later one, before Snapshot is called again. It
	// may be nil.
	Outdated func(ctx context.Context)
	// Ended is called after a process has ended; it may be nil.
	Ended func()
	// Idle is how long a process without requests stays. Zero means [DefaultIdle].
	Idle   time.Duration
	Clock  func() time.Time
	Logger *slog.Logger
}

// DefaultIdle is how long a process without requests stays.
const DefaultIdle = 5 * time.Minute

// Reasons for which processes end.
const (
	// Idle is the end of a process without requests.
	Idle = "idle"
	// Memory is the end of a process that took too much memory, by itself or by the kernel.
	Memory = "memory"
	// Crash is any other end of a process by itself.
	Crash = "crash"
	// Fault is the end of a process after an error of the engine itself.
	Fault = "fault"
	// closed is the end of the last process with the server.
	closed = "closed"
)

// Reasons returns the reasons for which processes end while the server runs.
func Reasons() []string { return []string{Idle, Memory, Crash, Fault} }

// Worker runs statements in another process, which it starts when there is a statement, and again when it has ended. It is
// safe for concurrent use.
type Worker struct {
	config Config
	// turns is held once by each run, and whole by one that is repeated alone.
	turns *semaphore.Weighted
	// starting is held while a process is started.
	starting *semaphore.Weighted

	mutex    sync.Mutex
	current  *process
	ends     map[string]int64
	isClosed bool
	// processes are those that have not ended.
	processes sync.WaitGroup
}

// New returns a worker. The caller must call Close.
func New(config Config) *Worker {
	if config.Idle == 0 {
		config.Idle = DefaultIdle
	}
	return &Worker{config: config, turns: semaphore.NewWeighted(math.MaxInt64), starting: semaphore.NewWeighted(1), ends: make(map[string]int64)}
}

// Close ends the process and waits for its end. There must be no more runs.
func (w *Worker) Close() {
	w.mutex.Lock()
	w.isClosed = true
	if w.current != nil {
		w.end(w.current, closed)
	}
	w.mutex.Unlock()
	w.processes.Wait()
}

// IsRunning reports whether there is a process.
func (w *Worker) IsRunning() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.current != nil
}

// Ends returns how many processes have ended for one of [Reasons].
func (w *Worker) Ends(reason string) int64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.ends[reason]
}

// Run runs a statement, as [sqlq.Engine] does, but for Emit.
//
// If the process ends meanwhile, or its memory is used up while other statements run, the statement runs once more: alone, so
// that it is known whether it is to blame. The error of such a statement has [sqlq.ErrEngineFault] in its cause.
func (w *Worker) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	request, err := newRequest(statement)
	if err != nil {
		return nil, err
	}
	body, err := encoded(request)
	if err != nil {
		return nil, err
	}
	var result *sqlq.Result
	err = w.do(ctx, statement.Query, func(p *process, begun func()) (failed *failure, err error) {
		result, failed, err = p.run(ctx, body, statement.Query, begun)
		return failed, err
	})
	return result, err
}

// AwaitFiles waits until the process has read the files of a saved query for the first time.
func (w *Worker) AwaitFiles(ctx context.Context, query *sqlq.SavedQuery) error {
	statement := sqlq.Statement{Query: query, Args: make([]sqlq.Arg, len(query.Params))}
	request, err := newRequest(statement)
	if err != nil {
		return err
	}
	body, err := encoded(request)
	if err != nil {
		return err
	}
	return w.do(ctx, query, func(p *process, begun func()) (*failure, error) {
		last, err := p.send(ctx, awaitPath, body, begun, func(*message) error { return errMalformed })
		if err != nil {
			return nil, err
		}
		return last.Failure, nil
	})
}

// sending sends a request to a process. It calls begun once the process has begun to work on it.
type sending func(p *process, begun func()) (*failure, error)

// do sends a request to the process, once more if the process ends.
func (w *Worker) do(ctx context.Context, query *sqlq.SavedQuery, send sending) error {
	var last outcome
	for _, weight := range []int64{1, math.MaxInt64} {
		if err := w.turns.Acquire(ctx, weight); err != nil {
			return sqlq.ContextError(ctx)
		}
		last = w.attempt(ctx, query, send)
		w.turns.Release(weight)
		switch {
		case !last.repeats:
			return last.err
		case ctx.Err() != nil:
			return sqlq.ContextError(ctx)
		case last.lost != nil && (last.isAlone || weight > 1):
			return blame(query, last.lost)
		}
	}
	return last.err
}

// unavailable returns the error while there is no process that runs statements.
func unavailable(cause error) error {
	return sqlq.Rejectf(sqlq.Unavailable, time.Second, "the engine for SQL of callers cannot be used; try again in a moment").WithCause(cause)
}

// outcome is how an attempt has ended.
type outcome struct {
	err error
	// repeats is true if the process ended, or has to, although the statement may not be to blame.
	repeats bool
	// lost is how the process has ended that had begun the statement, or nil; isAlone reports whether it ran nothing else.
	lost    *ending
	isAlone bool
}

// blame returns the error of a statement that has made a process end.
func blame(query *sqlq.SavedQuery, ended *ending) error {
	cause := fmt.Errorf("run %s: %w: the process has ended: %s", query.Name, sqlq.ErrEngineFault, ended.text)
	if ended.isMemory {
		return sqlq.Errorf(sqlq.ResourceExhausted, "the SQL takes more memory than the server has for it; ask for a shorter time range, or group by fewer values").WithCause(cause)
	}
	return cause
}

// ErrOutdated is in the cause of an error of [Backend.Show] for a state whose files are gone, because there is a later one.
var ErrOutdated = errors.New("there is a later state of the store")

// mostStates limits how many states are tried because there is a later one.
const mostStates = 5

// attempt sends a request to the process, which it starts if there is none.
func (w *Worker) attempt(ctx context.Context, query *sqlq.SavedQuery, send sending) outcome {
	p, err := w.acquire(ctx)
	if err != nil {
		return outcome{err: err}
	}
	for range mostStates {
		if err = w.show(ctx, p, query); !errors.Is(err, ErrOutdated) {
			break
		}
		if w.config.Outdated != nil {
			w.config.Outdated(ctx)
		}
	}
	hasBegun := false
	var failed *failure
	if err == nil {
		failed, err = send(p, func() { hasBegun = true })
	}
	switch {
	case errors.Is(err, errLost):
		w.awaitEnd(p)
		lost := outcome{err: unavailable(fmt.Errorf("%w: %s", err, p.ended.text)), repeats: true}
		if hasBegun {
			lost.lost, lost.isAlone = &p.ended, w.isAlone(p)
		}
		return lost
	case err == nil && failed != nil:
		err = failed.err()
	}
	isCrowded := w.release(ctx, p)
	isDoubtful := errors.Is(err, errNotShown) || errors.Is(err, errMalformed) || failed != nil && failed.leavesDoubt()
	if isDoubtful {
		w.mutex.Lock()
		w.end(p, Fault)
		w.mutex.Unlock()
	}
	isInnocent := isDoubtful && !errors.Is(err, sqlq.ErrEngineFault) || isCrowded && failed != nil && failed.isOfMemory()
	return outcome{err: err, repeats: isInnocent}
}

// suspicion is how long after a request was cancelled its statement can still make the process end.
const suspicion = 30 * time.Second

// isAlone reports whether a process that has ended ran one statement only.
func (w *Worker) isAlone(p *process) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return p.running == 1 && (p.abandoned.IsZero() || w.config.Clock().Sub(p.abandoned) > suspicion)
}

// awaitEnd waits for the end of a process that does not respond. It gets no more requests.
func (w *Worker) awaitEnd(p *process) {
	const patience = time.Second // the connection ends a moment before the process
	select {
	case <-p.done:
	case <-time.After(patience):
		p.kill()
		<-p.done
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.forget(p)
}

// forget makes the next request start another process. The mutex must be held.
func (w *Worker) forget(p *process) {
	if w.current == p {
		w.current = nil
	}
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
}

// acquire returns the process, which it starts if there is none. The caller must call release, unless the process has ended.
func (w *Worker) acquire(ctx context.Context) (*process, error) {
	if p := w.use(); p != nil {
		return p, nil
	}
	if err := w.starting.Acquire(ctx, 1); err != nil {
		return nil, sqlq.ContextError(ctx)
	}
	defer w.starting.Release(1)
	if p := w.use(); p != nil {
		return p, nil
	}
	p, err := start(w.config.Command())
	if err != nil {
		w.config.Logger.ErrorContext(ctx, "a process for SQL of callers cannot be started", slog.Any("error", err))
		return nil, unavailable(err)
	}
	w.config.Logger.InfoContext(ctx, "a process for SQL of callers was started")
	w.mutex.Lock()
	defer w.mutex.Unlock()
	p.running++
	w.current = p
	w.processes.Go(func() { w.watch(p) })
	if w.isClosed {
		w.end(p, closed)
	}
	return p, nil
}

// use counts a request to the process, if there is one.
func (w *Worker) use() *process {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	p := w.current
	if p == nil {
		return nil
	}
	p.running++
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
	return p
}

// release counts the end of a request, and reports whether there were others at the same time.
func (w *Worker) release(ctx context.Context, p *process) (others bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	p.running--
	if ctx.Err() != nil {
		p.abandoned = w.config.Clock()
	}
	switch {
	case p.running > 0:
	case p.reason != "":
		p.kill()
	default:
		p.idle = time.AfterFunc(w.config.Idle, func() {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			if p.running == 0 {
				w.end(p, Idle)
			}
		})
	}
	return p.running > 0
}

// end ends a process once it has responded to all requests; there will be no more. The mutex must be held.
func (w *Worker) end(p *process, reason string) {
	if p.reason == "" {
		p.reason = reason
	}
	w.forget(p)
	if p.running == 0 || w.isClosed {
		p.kill()
	}
}

// watch waits for the end of a process and counts it.
func (w *Worker) watch(p *process) {
	<-p.done
	w.mutex.Lock()
	reason := p.reason
	w.forget(p)
	switch {
	case reason != "":
	case p.ended.isMemory:
		reason = Memory
	default:
		reason = Crash
	}
	w.ends[reason]++
	w.mutex.Unlock()
	if w.config.Ended != nil {
		w.config.Ended()
	}
	logger := w.config.Logger.With(slog.String("reason", reason))
	switch reason {
	case closed:
	case Idle:
		logger.Info("the process for SQL of callers was ended")
	default:
		logger.Warn("the process for SQL of callers has ended, and the next SQL starts another one", slog.String("how", p.ended.text))
	}
}

// show makes a process show the present state, unless it shows that or a later one.
func (w *Worker) show(ctx context.Context, p *process, query *sqlq.SavedQuery) error {
	snapshot, err := w.config.Snapshot(ctx, query)
	if err != nil {
		return err
	}
	defer snapshot.Release()
	return p.show(ctx, snapshot)
}
