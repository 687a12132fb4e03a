package cli

import (
	"time"

	"savedq/internal/engines"
	"savedq/sqlq/runner"
)

// cacheFlags configure the cache and the load on the engine.
type cacheFlags struct {
	CacheBytes         *byteSize     `placeholder:"SIZE" help:"Most memory for cached responses, rows and encoded bytes alike, as a part of --memory; 0 disables the cache. Default: a quarter of --memory, less below 256MiB, at most 1GiB."`
	StaleIfError       time.Duration `default:"1h" min:"0s" placeholder:"DURATION" help:"How long an expired cache entry is still served, marked as STALE, while the engine fails. Default: ${default}."`
	WarmConcurrency    int           `default:"2" min:"0" placeholder:"N" help:"How many cache entries are refreshed in the background at the same time; 0 disables warming. Default: ${default}."`
	EngineConcurrency  *int          `min:"1" placeholder:"N" help:"How many queries the engine runs at the same time. From four on, a quarter of them is left for other tokens than the one with the most, and fast queries may exceed it by a quarter while slow ones run. Default: 8, with DuckDB twice the number of processors if that is less, but at least 4."`
	SandboxTimeout     time.Duration `default:"10s" min:"1ms" placeholder:"DURATION" help:"Longest time that SQL of a caller may take, if that is shorter than --query-timeout. Default: ${default}."`
	SandboxConcurrency *int          `min:"1" placeholder:"N" help:"How many of --engine-concurrency may run SQL of callers at the same time. Default: 2, or 1 if DuckDB has less than 128MiB."`
	StreamTimeout      time.Duration `default:"10m" min:"1ms" placeholder:"DURATION" help:"Longest time that a saved query with 'stream: true' may take, until the caller has all rows. Default: ${default}."`
	QueueLength        int           `default:"256" min:"1" placeholder:"N" help:"How many queries wait in the queue, at most three quarters of them of one token; further ones get 503 at once. Default: ${default}."`
	QueueTarget        time.Duration `default:"200ms" min:"1ms" placeholder:"DURATION" help:"How long a query waits in the queue under a lasting overload before it gets 503, or as long as the query usually takes, if that is longer. In a burst it waits up to three times as long. Default: ${default}."`
	QueueTimeout       time.Duration `default:"10s" min:"1ms" placeholder:"DURATION" help:"Longest time that a query waits in the queue before it gets 503, however long it takes. Default: ${default}."`
}

// chooseSandboxConcurrency sets how many texts of callers run at the same time, unless a flag says it. Where they have no
// process of their own for want of memory, two together would take what the server has.
func (f *cacheFlags) chooseSandboxConcurrency(budget memoryBudget) {
	switch {
	case f.SandboxConcurrency != nil:
	case budget.duckDB > 0 && budget.duckDB < engines.LeastForCallers:
		f.SandboxConcurrency = new(1)
	default:
		f.SandboxConcurrency = new(2)
	}
}

// runnerConfig returns the limits of the runner. The size of the cache and the concurrency of callers' SQL are set once the
// memory has been split. engineConcurrency is the engine's own limit.
func (f *cacheFlags) runnerConfig(queryTimeout time.Duration, engineConcurrency int) runner.Config {
	if f.EngineConcurrency != nil {
		engineConcurrency = *f.EngineConcurrency
	}
	return runner.Config{
		QueryTimeout:       queryTimeout,
		EngineConcurrency:  engineConcurrency,
		SandboxTimeout:     min(f.SandboxTimeout, queryTimeout),
		SandboxConcurrency: *f.SandboxConcurrency,
		StreamTimeout:      f.StreamTimeout,
		QueueTarget:        f.QueueTarget,
		QueueTimeout:       f.QueueTimeout,
		QueueLength:        f.QueueLength,
		CacheBytes:         int64(*f.CacheBytes),
		StaleIfError:       f.StaleIfError,
		WarmConcurrency:    f.WarmConcurrency,
	}
}
