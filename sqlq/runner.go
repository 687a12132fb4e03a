package sqlq

import (
	"context"
	"time"
)

// Runner is the one way to run a saved query: every interface goes through it.
type Runner struct {
	catalog *Catalog
	engine  Engine
	clock   func() time.Time
	timeout time.Duration
}

// NewRunner returns a runner. The clock gives each run its "now" (D1), and no
// run takes longer than the timeout.
func NewRunner(catalog *Catalog, engine Engine, clock func() time.Time, timeout time.Duration) *Runner {
	return &Runner{catalog: catalog, engine: engine, clock: clock, timeout: timeout}
}

// Catalog returns the saved queries that can be run.
func (r *Runner) Catalog() *Catalog { return r.catalog }

// Answer is what a run gives: the rows, of which query, and as of when.
type Answer struct {
	Query  *SavedQuery
	Result *Result
	// AsOf is the "now" that the rows were computed with.
	AsOf time.Time
}

// Run runs the saved query that has the name or the id, with raw parameters as
// they stand in a query string. The error is an [*Error].
func (r *Runner) Run(ctx context.Context, nameOrID string, raw map[string][]string) (*Answer, error) {
	query, ok := r.catalog.Find(nameOrID)
	if !ok {
		return nil, Errorf(NotFound, "there is no query endpoint with the name or id %s", quote(nameOrID))
	}
	args, err := query.Bind(raw)
	if err != nil {
		return nil, AsError(err)
	}
	statement := Statement{Query: query, Args: args, Now: r.clock().UTC().Truncate(time.Microsecond)}
	result, err := r.runEngine(ctx, statement)
	if err != nil {
		return nil, err
	}
	return &Answer{Query: query, Result: result, AsOf: statement.Now}, nil
}

// runEngine bounds the run in time. What the engine says after the context has
// ended is the context's doing, not the engine's.
func (r *Runner) runEngine(ctx context.Context, statement Statement) (*Result, error) {
	bounded, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	result, err := r.engine.Run(bounded, statement)
	if err == nil {
		return result, nil
	}
	switch {
	case ctx.Err() != nil:
		return nil, AsError(ctx.Err()).Because(err)
	case bounded.Err() != nil:
		return nil, Errorf(DeadlineExceeded, "the query took longer than %s; ask for a shorter time range or try again later", r.timeout).Because(err)
	}
	return nil, AsError(err)
}
