package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq/tables"
)

// runStore runs "savedq store" and returns what it prints.
func runStore(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, problems strings.Builder
	assert.Equal(t, status, Run(t.Context(), append([]string{"store"}, args...), &out, &problems), problems.String())
	return out.String(), problems.String()
}

// fillStore adds events of two projects and rejected events.
func fillStore(t *testing.T, directory string) {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{
		Events: func(yield func(logstore.Accepted) bool) {
			for i := range 20 {
				project := []string{"acme", "globex"}[i%2]
				source := tables.Shipped()[[]int{0, 4}[i/10]]
				event := logevent.Event{ID: strconv.Itoa(i), Timestamp: time.Date(2026, 3, 1+i, 12, 0, 0, 0, time.UTC), Project: &project, Metadata: []byte(`[{"request":[{"url":"u"}]}]`)}
				if !yield(logstore.Accepted{Source: source, Event: &event, ID: logevent.FingerprintOf(source, event.ID)}) {
					return
				}
			}
		},
		Rejected: []logevent.Rejected{
			{Received: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), RequestID: "r1", Source: "edge_logs", Position: 3, Reason: "no timestamp", Event: "{\n \"a\": 1}"},
			{Received: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), RequestID: "r2", Source: "nothing", Position: 0, Reason: "not JSON", Event: "{"},
		},
	}))
}

// commands are tested on a data directory and on a server, with the same results.
func TestStoreCommands(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T, data string) []string{
		"a directory": func(_ *testing.T, data string) []string { return []string{"--data", data} },
		"a server":    func(t *testing.T, data string) []string { t.Helper(); return []string{"--url", serveData(t, data)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			fillStore(t, data)
			where := start(t, data)
			run := func(args ...string) string {
				t.Helper()
				stdout, _ := runStore(t, statusOK, append(args, where...)...)
				return stdout
			}
			var stats struct{ Result []map[string]any }
			require.NoError(t, json.Unmarshal([]byte(run("stats", "--format=json")), &stats))
			require.Len(t, stats.Result, 9)
			assert.Equal(t, "edge_logs", stats.Result[0]["source"])
			assert.EqualValues(t, 10, stats.Result[0]["events"])
			assert.EqualValues(t, time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC).UnixMicro(), stats.Result[0]["newest"])
			assert.Nil(t, stats.Result[1]["oldest"])
			table, footer := runStore(t, statusOK, append([]string{"stats"}, where...)...)
			assert.Regexp(t, `^SOURCE +EVENTS +BYTES +OLDEST +NEWEST +PER_SECOND_LAST_HOUR +PER_SECOND_LAST_DAY\n`, table)
			assert.Regexp(t, `^Parts: 1 with [\d.]+ \S*B\. In memory, and in the write-ahead log until they are in a part: [\d.]+ \S*B\. Rejected events: 2\.\n$`, footer)

			assert.Regexp(t, `(?s)^RECEIVED .*edge_logs +3 +no timestamp .*nothing +0 +not JSON +\{ +r2\n\(2 rows\)\n$`, run("rejected"))
			assert.Regexp(t, `\(1 row\)`, run("rejected", "--source=cloudflare.logs.prod"))
			assert.Regexp(t, `\(1 row\)`, run("rejected", "--since=2026-03-02"))
			assert.Regexp(t, `(?s)not JSON.*\(1 row\)`, run("rejected", "--limit=1"))
			assert.Equal(t, "{\"a\":1}\n", run("rejected", "--events"))
			_, note := runStore(t, statusOK, append([]string{"rejected", "--limit=1"}, where...)...)
			assert.Equal(t, "Older events are left out; use --limit 0 for all.\n", note)
			for _, limit := range []string{"--limit=2", "--limit=0", "--source=edge_logs"} {
				_, note = runStore(t, statusOK, append([]string{"rejected", limit}, where...)...)
				assert.Empty(t, note, limit)
			}

			assert.Equal(t, "edge_logs: 5 events would be deleted\nauth_logs: 5 events would be deleted\nacme: 10 events would be deleted\n", run("delete", "--project=acme", "--dry-run"))
			assert.Equal(t, "edge_logs: 1 event deleted\nacme: 1 event deleted\n", run("delete", "--project=acme", "--before=2026-03-02", "--source=cloudflare.logs.prod", "--source=auth_logs"))
			assert.Equal(t, "globex: 0 events deleted\n", run("delete", "--project=globex", "--source=postgres_logs"))
			assert.Equal(t, "edge_logs: 5 events would be deleted\nglobex: 5 events would be deleted\n",
				run("delete", "--project=globex", "--source=edge_logs", "--source=cloudflare.logs.prod", "--dry-run"), "one source with two names")

			backup := filepath.Join(t.TempDir(), "backup")
			assert.Regexp(t, "^"+regexp.QuoteMeta(backup)+`: 19 events, \d.*B\n$`, run("backup", backup))
			assert.Equal(t, backup+": no file is damaged or missing\n", check(t, backup))
			other := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(other, "notes.txt"), nil, 0o600))
			_, problems := runStore(t, statusFailed, append([]string{"backup", other}, where...)...)
			assert.Contains(t, problems, other+" is not empty: it has notes.txt; choose another directory for the backup")

			assert.Equal(t, "edge_logs: 4 events deleted\nauth_logs: 5 events deleted\nacme: 9 events deleted\n", run("delete", "--project=acme"))
			assert.Equal(t, "acme: 0 events deleted\n", run("delete", "--project=acme"))

			restored := []string{"--data", backup}
			stdout, _ := runStore(t, statusOK, append([]string{"delete", "--project=acme", "--dry-run"}, restored...)...)
			assert.Equal(t, "edge_logs: 4 events would be deleted\nauth_logs: 5 events would be deleted\nacme: 9 events would be deleted\n", stdout, "the backup is as the store was")
		})
	}
}

