// Package engines opens the engines that run saved queries, and reads the saved queries for
// them.
package engines

import (
	"context"
	"log/slog"
	"time"

	"savedq/internal/authoring/querytest"
	"savedq/internal/engines/worker"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Engine is one engine with its settings.
type Engine interface {
	// Dialect returns the SQL dialect, whose name is the engine's.
	Dialect() sqlq.Dialect
	// KnowsChanges reports whether the engine knows which of its rows have changed.
	KnowsChanges() bool
	// Declare returns the declared type for a column of the engine.
	Declare(column sqlq.PlannedColumn) sqlq.Column
	// OfflineChecker returns a checker that needs neither settings nor a network, or nil if the
	// engine has none. Callers must close it.
	OfflineChecker() Checker
	// Checker returns a checker. Callers must close it.
	Checker(ctx context.Context, environment Environment) (Checker, error)
	// TestBackend returns what runs test cases. Callers must close it.
	TestBackend(ctx context.Context, environment Environment) (TestBackend, error)
	// Open opens the engine.
	Open(ctx context.Context, opening Opening) (*Opened, error)
}

// Environment is what an engine uses of the process.
type Environment struct {
	Clock  func() time.Time
	Getenv func(name string) string
	Logger *slog.Logger
}

// Opening is what an engine is opened with.
type Opening struct {
	Environment
	// Queries are the saved queries that the engine must be able to run.
	Queries []*sqlq.SavedQuery
	// Tables are the tables that they can read, and TableDirectories are where others can appear.
	Tables           sqlq.Tables
	TableDirectories []string
	// Data is the data directory of a server.
	Data string
	// Serving means that a server opens the engine, whose ingest writer creates and fills
	// the embedded store. Others need a store that exists, and see the events that a killed
	// server has acknowledged.
	Serving bool
}

// Opened is an engine that is ready to run saved queries.
type Opened struct {
	sqlq.Engine
	// Store is the embedded store, or nil if the engine does not use it.
	Store *logstore.Store
	// Ingest is where the events go that a server receives: the embedded store, or tables of the engine. It is nil if the
	// server takes none.
	Ingest ingest.Store
	// Complete completes, in the background of a server, what an earlier process was adding. It is nil if there is nothing of
	// that kind.
	Complete func(ctx context.Context)
	// Follower follows a store that another process writes, or is nil.
	Follower *logstore.Follower
	// Changes knows what has changed in the engine's tables. It is nil if the engine does not.
	Changes sqlq.Changes
	// Files knows the files that saved queries read. It is nil if the engine reads none.
	Files runner.Files
	// Callers runs SQL of callers in another process. It is nil if the engine runs it as all other SQL.
	Callers *worker.Worker
	// Ping returns an error if the engine is unreachable.
	Ping func(ctx context.Context) error
	// CheckQueries returns the mistakes in saved queries that replace others. It is nil if the
	// engine has an offline checker.
	CheckQueries func(ctx context.Context, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error)
	// Declare gives the engine other tables. It is nil if the engine needs to know none.
	Declare func(ctx context.Context, tables sqlq.Tables) error
	// Retain releases what the engine keeps for other saved queries. It is nil if the engine
	// keeps nothing.
	Retain func(queries []*sqlq.SavedQuery)
	Close  func() error
}

// Checker checks saved queries, as [sqlq.Engine] does.
type Checker interface {
	Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error)
	Close() error
}

// ColumnChecker is a Checker that compares declared columns of tables with the engine's.
type ColumnChecker interface {
	CheckColumns(ctx context.Context, tables sqlq.Tables) (sqlq.FileErrors, error)
}

// TestBackend is what test cases run on.
type TestBackend interface {
	querytest.Backend
	Checker
}
