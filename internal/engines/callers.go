package engines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"savedq/internal/engines/worker"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/runner"
	"savedq/sqlq/tables"
)

// CallersCommand is the command of this program that runs SQL of callers for a server, with its settings as JSON. See
// package worker.
const CallersCommand = "callers-worker"

const (
	// callersShare is the share of DuckDB's memory that the process for SQL of callers has, as one of so many parts. Both it and
	// the server have at least leastDuckDBMemory, which DuckDB needs to run one saved query.
	callersShare      = 4
	leastDuckDBMemory = 64 << 20
	// LeastForCallers is the least memory of DuckDB with which SQL of callers has a process of its own.
	LeastForCallers = 2 * leastDuckDBMemory
	// callersSpill is the directory in the data directory for what does not fit into the memory of that process.
	callersSpill = "spill-callers"
)

// callersSettings are the settings of a process for SQL of callers.
type callersSettings struct {
	Data        string   `json:"data"`
	MemoryBytes int64    `json:"memory_bytes"`
	SpillBytes  *int64   `json:"spill_bytes,omitempty"`
	Directories []string `json:"directories,omitempty"`
}

// callersState is the state of the store that a process shows.
type callersState struct {
	Manifest parts.Manifest `json:"manifest"`
	Recent   string         `json:"recent,omitempty"`
}

// divided returns what of DuckDB's memory the server has, and what the process for SQL of callers has.
func divided(bytes int64) (server, callers int64) {
	callers = max(bytes/callersShare, leastDuckDBMemory)
	return max(bytes-callers, leastDuckDBMemory), callers
}

// withCallers makes an engine run SQL of callers in another process. It closes what was opened after an error.
func (d DuckDB) withCallers(opened *Opened, memoryBytes int64, directories []string, opening Opening) (*Opened, error) {
	callers, err := d.newCallers(opened.Store, memoryBytes, directories, opening)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	closeEngine := opened.Close
	opened.Callers = callers
	opened.Engine, opened.Files = callersEngine{opened.Engine, opened.Store, callers}, callersFiles{opened.Files, callers}
	opened.Close = func() error {
		callers.Close()
		return closeEngine()
	}
	return opened, nil
}

// newCallers returns what runs SQL of callers in a process of its own, on what a store shows.
func (d DuckDB) newCallers(store *logstore.Store, memoryBytes int64, directories []string, opening Opening) (*worker.Worker, error) {
	settings, err := json.Marshal(callersSettings{
		Data: d.Directory, MemoryBytes: memoryBytes, SpillBytes: d.SpillBytes, Directories: directories,
	})
	if err != nil {
		return nil, fmt.Errorf("start a process for SQL of callers: %w", err)
	}
	return worker.New(worker.Config{
		Command: func() *exec.Cmd {
			return exec.Command(ownProgram(), CallersCommand, string(settings)) //nolint:gosec,noctx // It is this program, and the worker ends it.
		},
		Snapshot: func(ctx context.Context, query *sqlq.SavedQuery) (worker.Snapshot, error) {
			readsRuns := strings.Contains(strings.ToLower(query.SQL), tables.RunsName)
			taken, err := store.Snapshot(ctx, readsRuns)
			if err != nil {
				return nil, err
			}
			return callersSnapshot{taken}, nil
		},
		Ended: store.ForgetSnapshot, Clock: opening.Clock, Logger: opening.Logger,
	}), nil
}

// callersSnapshot is a snapshot of a store.
type callersSnapshot struct{ *logstore.Snapshot }

// Number implements [worker.Snapshot].
func (s callersSnapshot) Number() uint64 { return s.Snapshot.Number }

// Encode implements [worker.Snapshot].
func (s callersSnapshot) Encode() ([]byte, error) {
	return json.Marshal(callersState{s.Manifest, s.Recent})
}

// callersEngine runs SQL of callers in another process.
type callersEngine struct {
	sqlq.Engine

	store   *logstore.Store
	callers *worker.Worker
}

// Run implements [sqlq.Engine].
func (e callersEngine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if statement.Query.Callers == nil {
		return e.Engine.Run(ctx, statement)
	}
	if err := e.store.CheckFilled(statement.Query); err != nil {
		return nil, err
	}
	return e.callers.Run(ctx, statement)
}

// callersFiles are files that are read in this process, and by SQL of callers in another one.
type callersFiles struct {
	runner.Files

	callers *worker.Worker
}

// AwaitFiles implements [runner.Files].
func (f callersFiles) AwaitFiles(ctx context.Context, query *sqlq.SavedQuery) error {
	if err := f.Files.AwaitFiles(ctx, query); err != nil || query.Callers == nil {
		return err
	}
	return f.callers.AwaitFiles(ctx, query)
}

// WorkForCallers runs SQL of callers for a server until a socket is closed. The process then has to end.
func WorkForCallers(ctx context.Context, socket *os.File, encoded string, clock func() time.Time) error {
	var settings callersSettings
	if err := json.Unmarshal([]byte(encoded), &settings); err != nil {
		return fmt.Errorf("read the settings of the process for SQL of callers: %w; the server starts this command by itself", err)
	}
	if settings.Data == "" {
		return errors.New("the settings of the process for SQL of callers lack the data directory; the server starts this command by itself")
	}
	spill := filepath.Join(settings.Data, callersSpill)
	const ownerOnly = 0o700
	if err := os.Mkdir(spill, ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create a directory for temporary files: %w", err)
	}
	options := []logstore.Option{logstore.WithSpillDirectory(spill), logstore.WithReadableDirectories(settings.Directories...)}
	if settings.SpillBytes != nil {
		options = append(options, logstore.WithSpillLimit(inBytes(*settings.SpillBytes)))
	}
	follower, err := logstore.Follow(ctx, settings.Data, inBytes(settings.MemoryBytes), options...)
	if err != nil {
		return err
	}
	backend := &callersBackend{duckdb.New(follower.DB()), follower}
	if len(settings.Directories) > 0 {
		backend.Engine = duckdb.NewWithFiles(follower.DB(), tablefiles.New(clock, settings.Directories))
	}
	backend.ForCallers()
	// Nothing is closed, because that would wait for statements that nobody waits for.
	return worker.Work(socket, backend, settings.MemoryBytes)
}

// callersBackend runs statements on what a follower shows.
type callersBackend struct {
	*duckdb.Engine

	follower *logstore.Follower
}

var _ worker.Backend = (*callersBackend)(nil)

// Show implements [worker.Backend].
func (b *callersBackend) Show(ctx context.Context, encoded []byte) error {
	var state callersState
	if err := json.Unmarshal(encoded, &state); err != nil {
		return fmt.Errorf("read a state of the store: %w", err)
	}
	err := b.follower.Show(ctx, state.Manifest, state.Recent)
	if errors.Is(err, logstore.ErrOutdated) {
		return fmt.Errorf("%w: %w", worker.ErrOutdated, err)
	}
	return err
}
