package runner

import (
	"context"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
)

// served are the saved queries of one catalog, with the beginnings of their cache keys.
type served struct {
	catalog  *catalog.Catalog
	prefixes map[*sqlq.SavedQuery]string
	byPrefix map[string]*sqlq.SavedQuery
}

func newServed(catalog *catalog.Catalog) *served {
	queries := catalog.Queries()
	s := &served{
		catalog:  catalog,
		prefixes: make(map[*sqlq.SavedQuery]string, len(queries)),
		byPrefix: make(map[string]*sqlq.SavedQuery, len(queries)),
	}
	for _, query := range queries {
		prefix := keyPrefix(query)
		s.prefixes[query], s.byPrefix[prefix] = prefix, query
	}
	return s
}

// Use makes a catalog the current one. Entries of saved queries that it does not have, or
// has with other rows or caching times, are removed. All others stay, and are refreshed with
// the saved queries of the catalog. Requests for saved queries of other catalogs are served
// too, but their entries are not cached.
func (r *Runner) Use(catalog *catalog.Catalog) {
	s := newServed(catalog)
	r.inFlight.mutex.Lock() // no call of the previous catalog stores its entry later
	defer r.inFlight.mutex.Unlock()
	r.served.Store(s)
	r.refuted.Range(func(query, _ any) bool {
		if _, served := s.prefixes[query.(*sqlq.SavedQuery)]; !served { // only saved queries are refuted
			r.refuted.Delete(query)
		}
		return true
	})
	r.cache.Purge(func(entry *cache.Entry) bool { return s.successor(entry.Key, entry.Query) == nil })
}

// keyOf returns the cache key of a saved query with arguments.
func (r *Runner) keyOf(query *sqlq.SavedQuery, args []sqlq.Arg) string {
	prefix, ok := r.served.Load().prefixes[query]
	if !ok { // the request began with another catalog
		prefix = keyPrefix(query)
	}
	return string(appendArgs([]byte(prefix), args))
}

// successor returns the saved query that gives the same rows as one of another catalog, with
// the same name and caching times, which is found by the key of an entry; nil if there is
// none.
func (s *served) successor(key string, query *sqlq.SavedQuery) *sqlq.SavedQuery {
	if query.Callers != nil { // the SQL of a caller stays with its saved query
		if s.successor(keyPrefix(query.Callers.Saved)+argsSeparator, query.Callers.Saved) == nil {
			return nil
		}
		return query
	}
	prefix, _, _ := strings.Cut(key, argsSeparator)
	found := s.byPrefix[prefix]
	if found == nil || found.Name != query.Name || found.Cache != query.Cache || found.Warm != query.Warm {
		return nil
	}
	return found
}

// Queries returns the saved queries of the current catalog, by name.
func (r *Runner) Queries(context.Context) []*sqlq.SavedQuery {
	return r.served.Load().catalog.Queries()
}

// Find returns the saved query of the current catalog that has a name, an id or an alias. The
// error is NOT_FOUND.
func (r *Runner) Find(ctx context.Context, endpoint string) (*sqlq.SavedQuery, error) {
	if query, ok := r.served.Load().catalog.Find(endpoint); ok {
		return query, nil
	}
	return nil, NotFound(endpoint, r.Queries(ctx))
}

// NotFound returns the NOT_FOUND error of a name or id that no saved query has. It suggests one
// of those that the caller may see.
func NotFound(endpoint string, visible []*sqlq.SavedQuery) error {
	suggestion := ""
	if name := sqlq.ClosestName(endpoint, sqlq.QueryNames(visible)); name != "" {
		suggestion = fmt.Sprintf("; did you mean %q?", name)
	}
	return sqlq.Errorf(sqlq.NotFound, "there is no saved query with the name or id %s%s", sqlq.Quote(endpoint), suggestion)
}
