package cli

import (
	"errors"
	"fmt"
	"time"

	"savedq/sqlq/runner"
)

// cacheFlags configure the cache and the load on the engine.
type cacheFlags struct {
	CacheBytes        *byteSize     `placeholder:"SIZE" help:"Most memory for cached responses, rows and encoded bytes alike, as a part of --memory; 0 disables the cache. Default: a quarter of --memory, less below 256MiB, at most 1GiB."`
	StaleIfError      time.Duration `default:"1h" placeholder:"DURATION" help:"How long an expired cache entry is still served, marked as STALE, while the engine fails. Default: ${default}."`
	WarmConcurrency   int           `default:"2" placeholder:"N" help:"How many cache entries are refreshed in the background at the same time; 0 disables warming. Default: ${default}."`
	EngineConcurrency int           `default:"8" placeholder:"N" help:"How many queries the engine runs at the same time. Default: ${default}."`
	QueueLength       int           `default:"256" placeholder:"N" help:"How many queries wait in the queue; further ones get 503 at once. Default: ${default}."`
	QueueTarget       time.Duration `default:"200ms" placeholder:"DURATION" help:"How long a query waits in the queue under a lasting overload before it gets 503, or as long as runs take on average, if that is longer. In a burst it waits up to three times as long. Default: ${default}."`
	QueueTimeout      time.Duration `default:"10s" placeholder:"DURATION" help:"Longest time that a query waits in the queue before it gets 503, however long runs take. Default: ${default}."`
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *cacheFlags) Validate() error {
	var mistakes []error
	if f.StaleIfError < 0 {
		mistakes = append(mistakes, fmt.Errorf("--stale-if-error: %s is negative; use 0 to never serve expired entries", f.StaleIfError))
	}
	if f.WarmConcurrency < 0 {
		mistakes = append(mistakes, fmt.Errorf("--warm-concurrency: %d is negative; use 0 to disable warming", f.WarmConcurrency))
	}
	if f.EngineConcurrency < 1 {
		mistakes = append(mistakes, fmt.Errorf("--engine-concurrency: must be at least 1, not %d", f.EngineConcurrency))
	}
	if f.QueueLength < 1 {
		mistakes = append(mistakes, fmt.Errorf("--queue-length: must be at least 1, not %d", f.QueueLength))
	}
	if f.QueueTarget <= 0 {
		mistakes = append(mistakes, fmt.Errorf("--queue-target: %s is not a positive duration such as 200ms", f.QueueTarget))
	}
	if f.QueueTimeout <= 0 {
		mistakes = append(mistakes, fmt.Errorf("--queue-timeout: %s is not a positive duration such as 10s", f.QueueTimeout))
	}
	return errors.Join(mistakes...)
}

// runnerConfig returns the limits of the runner. The size of the cache is set once the memory has
// been split.
func (f *cacheFlags) runnerConfig(queryTimeout time.Duration) runner.Config {
	return runner.Config{
		QueryTimeout:      queryTimeout,
		EngineConcurrency: f.EngineConcurrency,
		QueueTarget:       f.QueueTarget,
		QueueTimeout:      f.QueueTimeout,
		QueueLength:       f.QueueLength,
		CacheBytes:        int64(*f.CacheBytes),
		StaleIfError:      f.StaleIfError,
		WarmConcurrency:   f.WarmConcurrency,
	}
}
