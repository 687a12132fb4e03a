package runner_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// rowsEngine gives as many rows of api-counts' columns to every question.
func rowsEngine(rows int) *sqlqtest.FakeEngine {
	return &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := &sqlq.Result{Columns: statement.Query.Columns}
		for range rows {
			row := []any{statement.Now}
			for range len(result.Columns) - 1 {
				row = append(row, int64(1_000_000))
			}
			result.Rows = append(result.Rows, row)
		}
		return result, nil
	}}
}

func boundedRunner(tb testing.TB, engine sqlq.Engine, bytes int64) finding {
	tb.Helper()
	catalog := sqlqtest.Shipped(tb, duckdbsql.Dialect{})
	config := sqlqtest.Config(catalog, engine, time.Now)
	config.CacheBytes = bytes
	return finding{runner.New(config)}
}

// heap is the memory in use, in bytes.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one only marked as finalizable
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// A stream of requests that are never repeated stays within the bound: by the
// cache's own count always, and by the memory that is really in use to a tenth.
func TestCacheStaysWithinItsBound(t *testing.T) { // It is not parallel, since it measures memory.
	const bound = 8 << 20
	queryRunner := boundedRunner(t, rowsEngine(24), bound)
	before := heap()
	var most int64
	for i := range 3_000 {
		response, err := queryRunner.Run(t.Context(), requestFor(cached, fmt.Sprint("project", i)))
		require.NoError(t, err)
		encode(response)
		queryRunner.put(t.Context(), fmt.Sprint("response", i), strings.Repeat("x", 1000), response.Entry)
		most = max(most, queryRunner.CacheBytes())
	}
	assert.LessOrEqual(t, most, int64(bound))
	assert.Greater(t, queryRunner.CacheBytes(), int64(bound*9/10))
	assert.InEpsilon(t, bound, heap()-before, 0.1)
	runtime.KeepAlive(queryRunner)
}

// Many callers at a time do not get over the bound either, nor lose count.
func TestCacheStaysWithinItsBoundWithManyEntries(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		queryRunner := boundedRunner(t, rowsEngine(24), bound)
		queryRunner.maintain(t)
		var asking sync.WaitGroup
		var over atomic.Int64
		for caller := range 8 {
			asking.Go(func() {
				for i := range 300 {
					request := requestFor(cached, fmt.Sprint("project", (i*(caller+1))%200))
					request.NoCache = i%7 == 0
					response, err := queryRunner.Run(t.Context(), request)
					if err != nil {
						t.Error(err)
						return
					}
					encode(response)
					queryRunner.put(t.Context(), fmt.Sprint("response", i), strings.Repeat("x", 5000), response.Entry)
					queryRunner.Encoded(t.Context(), fmt.Sprint("response", i), false)
					if queryRunner.CacheBytes() > bound {
						over.Add(1)
					}
					time.Sleep(time.Second)
				}
			})
		}
		asking.Wait()
		assert.Zero(t, over.Load())
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		assert.Zero(t, queryRunner.CacheBytes(), "all that was counted is gone when everything has expired")
	})
}

// A response is evicted with its entry, even if storing the response evicts the entry.
func TestCacheReleasesEvictedEntries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := rowsEngine(24)
		probe := boundedRunner(t, engine, 1<<20)
		_, err := probe.Run(t.Context(), requestFor(cached, "0"))
		require.NoError(t, err)
		queryRunner := boundedRunner(t, engine, 2*probe.CacheBytes()+100)
		var entries []*cache.Entry
		for _, project := range []string{"0", "1"} {
			response, err := queryRunner.Run(t.Context(), requestFor(cached, project))
			require.NoError(t, err)
			entries = append(entries, response.Entry)
			time.Sleep(time.Second)
		}
		queryRunner.put(t.Context(), "response", strings.Repeat("x", int(probe.CacheBytes()/2)), entries...)
		encoded, _ := queryRunner.Encoded(t.Context(), "response", false)
		assert.Nil(t, encoded)
		assert.LessOrEqual(t, queryRunner.CacheBytes(), probe.CacheBytes(), "one entry is left")
	})
}

// An entry that is larger than the whole cache is served, and takes nothing else
// out of it.
func TestCacheStoresNothingTooLarge(t *testing.T) {
	t.Parallel()
	rows := 24
	engine := &sqlqtest.FakeEngine{RunFunc: func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		return rowsEngine(rows).Run(ctx, statement)
	}}
	queryRunner := boundedRunner(t, engine, 50_000)
	_, err := queryRunner.Run(t.Context(), requestFor(cached, "small"))
	require.NoError(t, err)
	stored := queryRunner.CacheBytes()
	rows = 1000
	for range 2 {
		response, err := queryRunner.Run(t.Context(), requestFor(cached, "large"))
		require.NoError(t, err)
		assert.Equal(t, runner.Miss, response.Cache)
		assert.Len(t, response.Result.Rows, 1000)
		assert.NotEmpty(t, encode(response))
		queryRunner.put(t.Context(), "response", "", response.Entry)
		encoded, _ := queryRunner.Encoded(t.Context(), "response", false)
		assert.Nil(t, encoded)
		assert.Equal(t, stored, queryRunner.CacheBytes())
	}
	response, err := queryRunner.Run(t.Context(), requestFor(cached, "small"))
	require.NoError(t, err)
	assert.Equal(t, runner.Hit, response.Cache)

	queryRunner.put(t.Context(), "huge", strings.Repeat("x", 60_000), response.Entry)
	encoded, _ := queryRunner.Encoded(t.Context(), "huge", false)
	assert.Nil(t, encoded)
	assert.Equal(t, stored, queryRunner.CacheBytes())
}

// Without memory for it there is no cache; callers still share what runs.
func TestCacheOfZeroBytes(t *testing.T) {
	t.Parallel()
	queryRunner := boundedRunner(t, rowsEngine(1), 0)
	for range 2 {
		response, err := queryRunner.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		assert.Equal(t, runner.Miss, response.Cache)
		assert.Zero(t, queryRunner.CacheBytes())
	}
}
