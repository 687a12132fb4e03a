package eventrow_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/connect"
	"savedq/sqlq/tables"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// shop is a log source of an author.
func shop() *sqlq.Table {
	return &sqlq.Table{Name: "orders", ProjectMember: "shop", Fields: []sqlq.Field{
		{Name: "customer", Type: sqlq.String, Path: []string{"request", "method"}},
		{Name: "units", Type: sqlq.Int64, Path: []string{"status"}},
		{Name: "total", Type: sqlq.Float64, Path: []string{"response", "total"}},
		{Name: "whole", Type: sqlq.String, Path: []string{"request"}},
		{Name: "deep", Type: sqlq.String, Path: []string{"a", "b", "a"}},
		{Name: "paid", Type: sqlq.Bool, Path: []string{"level"}},
		{Name: "day", Type: sqlq.Date, Path: []string{"day"}},
		{Name: "time", Type: sqlq.Timestamp, Path: []string{"time"}},
		{Name: "price", Type: sqlq.Numeric, Path: []string{"price"}},
	}}
}

func all() sqlq.Tables { return append(tables.Shipped(), shop()) }

// plain returns the values of a row without pointers.
func plain(row []driver.Value) []driver.Value {
	values := make([]driver.Value, 0, len(row))
	for _, value := range row {
		switch pointer := value.(type) {
		case *string:
			value = nil
			if pointer != nil {
				value = *pointer
			}
		case *json.RawMessage:
			value = nil
			if *pointer != nil {
				value = string(*pointer)
			}
		case *time.Time:
			value = *pointer
		}
		values = append(values, value)
	}
	return values
}

// byName returns a row by column.
func byName(columns []eventrow.Column, row []driver.Value) map[string]driver.Value {
	named := make(map[string]driver.Value)
	for i, value := range plain(row) {
		named[columns[i].Name] = value
	}
	return named
}

// The row refers to its event, and has nothing of the one before, of whichever source.
func TestRow(t *testing.T) {
	t.Parallel()
	reader, columns := eventrow.NewReader(all()), eventrow.Columns(all())
	type fields = map[string]driver.Value
	message, project := "GET | 200", "customer-0001"
	for _, test := range []struct {
		source, metadata string
		want             fields
	}{
		{"orders", `[{"shop":"one","status":"12","day":"2026-11-20","time":"2026-11-20T10:00:00.5Z","price":1.50,"level":true,"request":[{"method":"Ann"}]}]`, fields{
			"of_project": "one", "project_key": eventrow.ProjectKey("one"), "method": "Ann", "level": "true", "orders.customer": "Ann", "orders.units": int64(12), "orders.paid": true,
			"orders.day": sqlq.EpochDay(20777), "orders.time": noon().Add(-2*time.Hour + time.Second/2), "orders.price": sqlq.Decimal("1.5"),
		}},
		{"function_edge_logs", `[{"project_ref":"one","function_id":"f","execution_time_ms":9.5,"request":[{"method":"POST","pathname":"\/run"}],"response":[{"status_code":404}]}]`, fields{
			"of_project": "one", "project_key": eventrow.ProjectKey("one"), "method": "POST", "path": "/run", "status": "404", "places": uint64(4), "single_record": true, "typed": true,
			"project_ref": "one", "function_id": "f", "execution_time_ms": 9.5, "status_code": int64(404),
		}},
		{"edge_logs", `[{"request":[{"method":"GET","path":"/rest","url":"https:"}],"response":[{"status_code":200}]}]`, fields{
			"of_project": project, "project_key": eventrow.ProjectKey(project), "method": "GET", "path": "/rest", "status": "200", "places": uint64(0), "single_record": true, "typed": true, "url": "https:", "request_path": "/rest",
		}},
		{"edge_logs", `[{"request":[{"url":1},{"url":"x"}]}]`, fields{"of_project": project, "project_key": eventrow.ProjectKey(project), "places": uint64(0), "single_record": false, "typed": false}},
		{"realtime_logs", `[{"project":"a"},{"project":"b"},{"project":null},{"project":"a"}]`, fields{"places": uint64(0), "of_projects": `["a","b"]`, "project_key": uint64(0)}},
		{"realtime_logs", `[{"project":"a"},{"project":"a"}]`, fields{"places": uint64(0), "of_project": "a", "project_key": eventrow.ProjectKey("a")}},
		{"orders", `[{}]`, fields{"places": uint64(0), "project_key": uint64(0)}},
		{"postgres_logs", `[{"parsed":[{"error_severity":"ERROR"}]}]`, fields{"of_project": project, "project_key": eventrow.ProjectKey(project), "level": "ERROR", "places": uint64(16)}},
	} {
		source, _ := all().FindSource(test.source)
		event := logevent.Event{ID: "1", Timestamp: noon(), EventMessage: &message, Project: &project, Metadata: json.RawMessage(test.metadata)}
		row, err := reader.Row(source, &event, noon().Add(time.Second))
		require.NoError(t, err)
		want := fields{
			"source": test.source, "timestamp": noon(), "id": "1", "event_message": message, "project": project, "metadata": test.metadata, "accepted": noon().Add(time.Second),
		}
		for _, column := range columns {
			if value, known := test.want[column.Name]; known {
				want[column.Name] = value
			} else if _, known := want[column.Name]; !known {
				want[column.Name] = nil
			}
		}
		assert.Equal(t, want, byName(columns, row), test.metadata)
	}

	row, err := reader.Row(all()[0], &logevent.Event{Timestamp: noon()}, time.Time{})
	require.NoError(t, err)
	assert.Equal(t, fields{"source": "edge_logs", "timestamp": noon(), "id": "", "project_key": uint64(0), "places": uint64(0), "single_record": false, "typed": false}, without(byName(columns, row), nil))
	_, err = reader.Row(&sqlq.Table{Name: "others"}, &logevent.Event{}, time.Time{})
	require.EqualError(t, err, "others is no source of the rows")
}

