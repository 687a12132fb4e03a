package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/internal/observe/metrics"
)

// retentionFlags configure how long the embedded store keeps events.
type retentionFlags struct {
	Retention     time.Duration `default:"0s" placeholder:"DURATION" help:"How long events are kept, by their timestamps, such as 90d; older ones are deleted. 0 keeps all. Default: ${default}."`
	RetentionFile string        `placeholder:"FILE" help:"YAML file with a line for each source that has another retention than --retention, such as \"auth_logs: 365d\" or \"edge_logs: forever\"; reloaded on SIGHUP."`
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *retentionFlags) Validate() error {
	if f.Retention != 0 {
		if err := upkeep.CheckRetention(f.Retention); err != nil {
			return fmt.Errorf("--retention: %w; use 0 to keep all events", err)
		}
	}
	return nil
}

// policy returns the policy of the flags and the file.
func (f *retentionFlags) policy() (*upkeep.RetentionPolicy, error) {
	policy := &upkeep.RetentionPolicy{Default: f.Retention}
	if f.RetentionFile == "" {
		return policy, nil
	}
	var err error
	if policy.Sources, err = upkeep.ReadRetentionFile(f.RetentionFile, parseDuration); err != nil {
		return nil, fmt.Errorf("--retention-file: %w", err)
	}
	return policy, nil
}

// startRetention deletes old events of the store until stop is called.
func (f *retentionFlags) startRetention(ctx context.Context, store *logstore.Store, policy *upkeep.RetentionPolicy, purge func(), counted *metrics.Store, term *terminal, logger *slog.Logger) (stop func()) {
	var current atomic.Pointer[upkeep.RetentionPolicy]
	current.Store(policy)
	keeper := &upkeep.RetentionKeeper{
		Store:    store,
		Policy:   func() upkeep.RetentionPolicy { return *current.Load() },
		Clock:    term.clock,
		Logger:   logger,
		Observer: counted,
		Purge:    purge,
	}
	ctx, cancel := context.WithCancel(ctx)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	var running sync.WaitGroup
	running.Go(func() { keeper.Run(ctx) })
	running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				f.reloadPolicy(ctx, &current, logger)
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		running.Wait()
	}
}

// reloadPolicy reads the file again. A file with mistakes changes nothing.
func (f *retentionFlags) reloadPolicy(ctx context.Context, current *atomic.Pointer[upkeep.RetentionPolicy], logger *slog.Logger) {
	if f.RetentionFile == "" {
		return
	}
	policy, err := f.policy()
	if err != nil {
		logger.ErrorContext(ctx, "the retention file cannot be used, the previous retention stays in effect", slog.Any("error", err))
		return
	}
	current.Store(policy)
	logger.InfoContext(ctx, "the retention file was reloaded")
}

// sourceTables returns the names of the tables of all sources.
func sourceTables() []string {
	tables := make([]string, 0, len(logevent.Sources()))
	for _, source := range logevent.Sources() {
		tables = append(tables, source.Table)
	}
	return tables
}

// errNoRetention is the error for flags of the embedded store with another engine.
var errNoRetention = errors.New("--retention and --retention-file delete events of the embedded store; with BigQuery, set the expiration of the partitions of its tables")
