package logstore

import (
	"log/slog"
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Option changes how a store is opened.
type Option func(*config)

// config is the configuration with which a store is opened and reopened.
type config struct {
	// file is the store's file, empty for a store in memory. Messages name the directory.
	file, directory string
	// memoryLimit and spillLimit are in DuckDB's spelling; empty for the default.
	memoryLimit string
	spillLimit  string
	// duckdb holds options of DuckDB, as in "checkpoint_threshold=1TB".
	duckdb []string
	// program is written to the store.
	program string
	// migrations upgrade a store of an earlier version.
	migrations []string
	limits
	// checkpointBytes is the size of the write-ahead log at which DuckDB checkpoints.
	checkpointBytes int64
	// readable are the directories whose files SQL can read.
	readable []string
	// settings are further statements to run before the configuration is locked.
	settings []string
	logger   *slog.Logger
	// attempts limits how often the store is opened again.
	attempts *rate.Limiter
	// patience is how long a new connection waits for that.
	patience time.Duration
}

// limits are constants, except in tests and in a frugal store.
type limits struct {
	// flushBytes limits the events that a transaction holds in memory.
	flushBytes int
	// stepRows limits the rows that a step of a deletion reads.
	stepRows int64
	// manyRows is the number of rows of a source from which loads avoid reading all of its ids.
	manyRows int64
	// sliceRows limits the rows of a slice of a day that is clustered.
	sliceRows int64
	// mostRejected limits the rejected events that are kept.
	mostRejected int
	runsKept     runsKept
}

const (
	// reopenInterval is the least time between two attempts to open the store again.
	reopenInterval = time.Second
	// reopenPatience is how long a new connection waits for the store to be opened again. Runs on the invalid instance
	// end at their next call, and opening takes some tenths of a second.
	reopenPatience = 10 * time.Second
)

// WithLogger sets where the store logs that it had to be opened again. Without it,
// nothing is logged.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) { c.logger = logger }
}

// WithProgram sets the name and version of this program. It is written to the store, so
// that an older program can name the one that opens the store.
func WithProgram(program string) Option {
	return func(c *config) { c.program = program }
}

// WithSpillLimit limits the disk space for data of queries that does not fit into memory.
// The limit is in DuckDB's syntax, such as "1GiB". Empty means the default: 10 GiB, or
// half of the free space on the disk if that is less.
func WithSpillLimit(limit string) Option {
	return func(c *config) { c.spillLimit = limit }
}

// WithReadableDirectories sets the directories whose files SQL can read, and no others (ADR 045). They cannot be
// changed while the store is open.
func WithReadableDirectories(directories ...string) Option {
	return func(c *config) { c.readable = directories }
}

// WithoutAutomaticCheckpoints leaves checkpoints to calls of [Store.Checkpoint]. Automatic
// ones run within a commit, and only if there is no other transaction.
func WithoutAutomaticCheckpoints() Option {
	return func(c *config) { c.checkpointBytes = math.MaxInt64 / 2 }
}

// checkpointBytes lets a load fill most of a row group between two checkpoints. With
// DuckDB's default of 16 MiB each checkpoint compresses a part of the row group again and
// does not reuse the space of the previous one.
const checkpointBytes = 128 << 20

func newConfig(file, directory, memoryLimit string, options ...Option) config {
	config := config{
		migrations: migrations(),
		file:       file, directory: directory, memoryLimit: memoryLimit,
		limits: limits{
			flushBytes: flushBytes, stepRows: stepRows, sliceRows: maxSliceRows, manyRows: manyRows, mostRejected: keptRejectedEvents,
			runsKept: runsKept{each: 10_000, all: 200_000},
		},
		checkpointBytes: checkpointBytes,
		logger:          slog.New(slog.DiscardHandler),
		attempts:        rate.NewLimiter(rate.Every(reopenInterval), 1),
		patience:        reopenPatience,
	}
	for _, option := range options {
		option(&config)
	}
	return config
}
