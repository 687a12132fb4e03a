package faults_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/tables"
)

// syncBuffer is a log that several goroutines may write.
type syncBuffer struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (b *syncBuffer) Write(line []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(line)
}

func (b *syncBuffer) count(text string) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return strings.Count(b.text.String(), text)
}

// appender adds events that do not compress, each with an id of its own.
type appender struct {
	store *logstore.Store
	last  int
}

func (a *appender) add(ctx context.Context, count int) (err error) {
	source, _ := tables.Shipped().FindSource("edge_logs")
	transaction, err := a.store.Begin(ctx, logstore.Sent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, transaction.Rollback()) }()
	project := "acme"
	for range count {
		a.last++
		noise := make([]byte, 500)
		_, _ = rand.Read(noise) // never fails
		message := hex.EncodeToString(noise)
		event := logevent.Event{
			ID: strconv.Itoa(a.last), Timestamp: time.Now(), Project: &project, EventMessage: &message,
			Metadata: []byte(`[{"request":[{"url":"https://acme.example.com","path":"/rest"}]}]`),
		}
		if err := transaction.Add(ctx, source, event); err != nil {
			return err
		}
	}
	return transaction.Commit(ctx)
}

// signal lets a reader send its next request, unless one waits already.
func signal(next chan<- struct{}) {
	select {
	case next <- struct{}{}:
	default:
	}
}

// On a full disk a commit is rejected, or a checkpoint fails: then DuckDB rejects all further work, and
// the server opens the store again. Either way readers are served while the disk is still
// full, a batch that does not fit is rejected as a whole, and appending continues once there
// is space. No response is a 500.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size, reserved int
		options        []logstore.Option
		// fatal reports whether DuckDB has to be opened again.
		fatal bool
	}{
		// The log grows to 128 MiB before a checkpoint, and to 32 MiB in a frugal store.
		"a commit is rejected": {size: 40 << 20, reserved: 16 << 20},
		"a checkpoint fails":   {size: 64 << 20, reserved: 16 << 20, options: []logstore.Option{logstore.WithFrugality()}, fatal: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testFullDisk(t, test.size, test.reserved, test.fatal, test.options...)
		})
	}
}

func testFullDisk(t *testing.T, size, reserved int, fatal bool, options ...logstore.Option) {
	t.Helper()
	disk := mountDisk(t, size)
	reserve := filepath.Join(disk, "reserve")
	require.NoError(t, os.WriteFile(reserve, make([]byte, reserved), 0o600))
	log := &syncBuffer{}
	data := filepath.Join(disk, "data")
	store, err := logstore.Open(t.Context(), data, "", append(options, logstore.WithLogger(slog.New(slog.NewTextHandler(log, nil))))...)
	require.NoError(t, err)
	server, appender := newServerOver(t, duckdb.New(store.DB()), patient), &appender{store: store}

	requests := 0
	ask := func() int {
		requests++ // so that nothing comes from the cache
		response := httptest.NewRecorder()
		target := fmt.Sprintf("/api/endpoints/usage.api-counts?interval=daily&project=acme|%d", requests)
		server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, target, nil))
		if response.Code == http.StatusOK {
			assert.Contains(t, response.Body.String(), `"total_rest_requests":`+strconv.Itoa(stored(t, store.DB())))
		}
		return response.Code
	}

	// Other requests go on while the disk fills.
	next := make(chan struct{}, 1)
	var asking sync.WaitGroup
	asking.Go(func() {
		for range next {
			response := httptest.NewRecorder()
			server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/api/endpoints/logs.all?project=acme", nil))
			assert.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, response.Code, response.Body)
			if response.Code == http.StatusServiceUnavailable {
				assert.NotEmpty(t, response.Header().Get("Retry-After"))
			}
		}
	})
	var full error
	for full == nil {
		signal(next)
		full = appender.add(t.Context(), 2000)
	}
	close(next)
	asking.Wait()
	require.ErrorContains(t, full, "the disk that holds "+data+" is full")
	if !fatal {
		require.ErrorContains(t, full, "a commit can need", "DuckDB did not try it")
	}

	// The disk is still full.
	recovers := func() {
		t.Helper()
		assert.Eventually(t, func() bool { return ask() == http.StatusOK }, 10*time.Second, 10*time.Millisecond)
	}
	recovers()
	reopened := 0
	if fatal {
		reopened = 1
	}
	assert.Equal(t, reopened, log.count("DuckDB has declared the store invalid"))
	assert.Equal(t, reopened, log.count("the store was reopened"))
	require.NoError(t, store.Ping(t.Context()))
	before := stored(t, store.DB())
	require.ErrorContains(t, appender.add(t.Context(), 2000), "is full")
	assert.Equal(t, before, stored(t, store.DB()), "an append is stored as a whole, or not at all")
	assert.Equal(t, http.StatusOK, ask())

	// There is space again.
	require.NoError(t, os.Remove(reserve))
	require.NoError(t, appender.add(t.Context(), 2000))
	assert.Equal(t, http.StatusOK, ask())
	require.NoError(t, store.Close())
	store, err = logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	assert.Equal(t, before+2000, stored(t, store.DB()))
	require.NoError(t, store.Close())
}

// stored returns how many events there are, each with its record.
func stored(t *testing.T, db *sql.DB) int {
	t.Helper()
	var events, records int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM edge_logs), (SELECT count(*) FROM edge_requests)").Scan(&events, &records))
	assert.Equal(t, events, records)
	return events
}
