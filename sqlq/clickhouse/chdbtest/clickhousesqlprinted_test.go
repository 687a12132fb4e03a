package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/clickhousesql/clickhousesqltest"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sandbox"
	"savedq/sqlq/tables"
)

// storeEvents puts the events of the cases into the tables that savedq creates, and into one table of all sources, otel_logs.
func storeEvents(t *testing.T, server *testServer) {
	t.Helper()
	createTables(t, server, tables.Shipped())
	execute(t, server, "CREATE TABLE otel_logs (id String, source_name String, project Nullable(String), event_message Nullable(String), timestamp DateTime64(9), "+
		"log_attributes Map(LowCardinality(String), String)) ENGINE = MergeTree ORDER BY timestamp")
	events, err := clickhousesqltest.Events(filepath.Join("..", "..", "clickhousesql", "testdata", "events.ndjson"))
	require.NoError(t, err)
	rows := make(map[string]*bytes.Buffer)
	add := func(table string, row map[string]any) {
		if rows[table] == nil {
			rows[table] = new(bytes.Buffer)
		}
		require.NoError(t, json.NewEncoder(rows[table]).Encode(row))
	}
	for i := range events {
		source, ok := tables.Shipped().FindSource(events[i].Source)
		require.True(t, ok)
		moment := events[i].Time.UTC().Format("2006-01-02 15:04:05.000000")
		add(source.Name, map[string]any{"id": events[i].ID, "timestamp": moment, "event_message": events[i].Message, "project": events[i].Project, "metadata": string(events[i].Metadata)})
		text, err := events[i].Row()
		require.NoError(t, err)
		var row map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &row))
		add("otel_logs", map[string]any{"id": events[i].ID, "source_name": source.Name, "timestamp": moment, "event_message": events[i].Message, "project": events[i].Project, "log_attributes": row["log_attributes"]})
	}
	for table, text := range rows {
		status, message := post(t, server, "query=INSERT INTO "+table+" FORMAT JSONEachRow", text.String())
		require.Equal(t, http.StatusOK, status, message)
	}
}

// ofLogs returns a saved query with a text in ClickHouse's dialect.
func ofLogs(text string, dialect engine.Dialect, rows clickhousesql.Rows, params ...sqlq.Param) (*sqlq.SavedQuery, error) {
	return translated(text, dialect, rows, false, params...)
}

// translated is ofLogs, also for a text of a client of ClickHouse.
func translated(text string, dialect engine.Dialect, rows clickhousesql.Rows, isClient bool, params ...sqlq.Param) (*sqlq.SavedQuery, error) {
	query := queryOf("")
	query.Params, query.Tables, query.MaxRows = params, tables.Shipped().Sources(), 10_000
	env := clickhousesql.EnvironmentOf(dialect.Located(query))
	env.Rows, env.IsCallers = rows, true
	env.Target = googlesql.ClickHouse
	env.IsClient = isClient
	described, err := clickhousesql.Describe(text, env)
	if err != nil {
		return nil, err
	}
	translation, err := clickhousesql.Translate(text, env)
	if err != nil {
		return nil, err
	}
	query.SQL, query.Translation, query.Columns = translation.SQL, translation, described.Columns
	return query, nil
}

// TestClickHouseSQLPrinted checks that the SQL that is printed for ClickHouse returns the rows of the cases, from both layouts.
func TestClickHouseSQLPrinted(t *testing.T) {
	server := startServer(t)
	storeEvents(t, server)
	files, err := clickhousesqltest.Read(filepath.Join("..", "..", "clickhousesql", "testdata", "cases"))
	require.NoError(t, err)
	ofClients, err := clickhousesqltest.Read(filepath.Join("..", "..", "clickhousesql", "testdata", "clients"))
	require.NoError(t, err)
	for layout, otel := range map[string]string{"own": "", "otel": "otel_logs"} {
		settings := config(server)
		settings.OTelLogs = otel
		opened := open(t, settings)
		for _, file := range append(slices.Clone(files), ofClients...) {
			t.Run(layout+"/"+filepath.Base(file.Path), func(t *testing.T) {
				for _, c := range file.Cases {
					query, err := translated(c.SQL, engine.Dialect{OTelLogs: otel}, clickhousesql.Rows{}, slices.Contains(ofClients, file))
					if c.Refused != "" {
						if err == nil { // DuckDB refuses it when it runs, with a message of its own
							query.Callers = &sqlq.CallersSQL{Saved: query}
							_, err = runQuery(t.Context(), opened, query)
							assert.Equal(t, sqlq.InvalidArgument, codeOf(t, err), c.SQL)
							continue
						}
						assert.ErrorContains(t, err, c.Refused, c.SQL)
						continue
					}
					if !assert.NoError(t, err, c.SQL) {
						continue
					}
					result, err := runQuery(t.Context(), opened, query)
					if !assert.NoError(t, err, "%s\n%s", c.SQL, query.SQL) {
						continue
					}
					var rows [][]any
					for _, values := range result.Rows {
						row := make([]any, len(values))
						for i, value := range values {
							row[i] = inRow(t, value, query.Columns[i].Type)
						}
						rows = append(rows, row)
					}
					assert.Equal(t, c.Want, clickhousesqltest.Rows(c.SQL, rows), "%s\n%s", c.SQL, query.SQL)
				}
			})
		}
	}
}

