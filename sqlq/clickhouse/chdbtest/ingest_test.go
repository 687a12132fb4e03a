package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/tables"
)

// noObserver counts nothing.
type noObserver struct{}

func (noObserver) EventsCommitted(string, ingest.Counts) {}
func (noObserver) EventsRejected(string, int)            {}
func (noObserver) BatchCommitted(time.Duration)          {}
func (noObserver) BatchRefused()                         {}
func (noObserver) EventsStored(int, time.Duration)       {}

// orders is a log source of an author, with a field of each type.
func orders() *sqlq.Table {
	source := &sqlq.Table{Name: "orders"}
	for _, kind := range sqlq.FieldTypes() {
		source.Fields = append(source.Fields, sqlq.Field{Name: "a_" + string(kind), Type: kind, Path: []string{string(kind)}})
	}
	return source
}

// createTables creates the tables of log sources.
func createTables(tb testing.TB, server *testServer, sources sqlq.Tables) {
	tb.Helper()
	for statement := range strings.SplitSeq(engine.Schema(sources, engine.SchemaOptions{}), ";\n") {
		if strings.TrimSpace(statement) != "" {
			execute(tb, server, statement)
		}
	}
}

// taking is a server's engine that takes events, with its writer.
type taking struct {
	*engines.Opened

	writer *ingest.Writer
}

// take opens an engine on a server, as a server of savedq does with --clickhouse-ingest.
func take(tb testing.TB, server *testServer, directory string, into sqlq.Tables) *taking {
	tb.Helper()
	opened, err := engines.ClickHouse{Config: config(server), Ingest: true}.Open(tb.Context(), engines.Opening{
		Environment: engines.Environment{Clock: time.Now, Getenv: func(string) string { return server.password }, Logger: slog.New(slog.DiscardHandler)},
		Data:        directory, Tables: into, Serving: true,
	})
	require.NoError(tb, err)
	writer, err := ingest.Open(tb.Context(), ingest.Config{
		Store: opened.Ingest, Directory: filepath.Join(directory, engines.IngestLog), Deduplicate: time.Hour, WaitingBytes: 64 << 20, IDBytes: 1 << 20,
		Clock: time.Now, Logger: slog.New(slog.DiscardHandler), Observer: noObserver{}, Committed: func([]logevent.Sourced) {},
	})
	require.NoError(tb, err)
	return &taking{opened, writer}
}

// commit makes events with the ids from one number to another durable.
func (t *taking) commit(tb testing.TB, source *sqlq.Table, from, to int) ingest.Counts {
	tb.Helper()
	batch := ingest.Batch{Sender: "test", Received: time.Now()}
	for i := from; i < to; i++ {
		project := fmt.Sprint("project-", i%3)
		batch.Events = append(batch.Events, logevent.Sourced{Source: source, Event: logevent.Event{
			ID: fmt.Sprint("event-", i), Timestamp: time.Date(2026, 11, 20, 12, 0, 0, i*1000, time.UTC), Project: &project,
			Metadata: []byte(`[{"STRING":"ü","INT64":9007199254740993,"FLOAT64":0.1,"NUMERIC":"12.5","BOOL":true,"TIMESTAMP":"2026-11-20T12:00:00.000001Z","DATE":"1950-01-02"}]`),
		}})
	}
	counts, err := t.writer.Commit(tb.Context(), batch)
	require.NoError(tb, err)
	return counts
}

// Events are in the tables once, with the values of their fields, and are recognized by a later process.
func TestIngest(t *testing.T) {
	server := startServer(t)
	into := sqlq.Tables{orders()}
	createTables(t, server, into)
	directory := t.TempDir()
	first := take(t, server, directory, into)
	first.commit(t, into[0], 0, 1000)
	first.commit(t, into[0], 500, 1500)
	require.NoError(t, first.writer.WaitStored(t.Context()))
	require.NoError(t, first.writer.Close(t.Context()))
	require.NoError(t, first.Close())

	second := take(t, server, directory, into)
	counts := second.commit(t, into[0], 1400, 1600)
	assert.Equal(t, 100, counts.Duplicates)
	require.NoError(t, second.writer.WaitStored(t.Context()))
	query := queryOf("SELECT count() AS n, uniqExact(id) AS ids, count(DISTINCT project) AS projects, max(timestamp) AS last FROM orders", "n INT64", "ids INT64", "projects INT64", "last TIMESTAMP")
	result, err := second.Run(t.Context(), sqlq.NewStatement(query, nil, now()))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{int64(1600), int64(1600), int64(3), time.Date(2026, 11, 20, 12, 0, 0, 1599000, time.UTC)}}, result.Rows)

	var columns []string
	for _, field := range into[0].Fields {
		columns = append(columns, field.Name+" "+string(field.Type))
	}
	query = queryOf("SELECT DISTINCT COLUMNS('^a_') FROM orders", columns...)
	result, err = second.Run(t.Context(), sqlq.NewStatement(query, nil, now()))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"ü", int64(9007199254740993), 0.1, sqlq.Decimal("12.5"), true, time.Date(2026, 11, 20, 12, 0, 0, 1000, time.UTC), time.Date(1950, 1, 2, 0, 0, 0, 0, time.UTC)}}, result.Rows)
	require.NoError(t, second.writer.Close(t.Context()))
	require.NoError(t, second.Close())
}

