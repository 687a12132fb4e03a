// Package runner runs saved queries for every interface: it looks into the cache, joins
// calls that are in flight, protects the engine, and refreshes what is in use.
package runner

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/sandbox"
)

// Config is what a runner needs. Every field without a default is required.
type Config struct {
	// Catalog holds the saved queries until [Runner.Use] replaces them.
	Catalog *catalog.Catalog
	Engine  sqlq.Engine
	// Changes knows what has changed in the engine's tables. Nil means that it is not known,
	// so that the lateness that a series declares decides which rows are reused.
	Changes sqlq.Changes
	// Files knows the files that saved queries read. Nil means that they read none.
	Files Files
	// Settled is closed when the tables hold every acknowledged event, which may be some time
	// after a crash. Until then runs wait, for up to half of QueryTimeout after the start, and
	// the rows of those that run without waiting longer are not cached. Nil means from the start.
	Settled <-chan struct{}
	// Clock gives each run its "now" (D1), and responses their age.
	Clock  func() time.Time
	Logger *slog.Logger
	// Observer observes the runner; nil for none.
	Observer Observer
	// Refreshes is the account charged for background refreshes; nil for none.
	Refreshes Account
	// Random returns numbers of [0, 1), which spread refreshes over time.
	Random func() float64

	// QueryTimeout is the longest that a run may take, its wait included.
	QueryTimeout time.Duration
	// EngineConcurrency is the maximum number of concurrent runs. Further ones wait.
	EngineConcurrency int
	// SandboxTimeout and SandboxConcurrency are QueryTimeout and EngineConcurrency of the SQL that callers send
	// (D40). It can only have a part of the engine, so that it keeps no saved query waiting. Zero means
	// [DefaultSandboxTimeout], and half of EngineConcurrency.
	SandboxTimeout     time.Duration
	SandboxConcurrency int
	// SandboxRowBytes is the most that SQL of a caller makes of a row; see [sandbox.New].
	SandboxRowBytes int
	// StreamTimeout is QueryTimeout of saved queries with stream, whose runs last until the caller has the rows, in
	// half of EngineConcurrency. Zero means [DefaultStreamTimeout].
	StreamTimeout time.Duration
	// QueueTarget is how long a run waits under a lasting overload before it is
	// UNAVAILABLE, or as long as it usually takes, if that is longer. In a burst it
	// waits up to three times as long. Zero means [DefaultQueueTarget].
	QueueTarget time.Duration
	// QueueTimeout is the longest that any run waits.
	QueueTimeout time.Duration
	// QueueLength is how many runs wait. Further ones are UNAVAILABLE at once. Zero means
	// [DefaultQueueLength].
	QueueLength int
	// CacheBytes is the size of the cache. Zero disables it.
	CacheBytes int64
	// StaleIfError is for how long an expired entry is served if the engine fails.
	StaleIfError time.Duration
	// WarmConcurrency is the maximum number of concurrent background refreshes.
	WarmConcurrency int
}

// DefaultQueueLength is the default of the queue's length. More runs than that would only
// wait in vain.
const DefaultQueueLength = 256

// DefaultQueueTarget lets a burst on an idle engine wait for 0.6 seconds, so a successful
// request takes under a second if runs are fast.
const DefaultQueueTarget = 200 * time.Millisecond

// DefaultSandboxTimeout is enough for a page of logs, and short for a mistake.
const DefaultSandboxTimeout = 10 * time.Second

// DefaultStreamTimeout is enough for millions of rows over a slow line.
const DefaultStreamTimeout = 10 * time.Minute

// Runner is the one way to run a saved query. It is safe for concurrent use.
type Runner struct {
	config Config
	// served are the saved queries whose entries are cached and refreshed.
	served    atomic.Pointer[served]
	cache     *cache.Cache
	encodings encodings
	inFlight  inFlight
	breaker   *breaker
	queue     *runQueue
	sandboxes *sandbox.Sandboxes
	// refuted has the saved queries whose rows do not form the series that they declare. They run whole until they
	// change.
	refuted  sync.Map
	settling settling
	culprits *culprits
}

// New returns a runner. While its [Runner.Maintain] runs, entries are refreshed, and
// removed when they have expired.
func New(config Config) *Runner {
	config.Observer = cmp.Or[Observer](config.Observer, unobserved{})
	config.QueueLength = cmp.Or(config.QueueLength, DefaultQueueLength)
	config.QueueTarget = cmp.Or(config.QueueTarget, DefaultQueueTarget)
	config.SandboxTimeout = cmp.Or(config.SandboxTimeout, min(DefaultSandboxTimeout, config.QueryTimeout))
	config.StreamTimeout = cmp.Or(config.StreamTimeout, DefaultStreamTimeout)
	half := max(1, config.EngineConcurrency/2)
	r := &Runner{
		config:   config,
		cache:    cache.New(config.Clock, config.CacheBytes, config.StaleIfError),
		inFlight: inFlight{byKey: make(map[string]*call)},
		breaker:  newBreaker(config.Clock, config.Logger),
		settling: newSettling(config.Settled, config.QueryTimeout/2),
		culprits: newCulprits(config.Clock),
	}
	r.queue = newRunQueue(config.Clock, queueLimits{
		runs:   config.EngineConcurrency,
		kinds:  [kinds]int{callersSQL: cmp.Or(config.SandboxConcurrency, half), streams: half},
		length: config.QueueLength, target: config.QueueTarget, timeout: config.QueueTimeout,
	})
	r.sandboxes = sandbox.New(config.Engine.Dialect(), config.SandboxRowBytes)
	r.encodings.cache = r.cache
	r.served.Store(newServed(config.Catalog))
	return r
}

