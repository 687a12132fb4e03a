package logstore_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/tables"
)

// searchPaths are the paths of the typed columns of all sources.
func searchPaths() (paths []string) {
	for _, field := range sqlq.SearchFields() {
		for _, path := range field.Paths {
			paths = append(paths, strings.Join(path, "."))
		}
	}
	return paths
}

// placedTexts read paths that are typed columns only. {all} stands for all of them.
func placedTexts() []string {
	all := make([]string, 0, len(searchPaths()))
	for i, path := range searchPaths() {
		all = append(all, fmt.Sprintf("log_attributes['%s'] AS p%d", path, i))
	}
	texts := []string{
		"SELECT id, {all} FROM logs",
		"SELECT id, source, {all} FROM logs WHERE source = 'edge_logs' AND log_attributes['request.method'] != ''",
		"SELECT toStartOfHour(timestamp) AS hour, countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) AS errors, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY hour",
		"SELECT log_attributes['level'] AS level, log_attributes['parsed.error_severity'] AS severity, severity_text, count() AS n FROM logs GROUP BY ALL",
		"SELECT id, s FROM (SELECT id, log_attributes['status'] AS s FROM logs WHERE log_attributes['path'] = '/rest')",
		"WITH r AS (SELECT id, log_attributes FROM logs WHERE source = 'edge_logs') SELECT id, log_attributes['request.path'] AS p FROM r WHERE log_attributes['response.status_code'] > '3'",
		"SELECT a.id, a.log_attributes['request.path'] AS x, b.log_attributes['level'] AS y FROM logs AS a LEFT JOIN (SELECT * FROM logs WHERE log_attributes['level'] = 'info') AS b ON a.id = b.id",
		"SELECT id, log_attributes['method'] AS m FROM (SELECT id, log_attributes FROM logs WHERE source = 'edge_logs' UNION ALL SELECT concat(id, '-'), log_attributes FROM logs)",
		"SELECT id, c FROM logs ARRAY JOIN splitByChar('/', log_attributes['request.path']) AS c",
		"SELECT id, log_attributes['request.pathname'] AS p FROM logs ORDER BY id LIMIT 700",
		"SELECT count() AS n FROM logs WHERE id IN (SELECT id FROM logs WHERE log_attributes['request.method'] = 'GET')",
		"SELECT id, m['level'] AS l FROM (SELECT id, m FROM (SELECT id, log_attributes AS m, log_attributes AS other FROM logs))",
		"SELECT log_attributes['request.method'] AS m, row_number FROM (SELECT log_attributes, length(id) AS row_number FROM logs ORDER BY id LIMIT 2 BY source)",
	}
	for i := range texts {
		texts[i] = strings.ReplaceAll(texts[i], "{all}", strings.Join(all, ", "))
	}
	return texts
}

// placedEvents returns random events with odd values at the paths.
func placedEvents(random *rand.Rand, source string, count int) []logevent.Event {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	value := func(usual string) string {
		if random.IntN(4) > 0 {
			return usual
		}
		return pick(`""`, "null", "5", "5.0", "true", "200", `"200"`, "200.0", `"200.00"`, "99", "1e2", "-0", `["GET"]`, `[200,500]`, `[]`, `[{"a":1}]`, `"\u0000"`, `"a\"b"`, `"é"`, "12345678901234567890", `"\/rest"`)
	}
	member := func(name, usual string) string {
		if random.IntN(6) == 0 {
			return ""
		}
		text := `"` + name + `":` + value(usual) + ","
		if random.IntN(20) == 0 {
			text += `"` + name + `":` + value(usual) + ","
		}
		return text
	}
	list := func(object string) string {
		object = "{" + strings.TrimSuffix(object, ",") + "}"
		switch random.IntN(12) {
		case 0:
			return "[" + object + `,{"status_code":200,"method":"PUT","path":"/x"}]`
		case 1:
			return pick("[]", "null", `"x"`, "[7]", "[null]", "[["+object+"]]")
		}
		return "[" + object + "]"
	}
	events := make([]logevent.Event, count)
	for i := range events {
		project := "p"
		events[i] = logevent.Event{ID: fmt.Sprintf("%s-%d", source, i), Timestamp: noon.Add(time.Duration(i) * time.Minute), Project: &project}
		text := ""
		if source == "edge_logs" || random.IntN(8) == 0 {
			text += `"request":` + list(member("method", `"GET"`)+member("path", `"/rest"`)) + `,"response":` + list(member("status_code", "200")) + ","
		}
		if source != "edge_logs" || random.IntN(8) == 0 {
			text += member("level", `"info"`)
			if random.IntN(3) == 0 {
				text += member("status", "404") + member("path", `"/token"`) + member("method", `"POST"`) + `"parsed":` + list(member("error_severity", `"LOG"`)) + ","
			}
		}
		if random.IntN(10) > 0 {
			events[i].Metadata = json.RawMessage(list(text))
		}
		if metadata := events[i].Metadata; len(metadata) > 0 && metadata[0] != '[' {
			events[i].Metadata = nil
		}
	}
	return events
}

