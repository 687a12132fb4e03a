package sqlqtest

import (
	"log/slog"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// Config configures a runner for tests, with a cache of 64 MiB, no log and no randomness.
// Tests change the fields that they are about.
func Config(catalog *catalog.Catalog, engine sqlq.Engine, clock func() time.Time) runner.Config {
	return runner.Config{
		Catalog: catalog, Engine: engine, Clock: clock,
		Logger:            slog.New(slog.DiscardHandler),
		Random:            func() float64 { return 0.5 }, // no jitter
		QueryTimeout:      30 * time.Second,
		EngineConcurrency: 4,
		QueueTimeout:      10 * time.Second,
		CacheBytes:        64 << 20,
		StaleIfError:      time.Hour,
		WarmConcurrency:   2,
	}
}
