package faults_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/metrics"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/tables"
)

// noiseBatch returns events that do not compress.
func noiseBatch(number, count int) ingest.Batch {
	source, _ := tables.Shipped().FindSource("edge_logs")
	batch := ingest.Batch{Received: time.Now()}
	for i := range count {
		noise := make([]byte, 500)
		_, _ = rand.Read(noise) // never fails
		message, project := hex.EncodeToString(noise), "acme"
		batch.Events = append(batch.Events, logevent.Sourced{Source: source, Event: logevent.Event{
			ID: fmt.Sprintf("%d-%d", number, i), Timestamp: time.Now(), EventMessage: &message, Project: &project,
			Metadata: []byte(`[{"request":[{"url":"https://acme.example.com","path":"/rest"}]}]`),
		}})
	}
	return batch
}

// On a full disk senders get 503 with the reason, readers are served, and freeing space heals
// it without a restart. No acknowledged event is lost, and none is there twice.
func TestIngestOnAFullDisk(t *testing.T) {
	t.Parallel()
	// What a failed checkpoint has written to the store's file is not free again, so the reserve has
	// room for all that waits, and for that.
	disk := mountDisk(t, 128<<20)
	reserve := filepath.Join(disk, "reserve")
	require.NoError(t, os.WriteFile(reserve, make([]byte, 56<<20), 0o600))
	log := &syncBuffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	data := filepath.Join(disk, "data")
	store, err := logstore.Open(t.Context(), data, "", logstore.WithoutAutomaticCheckpoints(), logstore.WithLogger(logger))
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	writer, err := ingest.Open(t.Context(), ingest.Config{
		Store: store, Directory: filepath.Join(data, "ingest-log"), Deduplicate: time.Hour, WaitingBytes: 16 << 20, IDBytes: 16 << 20,
		Clock: time.Now, Logger: logger, Observer: metrics.New(prometheus.NewRegistry(), &catalog.Catalog{}).NewIngest(nil),
	})
	require.NoError(t, err)
	server := newServerOver(t, duckdb.New(store.DB()), patient)

	// Readers go on, with a request after every fourth batch.
	next := make(chan struct{}, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		number := 0
		for range next {
			number++
			response := httptest.NewRecorder()
			target := fmt.Sprintf("/api/endpoints/usage.api-counts?interval=daily&project=acme|%d", number)
			server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, target, nil))
			assert.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, response.Code, response.Body)
		}
	})

	const perBatch = 500
	acknowledged, number, full := 0, 0, 0
	for full < 5 {
		number++
		require.Less(t, number, 100_000, "the disk never becomes full")
		if number%4 == 0 {
			signal(next)
		}
		counts, err := writer.Commit(t.Context(), noiseBatch(number, perBatch))
		if err == nil {
			acknowledged += counts.Accepted
			continue
		}
		failure, ok := errors.AsType[*sqlq.Error](err)
		require.True(t, ok, err)
		require.Equal(t, sqlq.Unavailable, failure.Code)
		require.Positive(t, failure.RetryAfter)
		require.NotContains(t, failure.Message, disk, "no path for senders")
		if strings.Contains(failure.Message, "the server's disk is full") {
			full++
		}
	}
	response := httptest.NewRecorder()
	require.Eventually(t, func() bool {
		response = httptest.NewRecorder()
		server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/api/endpoints/logs.all?project=acme", nil))
		return response.Code == http.StatusOK
	}, 10*time.Second, 50*time.Millisecond, "readers are served while the disk is full")

	require.NoError(t, os.Remove(reserve))
	require.Eventually(t, func() bool {
		number++
		counts, err := writer.Commit(t.Context(), noiseBatch(number, perBatch))
		if err == nil {
			acknowledged += counts.Accepted
		}
		return err == nil
	}, 30*time.Second, 50*time.Millisecond, "senders are served again")
	require.NoError(t, writer.WaitStored(t.Context()))
	close(next)
	reading.Wait()
	var rows, ids int
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT id) FROM edge_logs").Scan(&rows, &ids))
	assert.Equal(t, acknowledged, rows)
	assert.Equal(t, rows, ids)
	require.NoError(t, writer.Close(t.Context()))
}

// A server that starts on a full disk serves readers, although the checkpoint that is due at the start
// fails, so that the store is reopened.
func TestStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	left := t.TempDir()
	store, err := logstore.Open(t.Context(), left, "", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	const dueBytes, events = 33 << 20, 1000
	appender := &appender{store: store}
	for store.UncheckpointedBytes() < dueBytes {
		require.NoError(t, appender.add(t.Context(), events))
	}
	disk := mountDisk(t, 48<<20)
	data := filepath.Join(disk, "data")
	require.NoError(t, os.CopyFS(data, os.DirFS(left))) // as a kill leaves it
	require.NoError(t, store.Close())
	fill(t, filepath.Join(disk, "ballast"))

	log := &syncBuffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	store, err = logstore.Open(t.Context(), data, "", logstore.WithoutAutomaticCheckpoints(), logstore.WithLogger(logger))
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	require.False(t, store.HasRoomForCheckpoint())
	writer, err := ingest.Open(t.Context(), ingest.Config{
		Store: store, Directory: filepath.Join(data, "ingest-log"), Deduplicate: time.Hour, WaitingBytes: 16 << 20, IDBytes: 16 << 20,
		Clock: time.Now, Logger: logger, Observer: metrics.New(prometheus.NewRegistry(), &catalog.Catalog{}).NewIngest(nil),
	})
	require.NoError(t, err)
	require.NoError(t, writer.WaitRecovered(t.Context()))
	assert.Equal(t, 1, log.count("the store's checkpoint failed"))
	assert.Equal(t, appender.last, stored(t, store.DB()))
	require.NoError(t, writer.Close(t.Context()))
}

// A store that could not be created for want of space is created once there is some.
func TestFirstStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := mountDisk(t, 8<<20)
	data, ballast := filepath.Join(disk, "data"), filepath.Join(disk, "ballast")
	require.NoError(t, os.Mkdir(data, 0o700))
	fill(t, ballast)
	_, err := logstore.Open(t.Context(), data, "")
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "the disk that holds "+data+" is full; free some space on it and try again")
	require.NoError(t, os.Remove(ballast))
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	for err == nil {
		_, err = file.Write(make([]byte, 64<<10))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, file.Close())
}
