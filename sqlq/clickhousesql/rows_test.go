package clickhousesql_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/clickhousesql/clickhousesqltest"
)

// A text reads only the rows that the environment allows, however it is written.
func TestRows(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	events, err := clickhousesqltest.Events(filepath.Join("testdata", "events.ndjson"))
	require.NoError(t, err)
	after, until := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	of := func(projects string, isTimed bool) int {
		n := 0
		for _, event := range events {
			project := ""
			if event.Project != nil {
				project = *event.Project
			}
			if source, _ := store.Tables().FindSource(event.Source); source.ProjectMember != "" {
				project = memberOf(t, event.Metadata, source.ProjectMember)
			}
			isInTime := event.Time.After(after) && !event.Time.After(until)
			if project != "" && strings.Contains(projects, project) && (!isTimed || isInTime) {
				n++
			}
		}
		return n
	}
	env := environment()
	for name, test := range map[string]struct {
		rows  clickhousesql.Rows
		types map[string]sqlq.Type
		args  []any
		want  int
	}{
		"one project":      {clickhousesql.Rows{Project: "project"}, map[string]sqlq.Type{"project": sqlq.String}, []any{sql.Named("project", "a")}, of("a", false)},
		"another project":  {clickhousesql.Rows{Project: "project"}, map[string]sqlq.Type{"project": sqlq.String}, []any{sql.Named("project", "b")}, of("b", false)},
		"no such project":  {clickhousesql.Rows{Project: "project"}, map[string]sqlq.Type{"project": sqlq.String}, []any{sql.Named("project", "c")}, 0},
		"several projects": {clickhousesql.Rows{Project: "projects", Several: true}, map[string]sqlq.Type{"projects": sqlq.ArrayOf(sqlq.String)}, []any{sql.Named("projects", []string{"a", "b"})}, of("ab", false)},
		"some time": {
			clickhousesql.Rows{Project: "project", After: "after", Until: "until"},
			map[string]sqlq.Type{"project": sqlq.String, "after": sqlq.Timestamp, "until": sqlq.Timestamp},
			[]any{sql.Named("project", "a"), sql.Named("after", after), sql.Named("until", until)},
			of("a", true),
		},
		"any time": {
			clickhousesql.Rows{Project: "project", After: "after", Until: "until", Optional: true},
			map[string]sqlq.Type{"project": sqlq.String, "after": sqlq.Timestamp, "until": sqlq.Timestamp},
			[]any{sql.Named("project", "a"), sql.Named("after", nil), sql.Named("until", nil)},
			of("a", false),
		},
	} {
		env.Rows, env.Params, env.IsCallers = test.rows, nil, true
		for param, typ := range test.types {
			env.Params = append(env.Params, clickhousesql.Param{Name: param, Type: typ})
		}
		for _, text := range []string{
			"SELECT count() AS n FROM logs",
			"SELECT count() AS n FROM logs WHERE 1 OR source = 'edge_logs'",
			"SELECT sum(n) AS n FROM (SELECT count() AS n FROM logs GROUP BY source UNION ALL SELECT 0)",
			"WITH logs AS (SELECT id FROM logs) SELECT count() AS n FROM logs",
			"SELECT count() AS n FROM logs AS a LEFT JOIN (SELECT 1 AS x) AS b ON length(a.id) = b.x",
			"SELECT uniq(id, source) AS n FROM logs WHERE id IN (SELECT id FROM logs)",
			"SELECT (SELECT count() FROM logs) AS n",
		} {
			got, err := rowsOf(t, store.DB(), text, env, test.args...)
			require.NoError(t, err, text)
			assert.Equal(t, []string{fmt.Sprintf("[%d]", test.want)}, got, "%s: %s", name, text)
		}
	}
	assert.NotEqual(t, of("a", false), of("b", false))
}

// memberOf returns a member of metadata; empty if it has none.
func memberOf(t *testing.T, metadata json.RawMessage, name string) string {
	t.Helper()
	var objects []map[string]any
	if len(metadata) > 0 {
		require.NoError(t, json.Unmarshal(metadata, &objects))
	}
	if len(objects) == 0 {
		return ""
	}
	text, _ := objects[0][name].(string)
	return text
}

