package logstore

import (
	"log/slog"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Option changes how a store is opened.
type Option func(*config)

// config is the configuration with which a store is opened.
type config struct {
	// directory is the data directory, empty for a store in memory.
	directory string
	// spillIn is the directory for temporary files, empty for none.
	spillIn string
	// memoryLimit and spillLimit are in DuckDB's spelling; empty for the default.
	memoryLimit, spillLimit string
	program                 string
	readable                []string
	logger                  *slog.Logger
	clock                   func() time.Time
	// converting is called with how many events of an old store are converted, and of how many; it may be nil.
	converting func(done, all int64)
	// free returns how much is free on the disk of a directory, if that is known.
	free func(directory string) (bytes int64, known bool)
	// beforeStep is called before each step that changes files, with its name. An error takes the place of the step. It is
	// nil but for tests.
	beforeStep func(step string) error
	// attempts limits how often an instance of DuckDB takes the place of an invalid one, and patience is how long a new
	// connection waits for that.
	attempts *rate.Limiter
	patience time.Duration
	// instances is the number of instances of DuckDB so far.
	instances int
	limits
}

// limits are constants, except in tests and in a store with little memory.
type limits struct {
	// recentBytes is the size of the events in memory at which they become a part.
	recentBytes int
	// mergeParts is the number of parts of a kind that are merged.
	mergeParts int
	// rangeBytes is how large the parts of several days are at most. So at most as much is on the disk although it is older
	// than the retention, and what is merged of a large store is little.
	rangeBytes int64
	// mostRejected limits the rejected events that are kept.
	mostRejected int
	runsKept     runsKept
}

const (
	// usualRecentBytes and frugalRecentBytes are the values of [limits.recentBytes]. Memory for twice as many events is
	// needed, because further ones arrive while a part is written.
	usualRecentBytes  = 48 << 20
	frugalRecentBytes = 4 << 20
)

const (
	// reopenInterval is the least time between two attempts to start a new instance of DuckDB.
	reopenInterval = time.Second
	// reopenPatience is how long a new connection waits for one. It takes some tenths of a second, and as long again as
	// adding the events that are in no part.
	reopenPatience = 10 * time.Second
)

// WithLogger sets where the store logs what goes wrong in the background. Without it, nothing is logged.
func WithLogger(logger *slog.Logger) Option { return func(c *config) { c.logger = logger } }

// WithProgram sets the name and version of this program. It is written to the store, so that an older program can name
// the one that opens the store.
func WithProgram(program string) Option { return func(c *config) { c.program = program } }

// WithSpillLimit limits the disk space for data of queries that does not fit into memory. The limit is in DuckDB's
// syntax, such as "1GiB". Empty means the default: 10 GiB, or half of the free space on the disk if that is less.
func WithSpillLimit(limit string) Option { return func(c *config) { c.spillLimit = limit } }

// WithSpillDirectory sets the directory for data of queries that does not fit into memory. A store has it in its data
// directory, a [Follower] needs this option to have one.
func WithSpillDirectory(directory string) Option { return func(c *config) { c.spillIn = directory } }

// WithReadableDirectories sets the directories whose files SQL can read besides the store's own (ADR 045). They cannot
// be changed while the store is open.
func WithReadableDirectories(directories ...string) Option {
	return func(c *config) { c.readable = directories }
}

// WithConversionProgress sets what is called, many times, while a store of release 0.1.0 is converted: with how many of its
// events are converted, and how many there are.
func WithConversionProgress(progress func(done, all int64)) Option {
	return func(c *config) { c.converting = progress }
}

// WithFrugality reduces the memory that the store uses: events become a part earlier.
func WithFrugality() Option { return func(c *config) { c.recentBytes = frugalRecentBytes } }

// WithClock sets the clock.
func WithClock(clock func() time.Time) Option { return func(c *config) { c.clock = clock } }

// WithRecentBytes sets the size of the events in memory at which they become a part.
func WithRecentBytes(bytes int) Option { return func(c *config) { c.recentBytes = bytes } }

func newConfig(directory, memoryLimit string, options ...Option) config {
	config := config{
		directory: directory, memoryLimit: memoryLimit, logger: slog.New(slog.DiscardHandler), free: freeBytes,
		attempts: rate.NewLimiter(rate.Every(reopenInterval), 1), patience: reopenPatience,
		clock: time.Now, //nolint:forbidigo // WithClock replaces it.
		limits: limits{
			recentBytes: usualRecentBytes, mergeParts: 8, rangeBytes: 256 << 20, mostRejected: keptRejectedEvents, runsKept: runsKept{each: 10_000, all: 200_000},
		},
	}
	for _, option := range options {
		option(&config)
	}
	return config
}

// step reports a step that changes files before it is taken.
func (c *config) step(name string) error {
	if c.beforeStep == nil {
		return nil
	}
	return c.beforeStep(name)
}

// quoted returns a text as a literal of SQL.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