// inRow returns a value of a result as a case has it.
func inRow(t *testing.T, value any, typ sqlq.Type) any {
	t.Helper()
	switch value := value.(type) {
	case time.Time:
		if typ == sqlq.Date {
			return value.Format(time.DateOnly)
		}
	case json.RawMessage:
		decoder := json.NewDecoder(strings.NewReader(string(value)))
		decoder.UseNumber()
		var decoded any
		require.NoError(t, decoder.Decode(&decoded))
		return decoded
	case int64:
		text, err := json.Marshal(value)
		require.NoError(t, err)
		return json.Number(text)
	case []any:
		all := make([]any, len(value))
		for i := range value {
			all[i] = inRow(t, value[i], typ.Element())
		}
		return all
	}
	return value
}

// projectOf returns the project of an event: the column, or a member of its metadata.
func projectOf(t *testing.T, event *clickhousesqltest.Event) string {
	t.Helper()
	source, ok := tables.Shipped().FindSource(event.Source)
	require.True(t, ok)
	if source.ProjectMember == "" {
		if event.Project == nil {
			return ""
		}
		return *event.Project
	}
	var objects []map[string]any
	if len(event.Metadata) > 0 {
		require.NoError(t, json.Unmarshal(event.Metadata, &objects))
	}
	if len(objects) == 0 {
		return ""
	}
	project, _ := objects[0][source.ProjectMember].(string)
	return project
}

// codeOf returns the code of an error.
func codeOf(t *testing.T, err error) sqlq.Code {
	t.Helper()
	var failure *sqlq.Error
	require.ErrorAs(t, err, &failure)
	return failure.Code
}

// TestClickHouseSQLSandbox checks that SQL of callers reads the rows that the environment allows, however it is written, and bounds what
// it makes of a row.
func TestClickHouseSQLSandbox(t *testing.T) {
	server := startServer(t)
	storeEvents(t, server)
	start, end := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	param := func(name string, typ sqlq.Type, value any) sqlq.Arg {
		return sqlq.Arg{Name: name, Type: typ, Value: value}
	}
	counts := make(map[string]int)
	events, err := clickhousesqltest.Events(filepath.Join("..", "..", "clickhousesql", "testdata", "events.ndjson"))
	require.NoError(t, err)
	for _, event := range events {
		project := projectOf(t, &event)
		counts[project]++
		if event.Time.After(start) && !event.Time.After(end) {
			counts[project+" in time"]++
		}
	}
	require.NotEqual(t, counts["a"], counts["b"])
	for name, test := range map[string]struct {
		rows clickhousesql.Rows
		args []sqlq.Arg
		want int
	}{
		"one project":      {clickhousesql.Rows{Project: "project"}, []sqlq.Arg{param("project", sqlq.String, "a")}, counts["a"]},
		"another project":  {clickhousesql.Rows{Project: "project"}, []sqlq.Arg{param("project", sqlq.String, "b")}, counts["b"]},
		"no such project":  {clickhousesql.Rows{Project: "project"}, []sqlq.Arg{param("project", sqlq.String, "it's")}, 0},
		"several projects": {clickhousesql.Rows{Project: "projects", Several: true}, []sqlq.Arg{param("projects", sqlq.ArrayOf(sqlq.String), []any{"a", "b"})}, counts["a"] + counts["b"]},
		"some time": {
			clickhousesql.Rows{Project: "project", After: "start", Until: "end"},
			[]sqlq.Arg{param("project", sqlq.String, "a"), param("start", sqlq.Timestamp, start), param("end", sqlq.Timestamp, end)},
			counts["a in time"],
		},
		"any time": {
			clickhousesql.Rows{Project: "project", After: "start", Until: "end", Optional: true},
			[]sqlq.Arg{param("project", sqlq.String, "a"), param("start", sqlq.Timestamp, nil), param("end", sqlq.Timestamp, nil)},
			counts["a"],
		},
	} {
		for _, otel := range []string{"", "otel_logs"} {
			settings := config(server)
			settings.OTelLogs = otel
			opened := open(t, settings)
			var params []sqlq.Param
			for _, arg := range test.args {
				params = append(params, sqlq.Param{Name: arg.Name, Type: arg.Type})
			}
			for _, text := range []string{
				"SELECT count() AS n FROM logs",
				"SELECT count() AS n FROM logs WHERE 1 OR source = 'edge_logs'",
				"SELECT sum(n) AS n FROM (SELECT count() AS n FROM logs GROUP BY source UNION ALL SELECT 0)",
				"WITH logs AS (SELECT id FROM logs) SELECT count() AS n FROM logs",
				"SELECT count() AS n FROM logs AS a LEFT JOIN (SELECT 1 AS x) AS b ON length(a.id) = b.x",
				"SELECT uniqExact(id, source) AS n FROM logs WHERE id IN (SELECT id FROM logs)",
				"SELECT (SELECT count() FROM logs) AS n",
				"SELECT count() AS n FROM logs AS edge_logs",
				"WITH edge_logs AS (SELECT * FROM logs) SELECT count() AS n FROM edge_logs",
				"WITH unread AS (SELECT * FROM users), unread2 AS (SELECT file('/etc/passwd')) SELECT count() AS n FROM logs",
				"SELECT toUInt64(count()) AS n, 1 AS t1, 2 AS c1, 3 AS timestamp FROM logs",
			} {
				query, err := ofLogs(text, engine.Dialect{OTelLogs: otel}, test.rows, params...)
				require.NoError(t, err, text)
				query.Callers = &sqlq.CallersSQL{Saved: query}
				result, err := runQuery(t.Context(), opened, query, test.args...)
				require.NoError(t, err, "%s\n%s", text, query.SQL)
				require.Len(t, result.Rows, 1)
				assert.Equal(t, int64(test.want), result.Rows[0][0], "%s: %s\n%s", name, text, query.SQL)
			}
		}
	}
	opened := open(t, config(server))
	doubled, nested := "SELECT concat(x, x) AS x FROM (SELECT 'abcdefgh' AS x)", "SELECT [x, x] AS x FROM (SELECT [1] AS x)"
	for range 20 {
		doubled, nested = "SELECT concat(x, x) AS x FROM ("+doubled+")", "SELECT [x, x] AS x FROM ("+nested+")"
	}
	for _, text := range []string{
		doubled, nested,
		"SELECT repeat('x', 1000000000) AS x", "SELECT repeat(repeat('x', 1000), 1000) AS x FROM logs", "SELECT leftPad('x', 1000000000) AS x", "SELECT range(1000000000) AS x",
		"SELECT range(toUInt64(length(id)) * 1000000) AS x FROM logs", "SELECT repeat(id, 100000000) AS x FROM logs",
		"SELECT replaceRegexpAll(event_message, '', 'abcdefghijklmnopqrstuvwxyz') AS x FROM (SELECT repeat(event_message, 1000) AS event_message FROM logs)",
	} {
		query, err := ofLogs(text, engine.Dialect{}, clickhousesql.Rows{})
		if err == nil {
			query.Callers = &sqlq.CallersSQL{Saved: query}
			_, err = runQuery(t.Context(), opened, query)
		}
		require.Error(t, err, text)
		if mistake := new(clickhousesql.Error); !errors.As(err, &mistake) {
			assert.Equal(t, sqlq.InvalidArgument, codeOf(t, err), "%s: %s", text, err)
		}
	}
	for _, text := range []string{"SELECT concat(id, event_message) AS x FROM logs", "SELECT repeat('x', 10) AS x", "SELECT [[1], [2]] AS x", "SELECT range(10) AS x"} {
		query, err := ofLogs(text, engine.Dialect{}, clickhousesql.Rows{})
		require.NoError(t, err, text)
		_, err = runQuery(t.Context(), opened, query)
		require.NoError(t, err, text)
	}
}

