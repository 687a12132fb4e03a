package logstore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/tables"
)

// typedTexts read fields that are typed columns only. Texts of the first list fail for a value that does not convert.
func typedTexts() (failing, others []string) {
	const invocations = " FROM function_edge_logs AS t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN UNNEST(m.response) AS r "
	const requests = " FROM edge_logs AS t CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r "
	failing = []string{
		"SELECT id, timestamp, m.project_ref AS p, CAST(m.execution_time_ms AS FLOAT64) AS e, r.status_code + 1 AS s" + invocations,
		"SELECT r.status_code AS s, COUNT(*) AS n, MAX(m.execution_time_ms + 1) AS e, MIN(m.execution_time_ms + 1) AS least" + invocations + "WHERE r.status_code >= 200 GROUP BY s",
		"SELECT id, SAFE_CAST(r.status_code AS INT64) AS s" + invocations + "WHERE r.status_code IS NOT NULL AND (m.execution_time_ms IS NULL OR m.execution_time_ms > 0)",
		"SELECT id, m.execution_time_ms BETWEEN 1 AND 10 AS e" + invocations + "WHERE m.project_ref = 'p'",
		"SELECT a.id, b.n FROM function_edge_logs AS a, UNNEST(a.metadata) AS m, UNNEST(m.response) AS r JOIN (SELECT 200 AS code, 'x' AS n) AS b ON b.code = r.status_code",
	}
	others = []string{
		"SELECT id, m.project_ref AS p, m.function_id AS f, r.status_code AS s" + invocations,
		"SELECT id, r.status_code AS s, COUNTIF(r.status_code = '200') AS n" + invocations + "GROUP BY id, s",
		"SELECT id, SAFE_CAST(m.execution_time_ms AS FLOAT64) AS e, SAFE_CAST(r.status_code AS FLOAT64) AS s" + invocations,
		"SELECT m.function_id AS f, COUNT(*) AS n, COUNTIF(SAFE_CAST(r.status_code AS FLOAT64) >= 400) AS errors, APPROX_QUANTILES(SAFE_CAST(m.execution_time_ms AS FLOAT64), 100)[OFFSET(95)] AS p" +
			invocations + "WHERE m.project_ref = 'p' GROUP BY f",
		"SELECT id, SAFE_CAST(r.status_code AS INT64) AS s" + invocations,
		"SELECT id, CASE WHEN m.function_id = 'f' THEN r.status_code ELSE m.project_ref END AS x" + invocations,
		"SELECT id, m.function_id AS f FROM function_edge_logs INNER JOIN UNNEST(metadata) AS m ON TRUE",
		"SELECT id, url, path FROM edge_logs, UNNEST(metadata), UNNEST(request)",
		"SELECT id, r.url AS u, LOWER(r.path) AS p" + requests + "WHERE REGEXP_CONTAINS(r.url, 'h') OR t.project = 'p'",
		"SELECT path, COUNT(*) AS n FROM (SELECT r.path" + requests + "WHERE t.project = 'p') GROUP BY path",
		"SELECT t.id, o.n" + requests + "LEFT JOIN (SELECT '/rest' AS path, 1 AS n) AS o ON o.path = r.path",
		"SELECT id FROM edge_logs AS e WHERE e.id IN (SELECT t.id" + requests + "WHERE r.path LIKE '/%')",
		"WITH r AS (SELECT t.id, r.path" + requests + ") SELECT a.id, b.path FROM r AS a JOIN r AS b ON a.id = b.id",
		"SELECT t.id, (SELECT COUNT(*) FROM function_edge_logs AS f, UNNEST(f.metadata) AS m WHERE m.project_ref = t.project) AS n" + requests,
	}
	return failing, others
}

