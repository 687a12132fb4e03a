package emulatortest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	engine "savedq/sqlq/bigquery"
	"savedq/sqlq/sqlqtest"
)

// emulator is an emulator of BigQuery, with the nine tables and the engine on them.
type emulator struct {
	process *exec.Cmd
	// stdin, closed, ends the process.
	stdin  io.Closer
	client *bigquery.Client
	engine *engine.Engine
	// closing makes it safe to close an emulator before its test ends.
	closing sync.Once
}

// startEmulator starts an emulator that holds the logs and ends with the test.
func startEmulator(tb testing.TB, logs sqlqtest.Logs) *emulator {
	tb.Helper()
	started := startEmptyEmulator(tb)
	require.NoError(tb, started.createTables(tb.Context()))
	for _, table := range sqlqtest.Tables() {
		require.NoError(tb, started.insert(tb.Context(), table, logs[table]))
	}
	return started
}

// startEmptyEmulator starts an emulator without tables. It is a process of its own,
// of this program: within one process the emulator uses one processor, and never
// gives memory back, until it fails at 2 GiB after some hundred queries.
func startEmptyEmulator(tb testing.TB) *emulator {
	tb.Helper()
	started := &emulator{process: exec.Command(os.Args[0])} //nolint:noctx // ends when its stdin does
	started.process.Env = append(os.Environ(), serveVariable+"=1")
	started.process.Stderr = os.Stderr
	stdin, err := started.process.StdinPipe()
	require.NoError(tb, err)
	started.stdin = stdin
	stdout, err := started.process.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, started.process.Start())
	tb.Cleanup(func() { started.close(tb) })
	url, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(tb, err, "the emulator does not say where it is")
	options := []option.ClientOption{option.WithEndpoint(strings.TrimSpace(url) + "/bigquery/v2/"), option.WithoutAuthentication()}
	started.client, err = bigquery.NewClient(tb.Context(), projectName, options...)
	require.NoError(tb, err)
	started.engine, err = engine.New(tb.Context(), engine.Config{
		Project: projectName, Dataset: datasetName, JobTimeout: jobTimeout, ClientOptions: options,
	})
	require.NoError(tb, err)
	return started
}

// jobTimeout lets a mistake of the emulator, which looks like an overload and is
// tried again, fail soon enough.
const jobTimeout = 30 * time.Second

// close ends the emulator.
func (e *emulator) close(tb testing.TB) {
	tb.Helper()
	e.closing.Do(func() {
		if e.engine != nil {
			assert.NoError(tb, e.engine.Close())
		}
		if e.client != nil {
			assert.NoError(tb, e.client.Close())
		}
		assert.NoError(tb, e.stdin.Close())
		assert.NoError(tb, e.process.Wait())
	})
}

// execute runs a statement that gives no rows.
func (e *emulator) execute(ctx context.Context, sql string) error {
	query := e.client.Query(sql)
	query.DefaultProjectID, query.DefaultDatasetID = projectName, datasetName
	job, err := query.Run(ctx)
	if err != nil {
		return err
	}
	status, err := job.Wait(ctx)
	if err != nil {
		return err
	}
	return status.Err()
}

// createTables makes the nine tables (D22, D23). They are made with DDL: the
// emulator keeps FLOAT64 columns of tables made through its API as FLOAT, which
// it then does not know.
func (e *emulator) createTables(ctx context.Context) error {
	var script strings.Builder
	for _, table := range sqlqtest.Tables() {
		fmt.Fprintf(&script, "CREATE TABLE %s.%s (id STRING NOT NULL, timestamp TIMESTAMP NOT NULL, event_message STRING, project STRING, metadata %s)"+
			" PARTITION BY DATE(timestamp) CLUSTER BY project;\n", datasetName, table, metadataOf(table).typeSQL())
	}
	return e.execute(ctx, script.String())
}

// rowsPerInsert keeps one statement small enough for the emulator's parser.
const rowsPerInsert = 500

// insert adds events to a table, by INSERT statements: the emulator's streaming
// inserts mangle nested arrays.
func (e *emulator) insert(ctx context.Context, table string, events []sqlqtest.Event) error {
	row := field{name: "row", kind: "STRUCT", repeated: true, fields: []field{
		{name: "id", kind: "STRING"},
		{name: "timestamp", kind: "TIMESTAMP"},
		{name: "event_message", kind: "STRING"},
		{name: "project", kind: "STRING"},
		metadataOf(table),
	}}
	for len(events) > 0 {
		batch := events[:min(len(events), rowsPerInsert)]
		events = events[len(batch):]
		rows := make([]string, len(batch))
		for i, event := range batch {
			text, err := rowLiteral(table, event)
			if err != nil {
				return fmt.Errorf("event %s of %s: %w", event.ID, table, err)
			}
			rows[i] = text
		}
		sql := fmt.Sprintf("INSERT INTO %s (id, timestamp, event_message, project, metadata)\nSELECT * FROM UNNEST(%s[\n%s])",
			table, row.typeSQL(), strings.Join(rows, ",\n"))
		if err := e.execute(ctx, sql); err != nil {
			return fmt.Errorf("insert into %s: %w", table, err)
		}
	}
	return nil
}

// rowLiteral writes an event as a row of its table.
func rowLiteral(table string, event sqlqtest.Event) (string, error) {
	var value any
	if event.Metadata != nil {
		decoder := json.NewDecoder(bytes.NewReader(event.Metadata))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return "", err
		}
	}
	metadata, err := metadataOf(table).literal(value)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("STRUCT(%s, TIMESTAMP '%s', %s, %s, %s)", stringLiteral(event.ID),
		event.Timestamp.UTC().Format("2006-01-02 15:04:05.000000+00"), nullableLiteral(event.EventMessage), nullableLiteral(event.Project), metadata), nil
}

func nullableLiteral(text *string) string {
	if text == nil {
		return "NULL"
	}
	return stringLiteral(*text)
}