func without(values map[string]driver.Value, removed driver.Value) map[string]driver.Value {
	for name, value := range values {
		if value == removed {
			delete(values, name)
		}
	}
	return values
}

// Text that is no JSON has some row.
func FuzzRow(f *testing.F) {
	reader := eventrow.NewReader(all())
	for _, text := range []string{`[{"request":[{"method":"GET"}],"status":200}]`, `[{"a`, `{\"`, `[{"status":`, `[{"request":[`, `[,]`, `[{:}]`, ``} {
		f.Add([]byte(text))
	}
	for _, event := range events(50) {
		f.Add([]byte(event.Metadata))
	}
	f.Fuzz(func(t *testing.T, metadata []byte) {
		for _, source := range all() {
			_, err := reader.Row(source, &logevent.Event{Metadata: metadata}, time.Time{})
			require.NoError(t, err)
		}
	})
}

// A record is in the row of its event only if it is the only one, and is found by the event's project.
func TestRecordsBesideTheRow(t *testing.T) {
	t.Parallel()
	reader, columns := eventrow.NewReader(all()), eventrow.RecordColumns()
	for metadata, want := range map[string][]map[string]driver.Value{
		`[{"project_ref":"a","response":[{"status_code":1},{"status_code":2}]}]`: {{"project_ref": "a", "status_code": int64(1)}, {"project_ref": "a", "status_code": int64(2)}},
		`[{"project_ref":"a"},{"project_ref":"b","response":[{}]}]`:              {{"project_ref": "b"}},
		`[{},{"project_ref":"b","response":[{}]}]`:                               nil,
		`[{"project_ref":"a"},{"response":[{}]}]`:                                nil,
		`[{"project_ref":"a","response":[]}]`:                                    nil,
		`[{"project_ref":"a","response":[1,2]}]`:                                 nil,
	} {
		source, _ := all().FindSource("function_edge_logs")
		_, err := reader.Row(source, &logevent.Event{Timestamp: noon(), Metadata: json.RawMessage(metadata)}, time.Time{})
		require.NoError(t, err)
		var got []map[string]driver.Value
		for _, record := range reader.Records() {
			named := without(byName(columns, record), nil)
			assert.Equal(t, "function_edge_logs", named["source"])
			assert.Equal(t, noon(), named["timestamp"])
			for _, column := range []string{"source", "timestamp", "project_key", "of_project", "of_projects"} {
				delete(named, column)
			}
			got = append(got, named)
		}
		assert.Equal(t, want, got, metadata)
	}
}

