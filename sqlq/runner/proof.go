package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/series"
)

// proofs holds which saved queries are known not to be what their series declares. The SQL alone
// cannot show that the rows of a bucket depend on nothing else. So before the rows of a request are
// reused for the first time, one bucket that is computed alone must have the rows that it had in a
// run of the whole window.
//
// For the first request of each window that is done right after the run, so that a wrong
// declaration is noticed early.
type proofs struct {
	mutex   sync.Mutex
	byQuery map[*sqlq.SavedQuery]*proof
}

// proof is what is known of a saved query.
type proof struct {
	// windows are those of which a request is proven.
	windows map[sqlq.Window]bool
	// proving reports whether a proof is in progress.
	proving bool
	// doubts is how many proofs in a row have failed, at most one in each caching time, and doubted is
	// when the last one did.
	doubts  int
	doubted time.Time
	// refuted is why the rows are not those of the series; nil if that is not known.
	refuted error
}

func (p *proofs) of(query *sqlq.SavedQuery) *proof {
	found := p.byQuery[query]
	if found == nil {
		if p.byQuery == nil {
			p.byQuery = make(map[*sqlq.SavedQuery]*proof)
		}
		found = &proof{windows: make(map[sqlq.Window]bool)}
		p.byQuery[query] = found
	}
	return found
}

// mayReuse reports whether the rows of a statement may be those of a series.
func (p *proofs) mayReuse(statement sqlq.Statement) bool {
	if _, ok := statement.Query.Window(statement.Args); !ok || len(statement.Query.Series.Obstacles) > 0 {
		return false
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.of(statement.Query).refuted == nil
}

// begin reports whether the caller is to prove the first request of a window. It must call end.
func (p *proofs) begin(statement sqlq.Statement) bool {
	window, _ := statement.Query.Window(statement.Args)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := p.of(statement.Query)
	if found.refuted != nil || found.windows[window] || found.proving {
		return false
	}
	found.proving = true
	return true
}

// end ends a proof.
func (p *proofs) end(statement sqlq.Statement, proven bool) {
	window, _ := statement.Query.Window(statement.Args)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := p.of(statement.Query)
	found.proving = false
	if proven {
		found.windows[window] = true
	}
}

// doubt counts a closed bucket that has changed, and returns how many there were in a row. Those of one
// caching time count once, because the same late events can have changed them.
func (p *proofs) doubt(query *sqlq.SavedQuery, now time.Time) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := p.of(query)
	if found.doubts == 0 || now.Sub(found.doubted) >= query.Cache {
		found.doubts++
		found.doubted = now
	}
	return found.doubts
}

// dispel forgets the doubts about a saved query.
func (p *proofs) dispel(query *sqlq.SavedQuery) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.of(query).doubts = 0
}

// refute notes why rows cannot be reused. It returns false if that was known.
func (p *proofs) refute(statement sqlq.Statement, reason error) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := p.of(statement.Query)
	if found.refuted != nil {
		return false
	}
	found.refuted = reason
	return true
}

// retain forgets all other saved queries.
func (p *proofs) retain(queries []*sqlq.SavedQuery) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for query := range p.byQuery {
		if !slices.Contains(queries, query) {
			delete(p.byQuery, query)
		}
	}
}

// prove proves a call of a window of which no request is proven yet, once its callers have their rows.
func (r *Runner) prove(ctx context.Context, c *call) {
	if c.err != nil || c.entry.Series == nil || c.query.Cache == 0 {
		return
	}
	statement := sqlq.NewStatement(c.query, c.args, c.entry.AsOf)
	if !r.proofs.begin(statement) {
		return
	}
	defer func() { r.proofs.end(statement, c.entry.Series.Proven()) }()
	bucket, ok := r.bucketToProve(statement, c.entry)
	if !ok {
		return
	}
	reservation, err := reserve(r.config.Refreshes, c.query)
	if err != nil {
		return
	}
	if r.queue.enter(ctx, newWaiter(true)) != nil {
		reservation.Release()
		return
	}
	defer r.queue.leave()
	var run EngineRun
	started := r.config.Clock()
	alone, err := r.runAlone(ctx, statement, bucket, c.entry.Series.Version, &run)
	run.Duration = r.config.Clock().Sub(started)
	r.runEnded(ctx, c.query, reservation, run, err)
	if err == nil {
		r.judge(ctx, alone, c.entry.Result, c.entry.Series)
	}
}