// TestExploredSQL checks that SQL over the tables and over the table logs returns the rows that the limits of a token allow.
func TestExploredSQL(t *testing.T) {
	server := startServer(t)
	storeEvents(t, server)
	limits := []sandbox.Limit{{Name: "project", IsProject: true, Single: true}}
	for _, otel := range []string{"", "otel_logs"} {
		settings := config(server)
		settings.OTelLogs = otel
		opened := open(t, settings)
		sandboxes := sandbox.New(opened.Dialect(), 0)
		const googleSQL, overLogs = "SELECT COUNT(*) AS n, MAX(timestamp) AS t FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE r.method = 'GET'",
			"SELECT count() AS n, max(timestamp) AS t FROM logs WHERE source = 'edge_logs' AND log_attributes['request.method'] = 'GET'"
		explored, err := sandbox.Explore("clickhouse", tables.Shipped(), limits, googleSQL)
		require.NoError(t, err)
		query, err := sandboxes.Query(explored, googleSQL, nil)
		require.NoError(t, err)
		ofTables, err := runQuery(t.Context(), opened, query, sqlq.Arg{Name: "project", Type: sqlq.String, Value: "a"})
		require.NoError(t, err, query.SQL)
		explored, err = sandbox.ExploreLogs("clickhouse", tables.Shipped(), limits, overLogs)
		require.NoError(t, err)
		query, err = sandboxes.Query(explored, overLogs, nil)
		require.NoError(t, err)
		ofLogs, err := runQuery(t.Context(), opened, query, sqlq.Arg{Name: "project", Type: sqlq.String, Value: "a"})
		require.NoError(t, err, query.SQL)
		assert.Equal(t, ofTables.Rows, ofLogs.Rows)
		assert.NotEqual(t, int64(0), ofLogs.Rows[0][0])
		assert.Equal(t, []sqlq.Type{sqlq.Int64, sqlq.Datetime}, []sqlq.Type{ofLogs.Columns[0].Type, ofLogs.Columns[1].Type})
	}
}