// check runs "savedq store check" on a store that is intact.
func check(t *testing.T, data string) string {
	t.Helper()
	stdout, _ := runStore(t, statusOK, "check", "--data", data)
	return stdout
}

// lockedBuilder is a string builder for concurrent use.
type lockedBuilder struct {
	mutex   sync.Mutex
	builder strings.Builder
}

func (b *lockedBuilder) Write(data []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.builder.Write(data)
}

func (b *lockedBuilder) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.builder.String()
}

// serveData serves a data directory without tokens and returns the address.
func serveData(t *testing.T, data string) string {
	t.Helper()
	return serveWith(t, "--no-auth", "--data", data)
}

// serveWith serves with flags and returns the address.
func serveWith(t *testing.T, flags ...string) string {
	t.Helper()
	address, _ := serveLogged(t, flags...)
	return address
}

// serveLogged is like serveWith, and returns what the server prints, too.
func serveLogged(t *testing.T, flags ...string) (address string, out *lockedBuilder) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out = &lockedBuilder{}
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, append([]string{"serve", "--addr=127.0.0.1:0", "--drain=5s"}, flags...), out, out)
	}()
	t.Cleanup(func() {
		stop()
		assert.Equal(t, statusOK, <-ended, out.String())
	})
	require.Eventually(t, func() bool {
		address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(out.String())
		if address == "" {
			return false
		}
		response, err := http.Get(address + "/readyz")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
	return address, out
}

// Without a store or a server, commands say so and leave nothing behind.
func TestStoreMissing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"stats", "rejected", "delete --project=p"} {
		_, problems := runStore(t, statusFailed, append(strings.Fields(command), "--data", filepath.Join(t.TempDir(), "none"))...)
		assert.Contains(t, problems, "there is no store in ")
	}
	directory := filepath.Join(t.TempDir(), "backup")
	_, problems := runStore(t, statusFailed, "backup", directory, "--data", filepath.Join(t.TempDir(), "none"))
	assert.Contains(t, problems, "there is no store in ")
	assert.NoDirExists(t, directory)
	_, problems = runStore(t, statusFailed, "stats", "--url=http://127.0.0.1:1")
	assert.Contains(t, problems, "reach the server")
	assert.Contains(t, problems, "connection refused; start the server, or correct the URL\n")
}

// The error of a deletion says how far it came.
func TestStoreDeleteFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deleted int64
		dryRun  bool
		err     error
		want    string
	}{
		"before the first event": {0, false, errors.New("the server does not accept the token"), "nothing was deleted: the server does not accept the token"},
		"after some":             {3, false, errors.New("the disk is full"), "not all events were deleted; run the command again: the disk is full"},
		"at an unknown point":    {0, false, &upkeep.UncertainError{Err: errors.New("cut off")}, "some events may have been deleted; run the command again: cut off"},
		"while it counts":        {3, true, errors.New("the disk is full"), "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.EqualError(t, (&storeDeleteCommand{DryRun: test.dryRun}).incomplete(test.deleted, test.err), test.want)
		})
	}
	for status, want := range map[int]string{
		http.StatusUnauthorized:        "savedq: nothing was deleted: ",
		http.StatusInternalServerError: "savedq: some events may have been deleted; run the command again: ",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
		}))
		t.Cleanup(server.Close)
		_, problems := runStore(t, statusFailed, "delete", "--project=acme", "--url="+server.URL)
		assert.Contains(t, problems, want)
	}
	_, problems := runStore(t, statusFailed, "delete", "--project=acme", "--url=http://127.0.0.1:1")
	assert.Contains(t, problems, "savedq: nothing was deleted: reach the server")
}
