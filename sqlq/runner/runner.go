// Package runner runs saved queries for every interface: it looks into the cache, joins
// calls that are in flight, protects the engine, and refreshes what is in use.
package runner

import (
	"context"
	"log/slog"
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
	// StreamTimeout and StreamConcurrency are QueryTimeout and EngineConcurrency of saved queries with stream,
	// whose runs last until the caller has the rows. Zero means [DefaultStreamTimeout], and half of
	// EngineConcurrency.
	StreamTimeout     time.Duration
	StreamConcurrency int
	// QueueTarget is how long a run waits under a lasting overload before it is
	// UNAVAILABLE, or as long as runs take on average, if that is longer. In a burst it
	// waits up to three times as long. Zero means [DefaultQueueTarget].
	QueueTarget time.Duration
	// QueueTimeout is the longest that any run waits.
	QueueTimeout time.Duration
	// QueueLength is how many runs wait. Further ones are UNAVAILABLE at once. Zero means
	// [DefaultQueueLength].
	QueueLength int
	// Store keeps what is cached; nil means in the memory of the process.
	Store cache.Store
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
	// callersQueue gives callers' SQL its share of the engine, before it waits in queue with all others.
	callersQueue *runQueue
	// streamsQueue does the same for streams.
	streamsQueue *runQueue
	sandboxes    *sandbox.Sandboxes
	refuted      refuted
	settling     settling
}

// New returns a runner. While its [Runner.Maintain] runs, entries are refreshed, and
// removed when they have expired.
func New(config Config) *Runner {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.QueueLength == 0 {
		config.QueueLength = DefaultQueueLength
	}
	if config.QueueTarget == 0 {
		config.QueueTarget = DefaultQueueTarget
	}
	if config.SandboxTimeout == 0 {
		config.SandboxTimeout = min(DefaultSandboxTimeout, config.QueryTimeout)
	}
	if config.SandboxConcurrency == 0 {
		config.SandboxConcurrency = max(1, config.EngineConcurrency/2)
	}
	if config.StreamTimeout == 0 {
		config.StreamTimeout = DefaultStreamTimeout
	}
	if config.StreamConcurrency == 0 {
		config.StreamConcurrency = max(1, config.EngineConcurrency/2)
	}
	if config.Store == nil {
		config.Store = cache.NewMemory()
	}
	r := &Runner{
		config:   config,
		cache:    cache.New(config.Store, config.Clock, config.CacheBytes, config.StaleIfError),
		inFlight: inFlight{byKey: make(map[string]*call)},
		breaker:  newBreaker(config.Clock, config.Logger),
		settling: newSettling(config.Settled, config.QueryTimeout/2),
	}
	limits := queueLimits{length: config.QueueLength, target: config.QueueTarget, timeout: config.QueueTimeout}
	r.queue = newRunQueue(config.Clock, config.EngineConcurrency, limits)
	r.callersQueue = newRunQueue(config.Clock, config.SandboxConcurrency, limits)
	r.streamsQueue = newRunQueue(config.Clock, config.StreamConcurrency, limits)
	r.sandboxes = sandbox.New(config.Engine.Dialect())
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
	defer func() { r.observe(request.Query, response, err) }()
	j, err := r.job(&request)
	if err != nil {
		return nil, err
	}
	if request.Query.Stream {
		return r.stream(ctx, j, request)
	}
	j.key = r.keyOf(j.query, j.args)
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

// observe reports the outcome of a request to the observer.
func (r *Runner) observe(query *sqlq.SavedQuery, response *Response, err error) {
	if err != nil {
		r.config.Observer.Responded(query, "", err)
		return
	}
	r.config.Observer.Responded(query, response.Cache, nil)
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
