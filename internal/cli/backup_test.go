package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// The newest complete backups stay, and whatever else the directory has.
func TestRemoveOldBackups(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	add := func(name string, complete bool) {
		require.NoError(t, os.MkdirAll(filepath.Join(directory, name), 0o700))
		if complete {
			require.NoError(t, os.WriteFile(filepath.Join(directory, name, parts.ManifestName), nil, 0o600))
		}
	}
	for _, name := range []string{"2026-11-21T02-00-00Z", "2026-11-22T02-00-00Z", "2026-11-23T02-00-00Z", "2026-11-25T02-00-00Z", "other", "2026"} {
		add(name, true)
	}
	add("2026-11-20T02-00-00Z", false)
	add("2026-11-24T02-00-00Z", false) // interrupted, among those that stay
	require.NoError(t, os.WriteFile(filepath.Join(directory, "2026-11-19T02-00-00Z"), nil, 0o600))
	require.NoError(t, removeOldBackups(directory, 2))
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.Equal(t, []string{"2026", "2026-11-19T02-00-00Z", "2026-11-23T02-00-00Z", "2026-11-24T02-00-00Z", "2026-11-25T02-00-00Z", "other"}, names)
}

// A backup beside earlier ones removes the oldest, and wrong values are mistakes.
func TestBackupKeeps(t *testing.T) {
	t.Parallel()
	data, backups := t.TempDir(), t.TempDir()
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	for _, name := range []string{"2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"} {
		require.NoError(t, os.CopyFS(filepath.Join(backups, name), os.DirFS(data)))
	}
	var stdout, stderr strings.Builder
	assert.Equal(t, statusOK, Run(t.Context(), []string{"store", "backup", backups, "--data=" + data, "--keep=2"}, &stdout, &stderr), stderr.String())
	entries, err := os.ReadDir(backups)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.Equal(t, "2020-01-02T00-00-00Z", entries[0].Name())
	assert.Contains(t, stdout.String(), filepath.Join(backups, entries[1].Name())+": 0 events")
}

// A backup links the files that the last one has, of a directory and of a server, and one that is written over an earlier
// one keeps them.
func TestBackupsShareFiles(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T, data string) []string{
		"a directory": func(_ *testing.T, data string) []string { return []string{"--data", data} },
		"a server":    func(t *testing.T, data string) []string { t.Helper(); return []string{"--url", serveData(t, data)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, backups := t.TempDir(), t.TempDir()
			day := recentDay()
			first := filepath.Base(addDays(t, data, day)[0])
			run := func(where []string, args ...string) string {
				t.Helper()
				stdout, _ := runStore(t, statusOK, append(append([]string{"backup"}, args...), where...)...)
				return stdout
			}
			earlier := filepath.Join(backups, "2020-01-01T00-00-00Z")
			run([]string{"--data", data}, earlier)
			interrupted := filepath.Join(backups, "2020-01-02T00-00-00Z")
			require.NoError(t, os.MkdirAll(interrupted, 0o700))
			wrong := filepath.Join(backups, "2020-01-03T00-00-00Z")
			require.NoError(t, os.MkdirAll(wrong, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(wrong, parts.ManifestName), []byte("{"), 0o600))
			files := addDays(t, data, day.AddDate(0, 0, 1))
			require.Len(t, files, 2)
			where := start(t, data)

			_, problems := runStore(t, statusOK, append([]string{"backup", backups, "--keep=9"}, where...)...)
			assert.Contains(t, problems, "savedq: read the previous backup in "+wrong)
			assert.NotContains(t, problems, interrupted)
			latest, err := backupsIn(backups)
			require.NoError(t, err)
			require.Len(t, latest, 4)
			inBackup := func(directory, file string) os.FileInfo {
				t.Helper()
				info, err := os.Stat(filepath.Join(directory, parts.Directory, filepath.Base(file)))
				require.NoError(t, err)
				return info
			}
			assert.True(t, os.SameFile(inBackup(earlier, first), inBackup(latest[3], first)), "it is linked")
			inStore, err := os.Stat(files[1])
			require.NoError(t, err)
			assert.False(t, os.SameFile(inStore, inBackup(latest[3], files[1])), "a copy of the store is one")
			assert.Equal(t, latest[3]+": no file is damaged or missing\n", check(t, latest[3]))

			before := inBackup(earlier, first)
			assert.Contains(t, run(where, earlier), earlier+": 20 events, ")
			assert.True(t, os.SameFile(before, inBackup(earlier, first)), "it is not written again")
		})
	}
}

// A damaged file of the last backup is written again. A damaged file of the store that no backup has makes a backup fail:
// with --keep it is removed, so that it does not replace one that is whole.
func TestABackupIsChecked(t *testing.T) {
	t.Parallel()
	data, backups := t.TempDir(), t.TempDir()
	file := addDays(t, data, recentDay())[0]
	last := filepath.Join(backups, "2020-01-01T00-00-00Z")
	runStore(t, statusOK, "backup", last, "--data", data)
	damage := func(path string) {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		content[len(content)/2] ^= 1
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	damage(filepath.Join(last, parts.Directory, filepath.Base(file)))
	stdout, problems := runStore(t, statusOK, "backup", backups, "--keep=1", "--data", data)
	found := filepath.Base(file) + " is damaged: its checksum is wrong; it has 10 events of " + recentDay().Format(time.DateOnly) + " (edge_logs)\n"
	assert.Equal(t, found+"savedq: the backup is written again without files of the last one, of which some may be damaged\n", problems)
	assert.Contains(t, stdout, ": 10 events, ")
	whole, err := backupsIn(backups)
	require.NoError(t, err)
	require.Len(t, whole, 1)
	check(t, whole[0])

	damage(file)
	stdout, _ = runStore(t, statusOK, "backup", backups, "--keep=2", "--data", data)
	assert.Contains(t, stdout, ": 10 events, ", "the last backup has the file")
	other := t.TempDir()
	_, problems = runStore(t, statusFailed, "backup", other, "--keep=1", "--data", data)
	assert.Contains(t, problems, found)
	assert.Contains(t, problems, "savedq: the backup was written, but not all of it can be read: 1 file in ")
	left, err := backupsIn(other)
	require.NoError(t, err)
	assert.Empty(t, left)

	target := filepath.Join(t.TempDir(), "backup")
	_, problems = runStore(t, statusFailed, "backup", target, "--data", data)
	assert.Contains(t, problems, "savedq: the backup was written, but not all of it can be read: 1 file in ")
	assert.DirExists(t, target, "the rest of it may be needed")
}
