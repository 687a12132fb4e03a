package ingest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/metrics"
	"savedq/sqlq/catalog"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// shippedTables reads the shipped tables once, because tests need them for every event.
var shippedTables = sync.OnceValue(tables.Shipped) //nolint:gochecknoglobals // They do not change.

// Events that are sent over HTTP in random order and batches, some of them twice, become the rows
// that a load of them adds, of which the conformance suite asks its questions. The ids have the name of their case.
func TestSentEventsAreStoredAsLoadedOnes(t *testing.T) {
	t.Parallel()
	cases, err := sqlqtest.Cases()
	require.NoError(t, err)
	logs := make(sqlqtest.Logs)
	for _, c := range cases {
		for table, events := range c.Logs {
			for _, event := range events {
				event.ID = c.Name + " " + event.ID
				logs[table] = append(logs[table], event)
			}
		}
	}
	loaded, received := open(t), open(t)
	for table, events := range logs {
		add(t, loaded, table, events...)
	}
	send(t, received, logs)
	for _, table := range storedTables() {
		assert.Equal(t, rowsOf(t, loaded, table), rowsOf(t, received, table), table)
	}
}

func open(t *testing.T) *logstore.Store {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

// storedTables returns the tables of the sources and of their records.
func storedTables() []string {
	names := []string{"edge_requests", "function_invocations"}
	for _, source := range shippedTables() {
		names = append(names, source.Name)
	}
	return names
}

// rowsOf returns the rows of a table, each as one text.
func rowsOf(t *testing.T, store *logstore.Store, table string) (texts []string) {
	t.Helper()
	rows, err := store.DB().QueryContext(t.Context(), "SELECT r::VARCHAR FROM "+table+" AS r ORDER BY ALL")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// sent is an event of a request.
type sent struct {
	ID           string          `json:"id"`
	Timestamp    string          `json:"timestamp"`
	EventMessage *string         `json:"event_message,omitempty"`
	Project      *string         `json:"project,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
}

// send sends the events to a store and waits until they are stored.
func send(tb testing.TB, store *logstore.Store, logs sqlqtest.Logs) {
	tb.Helper()
	logger := slog.New(slog.DiscardHandler)
	writer, err := ingest.Open(tb.Context(), ingest.Config{
		Store: store, Directory: filepath.Join(tb.TempDir(), "log"), Deduplicate: time.Hour, WaitingBytes: 256 << 20, IDBytes: 16 << 20,
		Clock: time.Now, Logger: logger, Observer: metrics.New(prometheus.NewRegistry(), &catalog.Catalog{}).NewIngest(nil),
	})
	require.NoError(tb, err)
	handler := auth.NoAuth(ingesthttp.New(ingesthttp.Config{
		Tables:    tables.Shipped,
		Committer: writer, MemoryBytes: ingesthttp.DefaultMemoryBytes, NewID: uuid.NewString, Clock: time.Now,
		Errors: httperror.NewWriter(logger), Logger: logger,
	}).JSON)

	random := rand.New(rand.NewPCG(5, uint64(len(logs))))
	waiting := make(map[string][]sent)
	var tables []string // with the source of each event that waits
	for table, events := range logs {
		for _, event := range events {
			if event.EventMessage == nil && event.Metadata == nil {
				add(tb, store, table, event) // nobody can send it: senders must give a message or metadata
				continue
			}
			waiting[table] = append(waiting[table], sent{
				ID: event.ID, Timestamp: event.Timestamp.Format("2006-01-02T15:04:05.999999Z"),
				EventMessage: event.EventMessage, Project: event.Project, Metadata: event.Metadata,
			})
			tables = append(tables, table)
		}
		random.Shuffle(len(waiting[table]), func(i, j int) {
			waiting[table][i], waiting[table][j] = waiting[table][j], waiting[table][i]
		})
	}
	random.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
	for _, table := range tables {
		count := min(1+random.IntN(1000), len(waiting[table]))
		if count == 0 {
			continue // earlier batches had the event
		}
		batch := waiting[table][:count]
		waiting[table] = waiting[table][count:]
		assert.Equal(tb, count, post(tb, handler, table, batch).Accepted)
		if random.IntN(4) == 0 {
			assert.Equal(tb, count, post(tb, handler, table, batch).Duplicates)
		}
	}
	require.NoError(tb, writer.Close(tb.Context()))
}

// add loads events into a store.
func add(tb testing.TB, store *logstore.Store, table string, events ...sqlqtest.Event) {
	tb.Helper()
	source, ok := shippedTables().FindSource(table)
	require.True(tb, ok, table)
	transaction, err := store.Begin(tb.Context(), logstore.Sent)
	require.NoError(tb, err)
	for _, event := range events {
		require.NoError(tb, transaction.Add(tb.Context(), source, logevent.Event(event)))
	}
	require.NoError(tb, transaction.Commit(tb.Context()))
}

// response is the response to a batch.
type response struct{ Accepted, Duplicates, Rejected int }

// post sends a batch.
func post(tb testing.TB, handler http.Handler, table string, batch []sent) response {
	tb.Helper()
	body, err := json.Marshal(batch)
	require.NoError(tb, err)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/api/logs?source="+table, bytes.NewReader(body)))
	require.Equal(tb, http.StatusOK, recorder.Code, recorder.Body)
	var result response
	require.NoError(tb, json.Unmarshal(recorder.Body.Bytes(), &result))
	assert.Zero(tb, result.Rejected, recorder.Body)
	return result
}
