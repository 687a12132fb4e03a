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
	// callersSpill is the directory in the data directory of the server for what does not fit into the memory of that process.
	callersSpill = "spill-callers"
)

// callersSettings are the settings of a process for SQL of callers.
type callersSettings struct {
	// Data is the directory with the store, and Spill the one for what does not fit into memory, which is created.
	Data        string   `json:"data"`
	Spill       string   `json:"spill"`
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

// withCallers makes an engine on a store run SQL of callers in another process, which shows the states of a configuration.
// It closes what was opened after an error.
func (d DuckDB) withCallers(opened *Opened, store embedded, config worker.Config, memoryBytes int64, directories []string, opening Opening) (*Opened, error) {
	settings := callersSettings{
		Data: d.Directory, Spill: filepath.Join(d.Directory, callersSpill),
		MemoryBytes: memoryBytes, SpillBytes: d.SpillBytes, Directories: directories,
	}
	if d.Follow != "" {
		settings.Data = d.Follow
	}
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a process for SQL of callers: %w", err), opened.Close())
	}
	config.Command = func() *exec.Cmd {
		return exec.Command(ownProgram(), CallersCommand, string(encoded)) //nolint:gosec,noctx // It is this program, and the worker ends it.
	}
	config.Clock, config.Logger = opening.Clock, opening.Logger
	callers := worker.New(config)
	closeEngine := opened.Close
	opened.Callers = callers
	opened.Engine, opened.Files = callersEngine{opened.Engine, store, callers}, callersFiles{opened.Files, callers}
	opened.Close = func() error {
		callers.Close()
		return closeEngine()
	}
	return opened, nil
}

// statesOf returns the configuration of a process that shows what a store has.
func statesOf(store *logstore.Store) worker.Config {
	return worker.Config{
		Snapshot: func(ctx context.Context, query *sqlq.SavedQuery) (worker.Snapshot, error) {
			readsRuns := strings.Contains(strings.ToLower(query.SQL), tables.RunsName)
			taken, err := store.Snapshot(ctx, readsRuns)
			if err != nil {
				return nil, err
			}
			return callersSnapshot{taken}, nil
		},
		Ended: store.ForgetSnapshot,
	}
}

// statesFollowed returns the configuration of a process that shows what a follower shows. Files that only an earlier manifest
// names may be gone, which the follower has open.
func statesFollowed(follower *logstore.Follower) worker.Config {
	return worker.Config{
		Snapshot: func(context.Context, *sqlq.SavedQuery) (worker.Snapshot, error) {
			number, manifest, err := follower.State()
			return followedState{number, manifest}, err
		},
		Outdated: func(ctx context.Context) {
			_, _ = follower.Refresh(ctx) // the server does that, too, and reports errors
		},
	}
}

// followedState is what a follower shows.
type followedState struct {
	number   uint64
	manifest parts.Manifest
}

// Number implements [worker.Snapshot].
func (s followedState) Number() uint64 { return s.number }

// Encode implements [worker.Snapshot].
func (s followedState) Encode() ([]byte, error) {
	return json.Marshal(callersState{Manifest: s.manifest})
}

// Release implements [worker.Snapshot]. Nothing was made for it.
func (followedState) Release() {}

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

	store   embedded
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
	if settings.Data == "" || settings.Spill == "" {
		return errors.New("the settings of the process for SQL of callers lack a directory; the server starts this command by itself")
	}
	const ownerOnly = 0o700
	if err := os.Mkdir(settings.Spill, ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create a directory for temporary files: %w", err)
	}
	options := []logstore.Option{logstore.WithSpillDirectory(settings.Spill), logstore.WithReadableDirectories(settings.Directories...)}
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