// SQL of callers cannot make large texts and arrays of a row.
func TestCallersSizes(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	env := environment()
	env.IsCallers = true
	doubled := "SELECT concat(x, x) AS x FROM (SELECT 'abcdefgh' AS x)"
	nested := "SELECT [x, x] AS x FROM (SELECT [1] AS x)"
	for range 20 {
		doubled = "SELECT concat(x, x) AS x FROM (" + doubled + ")"
		nested = "SELECT [x, x] AS x FROM (" + nested + ")"
	}
	for _, text := range []string{
		doubled, nested,
		"SELECT repeat('x', 1000000000) AS x", "SELECT repeat(repeat('x', 1000), 1000) AS x FROM logs", "SELECT leftPad('x', 1000000000) AS x", "SELECT range(1000000000) AS x",
		"SELECT replaceAll(event_message, '', repeat('x', 100000)) AS x FROM logs",
	} {
		_, err := rowsOf(t, store.DB(), text, env)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), "savedq: ", text)
	}
	for _, text := range []string{"SELECT concat(id, event_message) AS x FROM logs", "SELECT repeat('x', 10) AS x", "SELECT [[1], [2]] AS x"} {
		_, err := rowsOf(t, store.DB(), text, env)
		require.NoError(t, err, text)
	}
	text := "SELECT (" + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200) + ") AS x"
	_, err := clickhousesql.Parse(text)
	require.ErrorContains(t, err, "levels deep")
	_, err = clickhousesql.Parse("SELECT '" + strings.Repeat("x", clickhousesql.MostBytes) + "'")
	require.ErrorContains(t, err, "longer than")
	var bomb strings.Builder
	bomb.WriteString("SELECT 'x' AS a0")
	for i := range 40 {
		_, _ = fmt.Fprintf(&bomb, ", concat(a%d, a%[1]d) AS a%d", i, i+1)
	}
	for _, twice := range []string{"1", "1 AS x"} { // BETWEEN and CASE have an expression twice
		between, choice := twice, twice
		for range 30 {
			between, choice = "("+strings.TrimSuffix(between, " AS x")+") BETWEEN 0 AND 1", "CASE "+strings.TrimSuffix(choice, " AS x")+" WHEN 0 THEN 1 WHEN 1 THEN 0 END"
		}
		for _, x := range []string{between, choice} {
			_, err := clickhousesql.Translate("SELECT "+x+strings.TrimPrefix(twice, "1"), env)
			require.ErrorContains(t, err, "too complex")
		}
	}
	_, err = clickhousesql.Translate(bomb.String(), env)
	assert.ErrorContains(t, err, "too complex")
}

// A text says its parameters and its columns.
func TestDescribe(t *testing.T) {
	t.Parallel()
	described, err := clickhousesql.Describe("SELECT toStartOfHour(timestamp) AS hour, count() AS n, avg(1) AS a, any(log_attributes) AS m, groupArray(id) AS ids, max(toInt32OrNull(id)) AS x "+
		"FROM logs WHERE log_attributes['request.path'] = {path:String} AND timestamp > {since:DateTime64(6)} AND toInt32OrZero(id) IN {codes:Array(Int64)} AND id != {path:String} "+
		"AND now() > {now:DateTime} AND {other:Nullable(Int64)} = 1 GROUP BY hour", environment())
	require.NoError(t, err)
	assert.Equal(t, []clickhousesql.Param{
		{Name: "path", Type: sqlq.String, Written: "String"},
		{Name: "since", Type: sqlq.Timestamp, Written: "DateTime64(6)"},
		{Name: "codes", Type: sqlq.ArrayOf(sqlq.Int64), Written: "Array(Int64)"},
		{Name: "other", Type: sqlq.Int64, Nullable: true, Written: "Nullable(Int64)"},
	}, described.Params)
	assert.Equal(t, []string{"DateTime", "UInt64", "Float64", "Map(String, String)", "Array(String)", "Nullable(Int32)"}, described.Types)
	assert.Equal(t, []sqlq.Column{
		{Name: "hour", Type: sqlq.Timestamp},
		{Name: "n", Type: sqlq.Int64},
		{Name: "a", Type: sqlq.Float64},
		{Name: "m", Type: sqlq.JSON},
		{Name: "ids", Type: sqlq.ArrayOf(sqlq.String)},
		{Name: "x", Type: sqlq.Int64, Nullable: true},
	}, described.Columns)
	for text, want := range map[string]string{
		"SELECT {now:Int64} AS x":                "the parameter now is declared as TIMESTAMP, which is no Int64 here",
		"SELECT {x:Int64} AS x, {x:String} AS y": "the parameter x is a Int64 before",
		"SELECT {x:Map(String, String)} AS x":    "a parameter cannot be a Map(String, String)",
	} {
		_, err := clickhousesql.Describe(text, environment())
		assert.ErrorContains(t, err, want)
	}
}

