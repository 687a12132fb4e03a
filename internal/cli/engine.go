package cli

import (
	"strings"

	"github.com/alecthomas/kong"

	"savedq/internal/engines"
)

// engineFlags configure the engine that runs the saved queries.
type engineFlags struct {
	Engine string `enum:"${engines}" default:"${engine}" placeholder:"ENGINE" help:"Engine that runs the saved queries: ${enum}. Default: ${default}."`
	memoryFlags
	duckDBFlags
	bigQueryFlags
	clickHouseFlags
}

// all returns every engine that --engine can name, the default first. It is the one place
// where engines are listed.
func (f *engineFlags) all() []engineSetup {
	return []engineSetup{&f.duckDBFlags, &f.bigQueryFlags, &f.clickHouseFlags}
}

// mostConcurrency is the default of --engine-concurrency where nothing calls for less.
const mostConcurrency = 8

// engineSetup is one engine on the command line: its flags.
type engineSetup interface {
	// ValidateServe returns an error if a flag of "serve" does not fit the engine.
	ValidateServe(serve *serveCommand) error
	// memory returns the flag of the engine's part of --memory; nil if it takes none.
	memory() **byteSize
	// concurrency returns how many queries the engine runs at the same time, unless a flag says otherwise.
	concurrency() int
	// engine returns the engine that the flags configure. Its dialect has the name of --engine.
	engine() engines.Engine
}

// setup returns the engine that --engine names. The flag allows no other name.
func (f *engineFlags) setup() engineSetup {
	for _, setup := range f.all() {
		if setup.engine().Dialect().Name() == f.Engine {
			return setup
		}
	}
	return nil
}

// engine returns the engine that the flags configure.
func (f *engineFlags) engine() engines.Engine { return f.setup().engine() }

// engineNames returns the variables of the help of --engine.
func engineNames() kong.Vars {
	var names []string
	for _, setup := range new(engineFlags).all() {
		names = append(names, setup.engine().Dialect().Name())
	}
	return kong.Vars{"engines": strings.Join(names, ","), "engine": names[0]}
}

// splitMemory splits the memory of the process and sets the engine's part. cache is the
// part of the cache, or nil to choose it, and ingest that of ingest.
func (f *engineFlags) splitMemory(cache, ingest *byteSize, term *terminal) (memoryBudget, error) {
	part := f.setup().memory()
	parts := memorySplit{cache: cache.or(unchosen), ingest: ingest.or(0)}
	if part != nil {
		parts.duckDB = (*part).or(unchosen)
	}
	budget, err := f.budget(parts, term)
	if err == nil && part != nil {
		*part = new(byteSize(budget.duckDB))
	}
	return budget, err
}
