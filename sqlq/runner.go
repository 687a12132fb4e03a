package sqlq

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// Config is what a runner works with. Every field without a default is required.
type Config struct {
	Catalog *Catalog
	Engine  Engine
	// Clock gives each run its "now" (D1), and answers their age.
	Clock  func() time.Time
	Logger *slog.Logger
	// Observer is told what the runner does; nil means that nobody is.
	Observer Observer
	// Random returns numbers of [0, 1), which keep refreshes from falling together.
	Random func() float64

	// QueryTimeout is the longest that a run may take, its wait included.
	QueryTimeout time.Duration
	// EngineConcurrency is how many runs the engine is given at a time. Further ones
	// wait. QueueTarget is how long they wait under a lasting overload before they are
	// UNAVAILABLE, or as long as runs take on average, if that is longer; in a burst
	// it is three times as long. QueueTimeout is the longest that any of them waits, and
	// QueueLength how many wait, beyond which they are UNAVAILABLE at once. Zero means
	// [DefaultQueueTarget] and [DefaultQueueLength].
	EngineConcurrency int
	QueueTarget       time.Duration
	QueueTimeout      time.Duration
	QueueLength       int
	// CacheBytes is how much memory answers are kept in. Zero keeps none.
	CacheBytes int64
	// StaleIfError is for how long an expired answer is served where the engine
	// fails to make it anew.
	StaleIfError time.Duration
	// WarmConcurrency is how many answers are made anew in the background at a time.
	WarmConcurrency int
}

// DefaultQueueLength is how many runs wait for their turn, where a config does not
// say. More would not get it in time: they would only wait in vain.
const DefaultQueueLength = 256

// DefaultQueueTarget lets a burst on an idle engine wait for 0.6 seconds, so that what
// succeeds under any load takes less than a second where runs are quick.
const DefaultQueueTarget = 200 * time.Millisecond

// Runner is the one way to run a saved query: every interface goes through it. It
// keeps answers for their caching time, and runs what it does not have once for
// all who ask the same.
type Runner struct {
	config  Config
	prefix  map[*SavedQuery]string
	breaker *breaker
	cache   *cache
	flights flights
	queue   *runQueue
}

// NewRunner returns a runner. Answers are kept warm, and expired ones let go, while
// its [Runner.Maintain] runs.
func NewRunner(config Config) *Runner {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.QueueLength == 0 {
		config.QueueLength = DefaultQueueLength
	}
	if config.QueueTarget == 0 {
		config.QueueTarget = DefaultQueueTarget
	}
	r := &Runner{
		config:  config,
		prefix:  make(map[*SavedQuery]string),
		breaker: newBreaker(config.Clock, config.Logger),
		cache:   newCache(config.Clock, config.CacheBytes, config.StaleIfError),
		flights: flights{byKey: make(map[string]*flight)},
		queue: newRunQueue(config.Clock, config.EngineConcurrency, queueLimits{
			length: config.QueueLength, target: config.QueueTarget, timeout: config.QueueTimeout,
		}),
	}
	for _, query := range config.Catalog.Queries() {
		r.prefix[query] = keyPrefix(query)
	}
	return r
}

// Catalog returns the saved queries that can be run.
func (r *Runner) Catalog() *Catalog { return r.config.Catalog }

// Queries returns the saved queries that whoever asks may know of, by name: all of
// them.
func (r *Runner) Queries(context.Context) []*SavedQuery { return r.config.Catalog.Queries() }

// CanServeWithoutEngine reports whether the cache holds an answer that can be served while
// the engine fails, fresh or stale. It does not look through the cache.
func (r *Runner) CanServeWithoutEngine(now time.Time) bool { return r.cache.servable(now) }

// CacheBytes returns how many bytes of answers are kept.
func (r *Runner) CacheBytes() int64 { return r.cache.size() }

// Run answers a request for the rows of a saved query. The error is an [*Error].
func (r *Runner) Run(ctx context.Context, request Request) (*Reply, error) {
	query, ok := r.config.Catalog.Find(request.Endpoint)
	if !ok {
		return nil, Errorf(NotFound, "there is no query endpoint with the name or id %s", quote(request.Endpoint))
	}
	reply, err := r.answer(ctx, query, request)
	if err != nil {
		r.config.Observer.Answered(query, "", err)
		return nil, err
	}
	r.config.Observer.Answered(query, reply.Cache, nil)
	return reply, nil
}

