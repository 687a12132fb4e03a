package runner

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"savedq/sqlq"
)

// refuted holds the saved queries whose rows do not form the series that they declare. They run
// whole until they change. It is safe for concurrent use.
type refuted struct {
	mutex   sync.Mutex
	queries []*sqlq.SavedQuery
}

func (r *refuted) has(query *sqlq.SavedQuery) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Contains(r.queries, query)
}

// add reports whether the saved query was not refuted before.
func (r *refuted) add(query *sqlq.SavedQuery) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if slices.Contains(r.queries, query) {
		return false
	}
	r.queries = append(r.queries, query)
	return true
}

// retain forgets all other saved queries.
func (r *refuted) retain(queries []*sqlq.SavedQuery) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.queries = slices.DeleteFunc(r.queries, func(query *sqlq.SavedQuery) bool { return !slices.Contains(queries, query) })
}

// refute notes that the rows of a saved query do not form its series.
func (r *Runner) refute(ctx context.Context, query *sqlq.SavedQuery, reason error) {
	if r.refuted.add(query) {
		r.config.Logger.WarnContext(ctx, "rows of a saved query are not reused, because they do not form the series that it declares",
			slog.String("endpoint", query.Name), slog.Any("reason", reason))
	}
}
