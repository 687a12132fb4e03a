package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
)

// engineFlags configure the engine that runs the saved queries.
type engineFlags struct {
	Engine string `enum:"duckdb,bigquery" default:"duckdb" placeholder:"ENGINE" help:"Engine that runs the saved queries: ${enum}. Default: ${default}."`
	storeFlags
	memoryFlags
	DuckDBMemory *byteSize `name:"duckdb-memory" placeholder:"SIZE" help:"DuckDB: its part of --memory. Default: what the reserve, the cache and Go leave."`
	DuckDBSpill  *byteSize `name:"duckdb-spill" placeholder:"SIZE" help:"DuckDB: most disk space that it takes in the data directory for what does not fit into memory while queries run; 0 is none. Default: 10GiB, or half of what is free on the disk, if that is less."`
	bigQueryFlags
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *engineFlags) Validate() error {
	if f.embedded() {
		if f.DuckDBMemory != nil && *f.DuckDBMemory < minDuckDBMemory {
			return fmt.Errorf("--duckdb-memory: must be at least %s", byteSize(minDuckDBMemory))
		}
		return f.storeFlags.Validate()
	}
	return f.bigQueryFlags.Validate()
}

func (f *engineFlags) dialect() sqlq.Dialect { return dialectOf(f.Engine) }

// embedded reports whether the engine runs on the embedded store.
func (f *engineFlags) embedded() bool { return isEmbedded(f.dialect()) }

// openedEngine is an engine that is ready to run saved queries.
type openedEngine struct {
	sqlq.Engine
	// store is the embedded store, or nil if the engine does not use it.
	store *logstore.Store
	// ping returns an error if the engine is unreachable.
	ping  func(ctx context.Context) error
	close func() error
}

// warnOfNoLogs logs a warning if the embedded store is empty, as it is if --data names the
// wrong directory.
func (e *openedEngine) warnOfNoLogs(ctx context.Context, data string, logger *slog.Logger) error {
	if e.store == nil {
		return nil
	}
	_, found, err := e.store.Newest(ctx)
	if err == nil && !found {
		logger.WarnContext(ctx, "the store holds no logs, every answer will be empty; stop the server, load some, and start it again",
			slog.String("data", data))
	}
	return err
}

// open opens the engine. For BigQuery it checks that the saved queries can run; those of
// DuckDB were checked when the catalog was read.
func (f *engineFlags) open(ctx context.Context, catalog *catalog.Catalog, openStore openStore, term *terminal, logger *slog.Logger) (*openedEngine, error) {
	if f.embedded() {
		store, err := openStore(ctx, f.Data, inDuckDB(f.DuckDBMemory), append(frugality(f.DuckDBMemory),
			logstore.WithSpillLimit(inDuckDB(f.DuckDBSpill)), logstore.WithLogger(logger))...)
		if err != nil {
			return nil, err
		}
		for _, note := range store.Recovery().Notes() {
			logger.WarnContext(ctx, "the store was mended when it was opened", slog.String("what", note), slog.String("data", f.Data))
		}
		return &openedEngine{Engine: duckdb.New(store.DB()), store: store, ping: store.Ping, close: store.Close}, nil
	}
	engine, err := f.connect(ctx, term, logger)
	if err != nil {
		return nil, err
	}
	if err := engine.CheckTables(ctx, catalog.Queries()); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	found, err := checkCatalog(ctx, engine, catalog)
	if err == nil {
		err = unusable(found)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return &openedEngine{Engine: engine, ping: engine.Ping, close: engine.Close}, nil
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

// frugality returns the store options for DuckDB's part of the memory.
func frugality(memory *byteSize) []logstore.Option {
	if memory != nil && *memory < lowDuckDBMemory {
		return []logstore.Option{logstore.WithFrugality()}
	}
	return nil
}
