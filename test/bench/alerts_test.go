package bench

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/operations/alert"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// The slowest of a hundred requests of dashboards, which are not cached and come 5 a second: beside 1,000
// alerts that are checked each minute, and without them.
func BenchmarkAlerts(b *testing.B) {
	const alerts, requests, perSecond = 1000, 100, 5
	engine := engineOn(openStore(b))
	read, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(b, err)
	query, found := read.Find("functions.invocation-stats")
	require.True(b, found)
	intervals := []string{"5min", "15min", "1hr"}
	params := func(i int) map[string][]string {
		return map[string][]string{"project": {fmt.Sprintf("project%d", i%20)}, "interval": {intervals[i/20%len(intervals)]}}
	}
	for i := range alerts {
		query.Alerts = append(query.Alerts, sqlq.Alert{Name: fmt.Sprintf("alert-%d", i), Every: time.Minute, For: 1, When: sqlq.Condition{Kind: sqlq.NoRow}, Params: params(i)})
	}
	config := sqlqtest.Config(read, engine, func() time.Time { return now })
	config.CacheBytes = 0
	queryRunner := runner.New(config)
	measure := func() time.Duration {
		took := make([]time.Duration, requests)
		var running sync.WaitGroup
		ticker := time.NewTicker(time.Second / perSecond)
		defer ticker.Stop()
		for i := range requests {
			<-ticker.C
			running.Go(func() {
				started := time.Now()
				_, err := queryRunner.Run(b.Context(), runner.Request{Query: query, Params: params(i * 7)})
				took[i] = time.Since(started)
				if err != nil {
					b.Error(err)
				}
			})
		}
		running.Wait()
		slices.Sort(took)
		return took[requests*99/100]
	}
	var without, beside time.Duration
	checked := &checks{}
	for b.Loop() {
		without += measure()
		ctx, stop := context.WithCancel(b.Context())
		book, err := alert.OpenBook(alert.Nowhere{}, func(string) bool { return false })
		require.NoError(b, err)
		keeper := alert.NewKeeper(alert.KeeperConfig{
			Book: book, Runner: queryRunner, Concurrency: 4, Targets: func() alert.Targets { return nil },
			Clock: time.Now, Observer: checked, Logger: slog.New(slog.DiscardHandler),
		})
		keeper.Use(ctx, read.Queries())
		var keeping sync.WaitGroup
		keeping.Go(func() { keeper.Run(ctx) })
		beside += measure()
		stop()
		keeping.Wait()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(without.Microseconds())/1000/float64(b.N), "without-p99-ms")
	b.ReportMetric(float64(beside.Microseconds())/1000/float64(b.N), "beside-p99-ms")
	b.ReportMetric(float64(checked.count)/float64(b.N), "checks")
	b.ReportMetric(float64(beside)/float64(without), "ratio")
}

// checks counts checks.
type checks struct {
	mutex sync.Mutex
	count int
}

func (c *checks) AlertChecked(string, alert.Outcome) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.count++
}

func (*checks) AlertMessage(string, string) {}