// A record has the projects of its event, by which it is deleted, and the key of its own, by which it is found.
func TestProjectsOfRecords(t *testing.T) {
	t.Parallel()
	reader, columns := eventrow.NewReader(all()), eventrow.RecordColumns()
	one := "one"
	for name, test := range map[string]struct {
		source string
		event  logevent.Event
		want   []driver.Value
	}{
		"a column": {"edge_logs", logevent.Event{Project: &one, Metadata: json.RawMessage(`[{"request":[{"url":"a"},{"url":"b"}]}]`)}, []driver.Value{eventrow.ProjectKey("one"), "one", nil}},
		"a member": {"function_edge_logs", logevent.Event{Metadata: json.RawMessage(`[{"project_ref":"one","response":[{},{}]}]`)}, []driver.Value{eventrow.ProjectKey("one"), "one", nil}},
		"several": {
			"function_edge_logs",
			logevent.Event{Metadata: json.RawMessage(`[{"project_ref":"one","response":[{}]},{"project_ref":"two"}]`)},
			[]driver.Value{eventrow.ProjectKey("one"), nil, `["one","two"]`},
		},
		"none": {"edge_logs", logevent.Event{Metadata: json.RawMessage(`[{"request":[{"url":"a"},{"url":"b"}]}]`)}, []driver.Value{uint64(0), nil, nil}},
	} {
		source, _ := all().FindSource(test.source)
		_, err := reader.Row(source, &test.event, time.Time{})
		require.NoError(t, err)
		require.NotEmpty(t, reader.Records(), name)
		for _, record := range reader.Records() {
			named := byName(columns, record)
			assert.Equal(t, test.want, []driver.Value{named["project_key"], named["of_project"], named["of_projects"]}, name)
		}
	}
}

// The columns must have what this SQL computes. It is copied from logs.search and from the view of all log sources.
const expected = `
CREATE TABLE expected AS
WITH
  found AS (
    SELECT
      *,
      json_value(metadata, [
        '$[0].response[0].status_code', '$[0].status',
        '$[0].request[0].method', '$[0].method',
        '$[0].request[0].path', '$[0].request[0].pathname', '$[0].path',
        '$[0].level', '$[0].parsed[0].error_severity'
      ]) AS fields,
      CASE member
        WHEN '' THEN [project]
        WHEN 'project' THEN json_extract_string(metadata, '$[*]."project"')
        WHEN 'project_ref' THEN json_extract_string(metadata, '$[*]."project_ref"')
        ELSE json_extract_string(metadata, '$[*]."shop"')
      END AS projects
    FROM input
  ),
  records AS (
    SELECT n, list({
      'project_ref': CASE WHEN source = 'function_edge_logs' AND json_type(element, '$.project_ref') = 'VARCHAR' THEN element ->> '$.project_ref' END,
      'function_id': CASE WHEN source = 'function_edge_logs' AND json_type(element, '$.function_id') = 'VARCHAR' THEN element ->> '$.function_id' END,
      'execution_time_ms': CASE WHEN source = 'function_edge_logs' AND json_type(element, '$.execution_time_ms') IN ('UBIGINT', 'BIGINT', 'DOUBLE') THEN nullif(nullif(try_cast(element ->> '$.execution_time_ms' AS DOUBLE), 'infinity'::DOUBLE), '-infinity'::DOUBLE) END,
      'status_code': CASE WHEN source = 'function_edge_logs' AND json_type(nested, '$.status_code') IN ('UBIGINT', 'BIGINT', 'DOUBLE') THEN floor(least(greatest(try_cast(nested ->> '$.status_code' AS DOUBLE), -9007199254740992), 9007199254740992))::BIGINT END,
      'url': CASE WHEN source = 'edge_logs' AND json_type(nested, '$.url') = 'VARCHAR' THEN nested ->> '$.url' END,
      'request_path': CASE WHEN source = 'edge_logs' AND json_type(nested, '$.path') = 'VARCHAR' THEN nested ->> '$.path' END
    } ORDER BY place, inner_place) AS records
    FROM (
      SELECT n, source, place, element, unnest(inner_list) AS nested, generate_subscripts(inner_list, 1) AS inner_place
      FROM (
        SELECT n, source, place, element, CASE source WHEN 'edge_logs' THEN json_extract(element, '$.request[*]') ELSE json_extract(element, '$.response[*]') END AS inner_list
        FROM (SELECT n, source, unnest(json_extract(metadata, '$[*]')) AS element, generate_subscripts(json_extract(metadata, '$[*]'), 1) AS place FROM input WHERE source IN ('edge_logs', 'function_edge_logs'))
        WHERE json_type(element) = 'OBJECT'
      )
    )
    WHERE json_type(nested) = 'OBJECT'
    GROUP BY n
  )
SELECT
  n,
  list_sort(list_distinct(list_filter(coalesce(projects, []), lambda p: p IS NOT NULL))) AS projects,
  nullif(regexp_extract(coalesce(fields[1] ->> '$', fields[2] ->> '$'), '^([1-9][0-9]{2})(?:\.0+)?$', 1), '') AS status,
  coalesce(fields[3] ->> '$', fields[4] ->> '$') AS method,
  coalesce(fields[5] ->> '$', fields[6] ->> '$', fields[7] ->> '$') AS path,
  coalesce(fields[8] ->> '$', fields[9] ->> '$') AS level,
  coalesce(records.records, []) AS records,
  CASE WHEN source = 'orders' AND json_type(metadata, '$[0].request[0].method') IN ('VARCHAR', 'BOOLEAN') THEN metadata ->> '$[0].request[0].method' END AS customer,
  CASE WHEN source = 'orders' AND json_type(metadata, '$[0].response[0].total') IN ('UBIGINT', 'BIGINT', 'DOUBLE', 'VARCHAR') THEN try_cast(trim(metadata ->> '$[0].response[0].total', E' \n') AS DOUBLE) END AS total,
  CASE WHEN source = 'orders' AND json_type(metadata, '$[0].a[0].b[0].a') IN ('VARCHAR', 'BOOLEAN') THEN metadata ->> '$[0].a[0].b[0].a' END AS deep
FROM found LEFT JOIN records USING (n)`

