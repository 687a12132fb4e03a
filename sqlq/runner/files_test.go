package runner_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
)

// fakeFiles have a version.
type fakeFiles struct {
	version atomic.Pointer[string]
	asked   atomic.Int64
	// reading means that files are being read for the first time.
	reading atomic.Bool
}

func (f *fakeFiles) AwaitFiles(ctx context.Context, _ *sqlq.SavedQuery) error {
	if !f.reading.Load() {
		return nil
	}
	<-ctx.Done()
	return sqlq.Rejectf(sqlq.Unavailable, time.Second, "the files are being read")
}

func (f *fakeFiles) FilesVersion(*sqlq.SavedQuery) string {
	f.asked.Add(1)
	return *f.version.Load()
}

func (f *fakeFiles) set(version string) { f.version.Store(&version) }

// withFiles makes a saved query read files.
func withFiles(t *testing.T, files runner.Files) func(*runner.Config) {
	t.Helper()
	return func(config *runner.Config) {
		own, err := catalog.Read(duckdbsql.Dialect{}) // others use the same saved query
		require.NoError(t, err)
		config.Catalog = own
		query, found := own.Find(cached)
		require.True(t, found)
		query.Tables = sqlq.Tables{{Name: "products", Files: &sqlq.Files{Format: "parquet"}}}
		config.Files, config.StaleIfError = files, time.Hour
	}
}

// An entry is served for as long as its files stay the same, also what was encoded from it.
func TestCachedEntriesOfFiles(t *testing.T) {
	files := new(fakeFiles)
	files.set("a")
	inWorld(t, withFiles(t, files), func(t *testing.T, w *world) {
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
		response, err := w.Run(t.Context(), requestFor(cached, "acme"))
		require.NoError(t, err)
		w.put(t.Context(), "response", "x", response.Entry)
		encoded, _ := w.Encoded(t.Context(), "response", false)
		require.NotNil(t, encoded)
		files.set("b")
		encoded, _ = w.Encoded(t.Context(), "response", false)
		assert.Nil(t, encoded)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 2)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 2)
	})
}

// If changed files cannot be read, that is an error, and no entry of the old ones is served. If the engine fails
// for another reason, one is.
func TestStaleEntriesOfFiles(t *testing.T) {
	files := new(fakeFiles)
	files.set("a")
	inWorld(t, withFiles(t, files), func(t *testing.T, w *world) {
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
		w.fail(sqlq.Errorf(sqlq.Internal, "the files of the table products cannot be read"))
		time.Sleep(16 * time.Minute)
		w.assertRun(t, requestFor(cached, "acme"), runner.Stale, 1)
		files.set("there is no file")
		_, err := w.Run(t.Context(), requestFor(cached, "acme"))
		assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
	})
}

// Queries that read no files do not ask for a version.
func TestEntriesWithoutFiles(t *testing.T) {
	files := new(fakeFiles)
	inWorld(t, func(config *runner.Config) { config.Files = files }, func(t *testing.T, w *world) {
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
		w.assertRun(t, requestFor(cached, "acme"), runner.Hit, 1)
		assert.Zero(t, files.asked.Load())
	})
}

// Files that change while they are read do not open the breaker, which would reject all other queries.
func TestChangingFilesDoNotOpenTheBreaker(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		w.fail(sqlq.Rejectf(sqlq.Unavailable, time.Second, "the files of the table products change while they are read"))
		for range 10 {
			_, err := w.Run(t.Context(), requestFor(uncached, "acme"))
			assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
		}
		assert.Equal(t, 10, w.engine.Runs())
	})
}

// A call waits for the first reading of files before it takes a place of the engine, and its caller learns what takes so long. The
// engine is not unavailable for that.
func TestCallsWaitForTheFirstReading(t *testing.T) {
	files := new(fakeFiles)
	files.set("a")
	inWorld(t, withFiles(t, files), func(t *testing.T, w *world) {
		files.reading.Store(true)
		for range 20 {
			_, err := w.Run(t.Context(), requestFor(cached, "acme"))
			require.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
			require.EqualError(t, err, "the files are being read")
		}
		files.reading.Store(false)
		w.assertRun(t, requestFor(cached, "acme"), runner.Miss, 1)
	})
}
