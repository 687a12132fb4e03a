package emulatortest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/api/option"

	engine "savedq/sqlq/bigquery"
	"savedq/sqlq/sqlqtest"
)

// emulator is an emulator of BigQuery, with an engine on it.
type emulator struct {
	process *exec.Cmd
	// stdin, closed, ends the process.
	stdin io.Closer
	url   string
	// client is for what an engine cannot do, and talks to the bare emulator. Rows are loaded through
	// loads, of [emptyProject].
	client, loads *bigquery.Client
	// queries is for queries without an engine. It talks to [jobs], which keep no job: the bare emulator
	// reads all jobs that it ever had at every request.
	queries *bigquery.Client
	engine  *engine.Engine
	// holds are the logs in its tables.
	holds sqlqtest.Logs
	// loans counts to how many tests a [pool] has lent it.
	loans int
}

// startEmulator starts an emulator with the nine tables, which holds the logs and
// ends with the test.
func startEmulator(tb testing.TB, logs sqlqtest.Logs) *emulator {
	tb.Helper()
	started := startEmptyEmulator(tb)
	require.NoError(tb, started.createTables(tb.Context()))
	require.NoError(tb, started.load(tb.Context(), logs))
	return started
}

// startEmptyEmulator starts an emulator without tables, which ends with the test.
func startEmptyEmulator(tb testing.TB) *emulator {
	tb.Helper()
	started, err := start(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, started.close()) })
	return started
}

// jobTimeout bounds what the emulator may take for a query on a busy machine.
const jobTimeout = 5 * time.Minute

// start starts an emulator without tables. It is a process of its own, of this
// program: within one process the emulator uses one processor, and never gives
// memory back, until it fails at 2 GiB.
func start(ctx context.Context) (*emulator, error) {
	started := &emulator{process: exec.Command(os.Args[0])} // ends when its stdin does
	// To collect garbage early costs it next to nothing, and spares memory.
	started.process.Env = append(os.Environ(), serveVariable+"=1", "GOGC=40")
	started.process.Stderr = os.Stderr
	var err error
	if started.stdin, err = started.process.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := started.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := started.process.Start(); err != nil {
		return nil, err
	}
	if err := started.connect(ctx, stdout); err != nil {
		return nil, errors.Join(err, started.close())
	}
	return started, nil
}

// connect learns where the emulator is, and makes its clients.
func (e *emulator) connect(ctx context.Context, stdout io.Reader) error {
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the emulator does not say where it is: %w", err)
	}
	e.url = strings.TrimSpace(line)
	if e.client, err = bigquery.NewClient(ctx, projectName, clientOptions(e.url+bare)...); err != nil {
		return err
	}
	if e.loads, err = bigquery.NewClient(ctx, emptyProject, clientOptions(e.url+bare)...); err != nil {
		return err
	}
	if e.queries, err = bigquery.NewClient(ctx, projectName, clientOptions(e.url+unaided)...); err != nil {
		return err
	}
	e.engine, err = newEngine(ctx, e.url)
	return err
}

// newEngine returns an engine on the emulator at a URL.
func newEngine(ctx context.Context, url string) (*engine.Engine, error) {
	return engine.New(ctx, engine.Config{
		Project: projectName, Dataset: datasetName, JobTimeout: jobTimeout,
		Clock: time.Now, Logger: slog.New(slog.DiscardHandler), ClientOptions: clientOptions(url),
	})
}

func clientOptions(url string) []option.ClientOption {
	return []option.ClientOption{option.WithEndpoint(url + "/bigquery/v2/"), option.WithoutAuthentication()}
}

// close ends the emulator.
func (e *emulator) close() error {
	var mistakes []error
	if e.engine != nil {
		mistakes = append(mistakes, e.engine.Close())
	}
	for _, client := range []*bigquery.Client{e.client, e.loads, e.queries} {
		if client != nil {
			mistakes = append(mistakes, client.Close())
		}
	}
	return errors.Join(append(mistakes, e.stdin.Close(), e.process.Wait())...)
}

// execute runs statements that give no rows.
func (e *emulator) execute(ctx context.Context, sql string) error {
	return execute(ctx, e.client, sql)
}

// execute runs statements that give no rows. Their job is deleted, because the
// emulator reads all jobs that it has at every request.
func execute(ctx context.Context, client *bigquery.Client, sql string, params ...bigquery.QueryParameter) error {
	query := client.Query(sql)
	query.DefaultProjectID, query.DefaultDatasetID, query.Parameters = client.Project(), datasetName, params
	job, err := query.Run(ctx)
	if err != nil {
		return err
	}
	status, err := job.Wait(ctx)
	if err != nil {
		return err
	}
	return errors.Join(status.Err(), job.Delete(ctx))
}

// load makes the tables hold the logs and nothing else.
func (e *emulator) load(ctx context.Context, logs sqlqtest.Logs) error {
	var script strings.Builder
	for table := range e.holds {
		fmt.Fprintf(&script, "TRUNCATE TABLE %s.%s;\n", datasetName, table)
	}
	e.holds = nil
	if err := e.add(ctx, script.String(), logs); err != nil {
		return err
	}
	e.holds = logs
	return nil
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

// add runs a script, and adds events to the tables. The events are a parameter, of JSON: the emulator
// takes long to parse literals, and its streaming inserts mangle nested arrays.
func (e *emulator) add(ctx context.Context, script string, logs sqlqtest.Logs) error {
	rows := map[string][]any{}
	for table, events := range logs {
		metadata := metadataOf(table)
		for _, event := range events {
			value, err := metadata.texts(event.Metadata)
			if err != nil {
				return fmt.Errorf("event %s of %s: %w", event.ID, table, err)
			}
			rows[table] = append(rows[table], map[string]any{
				"id": event.ID, "timestamp": event.Timestamp.UTC().Format("2006-01-02 15:04:05.000000+00"),
				"event_message": event.EventMessage, "project": event.Project, "metadata": value,
			})
		}
		columns := []field{
			{name: "id", kind: "STRING"},
			{name: "timestamp", kind: "TIMESTAMP"},
			{name: "event_message", kind: "STRING"},
			{name: "project", kind: "STRING"},
			metadata,
		}
		script += fmt.Sprintf("INSERT INTO %s.%s (id, timestamp, event_message, project, metadata)\n"+
			"SELECT %s\nFROM UNNEST(JSON_QUERY_ARRAY(@logs, '$.%s')) AS value1;\n", datasetName, table, selectList(columns, 1), table)
	}
	if script == "" {
		return nil
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return execute(ctx, e.loads, script, bigquery.QueryParameter{Name: "logs", Value: string(text)})
}
