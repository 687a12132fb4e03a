package cli

import (
	"runtime"

	"savedq/internal/engines"
)

// duckDBFlags configure the embedded engine.
type duckDBFlags struct {
	storeFlags
	DuckDBMemory *byteSize `name:"duckdb-memory" min:"64MiB" placeholder:"SIZE" needs:"engine=duckdb" help:"DuckDB: its part of --memory, of which SQL of callers has a quarter. Default: what the reserve, the cache and Go leave."`
	DuckDBSpill  *byteSize `name:"duckdb-spill" placeholder:"SIZE" needs:"engine=duckdb" help:"DuckDB: most disk space that it takes in the data directory for what does not fit into memory while queries run; 0 is none. Default: 10GiB, or half of what is free on the disk, if that is less."`
}

// storeFlags configure the embedded store.
type storeFlags struct {
	Data string `default:"./data" placeholder:"DIR" called:"db,database,dir,directory,path,store,storage" unless:"to,url" help:"Directory of the embedded log store, and of what tokens used; serve and load create it. Default: ${default}."`
}

// ValidateServe implements engineSetup.
func (f *duckDBFlags) ValidateServe(*serveCommand) error { return nil }

// memory implements engineSetup.
func (f *duckDBFlags) memory() **byteSize { return &f.DuckDBMemory }

// concurrency implements engineSetup. DuckDB computes on the processors of this machine, so more queries at a time make each of
// them slower and none of them faster.
func (f *duckDBFlags) concurrency() int {
	const least, perProcessor = 4, 2
	return min(mostConcurrency, max(least, perProcessor*runtime.GOMAXPROCS(0)))
}

// engine implements engineSetup. Its memory is set once it has been split.
func (f *duckDBFlags) engine() engines.Engine {
	return engines.DuckDB{Store: storeOf(f.Data, f.DuckDBMemory.or(unchosen), engines.LowMemory), SpillBytes: (*int64)(f.DuckDBSpill), CallersProcess: true}
}

// storeOf returns how a store is opened with an amount of memory. It is frugal below another one.
func storeOf(directory string, memory, frugalBelow int64) engines.Store {
	return engines.Store{Directory: directory, MemoryBytes: memory, FrugalBelow: frugalBelow, Program: version()}
}
