package cli

import (
	"context"
	"log/slog"
	"math/rand/v2"

	"savedq/internal/engines"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// openRunner opens the engine and returns a runner of the saved queries without a cache. Callers
// must call end.
func openRunner(ctx context.Context, term *terminal, flags *engineFlags, tableDirectories []string, read *catalog.Catalog) (_ *runner.Runner, end func() error, err error) {
	if _, err := flags.splitMemory(new(byteSize), nil, term); err != nil { // nothing is cached
		return nil, nil, err
	}
	environment := term.environment(slog.LevelWarn)
	engine, err := flags.engine().Open(ctx, engines.Opening{Environment: environment, Queries: read.Queries(), Tables: read.Tables(), TableDirectories: tableDirectories})
	if err != nil {
		return nil, nil, err
	}
	return runner.New(runner.Config{
		Catalog: read, Engine: engine, Clock: term.clock, Logger: environment.Logger, Random: rand.Float64,
		QueryTimeout: queryTimeout, SandboxTimeout: queryTimeout, QueueTimeout: queryTimeout, StreamTimeout: queryTimeout, EngineConcurrency: 1,
	}), engine.Close, nil
}
