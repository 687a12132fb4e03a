package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"time"

	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/internal/files/watch"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// catalogState returns the state of the saved queries. Only tokens without limits see the
// mistakes, which name files.
func (s *Server) catalogState(ctx context.Context) resolvers.CatalogState {
	state := *s.state.Load()
	if !auth.Unlimited(ctx) {
		state.Mistakes = nil
	}
	return state
}

// retryInterval is how long after a failed check the folders are read again.
const retryInterval = 10 * time.Second

// keepReloading reloads the saved queries after each change of their directories, if these are
// watched, and everything that can be reloaded on each SIGHUP, until the context ends. In-flight
// requests are not affected.
func (s *Server) keepReloading(ctx context.Context, hangups <-chan os.Signal) {
	retry, look := time.NewTimer(0), time.NewTimer(0)
	retry.Stop()
	look.Stop()
	var watcher *watch.Watcher
	again := false
	if s.config.Watch {
		watcher = watch.New(s.config.Queries.Watched(), s.config.Clock)
		look.Reset(watcher.Pause())
		again = s.reload(ctx, false) // they may have changed while the server started
	}
	for {
		if again {
			retry.Reset(retryInterval)
		}
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			checkTargets := s.reloadTargets(ctx)
			again = s.reload(ctx, true)
			checkTargets()
			s.access.reload(ctx, s.config.Logger) // which may name new saved queries
			s.reloadRetention(ctx)
		case <-look.C:
			if watcher.Changed() {
				again = s.reload(ctx, false)
			}
			look.Reset(watcher.Pause())
		case <-retry.C:
			again = s.reload(ctx, false)
		}
	}
}

// reload reads the folders and applies them, unless they have mistakes. Unless forced, it
// does nothing if no file has changed since the last time. It reports whether to try again
// later, although nothing changes.
func (s *Server) reload(ctx context.Context, forced bool) (again bool) {
	read, found, err := s.readWhole(ctx, forced)
	if read == nil && err == nil {
		return false
	}
	if err == nil {
		found = append(found, s.currentTargets().Mistakes(read.Queries())...)
	}
	if err == nil && len(found) == 0 {
		found, err = s.apply(ctx, read)
	}
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		s.read = catalog.Fingerprint{}
		s.fail(ctx, sqlq.FileErrors{{File: strings.Join(s.config.Queries.Watched(), ", "), Message: err.Error()}})
		return true
	case len(found) > 0:
		found.Sort()
		s.fail(ctx, found)
	default:
		s.succeed()
	}
	return false
}

// readWhole reads the folders in a state that they had at one time. It returns nil if no
// file has changed and forced is false.
func (s *Server) readWhole(ctx context.Context, forced bool) (*catalog.Catalog, sqlq.FileErrors, error) {
	const attempts = 20
	dialect := s.config.Engine.Dialect()
	before := s.config.Queries.Fingerprint()
	if before == s.read && !forced {
		return nil, nil, nil
	}
	for range attempts {
		read, found, err := s.config.Queries.Read(dialect)
		after := s.config.Queries.Fingerprint()
		if before == after {
			s.read = before
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
func (s *Server) apply(ctx context.Context, read *catalog.Catalog) (sqlq.FileErrors, error) {
	previous := s.current.Load().catalog
	read, changed := read.Reuse(previous)
	removed := removedFrom(previous, read)
	if len(changed) == 0 && len(removed) == 0 && reflect.DeepEqual(previous.Tables(), read.Tables()) {
		s.config.Logger.InfoContext(ctx, "the saved queries were read again, none has changed")
		return nil, nil
	}
	if found, err := s.check(ctx, changed); err != nil || len(found) > 0 {
		return found, err
	}
	next, err := s.build(read)
	if err != nil {
		return mistakesOf(err), nil
	}
	// The last step that can fail. It gives the engine all of the tables, or none.
	if s.engine.Declare != nil {
		err := s.engine.Declare(ctx, read.Tables())
		if found, isMistake := errors.AsType[sqlq.FileErrors](err); isMistake {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		select {
		case s.declared <- struct{}{}:
		default: // fields are about to be filled
		}
	}
	s.use(ctx, next)
	s.config.Logger.InfoContext(ctx, "the saved queries were reloaded",
		slog.Any("changed", sqlq.QueryNames(changed)), slog.Any("removed", sqlq.QueryNames(removed)))
	s.access.warnOfUnknown(ctx, s.known(), s.config.Logger)
	return nil, nil
}

// use replaces everything that depends on the saved queries.
func (s *Server) use(ctx context.Context, next *interfaces) {
	if s.engine.Retain != nil {
		s.engine.Retain(next.catalog.Queries())
	}
	s.runner.Use(next.catalog)
	s.metrics.Use(next.catalog)
	s.current.Store(next)
	s.useAlerts(ctx, next.catalog.Queries())
}

// check returns the mistakes in the SQL of saved queries.
func (s *Server) check(ctx context.Context, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error) {
	if s.engine.CheckQueries != nil {
		return s.engine.CheckQueries(ctx, queries)
	}
	found, err := engines.Check(ctx, s.checker, queries)
	return found, errors.Join(err, s.restChecker())
}

// restChecker ends the process of the checker, which the next check starts again, unless the next
// change is to be visible soon.
func (s *Server) restChecker() error {
	if s.checker == nil || s.config.Watch {
		return nil
	}
	return s.checker.Close()
}

// succeed records that the folders are in use.
func (s *Server) succeed() {
	now := s.config.Clock()
	s.state.Store(&resolvers.CatalogState{LoadedAt: now})
	s.metrics.CatalogReloaded(now)
}

// fail records and logs why the folders are not in use.
func (s *Server) fail(ctx context.Context, found sqlq.FileErrors) {
	s.state.Store(&resolvers.CatalogState{LoadedAt: s.state.Load().LoadedAt, Mistakes: found})
	s.metrics.CatalogReloadFailed()
	for _, mistake := range found {
		s.config.Logger.ErrorContext(ctx, "the saved queries have a mistake, the previous ones stay in use", slog.String("file", mistake.File),
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
