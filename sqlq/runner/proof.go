package runner

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"savedq/sqlq"
	"savedq/sqlq/series"
)

// proofs holds which saved queries have proven to be what their series declares. The SQL alone
// cannot show that the rows of a bucket depend on nothing else. So one bucket that is computed
// alone must have the rows that it had in a run of the whole window, before any rows are
// reused.
type proofs struct {
	mutex   sync.Mutex
	byQuery map[*sqlq.SavedQuery]*proof
}

// proof is what is known of a saved query.
type proof struct {
	// windows holds the windows that are proven.
	windows map[sqlq.Window]bool
	// proving reports whether a proof is in progress.
	proving bool
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

// proven reports whether rows of the statement can be reused.
func (p *proofs) proven(statement sqlq.Statement) bool {
	window, _ := statement.Query.Window(statement.Args)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found := p.of(statement.Query)
	return found.refuted == nil && found.windows[window]
}

// begin reports whether the caller is to prove the window of a statement. It must call end.
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

// prove computes one bucket of a call alone, once the callers have their rows, unless its
// window is proven. Nothing is proven if that fails or the bucket has changed meanwhile.
func (r *Runner) prove(ctx context.Context, c *call) {
	if c.err != nil || c.entry.Series == nil || c.query.Cache == 0 {
		return
	}
	statement := sqlq.NewStatement(c.query, c.args, c.entry.AsOf)
	if !r.proofs.begin(statement) {
		return
	}
	proven := false
	defer func() { r.proofs.end(statement, proven) }()
	bucket, ok := c.entry.Series.ClosedBucket(statement, c.entry.Result.Rows, r.config.Changes == nil)
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
	statement.Range = bucket
	var run EngineRun
	started := r.config.Clock()
	result, err := r.runEngine(ctx, statement, &run)
	run.Duration = r.config.Clock().Sub(started)
	r.runEnded(ctx, c.query, reservation, run, err)
	if err != nil {
		return
	}
	if r.config.Changes != nil {
		changed, known := r.config.Changes.Since(c.entry.Series.Version, c.query.Series.Names)
		if !known || slices.ContainsFunc(changed, bucket.Overlaps) {
			return
		}
	}
	if err := series.Check(statement, result.Rows); err != nil {
		r.refute(ctx, statement, err)
		return
	}
	if err := series.Compare(statement, c.entry.Result.Rows, result.Rows); err != nil {
		r.refute(ctx, statement, fmt.Errorf("computed alone, the bucket %s has other rows: %w", bucket.From.Format("2006-01-02T15:04:05Z"), err))
		return
	}
	proven = true
}