// computed are the columns of the table computed, and what they are to equal in the table expected.
func computed() [][2]string {
	const whole = "[{'project_ref': computed.project_ref, 'function_id': computed.function_id, 'execution_time_ms': execution_time_ms, 'status_code': status_code, 'url': url, 'request_path': request_path}]"
	const structure = `[{"project_ref":"VARCHAR","function_id":"VARCHAR","execution_time_ms":"DOUBLE","status_code":"BIGINT","url":"VARCHAR","request_path":"VARCHAR"}]`
	return [][2]string{
		{"list_sort(coalesce(from_json(computed.of_projects, '[\"VARCHAR\"]'), CASE WHEN computed.of_project IS NULL THEN [] ELSE [computed.of_project] END))", "expected.projects"},
		{"computed.of_project IS NOT NULL", "len(expected.projects) = 1"},
		{"computed.of_projects IS NOT NULL", "len(expected.projects) > 1"},
		{"computed.project_key", "coalesce(md5_number_lower(computed.of_project), 0)"},
		{"computed.status", "expected.status"},
		{"computed.method", "expected.method"},
		{"computed.path", "expected.path"},
		{"computed.level", "expected.level"},
		{"single_record IS NOT NULL", "source IN ('edge_logs', 'function_edge_logs')"},
		{"CASE WHEN single_record THEN " + whole + " ELSE coalesce(from_json(beside, '" + structure + "'), []) END", "expected.records"},
		{"coalesce(single_record, true) OR computed.project_ref IS NULL AND function_id IS NULL AND execution_time_ms IS NULL AND status_code IS NULL AND url IS NULL AND request_path IS NULL", "true"},
		{"coalesce(single_record AND computed.project_ref <> computed.of_project, false)", "false"},
		{"CASE WHEN customer_is_text THEN computed.customer END", "CASE WHEN customer_is_text THEN expected.customer END"},
		{"computed.total", "expected.total"},
		{"CASE WHEN expected.deep IS NOT NULL THEN computed.deep END", "expected.deep"},
	}
}

