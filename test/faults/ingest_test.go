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
	disk := mountDisk(t, 128<<20)
	reserve := filepath.Join(disk, "reserve")
	require.NoError(t, os.WriteFile(reserve, make([]byte, 56<<20), 0o600))
	log := &syncBuffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	data := filepath.Join(disk, "data")
	store, err := logstore.Open(t.Context(), data, "", logstore.WithFrugality(), logstore.WithLogger(logger))
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	writer := newWriter(t, store, data, logger)
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
	server.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/api/endpoints/logs.all?project=acme", nil))
	assert.Equal(t, http.StatusOK, response.Code, response.Body)
	require.NoError(t, writer.WaitStored(t.Context()))
	assert.Equal(t, acknowledged, stored(t, store.DB()), "acknowledged events are visible while the disk is full")
	ballast := filepath.Join(disk, "ballast") // what is left may be enough for a part
	fill(t, ballast)
	_, err = store.Checkpoint(t.Context())
	require.ErrorContains(t, err, "the disk that holds "+data+" is full")

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, os.Remove(reserve))
	require.Eventually(t, func() bool {
		number++
		counts, err := writer.Commit(t.Context(), noiseBatch(number, perBatch))
		if err == nil {
			acknowledged += counts.Accepted
		}
		return err == nil
	}, time.Minute, 50*time.Millisecond, "senders are served again")
	require.NoError(t, writer.WaitStored(t.Context()))
	close(next)
	reading.Wait()
	_, err = store.Checkpoint(t.Context())
	require.NoError(t, err)
	assert.Equal(t, acknowledged, stored(t, store.DB()))
	require.NoError(t, writer.Close(t.Context()))
}

// While only the disk of the parts is full, senders are served and see their events, the log says once what is full, and
// parts are written again when there is space.
func TestPartsOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := mountDisk(t, 16<<20)
	data, ballast := filepath.Join(disk, "data"), filepath.Join(disk, "ballast")
	log := &syncBuffer{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	store, err := logstore.Open(t.Context(), data, "", logstore.WithFrugality(), logstore.WithLogger(logger))
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	fill(t, ballast)
	writer := newWriter(t, store, t.TempDir(), logger)
	acknowledged := 0
	commitUntil := func(message string) {
		for log.count(message) == 0 {
			require.Less(t, acknowledged, 1_000_000, message)
			counts, err := writer.Commit(t.Context(), noiseBatch(acknowledged, 1_000))
			require.NoError(t, err)
			acknowledged += counts.Accepted
			require.NoError(t, writer.WaitStored(t.Context()))
			assert.Equal(t, acknowledged, stored(t, store.DB()))
		}
	}
	commitUntil("events cannot be written to a part")
	assert.Equal(t, 1, log.count("the disk that holds "+data+" is full"))
	require.NoError(t, os.Remove(ballast))
	commitUntil("events are written to parts again")
	require.NoError(t, writer.Close(t.Context()))
}

// newWriter opens the ingest writer of a store.
func newWriter(t *testing.T, store *logstore.Store, data string, logger *slog.Logger) *ingest.Writer {
	t.Helper()
	writer, err := ingest.Open(t.Context(), ingest.Config{
		Store: store, Directory: filepath.Join(data, "ingest-log"), Deduplicate: time.Hour, WaitingBytes: 16 << 20, IDBytes: 16 << 20,
		Clock: time.Now, Logger: logger, Observer: metrics.New(prometheus.NewRegistry(), &catalog.Catalog{}).NewIngest(nil),
	})
	require.NoError(t, err)
	return writer
}

// A killed server that starts again with little space on its disk, or none, serves readers, who see every acknowledged
// event. Without space it says what is full.
func TestStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		free int
		full bool
	}{
		"10 MB are free":  {free: 10 << 20},
		"nothing is free": {full: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left, discarded := t.TempDir(), slog.New(slog.DiscardHandler)
			killed, err := logstore.Open(t.Context(), left, "")
			require.NoError(t, err)
			writer := newWriter(t, killed, left, discarded)
			const batches, perBatch = 20, 500
			for number := range batches {
				counts, err := writer.Commit(t.Context(), noiseBatch(number, perBatch))
				require.NoError(t, err)
				require.Equal(t, perBatch, counts.Accepted)
			}
			disk := mountDisk(t, 48<<20)
			data, ballast := filepath.Join(disk, "data"), filepath.Join(disk, "ballast")
			require.NoError(t, os.CopyFS(data, os.DirFS(left))) // as a kill leaves it
			require.NoError(t, writer.Close(t.Context()))
			require.NoError(t, killed.Close())
			reserve := filepath.Join(disk, "reserve")
			require.NoError(t, os.WriteFile(reserve, make([]byte, test.free), 0o600))
			fill(t, ballast)
			require.NoError(t, os.Remove(reserve))

			store, err := logstore.Open(t.Context(), data, "", logstore.WithFrugality())
			require.NoError(t, err)
			writer = newWriter(t, store, data, discarded)
			require.NoError(t, writer.WaitStored(t.Context()))
			assert.Equal(t, batches*perBatch, stored(t, store.DB()))
			_, err = store.Checkpoint(t.Context())
			if test.full {
				require.ErrorIs(t, err, syscall.ENOSPC)
				require.ErrorContains(t, err, "the disk that holds "+data+" is full")
				require.NoError(t, os.Remove(ballast))
				_, err = store.Checkpoint(t.Context())
			}
			require.NoError(t, err)
			assert.Equal(t, batches*perBatch, stored(t, store.DB()))
			require.NoError(t, writer.Close(t.Context()))
			require.NoError(t, store.Close())
		})
	}
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
