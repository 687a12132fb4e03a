package logstore_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// ingest adds events to a store and to the model.
func (m *model) ingest(t *testing.T, store *logstore.Store, count int) []logstore.Accepted {
	t.Helper()
	var events []logstore.Accepted
	for range count {
		events = append(events, m.event())
	}
	m.position++
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(events), Position: m.position}))
	m.add(events...)
	return events
}

// backUp writes a backup and returns the names of the files that were written. during is called before each.
func backUp(t *testing.T, store *logstore.Store, writer *logstore.BackupWriter, during func()) (names []string) {
	t.Helper()
	require.NoError(t, store.Backup(t.Context(), logstore.BackupOptions{Skip: writer.Held().Has}, func(file logstore.BackupFile) error {
		if during != nil {
			during()
		}
		names = append(names, file.Name)
		return writer.Write(file)
	}))
	require.NoError(t, writer.Commit())
	require.NoError(t, writer.Discard())
	return names
}

// newWriter returns a writer of a backup.
func newWriter(t *testing.T, directory string) *logstore.BackupWriter {
	t.Helper()
	writer, err := logstore.NewBackupWriter(directory)
	require.NoError(t, err)
	return writer
}

// A backup has what was stored before it, also while events are ingested, merged and deleted. With what its manifest says
// that it lacks of the write-ahead log, it has everything.
func TestBackupWhileIngesting(t *testing.T) {
	t.Parallel()
	store, model := open(t, t.TempDir(), logstore.WithRecentBytes(60_000)), newModel(1)
	for range 6 {
		model.ingest(t, store, 300)
	}
	before, position := newModel(1), model.position
	maps.Copy(before.events, model.events)
	later := make(map[uint64][]logstore.Accepted)
	directory := filepath.Join(t.TempDir(), "new", "backup")
	backUp(t, store, newWriter(t, directory), func() {
		assert.False(t, logstore.Exists(directory), "an interrupted backup is no store")
		events := model.ingest(t, store, 100)
		later[model.position] = events
		_, err := store.Merge(t.Context(), start().AddDate(0, 0, 60), nil) // it removes parts
		require.NoError(t, err)
		require.NoError(t, store.Ping(t.Context()))
	})
	restored := open(t, directory)
	assert.GreaterOrEqual(t, restored.SealedPosition(), position)
	for place := position + 1; place <= model.position; place++ {
		if place <= restored.SealedPosition() {
			before.add(later[place]...)
		}
	}
	before.check(t, restored)
	for place := restored.SealedPosition() + 1; place <= model.position; place++ {
		require.NoError(t, restored.Ingest(t.Context(), logstore.Ingestion{Events: sequence(later[place]), Position: place}))
	}
	model.check(t, restored)
	require.NoError(t, restored.Close())
	require.NoError(t, store.Close())
}

// A backup in the directory of an earlier one transfers only what is new, and replaces it at once.
func TestIncrementalBackup(t *testing.T) {
	t.Parallel()
	store, model := open(t, t.TempDir()), newModel(2)
	directory := filepath.Join(t.TempDir(), "backup")
	isFurther := func(name string) bool {
		return strings.HasPrefix(name, "usage/") && !strings.Contains(name, ".partial")
	}
	for step := range 5 {
		model.ingest(t, store, 200)
		if step == 3 { // parts are replaced
			_, err := store.Merge(t.Context(), start().AddDate(0, 0, 60), nil)
			require.NoError(t, err)
		}
		writer := newWriter(t, directory)
		writer.Further = isFurther
		require.NoError(t, writer.Write(logstore.BackupFile{Name: "usage/" + string(rune('a'+step)), Size: 1, Content: strings.NewReader("x")}))
		names := backUp(t, store, writer, nil)
		if step != 3 {
			assert.Len(t, names, 3, "a part and the manifest")
		}
		copied := open(t, directory)
		model.check(t, copied)
		require.NoError(t, copied.Close())
		usage, err := os.ReadDir(filepath.Join(directory, "usage"))
		require.NoError(t, err)
		assert.Len(t, usage, 1, "the last backup had the other files")
		damaged := 0
		require.NoError(t, logstore.Check(t.Context(), directory, func(logstore.DamagedPart) { damaged++ }))
		assert.Zero(t, damaged)
	}
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	files, err := os.ReadDir(filepath.Join(directory, parts.Directory))
	require.NoError(t, err)
	assert.Len(t, files, 2*len(manifest.Parts), "nothing else is left")
	require.NoError(t, store.Close())
}

// A backup that is interrupted leaves the earlier one in its directory as it was, and the next one succeeds.
func TestInterruptedBackup(t *testing.T) {
	t.Parallel()
	store, model := open(t, t.TempDir()), newModel(3)
	model.ingest(t, store, 200)
	directory := filepath.Join(t.TempDir(), "backup")
	interrupted := errors.New("interrupted")
	for range 3 {
		before := newModel(3)
		maps.Copy(before.events, model.events)
		writer := newWriter(t, directory)
		model.ingest(t, store, 10)
		count := 0
		err := store.Backup(t.Context(), logstore.BackupOptions{Skip: writer.Held().Has}, func(file logstore.BackupFile) error {
			if count++; count == 2 {
				return interrupted
			}
			return writer.Write(file)
		})
		require.ErrorIs(t, err, interrupted)
		require.ErrorContains(t, writer.Commit(), "it has no manifest")
		require.NoError(t, writer.Discard())
		if logstore.Exists(directory) {
			copied := open(t, directory)
			before.check(t, copied)
			require.NoError(t, copied.Close())
		} else {
			assert.NoDirExists(t, directory)
		}
		backUp(t, store, newWriter(t, directory), nil)
		copied := open(t, directory)
		model.check(t, copied)
		require.NoError(t, copied.Close())
	}
	require.NoError(t, store.Close())
}

