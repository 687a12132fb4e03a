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
}

// all returns every engine that --engine can name, the default first. It is the one place
// where engines are listed.
func (f *engineFlags) all() []engineSetup {
	return []engineSetup{&f.duckDBFlags, &f.bigQueryFlags}
}

// engineSetup is one engine on the command line: its flags.
type engineSetup interface {
	// Validate returns an error if a flag of the engine is wrong.
	Validate() error
	// ValidateServe returns an error if a flag of "serve" does not fit the engine.
	ValidateServe(serve *serveCommand) error
	// Memory returns the engine's part of --memory in bytes: 0 for none, or unchosen.
	Memory() int64
	// LimitMemory sets the engine's part of --memory. It is not called if Memory returns 0.
	LimitMemory(bytes int64)
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

// Validate implements kong's validation, which runs before anything is opened.
func (f *engineFlags) Validate() error { return f.setup().Validate() }

// splitMemory splits the memory of the process and sets the engine's part. cache is the
// part of the cache, or nil to choose it, and ingest that of ingest.
func (f *engineFlags) splitMemory(cache, ingest *byteSize, term *terminal) (memoryBudget, error) {
	setup := f.setup()
	parts := memorySplit{cache: unchosen, duckDB: setup.Memory()}
	if cache != nil {
		parts.cache = int64(*cache)
	}
	if ingest != nil {
		parts.ingest = int64(*ingest)
	}
	budget, err := f.budget(parts, term)
	if err == nil && parts.duckDB != 0 {
		setup.LimitMemory(budget.duckDB)
	}
	return budget, err
}
