package bench

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	enginepackage "savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// concurrency is the default of --engine-concurrency on two processors.
const concurrency = 4

// payer is an account that identifies who sent a request, and has no limits.
type payer string

func (p payer) Reserve(*sqlq.SavedQuery) (runner.Reservation, error) { return p, nil }
func (p payer) Payer() string                                        { return string(p) }
func (p payer) Release()                                             {}
func (p payer) Charge(runner.EngineRun)                              {}

// contended is a runner over DuckDB with two saved queries, each of which keeps a processor busy.
type contended struct {
	runner     *runner.Runner
	engine     sqlq.Engine
	fast, slow *sqlq.SavedQuery
	// sent makes the arguments of each request differ, so that no two share a run.
	sent atomic.Int64
}

func newContended(b *testing.B) *contended {
	b.Helper()
	store, err := logstore.Open(b.Context(), b.TempDir(), "")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	const declaration = "description: Keeps a processor busy.\ncache: disabled\nparams:\n  - {name: n, type: INT64, description: Number.}\ncolumns:\n  - {name: n, type: INT64, description: Number.}\n"
	query := func(rows string) string {
		return "SELECT count(*) AS n FROM range(" + rows + ") AS numbers(i) WHERE hash(i + $n) % 7 = 0"
	}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	read, err := catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: fstest.MapFS{
		"fast/query.yaml": file("id: 6f1f4b9a-0c1e-4f3e-9b60-5b5d3cc00001\nname: bench.fast\n" + declaration),
		"fast/duckdb.sql": file(query("1500000")),
		"slow/query.yaml": file("id: 6f1f4b9a-0c1e-4f3e-9b60-5b5d3cc00002\nname: bench.slow\n" + declaration),
		"slow/duckdb.sql": file(query("150000000")),
	}, Path: "queries"})
	require.NoError(b, err)
	engine := enginepackage.New(store.DB())
	config := sqlqtest.Config(read, engine, time.Now)
	config.EngineConcurrency, config.QueryTimeout, config.QueueTimeout = concurrency, time.Minute, time.Minute
	c := &contended{runner: runner.New(config), engine: engine}
	for name, query := range map[string]**sqlq.SavedQuery{"bench.fast": &c.fast, "bench.slow": &c.slow} {
		found, known := read.Find(name)
		require.True(b, known)
		*query = found
	}
	c.run(b.Context(), c.slow, "warm")
	return c
}

// run runs a saved query for a payer, and reports whether it succeeded.
func (c *contended) run(ctx context.Context, query *sqlq.SavedQuery, from payer) bool {
	n := strconv.FormatInt(c.sent.Add(1), 10)
	_, err := c.runner.Run(ctx, runner.Request{Query: query, Params: map[string][]string{"n": {n}}, Account: from})
	return err == nil
}

// keep lets a payer keep a number of runs of a saved query in flight, and returns a function that ends them.
func (c *contended) keep(ctx context.Context, runs int, query *sqlq.SavedQuery, from payer) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for range runs {
		running.Go(func() {
			for ctx.Err() == nil {
				if !c.run(ctx, query, from) {
					select { // as a client that heeds Retry-After, only sooner
					case <-ctx.Done():
					case <-time.After(100 * time.Millisecond):
					}
				}
			}
		})
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// slowest returns the p99 of a payer's runs of the fast saved query, one after the other.
func (c *contended) slowest(b *testing.B, from payer) time.Duration {
	b.Helper()
	const runs = 200
	var took []time.Duration
	for range runs {
		began := time.Now()
		require.True(b, c.run(b.Context(), c.fast, from))
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

// The p99 of one token's fast runs, alone and beside the load of others: eight slow runs in flight at any time, of
// another token or of its own, and two hundred fast ones.
func BenchmarkFairness(b *testing.B) {
	for name, load := range map[string]struct {
		runs int
		slow bool
		from payer
	}{
		"8_slow":     {8, true, "other"},
		"8_slow_own": {8, true, "own"},
		"200_fast":   {200, false, "other"},
	} {
		b.Run(name, func(b *testing.B) {
			c := newContended(b)
			query := c.fast
			if load.slow {
				query = c.slow
			}
			var alone, beside []time.Duration
			for b.Loop() {
				alone = append(alone, c.slowest(b, "own"))
				end := c.keep(b.Context(), load.runs, query, load.from)
				time.Sleep(time.Second)
				beside = append(beside, c.slowest(b, "own"))
				end()
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(alone).Seconds()*1000, "alone-ms")
			b.ReportMetric(median(beside).Seconds()*1000, "savedq-ms")
			b.ReportMetric(median(beside).Seconds()/median(alone).Seconds(), "p99-ratio")
		})
	}
}

// The runs of sixteen tokens that compete, and as many runs of the engine without a queue.
func BenchmarkContended(b *testing.B) {
	c := newContended(b)
	const tokens, perToken = 16, 12
	at := func(sends int, send func(sender int)) {
		var sending sync.WaitGroup
		for sender := range sends {
			sending.Go(func() {
				for range tokens * perToken / sends {
					send(sender)
				}
			})
		}
		sending.Wait()
	}
	takeTurns(b, tokens*perToken, "direct", func() {
		at(concurrency, func(int) {
			args, err := c.fast.Bind(map[string][]string{"n": {strconv.FormatInt(c.sent.Add(1), 10)}})
			require.NoError(b, err)
			_, err = c.engine.Run(b.Context(), sqlq.NewStatement(c.fast, args, time.Now()))
			require.NoError(b, err)
		})
	}, func() {
		at(tokens, func(sender int) {
			for !c.run(b.Context(), c.fast, payer(strconv.Itoa(sender))) { // is rejected only where the machine has other work
				runtime.Gosched()
			}
		})
	})
}
