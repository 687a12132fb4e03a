package cli

import (
	"context"
	"log/slog"
	"sync"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/internal/observe/metrics"
)

// startClustering clusters closed days of the store until stop is called.
func startClustering(ctx context.Context, store *logstore.Store, counted *metrics.Store, term *terminal, logger *slog.Logger) (stop func()) {
	keeper := &upkeep.ClusteringKeeper{Store: store, Clock: term.clock, Logger: logger, Observer: counted}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { keeper.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
