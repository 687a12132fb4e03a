package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"savedq/internal/auth"
	"savedq/internal/observe/metrics"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// reloader reads the folders of saved queries again, and replaces all that depends on them.
// The folders are applied completely or not at all (D29).
type reloader struct {
	catalogFlags

	live    *live
	builder *interfaceBuilder
	runner  *runner.Runner
	setup   engineSetup
	engine  *openedEngine
	// checker checks the SQL of changed saved queries. If it is nil, one is opened each time.
	checker queryChecker
	access  *access
	counted *metrics.Metrics
	clock   func() time.Time
	logger  *slog.Logger

	// state is read by requests.
	state atomic.Pointer[resolvers.CatalogState]
	// read identifies the files that were read last, with and without mistakes.
	read catalog.Fingerprint
}

// catalogState returns the state of the saved queries. Only tokens without limits see the
// mistakes, which name files.
func (r *reloader) catalogState(ctx context.Context) resolvers.CatalogState {
	state := *r.state.Load()
	if !auth.Unlimited(ctx) {
		state.Mistakes = nil
	}
	return state
}

// retryInterval is how long after a failed check the folders are read again.
const retryInterval = 10 * time.Second

// run reloads the saved queries after each change, and with the tokens on each SIGHUP, until
// stop is called. In-flight requests are not affected.
func (r *reloader) run(ctx context.Context, changes <-chan struct{}) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		retry := time.NewTimer(0)
		retry.Stop()
		defer retry.Stop()
		again := changes != nil && r.reload(ctx, false) // they may have changed while the server started
		for {
			if again {
				retry.Reset(retryInterval)
			}
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				again = r.reload(ctx, true)
				r.access.reload(ctx, r.logger) // which may name new saved queries
			case <-changes:
				again = r.reload(ctx, false)
			case <-retry.C:
				again = r.reload(ctx, false)
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		cancel()
		<-ended
	}
}

// reload reads the folders and applies them, unless they have mistakes. Unless forced, it
// does nothing if no file has changed since the last time. It reports whether to try again
// later, although nothing changes.
func (r *reloader) reload(ctx context.Context, forced bool) (again bool) {
	read, found, err := r.readWhole(ctx, forced)
	if read == nil && err == nil {
		return false
	}
	if err == nil && len(found) == 0 {
		found, err = r.apply(ctx, read)
	}
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		r.read = catalog.Fingerprint{}
		r.fail(ctx, sqlq.FileErrors{{File: strings.Join(r.Queries, ", "), Message: err.Error()}})
		return true
	case len(found) > 0:
		found.Sort()
		r.fail(ctx, found)
	default:
		r.succeed()
	}
	return false
}

// readWhole reads the folders in a state that they had at one time. It returns nil if no
// file has changed and forced is false.
func (r *reloader) readWhole(ctx context.Context, forced bool) (*catalog.Catalog, sqlq.FileErrors, error) {
	const attempts = 20
	dialect := r.setup.Dialect()
	before := r.fingerprint(dialect)
	if before == r.read && !forced {
		return nil, nil, nil
	}
	for range attempts {
		read, found, err := r.readFiles(dialect)
		after := r.fingerprint(dialect)
		if before == after {
			r.read = before
			return read, found, err
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		before = after
	}
	return nil, nil, errors.New("the files change while they are read; the next attempt is in 10 seconds")
}

// apply checks the saved queries that changed, and replaces all that depends on the catalog.
// It changes nothing if it returns mistakes or an error.
func (r *reloader) apply(ctx context.Context, read *catalog.Catalog) (sqlq.FileErrors, error) {
	previous := r.live.current.Load().catalog
	read, changed := read.Reuse(previous)
	removed := removedFrom(previous, read)
	if len(changed) == 0 && len(removed) == 0 {
		r.logger.InfoContext(ctx, "the saved queries were read again, none has changed")
		return nil, nil
	}
	if found, err := r.check(ctx, changed); err != nil || len(found) > 0 {
		return found, err
	}
	next, err := r.builder.build(read)
	if err != nil {
		return mistakesOf(err), nil
	}
	if r.engine.retain != nil {
		r.engine.retain(read.Queries())
	}
	r.runner.Use(read)
	r.counted.Use(read)
	r.live.current.Store(next)
	r.logger.InfoContext(ctx, "the saved queries were reloaded", slog.Any("changed", namesOf(changed)), slog.Any("removed", namesOf(removed)))
	r.access.warnOfUnknown(ctx, r.live.known(), r.logger)
	return nil, nil
}

// check returns the mistakes in the SQL of saved queries.
func (r *reloader) check(ctx context.Context, queries []*sqlq.SavedQuery) (_ sqlq.FileErrors, err error) {
	if r.engine.check != nil {
		return r.engine.check(ctx, queries)
	}
	checker := r.checker
	if checker == nil {
		checker = r.setup.OfflineChecker()
		defer func() { err = errors.Join(err, checker.Close()) }()
	}
	return checkQueries(ctx, checker, queries)
}

// succeed records that the folders are in use.
func (r *reloader) succeed() {
	now := r.clock()
	r.state.Store(&resolvers.CatalogState{LoadedAt: now})
	r.counted.CatalogReloaded(now)
}

// fail records and logs why the folders are not in use.
func (r *reloader) fail(ctx context.Context, found sqlq.FileErrors) {
	r.state.Store(&resolvers.CatalogState{LoadedAt: r.state.Load().LoadedAt, Mistakes: found})
	r.counted.CatalogReloadFailed()
	for _, mistake := range found {
		r.logger.ErrorContext(ctx, "the saved queries have a mistake, the previous ones stay in use", slog.String("file", mistake.File),
			slog.Int("line", mistake.Line), slog.Int("column", mistake.Column), slog.String("mistake", mistake.Message))
	}
}

// removedFrom returns the saved queries of a catalog whose names another one does not have.
func removedFrom(previous, current *catalog.Catalog) []*sqlq.SavedQuery {
	var removed []*sqlq.SavedQuery
	for _, query := range previous.Queries() {
		if found, ok := current.Find(query.Name); !ok || found.Name != query.Name {
			removed = append(removed, query)
		}
	}
	return removed
}

func namesOf(queries []*sqlq.SavedQuery) []string {
	names := make([]string, len(queries))
	for i, query := range queries {
		names[i] = query.Name
	}
	return names
}

// mistakesOf returns an error of a reload as mistakes. Trusted documents that the new schema
// does not allow are one error each.
func mistakesOf(err error) sqlq.FileErrors {
	var found sqlq.FileErrors
	if errors.As(err, &found) {
		return found
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		found = append(found, &sqlq.FileError{File: "--trusted-documents", Message: strings.TrimPrefix(line, "--trusted-documents: ")})
	}
	return found
}
