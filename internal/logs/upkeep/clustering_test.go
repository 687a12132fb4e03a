package upkeep_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
)

// clusteringStore is a [upkeep.ClusteringStore].
type clusteringStore struct {
	cluster func(ctx context.Context, clustering logstore.Clustering) error
	running int
}

func (s *clusteringStore) Cluster(ctx context.Context, clustering logstore.Clustering) error {
	return s.cluster(ctx, clustering)
}

func (s *clusteringStore) RunningQueries() int { return s.running }

// clusteringCounts is a [upkeep.ClusteringObserver].
type clusteringCounts struct {
	rows map[string]int64
	days map[string]int
}

func (c *clusteringCounts) RowsClustered(table string, rows int64) { c.rows[table] += rows }
func (c *clusteringCounts) DaysWaiting(table string, days int)     { c.days[table] = days }

func startClustering(t *testing.T, store upkeep.ClusteringStore) (counted *clusteringCounts, log *bytes.Buffer) {
	t.Helper()
	counted, log = &clusteringCounts{rows: map[string]int64{}, days: map[string]int{}}, new(bytes.Buffer)
	keeper := &upkeep.ClusteringKeeper{Store: store, Clock: time.Now, Logger: slog.New(slog.NewTextHandler(log, nil)), Observer: counted}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keeper.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return counted, log
}

// The first pass is a minute after the start, and the others follow every hour. A day is closed
// an hour after its end. What fails is logged and tried again.
func TestClusteringKeeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var passes []time.Duration
		counted, log := startClustering(t, &clusteringStore{cluster: func(_ context.Context, clustering logstore.Clustering) error {
			assert.Equal(t, time.Now().Add(-time.Hour), clustering.Before)
			passes = append(passes, time.Since(began))
			if len(passes) == 1 {
				return errors.New("the disk is full")
			}
			clustering.Waiting("edge_logs", 2)
			clustering.Moved("edge_logs", 100)
			clustering.Moved("edge_logs", 50)
			return nil
		}})
		time.Sleep(2*time.Hour + 2*time.Minute)
		synctest.Wait()
		assert.Equal(t, []time.Duration{time.Minute, time.Hour + time.Minute, 2*time.Hour + time.Minute}, passes)
		assert.Equal(t, map[string]int64{"edge_logs": 300}, counted.rows)
		assert.Equal(t, map[string]int{"edge_logs": 2}, counted.days)
		assert.Contains(t, log.String(), `level=WARN msg="closed days were not clustered" error="the disk is full"`)
	})
}

// A step waits until no query runs, but not for long. It ends with the context.
func TestClusteringStepsWaitForQueries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		running int
		want    time.Duration
	}{
		"no query":             {0, 50 * time.Millisecond},
		"queries all the time": {3, 50*time.Millisecond + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				waited := make(chan time.Duration, 1)
				startClustering(t, &clusteringStore{running: test.running, cluster: func(ctx context.Context, clustering logstore.Clustering) error {
					began := time.Now()
					require.NoError(t, clustering.Between(ctx))
					waited <- time.Since(began)
					ended, end := context.WithCancel(ctx)
					end()
					require.ErrorIs(t, clustering.Between(ended), context.Canceled)
					return nil
				}})
				assert.Equal(t, test.want, <-waited)
			})
		})
	}
}
