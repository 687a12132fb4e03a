// Package sqlcheck checks the SQL of saved queries in a separate process.
//
// DuckDB evaluates constant expressions while it compiles a query. It does not stop when
// the context ends, and allocates memory beyond its memory limit: list_sum(range(1,
// 400000000)) takes more than 10 GB for more than a minute. A process can be limited and
// killed.
package sqlcheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"savedq/internal/operations/memory"
	"savedq/sqlq"
)

const (
	// checkTimeout limits the check of one saved query.
	checkTimeout = 30 * time.Second
	// mostMemory limits the memory of the checks, in addition to what the worker has when it starts; see [memoryLimit].
	mostMemory = 512 << 20
	// startTimeout limits the start of a worker.
	startTimeout = time.Minute
)

// memoryLimit returns how much memory checks may take: a quarter of the container or the machine at most, because a
// server runs beside them.
func memoryLimit(available memory.Available, err error) int64 {
	const share = 4
	if err != nil {
		return mostMemory
	}
	return min(mostMemory, available.Bytes/share)
}

// constants is the advice for a check that exceeds a limit.
const constants = "DuckDB evaluates constant expressions, such as list_sum(range(1, 400000000)), while it compiles: make them smaller, or let them depend on the tables"

// Checker checks saved queries in a worker: a process that runs [Work]. It is not safe for
// concurrent use. Callers must call Close after use.
type Checker struct {
	newWorker func() *exec.Cmd
	timeout   time.Duration
	worker    *worker
}

// New returns a checker. newWorker must return the command of a worker that has not been
// started.
func New(newWorker func() *exec.Cmd) *Checker {
	return &Checker{newWorker: newWorker, timeout: checkTimeout}
}

// Check checks a saved query as [sqlq.Engine] does. A check that exceeds the limits of time
// or memory, or that crashes, is a mistake in the file.
func (c *Checker) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	if c.worker == nil {
		started, err := start(ctx, c.newWorker())
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, stopped(ctx)
		case err != nil:
			return nil, fmt.Errorf("start a process that checks the saved queries: %w", err)
		}
		c.worker = started
	}
	response, err := c.worker.check(ctx, query, c.timeout)
	if err == nil {
		switch {
		case response.Error != "":
			return nil, errors.New(response.Error)
		case len(response.Mistakes) > 0:
			return response.Plan, response.Mistakes
		}
		return response.Plan, nil
	}
	ended := c.worker.kill()
	c.worker = nil
	mistake := &sqlq.FileError{File: query.SQLFile}
	switch {
	case ctx.Err() != nil:
		return nil, stopped(ctx)
	case errors.Is(err, errTimeout):
		mistake.Message = fmt.Sprintf("compiling takes more than %s; %s", c.timeout, constants)
	case ended.status == statusMemory:
		mistake.Message = fmt.Sprintf("compiling takes more than %d MiB of memory; %s", memoryLimit(memory.Read())>>20, constants)
	default:
		mistake.Message = fmt.Sprintf("compiling crashes DuckDB (%s)", ended)
	}
	return nil, sqlq.FileErrors{mistake}
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("stopped while checking the saved queries: %w", ctx.Err())
}

// Close stops the worker, if there is one. It always returns nil.
func (c *Checker) Close() error {
	if c.worker != nil {
		c.worker.kill()
		c.worker = nil
	}
	return nil
}

// worker is a process that runs [Work].
type worker struct {
	command   *exec.Cmd
	requests  io.WriteCloser
	responses *json.Decoder
	stderr    bytes.Buffer
}

var errTimeout = errors.New("the worker did not respond in time")

// start starts a worker and waits until it is ready.
func start(ctx context.Context, command *exec.Cmd) (*worker, error) {
	w := &worker{command: command}
	command.Stderr = &w.stderr
	requests, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	w.requests = requests
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.responses = json.NewDecoder(output)
	if err := command.Start(); err != nil {
		return nil, err
	}
	if _, err := w.wait(ctx, startTimeout); err != nil {
		return nil, fmt.Errorf("%w (%s)", err, w.kill())
	}
	return w, nil
}

// check sends a saved query to the worker and waits for the response.
func (w *worker) check(ctx context.Context, query *sqlq.SavedQuery, timeout time.Duration) (*response, error) {
	if err := json.NewEncoder(w.requests).Encode(query); err != nil {
		return nil, err
	}
	return w.wait(ctx, timeout)
}

// wait waits for the next response. It kills a worker that does not respond in time.
func (w *worker) wait(ctx context.Context, timeout time.Duration) (*response, error) {
	kill := func() { _ = w.command.Process.Kill() } // it may have ended already
	timer, stop := time.AfterFunc(timeout, kill), context.AfterFunc(ctx, kill)
	next := &response{}
	err := w.responses.Decode(next)
	switch {
	case !stop():
		err = ctx.Err()
	case !timer.Stop():
		err = errTimeout
	}
	timer.Stop()
	return next, err
}

// end describes how a process ended.
type end struct {
	status int
	// reason is the status or the signal, and firstLine the first line of its standard
	// error.
	reason, firstLine string
}

func (e end) String() string {
	if e.firstLine == "" {
		return e.reason
	}
	return e.reason + ": " + e.firstLine
}

// kill kills the process, unless it has already ended, and returns how it ended.
func (w *worker) kill() end {
	_ = w.requests.Close()
	_ = w.command.Process.Kill() // it may have ended already
	_ = w.command.Wait()         // the state below has the reason
	line, _, _ := strings.Cut(w.stderr.String(), "\n")
	return end{status: w.command.ProcessState.ExitCode(), reason: w.command.ProcessState.String(), firstLine: line}
}