// proveReused computes one of the buckets alone that a plan reuses. It returns nil if there is none that
// could prove anything.
func (r *Runner) proveReused(ctx context.Context, statement sqlq.Statement, entry *cache.Entry, plan *series.Plan, version uint64, run *EngineRun) (*aloneRun, error) {
	reused := make([]sqlq.Range, 0, len(plan.Reused))
	for _, part := range plan.Reused {
		reused = append(reused, part.Range)
	}
	bucket, ok := entry.Series.BucketToProve(statement.Query.Series, entry.Result.Rows, reused...)
	if !ok {
		return nil, nil //nolint:nilnil // Nothing failed.
	}
	alone, err := r.runAlone(ctx, statement, bucket, version, run)
	return &alone, err
}

// bucketToProve returns the bucket of an entry to compute alone, right after the run of the whole
// window. Where changes are not known, it is one that late events do not change meanwhile.
func (r *Runner) bucketToProve(statement sqlq.Statement, entry *cache.Entry) (sqlq.Range, bool) {
	closed := sqlq.Range{From: statement.Range.From, To: statement.Now}
	if r.config.Changes == nil {
		closed.To = closed.To.Add(-statement.Query.Series.Lateness)
	}
	return entry.Series.BucketToProve(statement.Query.Series, entry.Result.Rows, closed)
}

// bucketFormat formats the start of a bucket, in UTC, for the log.
const bucketFormat = "2006-01-02T15:04:05Z"

// aloneRun is a run of a single bucket.
type aloneRun struct {
	statement sqlq.Statement
	result    *sqlq.Result
	// version is that of the tables with which the result is compared.
	version uint64
}

func (r *Runner) runAlone(ctx context.Context, statement sqlq.Statement, bucket sqlq.Range, version uint64, run *EngineRun) (aloneRun, error) {
	statement.Range = bucket
	result, err := r.runEngine(ctx, statement, run)
	return aloneRun{statement, result, version}, err
}

// compare returns how the rows of a bucket computed alone differ from those among others.
func (a *aloneRun) compare(others *sqlq.Result) error {
	if err := series.Check(a.statement, a.result.Rows); err != nil {
		return err
	}
	if err := series.Compare(a.statement, others.Rows, a.result.Rows); err != nil {
		return fmt.Errorf("computed alone, the bucket %s has other rows: %w", a.statement.Range.From.Format(bucketFormat), err)
	}
	return nil
}

// acceptProof reports whether the rows of an entry can be reused, after one of its buckets was computed
// alone; nil if there is none that could prove anything. Where all changes are known, a difference
// refutes the series at once: the SQL reads something else besides the bucket.
func (r *Runner) acceptProof(ctx context.Context, entry *cache.Entry, alone *aloneRun) bool {
	if alone == nil {
		return entry.Series.Proven()
	}
	err := alone.compare(entry.Result)
	if err == nil {
		entry.Series.SetProven()
		r.proofs.dispel(alone.statement.Query)
		return true
	}
	known := r.config.Changes != nil
	switch {
	case known && !r.hasChanged(alone.statement.Query, alone.version, alone.statement.Range):
		r.refute(ctx, alone.statement, err)
	case !known && r.proofs.doubt(alone.statement.Query, alone.statement.Now) >= mostDoubts:
		r.refute(ctx, alone.statement, fmt.Errorf("closed buckets have changed %d times in a row, the last time: %w", mostDoubts, err))
	}
	return false
}

// mostDoubts is how often in a row closed buckets may have changed where changes are not known. Late events
// explain some changes, but with more of them the rows cannot be trusted: events are later than
// declared, or the SQL reads something else besides the buckets.
const mostDoubts = 3

// judge compares a bucket computed alone with a run of the whole window at about the same time, and
// notes what follows for the state of that run. Nothing follows if the bucket has changed between
// them.
func (r *Runner) judge(ctx context.Context, alone aloneRun, whole *sqlq.Result, state *series.State) {
	if r.hasChanged(alone.statement.Query, alone.version, alone.statement.Range) {
		return
	}
	if err := alone.compare(whole); err != nil {
		r.refute(ctx, alone.statement, err)
		return
	}
	state.SetProven()
}

// hasChanged reports whether commits since a version of the tables have touched a range, or may
// have.
func (r *Runner) hasChanged(query *sqlq.SavedQuery, version uint64, in sqlq.Range) bool {
	if r.config.Changes == nil {
		return false
	}
	changed, known := r.config.Changes.Since(version, query.Series.Names)
	return !known || slices.ContainsFunc(changed, in.Overlaps)
}