// answer answers from the cache, or else lets the engine run.
func (r *Runner) answer(ctx context.Context, query *SavedQuery, request Request) (*Reply, error) {
	args, err := query.Bind(request.Params)
	if err != nil {
		return nil, AsError(err)
	}
	q := question{query: query, args: args, key: string(appendArgs([]byte(r.prefix[query]), args))}
	if !request.NoCache {
		if reply := r.kept(q.key); reply != nil {
			return reply, nil
		}
	}
	reply, flight, status := r.board(ctx, q, request.NoCache)
	if reply != nil {
		return reply, nil
	}
	answer, err := r.join(ctx, flight)
	if err != nil {
		return r.stale(ctx, q, err)
	}
	now := r.config.Clock()
	answer.request(now)
	return answer.reply(status, now), nil
}

// kept returns an answer that is kept and within its caching time; nil where there
// is none.
func (r *Runner) kept(key string) *Reply {
	held, now := r.cache.get(key), r.config.Clock()
	if held == nil || !held.answer.fresh(now) {
		return nil
	}
	held.answer.hit(now)
	return held.answer.reply(Hit, now)
}

// board returns the kept answer, or the flight that will give one, with how the
// caller comes by it. The caller is counted in as one who waits for it.
func (r *Runner) board(ctx context.Context, q question, noCache bool) (*Reply, *flight, CacheStatus) {
	r.flights.mutex.Lock()
	defer r.flights.mutex.Unlock()
	if f := r.flights.byKey[q.key]; f != nil {
		f.waiting++
		r.queue.promote(f.waiter)
		return nil, f, Joined
	}
	// A flight may have ended since the caller looked.
	reply := r.kept(q.key)
	switch {
	case reply != nil && noCache && r.cache.allowRefresh(q.key, r.config.Clock()):
		return nil, r.start(ctx, q, false), Refreshed
	case reply != nil:
		return reply, nil, ""
	case q.query.Cache == 0:
		return nil, r.start(ctx, q, false), Off
	default:
		return nil, r.start(ctx, q, false), Miss
	}
}

// stale answers with what is kept where the engine failed, or else with the
// failure. The log has the failure in either case, unless the engine was not asked.
func (r *Runner) stale(ctx context.Context, q question, failure error) (*Reply, error) {
	held, now := r.cache.get(q.key), r.config.Clock()
	cause := AsError(failure)
	code := cause.Code
	if held == nil || ctx.Err() != nil || !code.IsServerFault() && code != ResourceExhausted ||
		!now.Before(held.answer.expires.Add(r.config.StaleIfError)) {
		return nil, failure
	}
	if !cause.TurnedAway() {
		r.config.Logger.WarnContext(ctx, "the engine failed, a stale answer is served",
			slog.String("endpoint", q.query.Name), slog.String("code", string(code)), slog.Any("error", failure))
	}
	held.answer.hit(now)
	return held.answer.reply(Stale, now), nil
}

// Keep keeps something that was made from answers, of a size in bytes, for [Runner.Kept].
// It is let go the moment one of the answers is made anew, and not kept at all
// where one of them is not. The key must hold all that it depends on beside them,
// and not begin with an id, as the keys of answers do.
func (r *Runner) Keep(_ context.Context, key string, value any, bytes int, from []*Answer) {
	r.cache.putResponse(key, value, int64(bytes), from)
}

// Kept returns what [Runner.Keep] keeps under a key, with a reply for each of the
// answers that it was made from: whoever gets it has asked for them. It is nil
// where nothing is kept, or an answer is beyond its caching time. A no-cache request
// gets it only if [Runner.Run] would give it all of these answers from the cache.
func (r *Runner) Kept(_ context.Context, key string, noCache bool) (value any, replies []*Reply) {
	held, now := r.cache.get(key), r.config.Clock()
	if held == nil || noCache && r.mayBypass(held.response.answers, now) {
		return nil, nil
	}
	replies = make([]*Reply, len(held.response.answers))
	for i, answer := range held.response.answers {
		if !answer.fresh(now) {
			return nil, nil
		}
		replies[i] = answer.reply(Hit, now)
	}
	for _, answer := range held.response.answers {
		answer.hit(now)
		r.config.Observer.Answered(answer.Query, Hit, nil)
	}
	return held.response.value, replies
}

// mayBypass reports whether a no-cache request would be given one of the answers by a run
// of the engine, one that is in flight included.
func (r *Runner) mayBypass(answers []*Answer, now time.Time) bool {
	r.flights.mutex.Lock()
	defer r.flights.mutex.Unlock()
	r.cache.mutex.Lock()
	defer r.cache.mutex.Unlock()
	return slices.ContainsFunc(answers, func(answer *Answer) bool {
		return answer.entry.allowsRefresh(now) || r.flights.byKey[answer.entry.key] != nil
	})
}
