package engines

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"slices"

	"savedq/internal/authoring/querytest"
	"savedq/internal/engines/sqlcheck"
	"savedq/internal/engines/worker"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
)

// DuckDB is the embedded engine, on the embedded store.
type DuckDB struct {
	Store
	// SpillBytes limits the disk space for what does not fit into memory while queries run. Nil
	// means the default of the store.
	SpillBytes *int64
	// Follow is the data directory of another process, or a copy of one, that is followed instead of a store of its own;
	// empty for none. Then Directory has only what does not fit into memory.
	Follow string
	// CallersProcess makes a server run SQL of callers in a process of its own, where the system has what that needs. The
	// program must have [CallersCommand].
	CallersProcess bool
}

var _ Engine = DuckDB{}

// Dialect implements [Engine].
func (DuckDB) Dialect() sqlq.Dialect { return duckdbsql.Dialect{} }

// KnowsChanges implements [Engine]: savedq is the only one that writes to the store.
func (DuckDB) KnowsChanges() bool { return true }

// Declare implements [Engine].
func (DuckDB) Declare(column sqlq.PlannedColumn) sqlq.Column { return duckdb.Declare(column) }

// OfflineChecker implements [Engine]. It checks against the tables of an empty store, in a
// separate process.
func (DuckDB) OfflineChecker() Checker { return newChecker() }

// Checker implements [Engine].
func (d DuckDB) Checker(context.Context, Environment) (Checker, error) {
	return d.OfflineChecker(), nil
}

// TestBackend implements [Engine]. Cases run in memory.
func (DuckDB) TestBackend(ctx context.Context, _ Environment) (TestBackend, error) {
	return querytest.OpenMemory(ctx)
}

// Open implements [Engine]. The saved queries were checked when the catalog was read.
func (d DuckDB) Open(ctx context.Context, opening Opening) (*Opened, error) {
	options := []logstore.Option{logstore.WithLogger(opening.Logger)}
	if d.SpillBytes != nil {
		options = append(options, logstore.WithSpillLimit(inBytes(*d.SpillBytes)))
	}
	directories := tablefiles.Directories(opening.Tables, opening.TableDirectories...)
	options = append(options, logstore.WithReadableDirectories(directories...))
	hasCallers, callersBytes := d.CallersProcess && opening.Serving && worker.Supported && d.MemoryBytes >= LeastForCallers, int64(0)
	if hasCallers {
		all := d.MemoryBytes
		d.MemoryBytes, callersBytes = divided(all)
		d.FrugalBelow -= all - d.MemoryBytes // it is about the memory of both
	}
	if d.Follow != "" {
		opened, err := d.follow(ctx, opening, options, directories)
		if err != nil || !hasCallers {
			return opened, err
		}
		return d.withCallers(opened, opened.Follower, statesFollowed(opened.Follower), callersBytes, directories, opening)
	}
	store, err := d.openFor(ctx, opening, options)
	if err != nil {
		return nil, err
	}
	for _, note := range store.Recovery().Notes() {
		opening.Logger.WarnContext(ctx, "the store was repaired or upgraded when it was opened", slog.String("what", note), slog.String("data", d.Directory))
	}
	err = store.Declare(ctx, opening.Tables)
	if err == nil && !opening.Serving { // a server fills fields while it runs
		_, err = store.Fill(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	opened := openedOn(store, store.Views(), opening, directories)
	opened.Store, opened.Ingest, opened.Changes = store, store, store.Changes()
	if hasCallers {
		return d.withCallers(opened, store, statesOf(store), callersBytes, directories, opening)
	}
	return opened, nil
}

// follow opens the engine on a store that another process writes.
func (d DuckDB) follow(ctx context.Context, opening Opening, options []logstore.Option, directories []string) (*Opened, error) {
	if opening.Serving {
		options = append(options, logstore.WithSpillDirectory(d.Directory))
	}
	follower, err := logstore.Follow(ctx, d.Follow, inBytes(d.MemoryBytes), options...)
	if err != nil {
		return nil, err
	}
	if err := follower.Declare(ctx, opening.Tables); err != nil {
		return nil, errors.Join(err, follower.Close())
	}
	opened := openedOn(follower, nil, opening, directories) // a copy can become one of another store, with parts of the same names
	opened.Follower, opened.Changes = follower, follower.Changes()
	return opened, nil
}

// embedded is a store of its own, or one that is followed.
type embedded interface {
	DB() *sql.DB
	Ping(ctx context.Context) error
	Declare(ctx context.Context, declared sqlq.Tables) error
	CheckFilled(query *sqlq.SavedQuery) error
	Close() error
}

// openedOn returns the engine on a store, whose views may be nil.
func openedOn(store embedded, views duckdb.Views, opening Opening, directories []string) *Opened {
	files := tablefiles.New(opening.Clock, directories)
	engine := duckdb.New(store.DB())
	if len(directories) > 0 {
		engine = duckdb.NewWithFiles(store.DB(), files)
	}
	engine.OnViews(views)
	closeAll := func() error {
		engine.Close()
		return store.Close()
	}
	redeclare := func(ctx context.Context, tables sqlq.Tables) error { return declare(ctx, store, files, tables) }
	return &Opened{Engine: filledEngine{engine, store}, Files: engine, Ping: store.Ping, Declare: redeclare, Retain: engine.Retain, Close: closeAll}
}

// declare gives an open store other tables. Files in other directories need a restart, because the access of the
// store is locked.
func declare(ctx context.Context, store embedded, files *tablefiles.Files, tables sqlq.Tables) error {
	var mistakes sqlq.FileErrors
	for _, table := range tables {
		if table.Files != nil && !files.Covers(table) {
			mistakes = append(mistakes, table.Files.Place.Mistakef("these files are in a directory that no table had when savedq started; restart it to read them"))
		}
	}
	if len(mistakes) > 0 {
		return mistakes
	}
	return store.Declare(ctx, tables)
}

// openFor opens the store for a server, or for a command.
func (d DuckDB) openFor(ctx context.Context, opening Opening, options []logstore.Option) (*logstore.Store, error) {
	if opening.Serving {
		return d.open(ctx, logstore.Open, options)
	}
	readsFiles := func(table *sqlq.Table) bool { return table.Files != nil }
	if !logstore.Exists(d.Directory) && slices.ContainsFunc(opening.Tables, readsFiles) {
		return logstore.OpenEmpty(ctx, options...) // files need no store
	}
	return d.OpenSettled(ctx, logstore.OpenExisting, opening.Logger, options...)
}

// filledEngine rejects saved queries that read fields which are not filled yet.
type filledEngine struct {
	*duckdb.Engine
	store embedded
}

// Run implements [sqlq.Engine].
func (e filledEngine) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if err := e.store.CheckFilled(statement.Query); err != nil {
		return nil, err
	}
	return e.Engine.Run(ctx, statement)
}

// WorkerCommand is the command of this program that checks DuckDB's SQL for the others. See
// package sqlcheck.
const WorkerCommand = "check-worker"

// newChecker returns a checker of DuckDB's SQL that runs this program as its worker.
func newChecker() *sqlcheck.Checker {
	return sqlcheck.New(func() *exec.Cmd {
		return exec.Command(ownProgram(), WorkerCommand) //nolint:gosec,noctx // It is this program, and the checker ends it.
	})
}

// ownProgram returns a path of the running program. On Linux the path works even if a newer
// version has replaced the file.
func ownProgram() string {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
