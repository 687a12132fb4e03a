package logstore_test

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// noise makes the messages of events so that they do not compress.
func noise(events []logstore.Accepted) []logstore.Accepted {
	for i := range events {
		bytes := make([]byte, 500)
		_, _ = rand.Read(bytes) // never fails
		events[i].Event.EventMessage = new(hex.EncodeToString(bytes))
	}
	return events
}

func (m *model) batch(count int) []logstore.Accepted {
	events := make([]logstore.Accepted, count)
	for i := range events {
		events[i] = m.event()
	}
	return events
}

func (m *model) tryIngest(t *testing.T, store *logstore.Store, events []logstore.Accepted) error {
	t.Helper()
	err := store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(events), Position: m.position + 1})
	if err == nil {
		m.position++
		m.add(events...)
	}
	return err
}

// checkFiles checks that the files of the parts are right, and that there is no other one.
func checkFiles(t *testing.T, directory string) {
	t.Helper()
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	var want []string
	if manifest.State != 0 {
		want = append(want, manifest.StateName())
	}
	for i := range manifest.Parts {
		part := &manifest.Parts[i]
		wrong, err := part.Check(directory)
		require.NoError(t, err)
		assert.Empty(t, wrong)
		want = append(want, part.FileName(), part.IDName())
	}
	entries, err := os.ReadDir(filepath.Join(directory, parts.Directory))
	require.NoError(t, err)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	assert.ElementsMatch(t, want, got, "the files of the parts")
}

// On a full disk events stay visible and further ones are taken, up to the memory for them. Nothing is left of what did
// not fit. When there is room, everything goes on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := mountDisk(t, 40<<20)
	reserve := filepath.Join(disk, "reserve")
	require.NoError(t, os.WriteFile(reserve, make([]byte, 32<<20), 0o600))
	directory := filepath.Join(disk, "data")
	options := []logstore.Option{logstore.WithRecentBytes(1 << 20)}
	model, store := newModel(1), open(t, directory, options...)
	var full error
	for taken := 0; full == nil; taken++ {
		require.Less(t, taken, 200)
		full = model.tryIngest(t, store, noise(model.batch(400)))
	}
	require.ErrorContains(t, full, "the memory for events that are in no part is full")
	isFull := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.ErrorContains(t, err, "the disk that holds "+directory+" is full; free some space on it and try again")
	}
	isFull(full)
	model.check(t, store)
	_, err := store.Checkpoint(t.Context())
	isFull(err)
	model.check(t, store)
	_, err = store.Merge(t.Context(), start().AddDate(0, 1, 0), nil)
	isFull(err)
	model.check(t, store)
	checkFiles(t, directory)

	require.NoError(t, os.Remove(reserve))
	_, err = store.Checkpoint(t.Context())
	require.NoError(t, err)
	model.check(t, store)
	checkFiles(t, directory)
	_, err = store.Merge(t.Context(), start().AddDate(0, 1, 0), nil)
	require.NoError(t, err)
	model.check(t, store)
	require.NoError(t, model.tryIngest(t, store, model.batch(10)))

	var status syscall.Statfs_t
	require.NoError(t, syscall.Statfs(disk, &status))
	free := int(status.Bavail) * int(status.Bsize)
	require.NoError(t, os.WriteFile(filepath.Join(disk, "reserve"), make([]byte, free-1<<20), 0o600))
	require.NoError(t, store.Close())
	store = open(t, directory, options...)
	model.check(t, store)
	require.NoError(t, store.Close())
}