// Rows with a token that the table has seen are dropped, so that an insertion whose answer was lost can be repeated.
func TestInsertOnce(t *testing.T) {
	server := startServer(t)
	into := sqlq.Tables{orders()}
	createTables(t, server, into)
	opened := open(t, config(server))
	insert := func(token, id string) error {
		return opened.Insert(t.Context(), engine.Insertion{Table: "orders", Token: token, Columns: []string{"id", "timestamp", "accepted"}, Rows: func(yield func([]any, error) bool) {
			yield([]any{id, now(), now()}, nil)
		}})
	}
	for range 3 {
		require.NoError(t, insert("first", "a"))
	}
	require.NoError(t, insert("second", "a"))
	var ids []string
	require.NoError(t, opened.IDsSince(t.Context(), "orders", now(), func(id string, accepted time.Time) {
		assert.Equal(t, now(), accepted.UTC())
		ids = append(ids, id)
	}))
	assert.Equal(t, []string{"a", "a"}, ids)
	require.NoError(t, opened.IDsSince(t.Context(), "orders", now().Add(time.Second), func(id string, _ time.Time) { t.Error(id) }))

	require.NoError(t, opened.CheckInsertable(t.Context(), "orders", []string{"id", "a_DATE"}))
	require.EqualError(t, opened.CheckInsertable(t.Context(), "orders", []string{"id", "nosuch", "neither"}), `the table orders on ClickHouse lacks nosuch, neither, which events have; add what "savedq clickhouse schema" prints`)
	require.EqualError(t, opened.CheckInsertable(t.Context(), "nosuch", nil), `ClickHouse has no table nosuch; create it with what "savedq clickhouse schema" prints`)
	require.Error(t, opened.Insert(t.Context(), engine.Insertion{Table: "nosuch", Token: "a", Columns: []string{"id"}, Rows: func(func([]any, error) bool) {}}))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, opened.Insert(canceled, engine.Insertion{Table: "orders", Token: "a", Columns: []string{"id"}, Rows: func(func([]any, error) bool) {}}), context.Canceled)
}

// The tables of an operator that are not as events need them are named when a server starts.
func TestIngestRefuses(t *testing.T) {
	server := startServer(t)
	execute(t, server, "CREATE TABLE edge_logs (id String) ENGINE = MergeTree ORDER BY id")
	edge, _ := tables.Shipped().Find("edge_logs")
	mapped := *edge
	mapped.ClickHouse = edge.InOTelLogs("otel_logs_1")
	mapped.ClickHouse.Place = sqlq.Place{File: "edge_logs/table.yaml", Line: 5, Column: 3}
	for want, table := range map[string]*sqlq.Table{
		"--clickhouse-ingest: the table edge_logs on ClickHouse lacks timestamp, event_message,":      edge,
		`--clickhouse-ingest: ClickHouse has no table orders; create it with what "savedq clickhouse`: orders(),
		"--clickhouse-ingest: edge_logs/table.yaml:5:3: the rows of edge_logs are read with":          &mapped,
	} {
		_, err := engines.ClickHouse{Config: config(server), Ingest: true}.Open(t.Context(), engines.Opening{
			Environment: engines.Environment{Clock: time.Now, Getenv: func(string) string { return server.password }, Logger: slog.New(slog.DiscardHandler)},
			Data:        t.TempDir(), Tables: sqlq.Tables{table}, Serving: true,
		})
		require.ErrorContains(t, err, want)
	}
}

// Whatever is killed, ClickHouse or what adds events to it, each acknowledged event is there once.
func TestIngestAfterKills(t *testing.T) {
	if os.Getenv(serverVariable) != "" {
		t.Skip("the server is not the test's to kill")
	}
	database, directory, into := t.TempDir(), t.TempDir(), sqlq.Tables{orders()}
	server, running := startProcess(t, "127.0.0.1:0", database)
	restart := func() {
		require.NoError(t, running.Process.Kill())
		require.Error(t, running.Wait())
		server, running = startProcess(t, server.address, database)
	}
	createTables(t, server, into)
	const rounds, events = 6, 400
	for round := range rounds {
		taking := take(t, server, directory, into)
		killing := make(chan struct{})
		go func() {
			defer close(killing)
			if round%2 == 0 {
				restart()
			}
		}()
		for i := range 10 {
			taking.commit(t, into[0], round*events+i*events/10, round*events+(i+1)*events/10)
		}
		<-killing
		ended, end := context.WithCancel(t.Context())
		if round%3 != 1 {
			end() // Close leaves what is not stored yet in the log
		}
		require.NoError(t, taking.writer.Close(ended))
		end()
		require.NoError(t, taking.Close())
	}
	last := take(t, server, directory, into)
	last.Complete(t.Context())
	require.NoError(t, last.writer.WaitStored(t.Context()))
	result, err := last.Run(t.Context(), sqlq.NewStatement(queryOf("SELECT count() AS n, uniqExact(id) AS ids FROM orders", "n INT64", "ids INT64"), nil, now()))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{int64(rounds * events), int64(rounds * events)}}, result.Rows)
	require.NoError(t, last.writer.Close(t.Context()))
	require.NoError(t, last.Close())
	require.NoError(t, running.stdin.Close())
	require.NoError(t, running.Wait())
}
