package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/tables"
)

// metadataOf returns random metadata of a source, of all forms that senders could send: with one element in each list or several or none,
// without lists, with members that are missing, and with values of all types.
func metadataOf(random *rand.Rand, project, list string, outer, inner []string) string {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	value := func() string {
		if random.IntN(3) > 0 {
			return pick(`"a"`, `"b"`, "200", "404", "12.5", "null", "7")
		}
		return pick(`""`, "0", "-0", "-0.0", "1e2", "200.0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "18446744073709551616",
			"123456789012345678", "0.12345678901234567", "4.9e-324", "1.7976931348623157e308", "1e400", "true", "[]", "[1]", "{}", `["a"]`, `"200"`, `"NaN"`, "NaN", `"\u00e9"`, `"\ue000"`,
			"\"\xEE\x80\x80\"", `"\ud800"`, `"x: -0"`, `"2026-01-01"`, `"null"`)
	}
	object := func(names []string, more ...string) string {
		members := more
		for _, name := range names {
			if random.IntN(8) > 0 {
				members = append(members, fmt.Sprintf("%q:%s%s", name, pick("", " "), value()))
			}
			if random.IntN(40) == 0 { // twice
				members = append(members, fmt.Sprintf("%q: %s", name, value()))
			}
		}
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return "{" + strings.Join(members, ", ") + "}"
	}
	element := func() string {
		var more []string
		if list != "" {
			in := object(inner)
			switch random.IntN(12) {
			case 0:
				in = pick("[]", "null", `"x"`, "[null]", "[[{}]]", "5", "["+in+", "+object(inner)+"]", "["+in+", null]")
			case 1:
				in = ""
			case 2, 3, 4:
			default:
				in = "[" + in + "]"
			}
			if in != "" {
				more = append(more, fmt.Sprintf("%q: %s", list, in))
			}
		}
		return object(append([]string{project}, outer...), more...)
	}
	switch random.IntN(12) {
	case 0:
		return pick("[]", "null", "", "no JSON", "5", `"x"`, "[null]", "[["+element()+"]]", "["+element()+", "+element()+"]", "["+element()+", 5]", element()+" x")
	case 1, 2, 3:
		return element()
	}
	return pick("", " ") + "[" + element() + "]"
}