// clickHouseSQL returns a text over logs in DuckDB's SQL, which reads the metadata of all events unless it may read typed columns.
func clickHouseSQL(t *testing.T, text string, isPlaced bool) string {
	t.Helper()
	translated, err := clickhousesql.Translate(text, clickhousesql.Environment{Sources: tables.Shipped().Sources()})
	require.NoError(t, err, text)
	if isPlaced {
		return translated.SQL
	}
	return strings.NewReplacer(`"all_logs#typed"`, `(FROM "all_logs#typed" WHERE false)`, `"all_logs#untyped"`, "all_logs").Replace(translated.SQL)
}

// Rows are equal whether paths are read from typed columns or from metadata.
func TestPlacedRowsEqualThoseOfMetadata(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
		t.Helper()
		random := rand.New(rand.NewPCG(1, 2))
		for _, source := range []string{"edge_logs", "postgres_logs", "auth_logs"} {
			addEvents(t, store, source, placedEvents(random, source, 500)...)
		}
		seal()
		for _, text := range placedTexts() {
			placed, whole := clickHouseSQL(t, text, true), clickHouseSQL(t, text, false)
			assert.Contains(t, placed, `#typed"`, text)
			want := rowsAsText(t, store, whole)
			assert.NotEmpty(t, want, text)
			assert.Equal(t, want, rowsAsText(t, store, placed), text)
		}
		var placed, all int
		require.NoError(t, store.DB().QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM "all_logs#typed"), (SELECT count(*) FROM all_logs)`).Scan(&placed, &all))
		assert.Greater(t, placed, 100)
		assert.Greater(t, all, placed+100)
	})
}

// A text that reads more of the metadata reads the metadata.
func TestTextsThatAreNotPlaced(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"SELECT log_attributes['request.path'] AS p, log_attributes['request.search'] AS s FROM logs",
		"SELECT log_attributes FROM logs WHERE log_attributes['level'] = 'info'",
		"SELECT id FROM logs",
		"SELECT mapKeys(log_attributes) AS k, log_attributes['level'] AS l FROM logs",
		"SELECT log_attributes['level'] AS l FROM (SELECT any(log_attributes) AS log_attributes FROM logs)",
		"SELECT log_attributes['level'] AS l FROM (SELECT DISTINCT log_attributes FROM logs)",
		"SELECT * FROM (SELECT id, log_attributes FROM logs WHERE log_attributes['level'] = 'info')",
	} {
		assert.NotContains(t, clickHouseSQL(t, text, true), `#typed"`, text)
	}
}

// A part of an earlier program has no placed events: they are read from metadata, also after it was merged.
func TestPartWithoutPlacedEvents(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	addEvents(t, store, "edge_logs", placedEvents(rand.New(rand.NewPCG(1, 2)), "edge_logs", 200)...)
	text := placedTexts()[0]
	want := rowsAsText(t, store, clickHouseSQL(t, text, false))
	store = reopenWithout(t, store, directory, "places")
	assert.Empty(t, texts(t, store, `SELECT id FROM "all_logs#typed"`))
	assert.Equal(t, want, rowsAsText(t, store, clickHouseSQL(t, text, true)))
	_, err = store.Merge(t.Context(), noon.AddDate(0, 1, 0), nil)
	require.NoError(t, err)
	assert.Equal(t, want, rowsAsText(t, store, clickHouseSQL(t, text, true)))
	// Events of this program are placed beside them.
	addEvents(t, store, "auth_logs", placedEvents(rand.New(rand.NewPCG(3, 4)), "auth_logs", 200)...)
	assert.NotEmpty(t, texts(t, store, `SELECT id FROM "all_logs#typed"`))
	assert.Equal(t, rowsAsText(t, store, clickHouseSQL(t, text, false)), rowsAsText(t, store, clickHouseSQL(t, text, true)))
}
