package logstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// backUp writes a backup to a new directory and returns it. during is called for each file,
// before it is written.
func backUp(t *testing.T, store *logstore.Store, during func()) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "new", "backup")
	writer, err := logstore.NewBackupWriter(directory)
	require.NoError(t, err)
	require.NoError(t, store.Backup(t.Context(), func(file logstore.BackupFile) error {
		during()
		return writer.Write(file)
	}))
	assert.NoFileExists(t, filepath.Join(directory, storeFile), "an interrupted backup is no store")
	require.NoError(t, writer.Commit())
	return directory
}

// A backup has what was committed before it, also while others write, read and want to
// checkpoint.
func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	for name, checkpointed := range map[string]bool{"everything in the log": false, "a part in the log": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithoutAutomaticCheckpoints())
			require.NoError(t, err)
			defer func() { require.NoError(t, store.Close()) }()
			edge := source(t, "edge_logs")
			require.NoError(t, load(t.Context(), store, edge, 0, 5000))
			if checkpointed {
				done, err := store.Checkpoint(t.Context())
				require.NoError(t, err)
				require.True(t, done)
			}
			require.NoError(t, load(t.Context(), store, edge, 5000, 1000))
			next := 1_000_000
			backup := backUp(t, store, func() {
				require.NoError(t, load(t.Context(), store, edge, next, 500), "writers do not wait")
				next += 500
				deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: source(t, "auth_logs")})
				require.NoError(t, err)
				assert.Zero(t, deleted)
				done, err := store.Checkpoint(t.Context())
				require.NoError(t, err)
				assert.False(t, done, "checkpoints wait")
				require.NoError(t, store.Ping(t.Context()), "readers do not wait")
			})
			restored := open(t, backup)
			assert.Equal(t, holds(6000), contents(t, restored, "edge_logs", "edge_requests"))
			assert.Empty(t, restored.Recovery())
			require.NoError(t, load(t.Context(), restored, edge, 2_000_000, 10), "it is a store as any other")
			require.NoError(t, restored.Close())
			done, err := store.Checkpoint(t.Context())
			require.NoError(t, err)
			assert.True(t, done)
		})
	}
}

// Concurrent backups and writers do not disturb each other: each backup has a whole number of
// transactions.
func TestBackupsAreConsistent(t *testing.T) {
	t.Parallel()
	store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			err := load(t.Context(), store, source(t, "edge_logs"), i*1000, 1000)
			if i%3 == 0 {
				_, checkpointErr := store.Checkpoint(t.Context())
				err = errors.Join(err, checkpointErr)
			}
			if !assert.NoError(t, err) {
				return
			}
		}
	})
	for range 4 {
		restored := open(t, backUp(t, store, func() {}))
		var events, records int
		require.NoError(t, restored.DB().QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM edge_logs), (SELECT count(*) FROM edge_requests)").Scan(&events, &records))
		assert.Zero(t, events%1000)
		assert.Equal(t, events, records)
		require.NoError(t, restored.Close())
	}
	stop()
	writing.Wait()
}

func TestBackupFails(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir())
	defer func() { require.NoError(t, store.Close()) }()
	add(t, store, logstore.Sent, "1")

	memory, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, memory.Close()) }()
	require.ErrorContains(t, memory.Backup(t.Context(), nil), "a store in memory cannot be backed up")

	require.ErrorIs(t, store.Backup(t.Context(), func(logstore.BackupFile) error { return assert.AnError }), assert.AnError)
	require.ErrorIs(t, store.Backup(t.Context(), func(logstore.BackupFile) error { return nil }), io.ErrUnexpectedEOF, "a file that was not read")
	ctx, cancel := context.WithCancel(t.Context())
	err = store.Backup(ctx, func(file logstore.BackupFile) error {
		cancel()
		_, err := io.Copy(io.Discard, file.Content)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
}

// A backup is written to an empty directory, completely or not at all.
func TestBackupWriter(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "note.txt"), nil, 0o600))
	_, err := logstore.NewBackupWriter(full)
	require.EqualError(t, err, full+" is not empty: it has note.txt; choose another directory for the backup")
	_, err = logstore.NewBackupWriter(filepath.Join(full, "note.txt", "below"))
	require.ErrorContains(t, err, "create the directory of the backup")

	directory := t.TempDir()
	writer, err := logstore.NewBackupWriter(directory)
	require.NoError(t, err)
	file := func(name, content string, size int64) logstore.BackupFile {
		return logstore.BackupFile{Name: name, Size: size, Content: bytes.NewBufferString(content)}
	}
	for _, name := range []string{"../x", "savedq.duckdb.partial", "", "other"} {
		require.EqualError(t, writer.Write(file(name, "", 0)), fmt.Sprintf("%q is not a file of a store", name))
	}
	require.ErrorContains(t, writer.Commit(), "the backup is incomplete")
	require.ErrorIs(t, writer.Write(file(storeFile, "abc", 4)), io.ErrUnexpectedEOF)
	require.NoError(t, writer.Discard())
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	assert.Empty(t, entries, "but the directory stays, because it existed")

	directory = filepath.Join(directory, "new")
	writer, err = logstore.NewBackupWriter(directory)
	require.NoError(t, err)
	require.NoError(t, writer.Discard())
	assert.NoDirExists(t, directory)

	writer, err = logstore.NewBackupWriter(directory)
	require.NoError(t, err)
	require.NoError(t, writer.Write(file(storeFile, "abc", 3)))
	require.NoError(t, writer.Commit())
	require.NoError(t, writer.Discard())
	assert.FileExists(t, filepath.Join(directory, storeFile), "it is complete")
}