// typedEvents returns random events of a source with odd metadata. isConvertible means that what should be a number is one, or its text.
func typedEvents(random *rand.Rand, source string, count int, isConvertible bool) []logevent.Event {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	number := func() string {
		odd := []string{"200", "404", "500", "7", "12.5", "200.0", `"200"`, `"12.50"`, "null", "-1", "-0", "-0.0", "1e2", "99999999999999999999", "0.1", "399.9", "123456789012345678"}
		if !isConvertible {
			odd = append(odd, `"abc"`, `""`, "true", "[200]", `[{"status_code":1}]`, `{}`, "1e999", `" 200"`)
		}
		if random.IntN(3) > 0 {
			return pick("200", "404", "9.25")
		}
		return pick(odd...)
	}
	word := func() string {
		if random.IntN(3) > 0 {
			return pick(`"p"`, `"f"`, `"/rest"`, `"http://p"`)
		}
		return pick(`"p"`, `"P"`, `""`, "5", "5.0", "true", "null", `["p"]`, `[{"a":1}]`, `"\u0070"`, `"\/rest"`, `"a\"b"`, `"é"`, `"\u0000"`)
	}
	object := func(members ...string) string {
		var kept []string
		for _, member := range members {
			if random.IntN(8) > 0 {
				kept = append(kept, member)
			}
			if random.IntN(30) == 0 {
				kept = append(kept, member)
			}
		}
		random.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
		return "{" + strings.Join(kept, ",") + "}"
	}
	list := func(element func() string) string {
		elements := []string{}
		for range []int{1, 1, 1, 1, 1, 1, 0, 2}[random.IntN(8)] {
			if random.IntN(20) == 0 {
				elements = append(elements, pick("7", "null", "[]", `"x"`))
			} else {
				elements = append(elements, element())
			}
		}
		if random.IntN(20) == 0 {
			return pick("null", "5", `{"status_code":200}`, `"x"`)
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	events := make([]logevent.Event, count)
	for i := range events {
		project := "p"
		events[i] = logevent.Event{ID: fmt.Sprintf("%s-%d", source, i), Timestamp: noon, Project: &project}
		metadata := list(func() string {
			if source == "edge_logs" {
				return object(`"request":` + list(func() string { return object(`"url":`+word(), `"path":`+word()) }))
			}
			return object(`"project_ref":`+word(), `"function_id":`+word(), `"execution_time_ms":`+number(), `"response":`+list(func() string { return object(`"status_code":` + number()) }))
		})
		if metadata[0] == '[' {
			events[i].Metadata = json.RawMessage(metadata)
		}
	}
	return events
}

// D48: rows are equal whether fields are read from typed columns or from JSON.
func TestTypedRowsEqualThoseOfJSON(t *testing.T) {
	t.Parallel()
	failing, others := typedTexts()
	for name, isConvertible := range map[string]bool{"numbers": true, "anything": false} {
		openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
			t.Helper()
			random := rand.New(rand.NewPCG(1, 2))
			for _, source := range []string{"function_edge_logs", "edge_logs"} {
				addEvents(t, store, source, typedEvents(random, source, 600, isConvertible)...)
			}
			seal()
			compare := others
			if isConvertible {
				compare = append(compare[:len(compare):len(compare)], failing...)
			}
			for _, text := range compare {
				typed, plain := translated(t, text, true), translated(t, text, false)
				assert.Contains(t, typed, `#typed"`, text)
				assert.NotContains(t, plain, `#typed"`, text)
				want := rowsAsText(t, store, plain)
				assert.NotEmpty(t, want, "%s: %s", name, text)
				assert.Equal(t, want, rowsAsText(t, store, typed), "%s: %s", name, text)
			}
			var typed, all int
			require.NoError(t, store.DB().QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM "function_edge_logs#typed"), (SELECT count(*) FROM function_edge_logs)`).Scan(&typed, &all))
			assert.Greater(t, typed, 50)
			assert.Greater(t, all, typed+50)
		})
	}
}

// A text that reads more than the typed columns reads the JSON.
func TestTextsThatAreNotTyped(t *testing.T) {
	t.Parallel()
	const from = " FROM function_edge_logs AS t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN UNNEST(m.response) AS r"
	for _, text := range []string{
		"SELECT m.version" + from,
		"SELECT m.project_ref, t.metadata" + from,
		"SELECT TO_JSON_STRING(m) AS x, m.project_ref" + from,
		"SELECT TO_JSON_STRING(r) AS x, m.project_ref" + from,
		"SELECT m.execution_time_ms AS x" + from + " WHERE m.execution_time_ms = '9'",
		"SELECT CAST(m.execution_time_ms AS INT64) AS x" + from,
		"SELECT m.project_ref, m.response[OFFSET(0)].status_code AS x" + from,
		"SELECT m.project_ref, ARRAY_LENGTH(m.response) AS x FROM function_edge_logs AS t CROSS JOIN UNNEST(t.metadata) AS m",
		"SELECT m.project_ref FROM function_edge_logs AS t LEFT JOIN UNNEST(t.metadata) AS m",
		"SELECT m.project_ref, i FROM function_edge_logs AS t CROSS JOIN UNNEST(t.metadata) AS m WITH OFFSET AS i",
		"SELECT m.project_ref FROM function_edge_logs AS t CROSS JOIN UNNEST(t.metadata) AS m CROSS JOIN UNNEST(m.request) AS r",
		"SELECT m.project_ref, EXISTS (SELECT 1 FROM UNNEST(m.response) AS x WHERE x.status_code = 200) AS x FROM function_edge_logs AS t CROSS JOIN UNNEST(t.metadata) AS m",
		"SELECT COUNT(*) AS n" + from,
		"SELECT m.project_ref, x" + from + " CROSS JOIN UNNEST([1, 2]) AS x",
	} {
		assert.NotContains(t, translated(t, text, true), `#typed"`, text)
	}
}

// A part of an earlier program has no typed events: they are read from JSON, also after it was merged.
func TestPartWithoutTypedEvents(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	addEvents(t, store, "function_edge_logs", typedEvents(rand.New(rand.NewPCG(1, 2)), "function_edge_logs", 200, false)...)
	_, others := typedTexts()
	want := rowsAsText(t, store, translated(t, others[0], true))
	store = reopenWithout(t, store, directory, "typed")
	assert.Empty(t, texts(t, store, `SELECT id FROM "function_edge_logs#typed"`))
	assert.Equal(t, want, rowsAsText(t, store, translated(t, others[0], true)))
	_, err = store.Merge(t.Context(), noon.AddDate(0, 1, 0), nil)
	require.NoError(t, err)
	assert.Equal(t, want, rowsAsText(t, store, translated(t, others[0], true)))
}

// reopenWithout closes a store and opens it again with parts whose entries in the manifest lack a flag, as those of earlier
// programs do.
func reopenWithout(t *testing.T, store *logstore.Store, directory, flag string) *logstore.Store {
	t.Helper()
	require.NoError(t, store.Close())
	path := filepath.Join(directory, parts.ManifestName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	old := bytes.ReplaceAll(content, []byte(`"`+flag+`": true`), []byte(`"`+flag+`": false`))
	require.NotEqual(t, content, old)
	require.NoError(t, os.WriteFile(path, old, 0o600))
	reopened, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reopened.Close()) })
	return reopened
}

// translated returns GoogleSQL in DuckDB's SQL, with typed columns or without.
func translated(t *testing.T, text string, isTyped bool) string {
	t.Helper()
	env := googlesql.EnvironmentOf(&sqlq.SavedQuery{Tables: tables.Shipped()})
	if !isTyped {
		for i := range env.Tables {
			env.Tables[i].Records = nil
		}
	}
	translation, err := googlesql.Translate(text, env)
	require.NoError(t, err, text)
	return translation.SQL
}

// rowsAsText returns the rows of a query in some order.
func rowsAsText(t *testing.T, store *logstore.Store, query string) []string {
	t.Helper()
	return texts(t, store, "SELECT to_json(found)::VARCHAR FROM (\n"+query+"\n) AS found ORDER BY ALL")
}
