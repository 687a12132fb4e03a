package faults_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
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

// On a full disk a commit is rejected as a whole. Readers are served meanwhile, and see what was committed. Appending
// continues once there is space.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	const size, reserved, batch = 40 << 20, 16 << 20, 2000
	disk := mountDisk(t, size)
	reserve, data := filepath.Join(disk, "reserve"), filepath.Join(disk, "data")
	require.NoError(t, os.WriteFile(reserve, make([]byte, reserved), 0o600))
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	server, appender := newServerOver(t, duckdb.New(store.DB()), patient), &appender{store: store}

	requests := 0
	ask := func() {
		t.Helper()
		requests++ // so that nothing comes from the cache
		response := httptest.NewRecorder()
		target := fmt.Sprintf("/api/endpoints/usage.api-counts?interval=daily&project=acme|%d", requests)
		server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, target, nil))
		assert.Equal(t, http.StatusOK, response.Code, response.Body)
		assert.Contains(t, response.Body.String(), `"total_rest_requests":`+strconv.Itoa(stored(t, store.DB())))
	}

	// Other requests go on while the disk fills.
	next := make(chan struct{}, 1)
	var asking sync.WaitGroup
	asking.Go(func() {
		for range next {
			response := httptest.NewRecorder()
			server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/api/endpoints/logs.all?project=acme", nil))
			assert.Equal(t, http.StatusOK, response.Code, response.Body)
		}
	})
	isFull := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorContains(t, err, "the disk that holds "+data+" is full; free some space on it and try again")
	}
	var full error
	for full == nil {
		signal(next)
		full = appender.add(t.Context(), batch)
	}
	close(next)
	asking.Wait()
	isFull(full)

	// The disk is still full.
	ask()
	before := stored(t, store.DB())
	require.Positive(t, before)
	isFull(appender.add(t.Context(), batch))
	assert.Equal(t, before, stored(t, store.DB()), "an append is stored as a whole, or not at all")
	ask()

	// There is space again.
	require.NoError(t, os.Remove(reserve))
	require.NoError(t, appender.add(t.Context(), batch))
	ask()
	require.NoError(t, store.Close())
	store, err = logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	assert.Equal(t, before+batch, stored(t, store.DB()))
	require.NoError(t, store.Close())
}

// stored returns how many events there are, each once and with its record.
func stored(t *testing.T, db *sql.DB) int {
	t.Helper()
	var events, ids, records int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM edge_logs), (SELECT count(DISTINCT id) FROM edge_logs), (SELECT count(*) FROM edge_requests)").Scan(&events, &ids, &records))
	assert.Equal(t, events, ids)
	assert.Equal(t, events, records)
	return events
}
