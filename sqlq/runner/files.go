package runner

import (
	"slices"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
)

// Files knows the files that saved queries read where they are. It is safe for concurrent use.
type Files interface {
	// FilesVersion returns the version of the files that a saved query may read, which is at most a second old;
	// empty if it reads none. It is called for each cached response of a query that reads files.
	FilesVersion(query *sqlq.SavedQuery) string
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
