package cli

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/alecthomas/kong"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// engineFlags configure the engine that runs the saved queries.
type engineFlags struct {
	Engine string `enum:"${engines}" default:"${engine}" placeholder:"ENGINE" help:"Engine that runs the saved queries: ${enum}. Default: ${default}."`
	memoryFlags
	duckDBFlags
	bigQueryFlags
}

// all returns every engine that --engine can name, the default first. It is the one place
// where engines are listed.
func (f *engineFlags) all() []engineSetup {
	return []engineSetup{&f.duckDBFlags, &f.bigQueryFlags}
}

// engineSetup is one engine on the command line: its flags, and how it is opened.
type engineSetup interface {
	// Dialect returns the SQL dialect, whose name is the engine's.
	Dialect() sqlq.Dialect
	// Validate returns an error if a flag of the engine is wrong.
	Validate() error
	// ValidateServe returns an error if a flag of "serve" does not fit the engine.
	ValidateServe(serve *serveCommand) error
	// Memory returns the engine's part of --memory in bytes: 0 for none, or unchosen.
	Memory() int64
	// LimitMemory sets the engine's part of --memory. It is not called if Memory returns 0.
	LimitMemory(bytes int64)
	// KnowsChanges reports whether the engine knows which of its rows have changed.
	KnowsChanges() bool
	// OfflineChecker returns a checker that needs neither flags nor a network, or nil if the
	// engine has none. Callers must close it.
	OfflineChecker() queryChecker
	// Checker returns a checker. Callers must close it.
	Checker(ctx context.Context, term *terminal) (queryChecker, error)
	// TestBackend returns what runs test cases. Callers must close it.
	TestBackend(ctx context.Context, term *terminal) (testBackend, error)
	// Declare returns the declared type for a column of the engine.
	Declare(column sqlq.PlannedColumn) sqlq.Column
	// Open opens the engine.
	Open(ctx context.Context, opening engineOpening) (*openedEngine, error)
}

// engineOpening is what an engine is opened with.
type engineOpening struct {
	// catalog holds the saved queries that the engine must be able to run.
	catalog *catalog.Catalog
	// openStore opens the embedded store, for the engine that runs on it.
	openStore openStore
	term      *terminal
	logger    *slog.Logger
}

// openedEngine is an engine that is ready to run saved queries.
type openedEngine struct {
	sqlq.Engine
	// store is the embedded store, or nil if the engine does not use it.
	store *logstore.Store
	// changes knows what has changed in the engine's tables. It is nil if the engine does not.
	changes sqlq.Changes
	// ping returns an error if the engine is unreachable.
	ping func(ctx context.Context) error
	// check returns the mistakes in saved queries that replace others. It is nil if the
	// engine has an offline checker.
	check func(ctx context.Context, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error)
	// retain releases what the engine keeps for other saved queries. It is nil if the engine
	// keeps nothing.
	retain func(queries []*sqlq.SavedQuery)
	close  func() error
}

// queryChecker checks saved queries, as [sqlq.Engine] does.
type queryChecker interface {
	Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error)
	Close() error
}

// setup returns the engine that --engine names. The flag allows no other name.
func (f *engineFlags) setup() engineSetup {
	for _, engine := range f.all() {
		if engine.Dialect().Name() == f.Engine {
			return engine
		}
	}
	return nil
}

// engineNames returns the variables of the help of --engine.
func engineNames() kong.Vars {
	var names []string
	for _, engine := range new(engineFlags).all() {
		names = append(names, engine.Dialect().Name())
	}
	return kong.Vars{"engines": strings.Join(names, ","), "engine": names[0]}
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *engineFlags) Validate() error { return f.setup().Validate() }

// splitMemory splits the memory of the process and sets the engine's part. cache is the
// part of the cache, or nil to choose it, and ingest that of ingest.
func (f *engineFlags) splitMemory(cache, ingest *byteSize, term *terminal) (memoryBudget, error) {
	engine := f.setup()
	parts := memorySplit{cache: unchosen, duckDB: engine.Memory()}
	if cache != nil {
		parts.cache = int64(*cache)
	}
	if ingest != nil {
		parts.ingest = int64(*ingest)
	}
	budget, err := f.budget(parts, term)
	if err == nil && parts.duckDB != 0 {
		engine.LimitMemory(budget.duckDB)
	}
	return budget, err
}

// warnOfNoLogs logs a warning if the embedded store is empty, as it is if --data names the
// wrong directory.
func (e *openedEngine) warnOfNoLogs(ctx context.Context, data string, logger *slog.Logger) {
	if e.store == nil {
		return
	}
	if empty, err := e.store.Empty(ctx); err == nil && empty {
		logger.WarnContext(ctx, "the store has no logs yet, so saved queries find no data; send some to /api/logs, or check --data",
			slog.String("data", data))
	}
}

// checkQueries returns the mistakes that the checker finds in saved queries.
func checkQueries(ctx context.Context, engine queryChecker, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error) {
	var found sqlq.FileErrors
	for _, query := range queries {
		_, err := engine.Check(ctx, query)
		var inFile sqlq.FileErrors
		switch {
		case errors.As(err, &inFile):
			found = append(found, inFile...)
		case err != nil:
			return nil, err
		}
	}
	return found, nil
}
