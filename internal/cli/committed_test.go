package cli

import (
	"context"
	"errors"
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
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

// killedServer returns a data directory in which a server without deduplication has acknowledged
// events and not stored them.
func killedServer(t *testing.T, ids ...string) string {
	t.Helper()
	data := t.TempDir()
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	writer, err := ingest.Open(t.Context(), ingest.Config{
		Store: &fullStore{store}, Directory: filepath.Join(data, engines.IngestLog), WaitingBytes: 1 << 20, IDBytes: 1 << 20,
		Clock: time.Now, Logger: slog.New(slog.DiscardHandler), Observer: unobserved{},
	})
	require.NoError(t, err)
	var batch ingest.Batch
	project := "acme"
	for _, id := range ids {
		event := logevent.Event{ID: id, Timestamp: time.Now().UTC(), Project: &project, Metadata: []byte("[{}]")}
		batch.Events = append(batch.Events, logevent.Sourced{Source: tables.Shipped()[0], Event: event})
	}
	counts, err := writer.Commit(t.Context(), batch)
	require.NoError(t, err)
	require.Equal(t, len(ids), counts.Accepted)
	killed, kill := context.WithCancel(t.Context())
	kill()
	require.NoError(t, errors.Join(writer.Close(killed), store.Close()))
	return data
}

// fullStore takes no events.
type fullStore struct{ *logstore.Store }

func (*fullStore) Ingest(context.Context, logstore.Ingestion) error { return errors.New("disk full") }

type unobserved struct{}

func (unobserved) EventsCommitted(string, ingest.Counts) {}
func (unobserved) EventsRejected(string, int)            {}
func (unobserved) BatchCommitted(time.Duration)          {}
func (unobserved) BatchRefused()                         {}
func (unobserved) EventsStored(int, time.Duration)       {}

// D30: each command sees what a killed server has acknowledged. The server had no deduplication, so all
// of it was accepted.
func TestCommandsSeeWhatAKilledServerAcknowledged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "again.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(`{"id":"a","project":"acme","message":"again"}`), 0o600))
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"stats":  {[]string{"store", "stats", "--format", "csv"}, "edge_logs,3,"},
		"delete": {[]string{"store", "delete", "--project", "acme", "--dry-run"}, "3 events would be deleted"},
		"query":  {[]string{"query", "--format", "csv", "projects.list"}, "acme"},
		"load":   {[]string{"load", "--source", "edge_logs", file}, "0 rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := killedServer(t, "a", "a", "b")
			var stdout, stderr strings.Builder
			require.Equal(t, statusOK, Run(t.Context(), append(test.args, "--data", data), &stdout, &stderr), stderr.String())
			assert.Contains(t, stdout.String(), test.want)

			stored, _ := runStore(t, statusOK, "stats", "--format", "csv", "--data", data)
			assert.Contains(t, stored, "edge_logs,3,", "nothing is stored twice, also not by load")
		})
	}
}