// Each column equals what DuckDB computes from the JSON.
func TestColumnsEqualThoseOfDuckDB(t *testing.T) {
	t.Parallel()
	connector, err := connect.New("", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	execute(t, db, "CREATE TABLE input (n BIGINT, source VARCHAR, member VARCHAR, project VARCHAR, metadata VARCHAR)")
	execute(t, db, `CREATE TABLE computed (n BIGINT, project_key UBIGINT, of_project VARCHAR, of_projects VARCHAR, status VARCHAR, method VARCHAR, path VARCHAR, level VARCHAR,
		single_record BOOLEAN, project_ref VARCHAR, function_id VARCHAR, execution_time_ms DOUBLE, status_code BIGINT, url VARCHAR, request_path VARCHAR,
		customer VARCHAR, customer_is_text BOOLEAN, total DOUBLE, deep VARCHAR, beside VARCHAR)`)
	var inputs, rows [][]driver.Value
	reader, columns := eventrow.NewReader(all()), eventrow.Columns(all())
	n := int64(0)
	add := func(source *sqlq.Table, event *logevent.Event) {
		n++
		row, err := reader.Row(source, event, time.Time{})
		require.NoError(t, err)
		got := byName(columns, row)
		var metadata any
		if event.Metadata != nil {
			metadata = string(event.Metadata)
		}
		inputs = append(inputs, []driver.Value{n, source.Name, source.ProjectMember, got["project"], metadata})
		customer, isText := got["orders.customer"].(string)
		rows = append(rows, []driver.Value{
			n, got["project_key"], got["of_project"], got["of_projects"], got["status"], got["method"], got["path"], got["level"],
			got["single_record"], got["project_ref"], got["function_id"], got["execution_time_ms"], got["status_code"], got["url"], got["request_path"],
			got["orders.customer"], isText && !startsLikeNumber(customer), got["orders.total"], got["orders.deep"], beside(t, reader.Records()),
		})
	}
	for source, event := range events(5_000) {
		add(source, &event)
	}
	generator := demo.New(7)
	for _, source := range tables.Shipped() {
		for event := range generator.Events(source, noon(), noon().Add(3*time.Minute)) {
			add(source, &event)
		}
	}
	appendRows(t, db, "input", inputs)
	appendRows(t, db, "computed", rows)
	execute(t, db, expected)
	assert.Greater(t, n, int64(5_200))
	for _, pair := range computed() {
		compare(t, db, pair[0], pair[1])
	}
	// The generator covers what it is for.
	var covered [6]int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(status), count(method), count(path), count(level), count(of_projects), count(*) FILTER (single_record) FROM computed").Scan(
		&covered[0], &covered[1], &covered[2], &covered[3], &covered[4], &covered[5]))
	for i, count := range covered {
		assert.Greater(t, count, 50, i)
	}
}

// compare finds events for which two expressions differ.
func compare(t *testing.T, db *sql.DB, got, want string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), fmt.Sprintf("SELECT source, project, metadata, (%[1]s)::VARCHAR, (%[2]s)::VARCHAR FROM input JOIN computed USING (n) JOIN expected USING (n) WHERE (%[1]s) IS DISTINCT FROM (%[2]s) ORDER BY len(metadata) LIMIT 3", got, want))
	require.NoError(t, err, got)
	defer func() { require.NoError(t, found.Close()) }()
	for found.Next() {
		var values [5]sql.NullString
		require.NoError(t, found.Scan(&values[0], &values[1], &values[2], &values[3], &values[4]))
		assert.Fail(t, "a column differs from DuckDB's", "%s\nis %v\nand not %v\nof %s, project %q, metadata %s", got, values[3], values[4], values[0].String, values[1].String, values[2].String)
	}
	require.NoError(t, found.Err())
}

func startsLikeNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9')
}

// beside returns records as JSON, without their source and time.
func beside(t *testing.T, records [][]driver.Value) any {
	t.Helper()
	if records == nil {
		return nil
	}
	var list []map[string]driver.Value
	for _, record := range records {
		named := byName(eventrow.RecordColumns(), record)
		delete(named, "source")
		delete(named, "timestamp")
		list = append(list, named)
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	return string(text)
}

func execute(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err)
}

// appendRows appends rows to a table.
func appendRows(t *testing.T, db *sql.DB, table string, rows [][]driver.Value) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	require.NoError(t, conn.Raw(func(raw any) error {
		appender, err := duckdb.NewAppenderFromConn(raw.(driver.Conn), "", table)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := appender.AppendRow(row...); err != nil {
				return errors.Join(err, appender.Close())
			}
		}
		return appender.Close()
	}))
}
