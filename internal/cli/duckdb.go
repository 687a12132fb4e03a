package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"savedq/internal/logs/logstore"
	"savedq/internal/querytest"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
)

// duckDBFlags configure the embedded engine.
type duckDBFlags struct {
	storeFlags
	DuckDBMemory *byteSize `name:"duckdb-memory" placeholder:"SIZE" needs:"engine=duckdb" help:"DuckDB: its part of --memory. Default: what the reserve, the cache and Go leave."`
	DuckDBSpill  *byteSize `name:"duckdb-spill" placeholder:"SIZE" needs:"engine=duckdb" help:"DuckDB: most disk space that it takes in the data directory for what does not fit into memory while queries run; 0 is none. Default: 10GiB, or half of what is free on the disk, if that is less."`
}

// storeFlags configure the embedded store.
type storeFlags struct {
	Data string `default:"./data" placeholder:"DIR" unless:"to,url" help:"Directory of the embedded log store, and of what tokens used; serve and load create it. Default: ${default}."`
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *storeFlags) Validate() error {
	if f.Data == "" {
		return errors.New("--data: must name a directory")
	}
	return nil
}

// Dialect implements engineSetup.
func (f *duckDBFlags) Dialect() sqlq.Dialect { return duckdbsql.Dialect{} }

// Validate implements engineSetup.
func (f *duckDBFlags) Validate() error {
	if f.DuckDBMemory != nil && *f.DuckDBMemory < minDuckDBMemory {
		return fmt.Errorf("--duckdb-memory: must be at least %s", byteSize(minDuckDBMemory))
	}
	return f.storeFlags.Validate()
}

// ValidateServe implements engineSetup.
func (f *duckDBFlags) ValidateServe(*serveCommand) error { return nil }

// Memory implements engineSetup.
func (f *duckDBFlags) Memory() int64 {
	if f.DuckDBMemory == nil {
		return unchosen
	}
	return int64(*f.DuckDBMemory)
}

// LimitMemory implements engineSetup.
func (f *duckDBFlags) LimitMemory(bytes int64) { f.DuckDBMemory = new(byteSize(bytes)) }

// KnowsChanges implements engineSetup: savedq is the only one that writes to the store.
func (f *duckDBFlags) KnowsChanges() bool { return true }

// TestBackend implements engineSetup. Cases run in memory.
func (f *duckDBFlags) TestBackend(ctx context.Context, _ *terminal) (testBackend, error) {
	return querytest.OpenMemory(ctx)
}

// Declare implements engineSetup.
func (f *duckDBFlags) Declare(column sqlq.PlannedColumn) sqlq.Column { return duckdb.Declare(column) }

// OfflineChecker implements engineSetup. It checks against the tables of an empty store, in
// a separate process.
func (f *duckDBFlags) OfflineChecker() queryChecker { return newChecker() }

// Checker implements engineSetup.
func (f *duckDBFlags) Checker(context.Context, *terminal) (queryChecker, error) {
	return f.OfflineChecker(), nil
}

// Open implements engineSetup. The saved queries were checked when the catalog was read.
func (f *duckDBFlags) Open(ctx context.Context, opening engineOpening) (*openedEngine, error) {
	store, err := opening.openStore(ctx, f.Data, inDuckDB(f.DuckDBMemory), append(frugality(f.DuckDBMemory, lowDuckDBMemory),
		logstore.WithSpillLimit(inDuckDB(f.DuckDBSpill)), logstore.WithLogger(opening.logger), logstore.WithProgram(version()))...)
	if err != nil {
		return nil, err
	}
	for _, note := range store.Recovery().Notes() {
		opening.logger.WarnContext(ctx, "the store was repaired or upgraded when it was opened", slog.String("what", note), slog.String("data", f.Data))
	}
	engine := duckdb.New(store.DB())
	return &openedEngine{Engine: engine, store: store, changes: store.Changes(), ping: store.Ping, retain: engine.Retain, close: store.Close}, nil
}

// openStore opens the embedded store in a directory, with the memory limit of
// [logstore.Open].
type openStore func(ctx context.Context, directory, memoryLimit string, options ...logstore.Option) (*logstore.Store, error)

// inDuckDB formats a size for DuckDB. It returns an empty string for DuckDB's default.
func inDuckDB(size *byteSize) string {
	if size == nil {
		return ""
	}
	return strconv.FormatInt(int64(*size), 10) + "B"
}

// lowDuckDBMemory is the part of the memory below which DuckDB's allocations beyond its
// limit matter.
const lowDuckDBMemory = 256 << 20

// frugality returns the store options for DuckDB's part of the memory: a store is frugal if it is less than low.
func frugality(memory *byteSize, low byteSize) []logstore.Option {
	if memory != nil && *memory < low {
		return []logstore.Option{logstore.WithFrugality()}
	}
	return nil
}
