package duckdb_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// CSV files take little memory, however many runs read them, and however many there are: what DuckDB reads at a time does not depend on
// what it has.
func TestCSVTakesLittleMemory(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	const files = 3
	for _, name := range []string{"csv", "csv.gz", "csv.zst"} {
		for n := range files {
			f.write(t, fmt.Sprintf("%s/%d.%[1]s", name, n), "SELECT range AS id, 'x' AS name FROM range(3)")
		}
		one := f.table("one", tables.CSV, name+"/0."+name, column("id", sqlq.Int64), column("name", sqlq.String))
		all := f.table("many", tables.CSV, name+"/*."+name, column("id", sqlq.Int64), column("name", sqlq.String))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directories := tablefiles.Directories([]*sqlq.Table{one, all})
			store, err := logstore.Open(t.Context(), t.TempDir(), "128MiB", logstore.WithReadableDirectories(directories...))
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, store.Close()) })
			engine := duckdb.NewWithFiles(store.DB(), tablefiles.New(time.Now, directories))
			var together sync.WaitGroup
			for range 6 {
				together.Go(func() {
					for range 10 {
						for table, sum := range map[*sqlq.Table]int{one: 3, all: 3 * files} {
							query := reading("SELECT sum(id)::BIGINT AS n FROM "+table.Name, table)
							if !assert.Equal(t, `{"n":`+strconv.Itoa(sum)+`}`, run(t.Context(), engine, query), table.Name) {
								return
							}
						}
					}
				})
			}
			together.Wait()
		})
	}
}
