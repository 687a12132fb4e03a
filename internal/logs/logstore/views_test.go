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
	views := append(store.Tables().Sources().Names(), "all_logs", "all_logs_shared", sqlq.TypedRows(sqlq.AllLogs), sqlq.UntypedRows(sqlq.AllLogs), "function_invocations", "edge_requests")
	for _, table := range store.Tables().Sources() {
		if table.Shipped && sqlq.RecordsOf(table.Name) != nil {
			views = append(views, sqlq.TypedRows(table.Name), sqlq.UntypedRows(table.Name))
		}
	}
	return views
}

// rowsWithin returns the rows of a query of what [logstore.Views.Within] returns, unless it returns nothing. What it names
// can be gone when the query runs, because a part has replaced it: then it is asked again.
func rowsWithin(t *testing.T, store *logstore.Store, name string, during sqlq.Range, query string) (found []string, isNarrow bool) {
	t.Helper()
	var text string
	for within := store.Views().Within(name, during); within != ""; {
		err := eachRow(t.Context(), store.DB(), fmt.Sprintf(query, within), []any{&text}, func() { found = append(found, text) })
		if err == nil {
			return found, true
		}
		last := within
		require.Eventually(t, func() bool { within = store.Views().Within(name, during); return within != last }, time.Minute, time.Millisecond, err)
		found = nil
	}
	return nil, false
}

// checkWithin compares the rows of all views in a random range with those of what [logstore.Views.Within] returns, and
// their columns. It returns how many it compared.
func checkWithin(t *testing.T, store *logstore.Store, random *rand.Rand) (narrowed int) {
	t.Helper()
	during := sqlq.Range{From: start().Add(time.Duration(random.IntN(70)-5) * time.Hour)}
	during.To = during.From.Add(time.Duration(random.IntN(20)) * time.Hour)
	const rows = "SELECT to_json(rows)::VARCHAR FROM (FROM %s WHERE timestamp >= make_timestamp(%d) AND timestamp < make_timestamp(%d)) AS rows ORDER BY ALL"
	const columns = "SELECT column_name || ' ' || column_type FROM (DESCRIBE FROM %s)"
	for _, name := range allViews(store) {
		for _, query := range []string{fmt.Sprintf(rows, "%s", during.From.UnixMicro(), during.To.UnixMicro()), columns} {
			found, isNarrow := rowsWithin(t, store, name, during, query)
			if !isNarrow {
				break // it reads the view, now that a part has replaced what was in memory
			}
			require.Equal(t, texts(t, store, fmt.Sprintf(query, `main."`+name+`"`)), found, "%s %s", name, during)
			narrowed++
		}
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
	assert.Equal(t, 12, named, "four sources, all logs, records of two sources, and the typed and other rows of three")
	assert.Empty(t, views.Within("nothing", whole))
	assert.Equal(t, views.Within("edge_logs", sqlq.Range{}), views.Within("EDGE_LOGS", sqlq.Range{}))
	narrowed, random := 0, rand.New(rand.NewPCG(1, 1))
	for range 10 {
		narrowed += checkWithin(t, store, random)
	}
	assert.Positive(t, narrowed)
}
