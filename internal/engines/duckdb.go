package engines

import (
	"context"
	"log/slog"

	"savedq/internal/logs/logstore"
	"savedq/internal/querytest"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
)

// DuckDB is the embedded engine, on the embedded store.
type DuckDB struct {
	Store
	// SpillBytes limits the disk space for what does not fit into memory while queries run. Nil
	// means the default of the store.
	SpillBytes *int64
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
	store, err := d.openFor(ctx, opening, options)
	if err != nil {
		return nil, err
	}
	for _, note := range store.Recovery().Notes() {
		opening.Logger.WarnContext(ctx, "the store was repaired or upgraded when it was opened", slog.String("what", note), slog.String("data", d.Directory))
	}
	engine := duckdb.New(store.DB())
	return &Opened{Engine: engine, Store: store, Changes: store.Changes(), Ping: store.Ping, Retain: engine.Retain, Close: store.Close}, nil
}

// openFor opens the store for a server, or for a command.
func (d DuckDB) openFor(ctx context.Context, opening Opening, options []logstore.Option) (*logstore.Store, error) {
	if opening.Serving {
		return d.open(ctx, logstore.Open, append(options, logstore.WithoutAutomaticCheckpoints()))
	}
	return d.OpenSettled(ctx, logstore.OpenExisting, opening.Logger, options...)
}
