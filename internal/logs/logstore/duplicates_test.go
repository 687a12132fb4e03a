package logstore_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// A long transaction stores the first event of each id, and no other, whatever its filter of
// ids remembers: here the filter is so small that it suspects most ids. The same goes for the
// first commits into a large source, which look up their ids.
func TestLongTransactionsStoreEachIDOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flushBytes int
		manyRows   int64
	}{{400, 1 << 20}, {2000, 1 << 20}, {1 << 20, 1 << 20}, {400, 0}, {2000, 200}} {
		t.Run(fmt.Sprintf("%d bytes, large from %d rows", test.flushBytes, test.manyRows), func(t *testing.T) {
			t.Parallel()
			flushBytes := test.flushBytes
			store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithFlushBytes(flushBytes), logstore.WithManyRows(test.manyRows))
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(1, uint64(flushBytes)))
			sources := []*sqlq.Table{source(t, "edge_logs"), source(t, "auth_logs")}
			want := map[string]string{}
			for range 2 {
				transaction, err := store.Begin(t.Context(), logstore.Sent)
				require.NoError(t, err)
				var added, duplicates int
				for i := range 600 {
					from := sources[random.IntN(len(sources))]
					id, message := strconv.Itoa(random.IntN(1000)), strconv.Itoa(i)
					require.NoError(t, transaction.Add(t.Context(), from, logevent.Event{ID: id, Timestamp: noon, EventMessage: &message}))
					if _, stored := want[from.Name+" "+id]; stored {
						duplicates++
						continue
					}
					want[from.Name+" "+id] = message
					added++
				}
				require.NoError(t, transaction.Commit(t.Context()))
				gotAdded, gotDuplicates := transaction.Counts()
				assert.Equal(t, []int{added, duplicates}, []int{gotAdded, gotDuplicates})
			}
			stored := 0
			for _, from := range sources {
				for _, row := range texts(t, store, "SELECT id || '|' || event_message FROM "+from.Name) {
					id, message, _ := strings.Cut(row, "|")
					assert.Equal(t, want[from.Name+" "+id], message)
					stored++
				}
			}
			assert.Len(t, want, stored)
			require.NoError(t, store.Close())
		})
	}
}
