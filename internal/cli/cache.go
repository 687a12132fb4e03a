package cli

import (
	"errors"
	"fmt"
	"time"
)

// cacheFlags say how answers are kept, and how hard the engine may be worked.
type cacheFlags struct {
	CacheBytes        byteSize      `default:"256MiB" placeholder:"SIZE" help:"Most memory that answers are kept in, rows and encoded bytes alike; 0 keeps none. Default: ${default}."`
	StaleIfError      time.Duration `default:"1h" placeholder:"DURATION" help:"For how long after its caching time an answer is served, marked as STALE, while the engine fails to make it anew. Default: ${default}."`
	WarmConcurrency   int           `default:"2" placeholder:"N" help:"How many answers are made anew in the background at a time; 0 keeps none warm. Default: ${default}."`
	EngineConcurrency int           `default:"8" placeholder:"N" help:"How many queries the engine is given at a time. Default: ${default}."`
	QueueLength       int           `default:"256" placeholder:"N" help:"How many queries wait for their turn; callers of further ones are told to come again at once. Default: ${default}."`
	QueueTimeout      time.Duration `default:"10s" placeholder:"DURATION" help:"Longest time that a query waits for its turn before its caller is told to come again. Default: ${default}."`
}

// Validate is called by kong before anything is opened.
func (f *cacheFlags) Validate() error {
	var mistakes []error
	if f.StaleIfError < 0 {
		mistakes = append(mistakes, fmt.Errorf("--stale-if-error: %s is negative; use 0 to serve no stale answers", f.StaleIfError))
	}
	if f.WarmConcurrency < 0 {
		mistakes = append(mistakes, fmt.Errorf("--warm-concurrency: %d is negative; use 0 to keep no answers warm", f.WarmConcurrency))
	}
	if f.EngineConcurrency < 1 {
		mistakes = append(mistakes, fmt.Errorf("--engine-concurrency: %d is not at least 1", f.EngineConcurrency))
	}
	if f.QueueLength < 1 {
		mistakes = append(mistakes, fmt.Errorf("--queue-length: %d is not at least 1", f.QueueLength))
	}
	if f.QueueTimeout <= 0 {
		mistakes = append(mistakes, fmt.Errorf("--queue-timeout: %s is not a positive duration such as 10s", f.QueueTimeout))
	}
	return errors.Join(mistakes...)
}
