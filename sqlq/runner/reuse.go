package runner

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/series"
)

// mostPlans is how often a run is planned again because a commit has changed what it was
// going to reuse. After that it runs whole.
const mostPlans = 2

// sampleReuses is how many runs in a row reuse rows before one computes the whole window. Its rows are
// compared with those that could have been reused.
const sampleReuses = 64

// bucketFormat formats the start of a bucket, in UTC, for the log.
const bucketFormat = "2006-01-02T15:04:05Z"

// runStatement returns the rows of a statement. For a series it reuses the rows of closed
// buckets from the last entry of the same request, runs the engine for the others, and merges
// both (D31). It also returns what the next run can reuse, and adds what was read and reused to
// the run. Files can have changed in any bucket, so that a query that reads some runs whole.
func (r *Runner) runStatement(ctx context.Context, c *call, statement sqlq.Statement, run *EngineRun) (*sqlq.Result, *series.State, error) {
	if _, ok := statement.Query.Window(statement.Args); !ok || len(statement.Query.Series.Obstacles) > 0 || readsFiles(statement.Query) || r.isRefuted(statement.Query) {
		result, err := r.runEngine(ctx, statement, run)
		return result, nil, err
	}
	for range mostPlans {
		entry, plan, version := r.plan(c, statement)
		if plan == nil || r.config.Changes != nil && entry.Series.Reuses >= sampleReuses {
			break
		}
		results, err := r.runMissing(ctx, statement, plan, run)
		if err != nil {
			return nil, nil, err
		}
		if results == nil {
			break
		}
		if r.changedMeanwhile(statement, plan, version) {
			continue
		}
		merged := plan.Merge(statement.Query.Series, entry.Result, results)
		if len(merged.Rows) > statement.Query.MaxRows {
			break
		}
		merged.ReusedBytes = max(0, entry.Series.WholeBytes-merged.BytesProcessed)
		run.ReusedRows, run.ReusedBytes = merged.ReusedRows, merged.ReusedBytes
		return merged, plan.Next(entry.Series, statement, version), nil
	}
	return r.runWhole(ctx, c, statement, run)
}

// runWhole runs the engine for the whole window of a series. It compares the rows with those of the last
// entry of the same request that could have been reused.
func (r *Runner) runWhole(ctx context.Context, c *call, statement sqlq.Statement, run *EngineRun) (*sqlq.Result, *series.State, error) {
	version := r.version()
	result, err := r.runEngine(ctx, statement, run)
	if err != nil || result.Truncated {
		return result, nil, err
	}
	err = series.Check(statement, result.Rows)
	if entry := r.cache.Entry(c.key); err == nil && entry != nil && entry.Series != nil {
		err = r.compareReusable(statement, entry, result)
	}
	if err != nil {
		r.refute(ctx, statement.Query, err)
		return result, nil, nil
	}
	return result, series.NewState(statement, result, version), nil
}

// compareReusable returns how the rows of an entry that could have been reused differ from those of a run
// of the whole window. Where not all changes are known, late events can be the reason, so it compares
// nothing.
func (r *Runner) compareReusable(statement sqlq.Statement, entry *cache.Entry, whole *sqlq.Result) error {
	if r.config.Changes == nil {
		return nil
	}
	changed, known := r.config.Changes.Since(entry.Series.Version, statement.Query.Series.Tables)
	if !known {
		return nil
	}
	plan := entry.Series.Plan(statement, series.Freshness{Changed: changed})
	if plan == nil {
		return nil
	}
	for _, reused := range plan.Reused {
		part := statement
		part.Range = reused.Range
		if err := series.Compare(part, entry.Result.Rows, whole.Rows); err != nil {
			return fmt.Errorf("rows of the buckets from %s to %s have changed, although no event in them has: %w",
				reused.From.Format(bucketFormat), reused.To.Format(bucketFormat), err)
		}
	}
	return nil
}

// plan plans the run of a statement from the entry of its last run, at a version of the
// tables. The plan is nil if the statement has to run whole.
func (r *Runner) plan(c *call, statement sqlq.Statement) (*cache.Entry, *series.Plan, uint64) {
	entry := r.cache.Entry(c.key)
	if entry == nil || entry.Series == nil {
		return nil, nil, 0
	}
	version := r.version()
	fresh := series.Freshness{Lateness: &c.query.Series.Lateness}
	if r.config.Changes != nil {
		changed, known := r.config.Changes.Since(entry.Series.Version, c.query.Series.Tables)
		if !known {
			return nil, nil, 0
		}
		fresh = series.Freshness{Changed: changed}
	} else if wholeIsDue(c.query, entry, statement.Now) {
		return nil, nil, 0
	}
	plan := entry.Series.Plan(statement, fresh)
	if plan == nil || !r.inFlight.allowReuse(c) {
		return nil, nil, 0
	}
	return entry, plan, version
}

// wholeIsDue reports whether a run has to be whole, so that there is a whole run in each
// caching time, although there is no refresh before it ends. After the clock was set back, a bucket
// that seemed closed can be open.
func wholeIsDue(query *sqlq.SavedQuery, entry *cache.Entry, now time.Time) bool {
	return now.Before(entry.Series.Whole) || now.Sub(entry.Series.Whole)+query.Warm > query.Cache
}

// runMissing runs the engine for each missing range. The results are nil if one of them
// cannot be merged.
func (r *Runner) runMissing(ctx context.Context, statement sqlq.Statement, plan *series.Plan, run *EngineRun) ([]*sqlq.Result, error) {
	results := make([]*sqlq.Result, len(plan.Missing))
	for i, missing := range plan.Missing {
		part := statement
		part.Range = missing
		result, err := r.runEngine(ctx, part, run)
		if err != nil {
			return nil, err
		}
		if result.Truncated {
			return nil, nil
		}
		if err := series.Check(part, result.Rows); err != nil {
			r.refute(ctx, statement.Query, err)
			return nil, nil
		}
		results[i] = result
	}
	return results, nil
}

// changedMeanwhile reports whether anything but the range that was computed last has changed
// since the plan was made. The engine has seen the tables as they were in that last run.
func (r *Runner) changedMeanwhile(statement sqlq.Statement, plan *series.Plan, version uint64) bool {
	if r.config.Changes == nil {
		return false
	}
	changed, known := r.config.Changes.Since(version, statement.Query.Series.Tables)
	if !known {
		return true
	}
	before := slices.Clone(plan.Missing[:max(len(plan.Missing)-1, 0)])
	for _, part := range plan.Reused {
		before = append(before, part.Range)
	}
	return slices.ContainsFunc(changed, func(change sqlq.Range) bool {
		return slices.ContainsFunc(before, change.Overlaps)
	})
}

// version returns the version of the tables, where it is known.
func (r *Runner) version() uint64 {
	if r.config.Changes == nil {
		return 0
	}
	return r.config.Changes.Version()
}

func (r *Runner) isRefuted(query *sqlq.SavedQuery) bool {
	_, refuted := r.refuted.Load(query)
	return refuted
}

// refute notes that the rows of a saved query do not form its series.
func (r *Runner) refute(ctx context.Context, query *sqlq.SavedQuery, reason error) {
	if _, refuted := r.refuted.LoadOrStore(query, true); !refuted {
		r.config.Logger.WarnContext(ctx, "rows of a saved query are not reused, because they do not form the series that it declares",
			slog.String("endpoint", query.Name), slog.Any("reason", reason))
	}
}
