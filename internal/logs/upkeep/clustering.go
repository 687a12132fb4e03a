package upkeep

import (
	"context"
	"log/slog"
	"time"

	"github.com/googleapis/gax-go/v2"

	"savedq/internal/logs/logstore"
)

// ClusteringStore is the part of the embedded store that a [ClusteringKeeper] uses; see [logstore.Store].
type ClusteringStore interface {
	Cluster(ctx context.Context, clustering logstore.Clustering) error
	RunningQueries() int
}

var _ ClusteringStore = (*logstore.Store)(nil)

// ClusteringObserver observes what a [ClusteringKeeper] does. Its methods must return quickly.
type ClusteringObserver interface {
	// RowsClustered is called with the number of rows of a table that were moved.
	RowsClustered(table string, rows int64)
	// DaysWaiting is called with the number of days of a table that are not clustered yet.
	DaysWaiting(table string, days int)
}

// ClusteringKeeper sorts the closed days of the embedded store by project and time while a server runs.
type ClusteringKeeper struct {
	Store    ClusteringStore
	Clock    func() time.Time
	Logger   *slog.Logger
	Observer ClusteringObserver
}

const (
	// clusteringDelay is the time until the first pass, so that a server that has just started serves its
	// first requests undisturbed.
	clusteringDelay = time.Minute
	// clusteringInterval is the time between two passes.
	clusteringInterval = time.Hour
	// grace is how long after its end a day is closed, because events arrive late.
	grace = time.Hour
	// patience limits how long a step waits until no query runs, which is checked as often as
	// the interval of polling.
	patience = time.Second
	polling  = 50 * time.Millisecond
)

// Run clusters closed days until the context ends.
func (k *ClusteringKeeper) Run(ctx context.Context) {
	next := time.NewTimer(clusteringDelay)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		k.pass(ctx)
		next.Reset(clusteringInterval)
	}
}

// pass clusters the days that are closed now. What fails is tried again in the next pass.
func (k *ClusteringKeeper) pass(ctx context.Context) {
	err := k.Store.Cluster(ctx, logstore.Clustering{
		Before:  k.Clock().Add(-grace),
		Between: k.between(),
		Moved:   k.Observer.RowsClustered,
		Waiting: k.Observer.DaysWaiting,
	})
	if err != nil && ctx.Err() == nil {
		k.Logger.WarnContext(ctx, "closed days were not clustered", slog.Any("error", err))
	}
}

// between returns a function that waits between two steps, longer while queries run.
func (k *ClusteringKeeper) between() func(ctx context.Context) error {
	pacer := newPacer(k.Clock)
	return func(ctx context.Context) error {
		if err := pacer.pause(ctx); err != nil {
			return err
		}
		return k.waitForQueries(ctx)
	}
}

// waitForQueries waits until no query runs, but not for long.
func (k *ClusteringKeeper) waitForQueries(ctx context.Context) error {
	for waited := time.Duration(0); waited < patience && k.Store.RunningQueries() > 0; waited += polling {
		if err := gax.Sleep(ctx, polling); err != nil {
			return err
		}
	}
	return nil
}
