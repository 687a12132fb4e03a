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

// engineFlags say which engine runs the saved queries, and where.
type engineFlags struct {
	Engine string `enum:"duckdb,bigquery" default:"duckdb" placeholder:"ENGINE" help:"Engine that runs the saved queries: ${enum}. Default: ${default}."`
	storeFlags
	memoryFlags
	DuckDBMemory *byteSize `name:"duckdb-memory" placeholder:"SIZE" help:"DuckDB: its part of --memory. Default: what the reserve, the cache and Go leave."`
	DuckDBSpill  *byteSize `name:"duckdb-spill" placeholder:"SIZE" help:"DuckDB: most disk space that it takes in the data directory for what does not fit into memory while queries run; 0 is none. Default: 10GiB, or half of what is free on the disk, if that is less."`
	bigQueryFlags
}

// Validate is called by kong before anything is opened.
func (f *engineFlags) Validate() error {
	if f.embedded() {
		if f.DuckDBMemory != nil && *f.DuckDBMemory < leastDuckDBMemory {
			return fmt.Errorf("--duckdb-memory: must be at least %s", byteSize(leastDuckDBMemory))
		}
		return f.storeFlags.Validate()
	}
	return f.bigQueryFlags.Validate()
}

func (f *engineFlags) dialect() sqlq.Dialect { return dialectOf(f.Engine) }

// embedded reports whether the engine is the one on the embedded store.
func (f *engineFlags) embedded() bool { return isEmbedded(f.dialect()) }

// openedEngine is an engine that is ready to run saved queries.
type openedEngine struct {
	sqlq.Engine
	// store is the embedded store, where the engine works on it.
	store *logstore.Store
	// ping is an error where the engine cannot be reached.
	ping  func(ctx context.Context) error
	close func() error
}

// warnOfNoLogs says that the embedded store holds nothing, as it does where it has just
// been made because --data names another directory than that of the logs.
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

// open opens the engine and proves that it can run the saved queries of the
// catalog. DuckDB's have been checked when the catalog was read.
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

// openStore opens the embedded store in a directory, with a memory limit as
// [logstore.Open] has it.
type openStore func(ctx context.Context, directory, memoryLimit string, options ...logstore.Option) (*logstore.Store, error)

// inDuckDB is a size in DuckDB's spelling; empty for its default.
func inDuckDB(size *byteSize) string {
	if size == nil {
		return ""
	}
	return strconv.FormatInt(int64(*size), 10) + "B"
}

// fewDuckDBMemory is how much memory is so little for DuckDB that what it takes beside its
// limit matters.
const fewDuckDBMemory = 256 << 20

// frugality returns the options of a store that suit DuckDB's part of the memory.
func frugality(memory *byteSize) []logstore.Option {
	if memory != nil && *memory < fewDuckDBMemory {
		return []logstore.Option{logstore.WithFrugality()}
	}
	return nil
}
