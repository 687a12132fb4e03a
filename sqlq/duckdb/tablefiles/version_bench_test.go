package tablefiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// BenchmarkVersion measures how long a cached response waits for the version of 10,000 files, while ten callers ask for it.
func BenchmarkVersion(b *testing.B) {
	directory, err := filepath.EvalSymlinks(b.TempDir())
	require.NoError(b, err)
	for i := range tablefiles.MostFiles {
		require.NoError(b, os.WriteFile(filepath.Join(directory, fmt.Sprintf("%05d.csv", i)), nil, 0o600))
	}
	table := &sqlq.Table{Name: "items", Files: &sqlq.Files{Pattern: filepath.Join(directory, "*.csv"), Format: "csv"}}
	files := tablefiles.New(time.Now, tablefiles.Directories(sqlq.Tables{table}))
	for b.Loop() {
		files.Version(table)
		var mutex sync.Mutex
		var waits []time.Duration
		var callers sync.WaitGroup
		end := time.Now().Add(5 * time.Second)
		for range 10 {
			callers.Go(func() {
				for time.Now().Before(end) {
					started := time.Now()
					files.Version(table)
					waited := time.Since(started)
					mutex.Lock()
					waits = append(waits, waited)
					mutex.Unlock()
					time.Sleep(time.Millisecond)
				}
			})
		}
		callers.Wait()
		slices.Sort(waits)
		b.ReportMetric(float64(waits[len(waits)-1].Microseconds())/1000, "ms/slowest")
		b.ReportMetric(float64(waits[len(waits)*999/1000].Microseconds())/1000, "ms/p99.9")
		b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "ms/p99")
	}
}