// Run returns the rows of a saved query. It binds the parameters, and looks into the cache. On a
// miss it joins the call in flight for the same rows, or starts one, which passes the breaker and
// the queue, runs the engine and stores the entry (see compute and execute). The account of the
// request pays for a call that it starts. If the engine fails, the caller gets a stale entry if
// there is one. The error is an [*sqlq.Error].
func (r *Runner) Run(ctx context.Context, request Request) (response *Response, err error) {
	defer func() {
		var status CacheStatus
		if err == nil {
			status = response.Cache
		}
		r.config.Observer.Responded(request.Query, status, err)
	}()
	j, err := r.job(&request)
	if err != nil {
		return nil, err
	}
	if request.Query.Stream {
		return r.stream(ctx, j, request)
	}
	j.key = r.keyOf(j.query, j.args)
	if !j.at.IsZero() {
		j.key += "@" + j.at.UTC().Format(time.RFC3339Nano)
	}
	if !request.NoCache {
		if response := r.cached(j.key); response != nil {
			return response, nil
		}
	}
	response, call, status, err := r.lookupOrStart(ctx, j, request)
	if response != nil || err != nil {
		return response, err
	}
	entry, err := r.wait(ctx, call)
	switch {
	case err != nil && request.Background:
		return nil, err
	case err != nil:
		return r.stale(ctx, j, err)
	case !request.Background: // which is no reason to refresh the entry
		r.cache.Requested(j.key)
	}
	return r.newResponse(entry, status, r.config.Clock()), nil
}

// cached returns the response of a fresh entry; nil if there is none.
func (r *Runner) cached(key string) *Response {
	entry, now := r.cache.Entry(key), r.config.Clock()
	if entry == nil || !r.fresh(entry, now) {
		return nil
	}
	r.cache.Hit(entry.Key)
	return r.newResponse(entry, Hit, now)
}

// stale returns the response of an entry, fresh or stale, after the engine has failed; the
// failure if there is none. The log has the failure in either case, unless the run was
// rejected before the engine.
func (r *Runner) stale(ctx context.Context, j job, failure error) (*Response, error) {
	entry, now := r.cache.Entry(j.key), r.config.Clock()
	cause := sqlq.AsError(failure)
	code := cause.Code
	if entry == nil || ctx.Err() != nil || !code.IsServerFault() && code != sqlq.ResourceExhausted ||
		!now.Before(entry.FreshUntil.Add(r.config.StaleIfError)) || !r.hasItsFiles(entry) {
		return nil, failure
	}
	if !cause.Rejected() {
		r.config.Logger.WarnContext(ctx, "the engine failed, a stale response is served",
			slog.String("endpoint", j.query.Name), slog.String("code", string(code)), slog.Any("error", failure))
	}
	r.cache.Hit(entry.Key)
	return r.newResponse(entry, Stale, now), nil
}

// CanServeWithoutEngine reports whether the cache holds an entry that can be served while
// the engine fails, fresh or stale. It does not look through the cache.
func (r *Runner) CanServeWithoutEngine(now time.Time) bool { return r.cache.CanServe(now) }

// CacheBytes returns how many bytes are cached.
func (r *Runner) CacheBytes() int64 { return r.cache.Bytes() }

// Files knows the files that saved queries read where they are. It is safe for concurrent use.
type Files interface {
	// FilesVersion returns the version of the files that a saved query may read, which is at most a second old;
	// empty if it reads none. It is called for each cached response of a query that reads files.
	FilesVersion(query *sqlq.SavedQuery) string
	// AwaitFiles waits until the files have been read for the first time since they changed. It returns an error if that takes
	// longer than ctx, which callers get.
	AwaitFiles(ctx context.Context, query *sqlq.SavedQuery) error
}

// readsFiles reports whether a saved query may read files.
func readsFiles(query *sqlq.SavedQuery) bool {
	return slices.ContainsFunc(query.Tables, func(table *sqlq.Table) bool { return table.Files != nil })
}

// filesVersion returns the version of the files that a saved query may read; empty if it reads none.
func (r *Runner) filesVersion(query *sqlq.SavedQuery) string {
	if r.config.Files == nil || !readsFiles(query) {
		return ""
	}
	return r.config.Files.FilesVersion(query)
}

// fresh reports whether an entry is within its caching time, and from the files as they are now.
func (r *Runner) fresh(entry *cache.Entry, now time.Time) bool {
	return entry.Fresh(now) && r.hasItsFiles(entry)
}

// hasItsFiles reports whether an entry is from the files as they are now, or from none. No other entry is served,
// not even if the files cannot be read: their owner would not notice.
func (r *Runner) hasItsFiles(entry *cache.Entry) bool {
	return entry.FilesVersion == "" || entry.FilesVersion == r.filesVersion(entry.Query)
}