// Parameters have the values of the run.
func TestParameters(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	env := environment()
	env.Params = append(env.Params, clickhousesql.Param{Name: "s", Type: sqlq.String}, clickhousesql.Param{Name: "n", Type: sqlq.Int64}, clickhousesql.Param{Name: "many", Type: sqlq.ArrayOf(sqlq.String)}, clickhousesql.Param{Name: "at", Type: sqlq.Timestamp})
	args := []any{
		sql.Named("s", "edge_logs"), sql.Named("n", int64(2)), sql.Named("many", []string{"edge_logs", "auth_logs"}), sql.Named("at", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)),
	}
	got, err := rowsOf(t, store.DB(), "SELECT source, count() AS n FROM logs WHERE (source = {s:String} OR source IN {many:Array(String)}) AND timestamp > {at:DateTime64(6)} - INTERVAL {n:Int64} HOUR GROUP BY source ORDER BY source LIMIT {n:UInt64}", env, args...)
	require.NoError(t, err)
	assert.Equal(t, []string{`["auth_logs",12]`, `["edge_logs",48]`}, got)
}

// The place of a mistake is that in the text.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT id\nFROM logs WHERE nope = 1":     "2:17",
		"SELECT lower(1) FROM logs":               "1:14",
		"SELECT id FROM logs SETTINGS a = 1":      "1:21",
		"SELECT id FROM\n  url('x')":              "2:3",
		"SELECT toInt32OrZer(id) FROM logs":       "1:8",
		"SELECT id FROM logs WHERE count() > 1":   "1:27",
		"SELECT 'ü', nope FROM logs":              "1:14",
		"SELECT CAST(id AS Decimal(9, 1)) FROM x": "1:39",
	} {
		_, err := clickhousesql.Translate(text, environment())
		mistake := new(clickhousesql.Error)
		require.ErrorAs(t, err, &mistake, text)
		line, column := sqlq.LineAndColumn(text, mistake.Offset)
		assert.Equal(t, want, fmt.Sprintf("%d:%d", line, column), text)
	}
}

// FuzzTranslate checks that every text is translated, or refused with a place in it.
func FuzzTranslate(f *testing.F) {
	files, err := clickhousesqltest.Read(filepath.Join("testdata", "cases"))
	require.NoError(f, err)
	for _, file := range files {
		for _, c := range file.Cases {
			f.Add(c.SQL)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		env := environment()
		env.IsCallers = true
		translated, err := clickhousesql.Translate(text, env)
		if err != nil {
			mistake := new(clickhousesql.Error)
			require.ErrorAs(t, err, &mistake)
			assert.True(t, mistake.Offset >= 0 && mistake.Offset <= len(text))
			return
		}
		assert.NotContains(t, translated.SQL, "\x01")
	})
}

// A row for each element is made while rows are read: none is kept in memory until all are there.
func TestArrayJoinStreams(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	planOf := func(text string) (plan string) {
		translated, err := clickhousesql.Translate(text, environment())
		require.NoError(t, err, text)
		var key string
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "EXPLAIN "+translated.SQL).Scan(&key, &plan), translated.SQL)
		return plan
	}
	for _, text := range []string{
		"SELECT arrayJoin(mapKeys(log_attributes)) AS k, count() AS n FROM logs GROUP BY k",
		"SELECT k, id FROM logs ARRAY JOIN mapKeys(log_attributes) AS k WHERE source = 'edge_logs'",
		"SELECT k, v FROM logs LEFT ARRAY JOIN mapKeys(log_attributes) AS k, mapValues(log_attributes) AS v",
		"SELECT arrayJoin(splitByChar('.', k)) AS part FROM logs ARRAY JOIN mapKeys(log_attributes) AS k",
		"SELECT a.id, arrayJoin([1, 2]) AS x FROM logs AS a JOIN logs AS b ON a.id = b.id",
	} {
		plan := planOf(text)
		assert.Contains(t, plan, "UNNEST", text)
		assert.NotContains(t, plan, "DELIM", text)
	}
}
