package worker

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"

	"savedq/sqlq"
)

// process is a process that runs [Work].
type process struct {
	through *net.UnixConn
	client  *http.Client
	// done is closed when it has ended; ended can be read then.
	done  chan struct{}
	ended ending
	kill  func()

	// showing is held while it is made to show a state, and guards shown, the number of the last one.
	showing *semaphore.Weighted
	shown   uint64

	// The fields below are guarded by [Worker.mutex]. running counts the requests that it has not responded to.
	running int
	// reason is why the server ends it; empty while it does not.
	reason string
	// abandoned is when the last request was cancelled. Its statement may run for some time after that.
	abandoned time.Time
	idle      *time.Timer
}

// ending is how a process has ended.
type ending struct {
	// text is the status or the signal, and the first line of the standard error.
	text string
	// isMemory reports whether it took too much memory.
	isMemory bool
}

// start starts a process. It ends with the server: on Linux also if a thread of the server ends, so it is started by one
// that lasts as long.
func start(command *exec.Cmd) (*process, error) {
	ends, err := newPair()
	if err != nil {
		return nil, err
	}
	defer func() { _ = ends[1].Close() }()
	through, err := connectionOf(ends[0])
	if err != nil {
		return nil, err
	}
	output := new(beginning)
	command.Stdin, command.Stdout, command.Stderr = ends[1], output, output
	command.SysProcAttr = attributes()
	p := &process{through: through, done: make(chan struct{}), showing: semaphore.NewWeighted(1)}
	const mostIdle = 16
	transport := &http.Transport{
		DialContext:         func(context.Context, string, string) (net.Conn, error) { return pass(through) },
		MaxIdleConnsPerHost: mostIdle, DisableCompression: true,
	}
	p.client = &http.Client{Transport: transport}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err != nil {
			return
		}
		_ = command.Wait() // its state says how it has ended
		_ = through.Close()
		transport.CloseIdleConnections()
		p.ended = endingOf(command, output.String())
		close(p.done)
	}()
	if err := <-started; err != nil {
		_ = through.Close()
		return nil, err
	}
	p.kill = func() { _ = command.Process.Kill() } // it may have ended already
	return p, nil
}

// endingOf returns how the process of a command has ended.
func endingOf(command *exec.Cmd, output string) ending {
	found := ending{text: command.ProcessState.String()}
	if line, _, _ := strings.Cut(output, "\n"); line != "" {
		found.text += ": " + line
	}
	status, _ := command.ProcessState.Sys().(syscall.WaitStatus)
	found.isMemory = command.ProcessState.ExitCode() == statusMemory || status.Signaled() && status.Signal() == syscall.SIGKILL
	for _, sign := range []string{"out of memory", "cannot allocate memory", "bad_alloc"} {
		found.isMemory = found.isMemory || strings.Contains(strings.ToLower(output), sign)
	}
	return found
}

// beginning keeps the first bytes that are written to it: a crash says first what has happened. It is safe for concurrent
// use.
type beginning struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

// Write keeps what there is room for.
func (b *beginning) Write(text []byte) (int, error) {
	const most = 4096
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.bytes.Write(text[:min(len(text), most-b.bytes.Len())])
	return len(text), nil
}

// String returns what was kept.
func (b *beginning) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.String()
}

// errLost means that a process has ended, or behaves as if it had, before it has responded.
var errLost = errors.New("the process for SQL of callers has ended")

// mostMessage limits what is read of a message: a row can have all the bytes of a result.
const mostMessage = 2 * sqlq.MaxResultBytes

// send sends a request and passes the batches of the response on, after it has called begun. The error is errLost,
// that of the context, or of the
// response.
func (p *process) send(ctx context.Context, path string, body []byte, begun func(), each func(message *message) error) (*end, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://worker"+path, bytes.NewReader(body)) //nolint:forbidigo // It does not leave this machine.
	if err != nil {
		return nil, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, lost(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	limited := &io.LimitedReader{R: response.Body}
	decoder := gob.NewDecoder(limited)
	for {
		limited.N = mostMessage
		var received message
		if err := decoder.Decode(&received); err != nil {
			return nil, lost(ctx, err)
		}
		if received.Begins {
			begun()
			continue
		}
		if received.End != nil {
			_, _ = io.Copy(io.Discard, limited) // so that the connection can be used again
			return received.End, nil
		}
		if err := each(&received); err != nil {
			return nil, err
		}
	}
}

// lost returns the error of a request that has no response.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// encoded returns a value in the encoding of package gob.
func encoded(value any) ([]byte, error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(value); err != nil {
		return nil, fmt.Errorf("encode a request: %w", err)
	}
	return body.Bytes(), nil
}

// run runs a statement.
func (p *process) run(ctx context.Context, body []byte, query *sqlq.SavedQuery, begun func()) (*sqlq.Result, *failure, error) {
	columns := textual(query.Columns)
	result := &sqlq.Result{Columns: query.Columns, Rows: [][]any{}}
	last, err := p.send(ctx, runPath, body, begun, func(message *message) error {
		batch := sqlq.NewBatch(columns)
		vectors, err := batch.Vectors()
		if err == nil {
			err = fill(vectors, message.Columns, message.Rows)
		}
		if err != nil {
			return err
		}
		for row := range batch.Rows() {
			result.Rows = append(result.Rows, row)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case last.Failure != nil:
		return nil, last.Failure, nil
	}
	result.Truncated = last.Truncated
	return result, nil, nil
}

// errNotShown means that a process cannot show a state. Its instance of DuckDB may be of no more use.
var errNotShown = errors.New("the process for SQL of callers cannot show the store")

// show makes the process show a state, unless it shows that or a later one.
func (p *process) show(ctx context.Context, snapshot Snapshot) error {
	if err := p.showing.Acquire(ctx, 1); err != nil {
		return sqlq.ContextError(ctx)
	}
	defer p.showing.Release(1)
	if p.shown >= snapshot.Number() {
		return nil
	}
	state, err := snapshot.Encode()
	if err != nil {
		return err
	}
	last, err := p.send(ctx, showPath, state, func() {}, func(*message) error { return errMalformed })
	switch {
	case err != nil:
		return err
	case last.Failure != nil:
		return unavailable(fmt.Errorf("%w: %w", errNotShown, last.Failure.err()))
	}
	p.shown = snapshot.Number()
	return nil
}
