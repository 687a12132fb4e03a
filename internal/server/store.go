package server

import (
	"context"
	"log/slog"
	"net/http"

	"savedq/internal/api/storehttp"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
)

// startUpkeep deletes old events of the store, and keeps its parts in order.
func (s *Server) startUpkeep(ctx context.Context) error {
	store := s.engine.Store
	if store == nil {
		return nil
	}
	counted := s.metrics.NewStore(s.tables().Sources().Names(), store.FileBytes, func() int { return len(store.Recovery().Damaged) }, store.Reopenings)
	fills := &upkeep.FillKeeper{
		Store: store, Declared: s.declared, Clock: s.config.Clock, Logger: s.config.Logger,
		Filled: func(table string) { s.runner.PurgeTable(table) },
	}
	s.background(ctx, fills.Run)
	keeper := &upkeep.PartKeeper{Store: store, Clock: s.config.Clock, Logger: s.config.Logger, Observer: counted}
	s.background(ctx, keeper.Run)
	s.retention.Store(s.config.Retention)
	deletes := &upkeep.RetentionKeeper{
		Store:    store,
		Policy:   func() upkeep.RetentionPolicy { return *s.retention.Load() },
		Clock:    s.config.Clock,
		Logger:   s.config.Logger,
		Observer: counted,
		Purge:    func() { _, _ = s.runner.Purge("", "") },
	}
	s.background(ctx, deletes.Run)
	return nil
}

// reloadRetention reads the retention again. One with mistakes changes nothing.
func (s *Server) reloadRetention(ctx context.Context) {
	if s.config.ReadRetention == nil {
		return
	}
	policy, err := s.config.ReadRetention()
	if err != nil {
		s.config.Logger.ErrorContext(ctx, "the retention file cannot be used, the previous retention stays in effect", slog.Any("error", err))
		return
	}
	s.retention.Store(policy)
	s.config.Logger.InfoContext(ctx, "the retention file was reloaded")
}

// warnOfNoLogs logs a warning if the embedded store is empty, as it is if the data directory is
// the wrong one.
func (s *Server) warnOfNoLogs(ctx context.Context) {
	if s.engine.Store == nil {
		return
	}
	if empty, err := s.engine.Store.Empty(ctx); err == nil && empty {
		s.config.Logger.WarnContext(ctx, "the store has no logs yet, so saved queries find no data; send some to /api/logs, or check --data",
			slog.String("data", s.config.Data))
	}
}

// maintenance returns the handler that maintains the store.
func (s *Server) maintenance() http.Handler {
	config := storehttp.Config{Follows: s.engine.Follower != nil, Purge: s.runner.Purge, Clock: s.config.Clock, Errors: s.errors, Logger: s.config.Logger}
	if s.engine.Store != nil {
		config.Maintenance = &upkeep.Local{
			Store: s.engine.Store, Settle: s.writer.WaitStored, BackupMore: backUpMore(s.config.Data, s.ledger.Backup), Clock: s.config.Clock,
		}
	}
	return storehttp.NewHandler(config)
}

// tables returns the tables in use.
func (s *Server) tables() sqlq.Tables { return s.current.Load().catalog.Tables() }
