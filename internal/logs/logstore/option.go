package logstore

import (
	"log/slog"
	"time"

	"golang.org/x/time/rate"
)

// Option changes how a store is opened.
type Option func(*config)

// config is what a store is opened with, for the first time and again.
type config struct {
	// file is the store's file, empty for one in memory; directory is what messages
	// call it.
	file, directory string
	// memoryLimit and spillLimit are in DuckDB's spelling; empty for the default.
	memoryLimit string
	spillLimit  string
	// duckdb holds options of DuckDB, as in "checkpoint_threshold=1TB".
	duckdb []string
	// flushBytes bounds what a transaction keeps in memory.
	flushBytes int
	// checkpointBytes is how long the write-ahead log becomes before DuckDB moves its
	// content to the store's file.
	checkpointBytes int64
	// settings are further statements to run before the configuration is locked.
	settings []string
	logger   *slog.Logger
	// attempts limits how often the store is opened again.
	attempts *rate.Limiter
}

// reopenInterval is the least time between two attempts to open the store again.
const reopenInterval = time.Second

// WithLogger sets where the store logs that it had to be opened again. Without it,
// nothing is logged.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) { c.logger = logger }
}

// WithSpillLimit bounds the disk space that DuckDB takes for what does not fit into
// memory while queries run. The limit is in DuckDB's spelling, such as "1GiB"; empty
// leaves the default: 10 GiB, or half of what is free on the disk, if that is less.
func WithSpillLimit(limit string) Option {
	return func(c *config) { c.spillLimit = limit }
}

// checkpointBytes lets a load fill most of a row group between two checkpoints. With
// DuckDB's default of 16 MiB each one compresses a part of the row group again, and leaves
// the space of the one before it behind.
const checkpointBytes = 128 << 20

func newConfig(file, directory, memoryLimit string, options ...Option) config {
	config := config{
		file: file, directory: directory, memoryLimit: memoryLimit,
		flushBytes: flushBytes, checkpointBytes: checkpointBytes,
		logger:   slog.New(slog.DiscardHandler),
		attempts: rate.NewLimiter(rate.Every(reopenInterval), 1),
	}
	for _, option := range options {
		option(&config)
	}
	return config
}
