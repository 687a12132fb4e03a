package logstore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// allViews are the names of the views of events.
func allViews(store *logstore.Store) []string {
	views := append(store.Tables().Sources().Names(), "all_logs", "all_logs_shared", "function_invocations", "edge_requests")
	for _, table := range store.Tables().Sources() {
		if table.Shipped && sqlq.RecordsOf(table.Name) != nil {
			views = append(views, sqlq.TypedRows(table.Name), sqlq.UntypedRows(table.Name))
		}
	}
	return views
}

// checkWithin compares the rows of all views in a random range with those of what [logstore.Views.Within] returns, and
// their columns. It returns how many views it did not return.
func checkWithin(t *testing.T, store *logstore.Store, random *rand.Rand) (narrowed int) {
	t.Helper()
	during := sqlq.Range{From: start().Add(time.Duration(random.IntN(70)-5) * time.Hour)}
	during.To = during.From.Add(time.Duration(random.IntN(20)) * time.Hour)
	rows := func(from string) []string {
		return texts(t, store, fmt.Sprintf("SELECT to_json(rows)::VARCHAR FROM (FROM %s WHERE timestamp >= make_timestamp(%d) AND timestamp < make_timestamp(%d)) AS rows ORDER BY ALL",
			from, during.From.UnixMicro(), during.To.UnixMicro()))
	}
	columns := func(from string) []string {
		return texts(t, store, "SELECT column_name || ' ' || column_type FROM (DESCRIBE FROM "+from+")")
	}
	for _, name := range allViews(store) {
		within := store.Views().Within(name, during)
		if within == "" {
			continue
		}
		narrowed++
		view := `main."` + name + `"`
		require.Equal(t, columns(view), columns(within), name)
		require.Equal(t, rows(view), rows(within), "%s %s", name, during)
	}
	return narrowed
}

// A view of parts of several days reads those of the range only, and the view itself if all are of the range.
func TestWithinNamesFewerParts(t *testing.T) {
	t.Parallel()
	store, model := open(t, t.TempDir()), newModel(1)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	for range 3 {
		model.position++
		var events []logstore.Accepted
		for range 200 {
			events = append(events, model.event())
		}
		require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(events), Position: model.position}))
		model.add(events...)
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	views := store.Views()
	whole := sqlq.Range{From: start(), To: start().AddDate(1, 0, 0)}
	named := 0
	for _, name := range allViews(store) {
		assert.Empty(t, views.Within(name, whole), name)
		after := views.Within(name, sqlq.Range{From: start().AddDate(0, 1, 0), To: whole.To})
		assert.NotContains(t, after, "part", name)
		if count := texts(t, store, `SELECT count(*)::VARCHAR FROM main."`+name+`"`); count[0] == "0" {
			continue // no part has events of it
		}
		named++
		assert.Contains(t, after, "recent", name)
		assert.Equal(t, after, views.Within(name, sqlq.Range{From: start().AddDate(-1, 0, 0), To: start().AddDate(0, 0, -1)}), name)
	}
	assert.Equal(t, 11, named, "four sources, all logs, records of two sources, and their typed and other rows")
	assert.Empty(t, views.Within("nothing", whole))
	assert.Equal(t, views.Within("edge_logs", sqlq.Range{}), views.Within("EDGE_LOGS", sqlq.Range{}))
	narrowed, random := 0, rand.New(rand.NewPCG(1, 1))
	for range 10 {
		narrowed += checkWithin(t, store, random)
	}
	assert.Positive(t, narrowed)
}
