package runner

import (
	"context"
	"slices"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// purge removes the entries that match, with the responses encoded from them, and returns how
// many there were. Calls that match and are in flight finish for their callers, but no later
// request joins them, and their entries are not stored. So what changes rows without the cache
// knowing it, such as a deletion, purges after the change.
func (r *Runner) purge(matches func(query *sqlq.SavedQuery, args []sqlq.Arg) bool) int {
	r.inFlight.mutex.Lock()
	defer r.inFlight.mutex.Unlock()
	for key, call := range r.inFlight.byKey {
		if matches(call.query, call.args) {
			call.replaced = true
			delete(r.inFlight.byKey, key)
		}
	}
	return r.cache.Purge(func(entry *cache.Entry) bool { return matches(entry.Query, entry.Args) })
}

// settling is the wait for the tables to hold every acknowledged event after a start.
type settling struct {
	// done is closed when they do. Nil means that they do from the start.
	done <-chan struct{}
	// patience is closed when runs wait no longer.
	patience <-chan struct{}
}

func newSettling(done <-chan struct{}, patience time.Duration) settling {
	ended := make(chan struct{})
	if done != nil {
		time.AfterFunc(patience, func() { close(ended) })
	}
	return settling{done: done, patience: ended}
}

// wait waits for the tables, while there is patience, and reports whether they hold every
// acknowledged event. Rows of a run that begins without them must not be cached.
func (s settling) wait(ctx context.Context) bool {
	if s.done == nil {
		return true
	}
	select {
	case <-s.done:
	case <-s.patience:
	case <-ctx.Done():
	}
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Purge purges the entries of a saved query, by name or id, and of a project; empty means of
// all. Entries whose project is not known belong to every project. The error is NOT_FOUND if no
// saved query has the name.
func (r *Runner) Purge(endpoint, project string) (int, error) {
	var only *sqlq.SavedQuery
	if endpoint != "" {
		current := r.served.Load().catalog
		query, found := current.Find(endpoint)
		if !found {
			return 0, NotFound(endpoint, current.Queries())
		}
		only = query
	}
	return r.purge(func(query *sqlq.SavedQuery, args []sqlq.Arg) bool {
		return (only == nil || query.Name == only.Name) && (project == "" || mayHold(query, args, project))
	}), nil
}

// PurgeTable purges the entries of the saved queries that read a table.
func (r *Runner) PurgeTable(table string) {
	r.purge(func(query *sqlq.SavedQuery, _ []sqlq.Arg) bool {
		_, reads := query.Tables.Find(table)
		return reads
	})
}

// mayHold reports whether rows can belong to a project: they can unless an argument names only
// others.
func mayHold(query *sqlq.SavedQuery, args []sqlq.Arg, project string) bool {
	i := query.Scoped(sqlq.ScopeProject)
	if i < 0 || query.Params[i].Regex {
		return true
	}
	switch value := args[i].Value.(type) {
	case string:
		return value == project
	case []any:
		return len(value) == 0 || slices.Contains(value, any(project))
	}
	return true
}