// Typed columns have what metadata has. The rows of queries are the same, with rows that are not typed and without them.
func TestTypedRows(t *testing.T) {
	server := startServer(t)
	sources := tables.Shipped().Sources()
	createTables(t, server, sources)
	opened := open(t, config(server))
	for source, of := range map[string]struct {
		project, list string
		outer, inner  []string
		queries       []string
	}{
		"function_edge_logs": {"project_ref", "response", []string{"function_id", "execution_time_ms"}, []string{"status_code"}, []string{
			"SELECT CAST(r.status_code AS STRING) AS c FROM %s AS t, UNNEST(t.metadata) AS m, UNNEST(m.response) AS r ORDER BY t.id",
			"SELECT SAFE_CAST(r.status_code AS INT64) AS c FROM %s AS t, UNNEST(t.metadata) AS m, UNNEST(m.response) AS r ORDER BY t.id",
			"SELECT SAFE_CAST(r.status_code AS FLOAT64) AS c FROM %s AS t, UNNEST(t.metadata) AS m, UNNEST(m.response) AS r ORDER BY t.id",
			"SELECT SAFE_CAST(m.execution_time_ms AS FLOAT64) AS c FROM %s AS t, UNNEST(t.metadata) AS m ORDER BY t.id",
			"SELECT m.execution_time_ms IS NULL AS c FROM %s AS t, UNNEST(t.metadata) AS m WHERE SAFE_CAST(m.execution_time_ms AS FLOAT64) > 5 OR m.execution_time_ms IS NULL ORDER BY t.id",
			"SELECT COUNT(*) AS c FROM %s AS t, UNNEST(t.metadata) AS m, UNNEST(m.response) AS r WHERE m.project_ref = 'a' AND SAFE_CAST(r.status_code AS FLOAT64) >= 400",
			"SELECT m.function_id AS c FROM %s AS t, UNNEST(t.metadata) AS m, UNNEST(m.response) AS r GROUP BY m.function_id ORDER BY 1",
			"SELECT r.status_code IS NULL AS c FROM %s AS t LEFT JOIN UNNEST(t.metadata) AS m LEFT JOIN UNNEST(m.response) AS r ORDER BY t.id",
		}},
		"edge_logs": {"project", "request", nil, []string{"url", "path"}, []string{
			"SELECT r.url || '|' || r.path AS c FROM %s AS t, UNNEST(t.metadata) AS m, UNNEST(m.request) AS r ORDER BY t.id",
			"SELECT t.id AS c FROM %s AS t WHERE EXISTS (SELECT 1 FROM UNNEST(t.metadata) AS m, UNNEST(m.request) AS r WHERE r.path = 'a') ORDER BY t.id",
		}},
		"realtime_logs": {"project", "", nil, nil, nil},
	} {
		member := of.project
		queries := of.queries
		if source != "edge_logs" {
			queries = append(queries,
				"SELECT m."+member+" AS c FROM %s AS t, UNNEST(t.metadata) AS m ORDER BY t.id",
				"SELECT m."+member+" AS c FROM %s AS t LEFT JOIN UNNEST(t.metadata) AS m ORDER BY t.id",
				"SELECT t.id AS c FROM %s AS t WHERE EXISTS (SELECT 1 FROM UNNEST(t.metadata) AS m WHERE m."+member+" = 'a') ORDER BY t.id",
				"SELECT t.id AS c FROM %s AS t WHERE NOT EXISTS (SELECT 1 FROM UNNEST(t.metadata) AS m WHERE m."+member+" = 'a') ORDER BY t.id",
				"SELECT p AS c FROM %s AS t CROSS JOIN UNNEST(ARRAY(SELECT DISTINCT m."+member+" FROM UNNEST(t.metadata) AS m WHERE m."+member+" <> '')) AS p ORDER BY t.id, p",
				"SELECT LOWER(m."+member+") AS c FROM %s AS t, UNNEST(t.metadata) AS m WHERE m."+member+" IS NOT NULL ORDER BY t.id",
				"SELECT STRING_AGG(p, ',' ORDER BY p) AS c FROM (SELECT m."+member+" AS p FROM %s AS t, UNNEST(t.metadata) AS m)",
			)
		}
		var values []string
		random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // It is the same in each run.
		const events = 3000
		for i := range events {
			metadata := metadataOf(random, of.project, of.list, of.outer, of.inner)
			values = append(values, fmt.Sprintf("('e%04d', now64(6), '%s')", i, strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(metadata)))
		}
		execute(t, server, "INSERT INTO "+source+" (id, timestamp, metadata) VALUES "+strings.Join(values, ", "))
		compare := func(what string, isTyped bool) {
			for _, sql := range queries {
				sql = fmt.Sprintf(sql, source)
				query := queryOf("", "c STRING")
				query.Tables, query.MaxRows = sources, 10_000
				if strings.Contains(sql, "AS FLOAT64) AS c") {
					query.Columns[0].Type = sqlq.Float64
				}
				if strings.Contains(sql, "AS INT64) AS c") || strings.Contains(sql, "COUNT(*)") {
					query.Columns[0].Type = sqlq.Int64
				}
				if strings.Contains(sql, "NULL AS c") {
					query.Columns[0].Type = sqlq.Bool
				}
				translation, err := engine.Dialect{}.FromGoogleSQL(query, sql)
				require.NoError(t, err, sql)
				require.NotEmpty(t, translation.TypedSQL, sql)
				onMetadata := *translation
				onMetadata.TypedSQL = ""
				query.SQL, query.Translation = translation.SQL, &onMetadata
				want, err := runQuery(t.Context(), opened, query)
				require.NoError(t, err, sql)
				if query.Translation = translation; isTyped { // without the way back to metadata
					query.SQL = translation.TypedSQL
				}
				got, err := runQuery(t.Context(), opened, query)
				require.NoError(t, err, "%s\n%s", sql, translation.TypedSQL)
				assert.NotEmpty(t, want.Rows, sql)
				assert.Equal(t, textsOf(want.Rows), textsOf(got.Rows), "%s: %s", what, sql)
			}
		}
		compare("all rows", false)
		execute(t, server, "DELETE FROM "+source+" WHERE metadata_typed = 0")
		compare("typed rows", true)
		result, err := runQuery(t.Context(), opened, queryOf("SELECT count() AS c FROM "+source, "c INT64"))
		require.NoError(t, err)
		t.Logf("%v of %d random events of %s are typed", result.Rows[0][0], events, source)
		assert.Greater(t, result.Rows[0][0], int64(100))
		if source == "edge_logs" { // a table of before
			execute(t, server, "ALTER TABLE edge_logs DROP COLUMN metadata_request_url, DROP COLUMN metadata_request_path")
			compare("without typed columns", false)
		}
	}
}
