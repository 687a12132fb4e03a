package runner

import (
	"context"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
)

// Version runs the saved queries of one catalog, which never changes. A request that uses
// one version throughout sees no half of a change. All versions of a runner share its cache,
// in-flight calls, breaker and queue.
type Version struct {
	runner  *Runner
	catalog *catalog.Catalog
	// prefixes holds the beginning of the cache keys of each saved query, and byPrefix the
	// saved query of each beginning.
	prefixes map[*sqlq.SavedQuery]string
	byPrefix map[string]*sqlq.SavedQuery
}

var _ QueryRunner = (*Version)(nil)

// Version returns a version for the saved queries of a catalog. It can run them at once, but
// their entries are cached only after [Runner.Use].
func (r *Runner) Version(catalog *catalog.Catalog) *Version {
	queries := catalog.Queries()
	v := &Version{
		runner: r, catalog: catalog,
		prefixes: make(map[*sqlq.SavedQuery]string, len(queries)),
		byPrefix: make(map[string]*sqlq.SavedQuery, len(queries)),
	}
	for _, query := range queries {
		prefix := keyPrefix(query)
		v.prefixes[query], v.byPrefix[prefix] = prefix, query
	}
	return v
}

// Use makes a version the current one. Entries of saved queries that it does not have, or
// has with other rows or caching times, are removed. All others stay, and are refreshed with
// the saved queries of the version. In-flight requests finish on the version that they
// started with.
func (r *Runner) Use(version *Version) {
	r.inFlight.mutex.Lock() // no call of the previous version stores its entry later
	defer r.inFlight.mutex.Unlock()
	r.current.Store(version)
	r.refuted.retain(version.catalog.Queries())
	r.cache.Retain(func(key string, entry *cache.Entry) bool { return version.successor(key, entry.Query) != nil })
}

// successor returns the saved query that gives the same rows as one of another version, with
// the same name and caching times, which is found by the key of an entry; nil if there is
// none.
func (v *Version) successor(key string, query *sqlq.SavedQuery) *sqlq.SavedQuery {
	prefix, _, _ := strings.Cut(key, argsSeparator)
	found := v.byPrefix[prefix]
	if found == nil || found.Name != query.Name || found.Cache != query.Cache || found.Warm != query.Warm {
		return nil
	}
	return found
}

// Run returns the rows of a saved query. It finds the query, binds the parameters, and
// looks into the cache. On a miss it joins the call in flight for the same rows, or starts
// one, which passes the breaker and the queue, runs the engine and stores the entry (see
// compute and execute). The account of the request pays for a call that it starts. If the engine fails, the caller gets a stale entry if there is
// one. The error is an [*sqlq.Error].
func (v *Version) Run(ctx context.Context, request Request) (response *Response, err error) {
	r := v.runner
	query, ok := v.catalog.Find(request.Endpoint)
	if !ok {
		return nil, NotFound(request.Endpoint, v.catalog.Queries())
	}
	defer func() { r.observe(query, response, err) }()
	args, err := request.Bind(query)
	if err != nil {
		return nil, err
	}
	j := job{query: query, args: args, key: string(appendArgs([]byte(v.prefixes[query]), args))}
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
	if err != nil {
		return r.stale(ctx, j, err)
	}
	now := r.config.Clock()
	entry.Requested(now)
	return newResponse(entry, status, now), nil
}

// NotFound returns the NOT_FOUND error of a name or id that no saved query has. It suggests one
// of those that the caller may see.
func NotFound(endpoint string, visible []*sqlq.SavedQuery) error {
	names := make([]string, len(visible))
	for i, query := range visible {
		names[i] = query.Name
	}
	suggestion := ""
	if name := sqlq.ClosestName(endpoint, names); name != "" {
		suggestion = fmt.Sprintf("; did you mean %q?", name)
	}
	return sqlq.Errorf(sqlq.NotFound, "there is no saved query with the name or id %s%s", sqlq.Quote(endpoint), suggestion)
}

// Catalog returns the saved queries that can be run.
func (v *Version) Catalog() *catalog.Catalog { return v.catalog }

// Queries returns the saved queries that the caller may see, by name: all of them.
func (v *Version) Queries(context.Context) []*sqlq.SavedQuery { return v.catalog.Queries() }

// PutResponse caches what an interface encoded from entries; see [Runner.PutResponse]. The
// key must hold what else of the version the response depends on.
func (v *Version) PutResponse(ctx context.Context, key string, value any, bytes int, entries []*cache.Entry) {
	v.runner.PutResponse(ctx, key, value, bytes, entries)
}

// CachedResponse returns what was cached under a key; see [Runner.CachedResponse].
func (v *Version) CachedResponse(ctx context.Context, key string, noCache bool) (value any, responses []*Response) {
	return v.runner.CachedResponse(ctx, key, noCache)
}
