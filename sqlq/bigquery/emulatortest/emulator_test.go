package emulatortest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/goccy/bigquery-emulator/server"
	"github.com/goccy/bigquery-emulator/types"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	engine "savedq/sqlq/bigquery"
	"savedq/sqlq/sqlqtest"
)

// emulator is an emulator of BigQuery that runs in this process.
type emulator struct {
	server   *server.Server
	url      string
	projects int
	// idle are warehouses whose tables are empty.
	idle []*warehouse
}

// startEmulator starts an emulator that ends with the test.
func startEmulator(t *testing.T) *emulator {
	t.Helper()
	running, err := server.New(server.TempStorage)
	require.NoError(t, err)
	listening := running.TestServer()
	started := &emulator{server: running, url: listening.URL}
	t.Cleanup(func() {
		for _, warehouse := range started.idle {
			warehouse.close(t)
		}
		listening.Close()
		require.NoError(t, running.Close())
	})
	return started
}

// options make a client of the SDK talk to the emulator.
func (e *emulator) options() []option.ClientOption {
	return []option.ClientOption{option.WithEndpoint(e.url + "/bigquery/v2/"), option.WithoutAuthentication()}
}

// warehouse is a project of the emulator with one dataset, which holds the nine
// tables.
type warehouse struct {
	project string
	// dataset has a name of its own too: the emulator does not tell tables of the
	// same name apart that are in datasets of the same name.
	dataset string
	client  *bigquery.Client
	engine  *engine.Engine
	// uses is how many sets of logs it has held.
	uses int
}

// usesOfWarehouse is after how many sets of logs a warehouse is not used again: at
// every request the emulator reads all jobs that the project ever had.
const usesOfWarehouse = 5

// open returns a warehouse that holds the logs, and is emptied when they are no
// longer needed.
func (e *emulator) open(tb testing.TB, logs sqlqtest.Logs) *warehouse {
	tb.Helper()
	var opened *warehouse
	if last := len(e.idle) - 1; last >= 0 {
		opened, e.idle = e.idle[last], e.idle[:last]
	} else {
		opened = e.newWarehouse(tb)
	}
	opened.uses++
	for _, table := range sqlqtest.Tables() {
		require.NoError(tb, opened.insert(tb.Context(), table, logs[table]))
	}
	tb.Cleanup(func() {
		if opened.uses == usesOfWarehouse {
			opened.close(tb)
			return
		}
		for table := range logs {
			// The context of the test has ended by now.
			require.NoError(tb, opened.execute(context.Background(), "TRUNCATE TABLE "+table)) //nolint:usetesting // see above
		}
		e.idle = append(e.idle, opened)
	})
	return opened
}

// newWarehouse makes a project with a dataset and its tables.
func (e *emulator) newWarehouse(tb testing.TB) *warehouse {
	tb.Helper()
	e.projects++
	made := &warehouse{project: fmt.Sprintf("project-%d", e.projects), dataset: fmt.Sprintf("logs_%d", e.projects)}
	require.NoError(tb, e.server.Load(server.StructSource(types.NewProject(made.project, types.NewDataset(made.dataset)))))
	var err error
	// Both outlive the test that asks for them first.
	ctx := context.WithoutCancel(tb.Context())
	made.client, err = bigquery.NewClient(ctx, made.project, e.options()...)
	require.NoError(tb, err)
	made.engine, err = engine.New(ctx, engine.Config{
		Project: made.project, Dataset: made.dataset, JobTimeout: time.Minute, ClientOptions: e.options(),
	})
	require.NoError(tb, err)
	require.NoError(tb, made.createTables(tb.Context()))
	return made
}

// close releases the clients. The emulator keeps the project.
func (w *warehouse) close(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, w.engine.Close())
	require.NoError(tb, w.client.Close())
}

// execute runs a statement that gives no rows.
func (w *warehouse) execute(ctx context.Context, sql string) error {
	query := w.client.Query(sql)
	query.DefaultProjectID, query.DefaultDatasetID = w.project, w.dataset
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
func (w *warehouse) createTables(ctx context.Context) error {
	var script strings.Builder
	for _, table := range sqlqtest.Tables() {
		fmt.Fprintf(&script, "CREATE TABLE %s.%s (id STRING NOT NULL, timestamp TIMESTAMP NOT NULL, event_message STRING, project STRING, metadata %s)"+
			" PARTITION BY DATE(timestamp) CLUSTER BY project;\n", w.dataset, table, metadataOf(table).typeSQL())
	}
	return w.execute(ctx, script.String())
}

// rowsPerInsert keeps one statement small enough for the emulator's parser.
const rowsPerInsert = 500

// insert adds events to a table, by INSERT statements: the emulator's streaming
// inserts mangle nested arrays.
func (w *warehouse) insert(ctx context.Context, table string, events []sqlqtest.Event) error {
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
		if err := w.execute(ctx, sql); err != nil {
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
