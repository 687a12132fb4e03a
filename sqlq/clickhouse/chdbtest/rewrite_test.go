package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/googlesql"
)

// logEvent is an event of a log source.
type logEvent struct {
	Source, ID, Timestamp string
	Message               string `json:"event_message"`
	Metadata              map[string]any
}

// readEvents returns the events of the tests.
func readEvents(t *testing.T) []logEvent {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "googlesql", "testdata", "logs", "events.ndjson"))
	require.NoError(t, err)
	var events []logEvent
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var event logEvent
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&event))
		events = append(events, event)
	}
	return events
}

// nested returns metadata as the store has it, where an object is a list of one.
func nested(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	fields := make(map[string]any)
	for name, value := range object {
		fields[name] = nested(value)
	}
	return []any{fields}
}

// attributes adds metadata with dotted keys, as texts.
func attributes(into map[string]string, prefix string, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		into[prefix] = fmt.Sprint(v)
		return
	}
	for name, value := range object {
		attributes(into, strings.TrimPrefix(prefix+"."+name, "."), value)
	}
}

func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(text) + "'"
}

// createLogs creates the table logs on ClickHouse.
func createLogs(t *testing.T, server *testServer, events []logEvent) {
	t.Helper()
	execute(t, server, "CREATE TABLE logs (id String, timestamp DateTime64(9), event_message String, severity_text String, source LowCardinality(String), "+
		"log_attributes Map(LowCardinality(String), String)) ENGINE = MergeTree ORDER BY (source, timestamp)")
	var rows []string
	for _, event := range events {
		flat := make(map[string]string)
		attributes(flat, "", event.Metadata)
		var pairs []string
		for key, value := range flat {
			pairs = append(pairs, quoted(key), quoted(value))
		}
		rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s, map(%s))", quoted(event.ID), quoted(event.Timestamp), quoted(event.Message), quoted(event.Source), strings.Join(pairs, ", ")))
	}
	execute(t, server, "INSERT INTO logs (id, timestamp, event_message, source, log_attributes) VALUES "+strings.Join(rows, ", "))
}

// createSources creates a table for each log source on DuckDB, and returns them.
func createSources(t *testing.T, db *sql.DB, events []logEvent) []googlesql.Table {
	t.Helper()
	var tables []googlesql.Table
	created := make(map[string]bool)
	for _, event := range events {
		if !created[event.Source] {
			created[event.Source] = true
			_, err := db.ExecContext(t.Context(), "CREATE TABLE "+event.Source+" (id VARCHAR, timestamp TIMESTAMP, event_message VARCHAR, metadata JSON)")
			require.NoError(t, err)
			tables = append(tables, googlesql.Table{Name: event.Source, Columns: []googlesql.TableColumn{
				{Name: "id", Type: sqlq.String}, {Name: "timestamp", Type: sqlq.Timestamp}, {Name: "event_message", Type: sqlq.String}, {Name: "metadata", Type: sqlq.JSON, IsMetadata: true},
			}})
		}
		metadata, err := json.Marshal(nested(event.Metadata))
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), "INSERT INTO "+event.Source+" VALUES (?, ?, ?, ?)", event.ID, event.Timestamp, event.Message, string(metadata))
		require.NoError(t, err)
	}
	return tables
}

// readDuckDB returns the rows of a query on DuckDB as texts.
func readDuckDB(t *testing.T, db *sql.DB, text string) ([][]string, error) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // It was only read.
	columns, err := rows.Columns()
	require.NoError(t, err)
	all := [][]string{columns}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		require.NoError(t, rows.Scan(targets...))
		row := make([]string, len(values))
		for i, value := range values {
			row[i] = plainText(value)
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// readClickHouse returns the rows of a query on ClickHouse as texts.
func readClickHouse(t *testing.T, server *testServer, text string) ([][]string, error) {
	t.Helper()
	status, answer := post(t, server, "session_timezone=UTC&output_format_json_quote_64bit_integers=0", strings.TrimSpace(text)+"\nFORMAT JSONCompactEachRowWithNames")
	if status != http.StatusOK {
		return nil, fmt.Errorf("%s", answer) //nolint:err113 // It is text of the server.
	}
	var all [][]string
	for i, line := range strings.Split(strings.TrimSpace(answer), "\n") {
		var values []any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&values))
		row := make([]string, len(values))
		for j, value := range values {
			if row[j] = fmt.Sprint(value); i > 0 {
				row[j] = plainText(value)
			}
		}
		all = append(all, row)
	}
	return all, nil
}

// plainText writes a value so that those of both engines can be compared: ” stands for NULL in the table logs, and what is missing and
// was a number is a text there.
func plainText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	case float64:
		return number(v)
	case bool:
		return strconv.FormatBool(v)
	}
	text := fmt.Sprint(value)
	if parsed, err := strconv.ParseFloat(text, 64); err == nil {
		return number(parsed)
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999999", time.DateOnly} {
		if parsed, err := time.Parse(layout, text); err == nil {
			return parsed.Format("2006-01-02 15:04:05.999999")
		}
	}
	return text
}

func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 12, 64)
}

// Queries on log sources return on DuckDB what they return, rewritten, on ClickHouse's table logs.
func TestForLogsTable(t *testing.T) {
	server := startServer(t)
	events := readEvents(t)
	createLogs(t, server, events)
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	require.NoError(t, functions.Register(t.Context(), db))
	tables := createSources(t, db, events)
	text, err := os.ReadFile(filepath.Join("..", "..", "googlesql", "testdata", "logs", "queries.sql"))
	require.NoError(t, err)
	queries := strings.Split(string(text), "\n;\n")
	assert.Greater(t, len(queries), 150)
	for _, query := range queries {
		translated, err := googlesql.Translate(query, googlesql.Environment{Tables: tables})
		if !assert.NoError(t, err, query) {
			continue
		}
		want, err := readDuckDB(t, db, translated.SQL)
		if !assert.NoError(t, err, query) {
			continue
		}
		rewritten, err := googlesql.ForLogsTable(query, googlesql.Environment{Tables: tables})
		if !assert.NoError(t, err, query) {
			continue
		}
		got, err := readClickHouse(t, server, rewritten.SQL)
		if assert.NoError(t, err, "%s\n%s", query, rewritten.SQL) {
			assert.Equal(t, want, got, "%s\n%s", query, rewritten.SQL)
		}
	}
}
