package sqlqtest

import (
	"log/slog"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// Config configures a runner for tests: it keeps answers in 64 MiB, writes no log,
// and nothing about it is random. A test changes what it is about.
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