// A writer that was killed leaves files behind that are no backup, or not of one.
func TestKilledBackup(t *testing.T) {
	t.Parallel()
	store, model := open(t, t.TempDir()), newModel(4)
	model.ingest(t, store, 100)
	directory := filepath.Join(t.TempDir(), "backup")
	backUp(t, store, newWriter(t, directory), nil)
	model.ingest(t, store, 100)
	files := make(map[string]string)
	held := newWriter(t, directory)
	require.NoError(t, store.Backup(t.Context(), logstore.BackupOptions{Skip: held.Held().Has}, func(file logstore.BackupFile) error {
		content, err := io.ReadAll(file.Content)
		files[file.Name] = string(content)
		return err
	}))
	require.NoError(t, held.Discard())
	for name, content := range files { // killed before the manifest got its name
		for _, suffix := range []string{"", ".partial"} {
			if name != parts.ManifestName || suffix != "" {
				require.NoError(t, os.WriteFile(filepath.Join(directory, name+suffix), []byte(content), 0o600))
			}
		}
	}
	backUp(t, store, newWriter(t, directory), nil)
	left, err := filepath.Glob(filepath.Join(directory, "*", "*.partial"))
	require.NoError(t, err)
	assert.Empty(t, left)
	copied := open(t, directory)
	model.check(t, copied)
	require.NoError(t, copied.Close())
	require.NoError(t, store.Close())
}

// A backup links the parts that an earlier one in another directory has.
func TestLinkedBackup(t *testing.T) {
	t.Parallel()
	store, all := open(t, t.TempDir()), newModel(5)
	all.ingest(t, store, 200)
	root := t.TempDir()
	first, second := filepath.Join(root, "1"), filepath.Join(root, "2")
	backUp(t, store, newWriter(t, first), nil)
	earlier := newModel(5)
	maps.Copy(earlier.events, all.events)
	all.ingest(t, store, 200)
	writer := newWriter(t, second)
	require.NoError(t, writer.LinkFrom(first))
	assert.Len(t, backUp(t, store, writer, nil), 3, "a part and the manifest")
	linked, files := 0, 0
	for _, name := range names(t, filepath.Join(first, parts.Directory)) {
		before, err := os.Stat(filepath.Join(first, parts.Directory, name))
		require.NoError(t, err)
		after, err := os.Stat(filepath.Join(second, parts.Directory, name))
		require.NoError(t, err)
		files++
		if os.SameFile(before, after) {
			linked++
		}
	}
	assert.Equal(t, 2, files)
	assert.Equal(t, files, linked)
	for directory, want := range map[string]*model{first: earlier, second: all} {
		copied := open(t, directory)
		want.check(t, copied)
		require.NoError(t, copied.Close())
	}
	require.NoError(t, store.Close())
}

func names(t *testing.T, directory string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

// A backup does not replace anything but an earlier backup of its store.
func TestBackupRefusesOtherDirectories(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	store, model := open(t, data), newModel(6)
	model.ingest(t, store, 50)
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "notes"), nil, 0o600))
	_, err := logstore.NewBackupWriter(root)
	require.ErrorContains(t, err, "is not empty: it has notes")
	_, err = logstore.NewBackupWriter(data)
	require.ErrorIs(t, err, logstore.ErrInUse)

	backup := filepath.Join(root, "backup")
	backUp(t, store, newWriter(t, backup), nil)
	other := open(t, t.TempDir())
	newModel(7).ingest(t, other, 50)
	restored := open(t, backup) // it goes on on its own
	newModel(8).ingest(t, restored, 70)
	require.NoError(t, restored.Close())
	model.ingest(t, store, 50)
	for _, test := range []struct {
		store *logstore.Store
		want  string
	}{{other, "has a backup of another store"}, {store, "has a backup of another history of the store"}} {
		writer := newWriter(t, backup)
		require.NoError(t, test.store.Backup(t.Context(), logstore.BackupOptions{Skip: writer.Held().Has}, writer.Write))
		require.ErrorContains(t, writer.Commit(), test.want)
		require.NoError(t, writer.Discard())
	}
	restored = open(t, backup)
	for range 3 {
		newModel(9).ingest(t, restored, 10)
		_, err := restored.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, restored.Close())
	writer := newWriter(t, backup)
	require.NoError(t, store.Backup(t.Context(), logstore.BackupOptions{Skip: writer.Held().Has}, writer.Write))
	require.ErrorContains(t, writer.Commit(), "has a later backup of the store")
	require.NoError(t, writer.Discard())
	require.Error(t, newWriter(t, filepath.Join(root, "x")).Write(logstore.BackupFile{Name: "../x"}))
	require.NoError(t, other.Close())
	require.NoError(t, store.Close())
}

// A backup of a store in memory is an error, and so is one whose caller has left.
func TestBackupErrors(t *testing.T) {
	t.Parallel()
	memory, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, memory.Backup(t.Context(), logstore.BackupOptions{}, nil), "cannot be backed up")
	require.NoError(t, memory.Close())
	store := open(t, t.TempDir())
	newModel(10).ingest(t, store, 50)
	ctx, leave := context.WithCancel(t.Context())
	err = store.Backup(ctx, logstore.BackupOptions{}, func(file logstore.BackupFile) error {
		leave()
		_, err := io.Copy(io.Discard, file.Content)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, store.Close())
}
