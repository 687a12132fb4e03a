package secretfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/files/secretfile"
)

// Files that others can change are rejected by their modes, so the test also works as root.
func TestRead(t *testing.T) {
	t.Parallel()
	const text = "tokens:\n"
	write := func(t *testing.T, path string, mode fs.FileMode) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chmod(path, mode))
	}
	file := func(mode fs.FileMode) func(*testing.T, string) string {
		return func(t *testing.T, directory string) string {
			t.Helper()
			path := filepath.Join(directory, "tokens.yaml")
			write(t, path, mode)
			return path
		}
	}
	within := func(mode, fileMode fs.FileMode) func(*testing.T, string) string {
		return func(t *testing.T, directory string) string {
			t.Helper()
			require.NoError(t, os.Chmod(directory, mode))
			return file(fileMode)(t, directory)
		}
	}
	// linked creates a directory with a mode, which has a file that all can read, and links to it.
	linked := func(mode fs.FileMode) func(*testing.T, string) string {
		return func(t *testing.T, directory string) string {
			t.Helper()
			target := filepath.Join(directory, "target")
			require.NoError(t, os.Mkdir(target, 0o700))
			write(t, filepath.Join(target, "tokens.yaml"), 0o444)
			require.NoError(t, os.Chmod(target, mode))
			path := filepath.Join(directory, "link")
			require.NoError(t, os.Symlink(filepath.Join("target", "tokens.yaml"), path))
			return path
		}
	}
	tests := map[string]struct {
		// prepare creates a file in the directory and returns its path.
		prepare  func(t *testing.T, directory string) string
		readable bool
		wrong    string
	}{
		"the owner's":                 {file(0o600), false, ""},
		"read-only":                   {file(0o400), false, ""},
		"readable by the group":       {file(0o640), false, ""},
		"readable by all":             {file(0o644), true, ""},
		"writable by the group":       {file(0o660), false, "others can write to it, because it has the mode 0660; run: chmod go-w "},
		"writable by all":             {file(0o666), false, "others can write to it, because it has the mode 0666; run: chmod go-w "},
		"writable by all but read":    {file(0o602), false, "others can write to it, because it has the mode 0602; run: chmod go-w "},
		"in a directory of a group":   {within(0o770, 0o600), false, ""},
		"in a directory of all":       {within(0o777, 0o600), false, " has the mode 0777; run: chmod o-w "},
		"in a sticky one, as /tmp is": {within(0o777|fs.ModeSticky, 0o600), false, ""},
		// systemd: the copy has the mode 0444, in a directory of the service.
		"readable by all in a directory of its owner":       {within(0o700, 0o444), false, ""},
		"readable by all in a directory of a group":         {within(0o750, 0o444), false, ""},
		"readable by all in a directory of names":           {within(0o754, 0o444), false, ""},
		"readable by all in a directory that all can enter": {within(0o711, 0o444), true, ""},
		"a link into a directory of its owner":              {linked(0o700), false, ""},
		"a link into a directory that all can enter":        {linked(0o755), true, ""},
		"a link of its owner into such a directory": {func(t *testing.T, directory string) string {
			t.Helper()
			require.NoError(t, os.Chmod(directory, 0o700))
			return linked(0o755)(t, directory)
		}, true, ""},
		"no file": {func(_ *testing.T, directory string) string {
			return filepath.Join(directory, "none")
		}, false, "no such file or directory"},
		"a directory": {func(_ *testing.T, directory string) string {
			return directory
		}, false, "it is a directory; name the file in it"},
		"a FIFO": {func(t *testing.T, directory string) string {
			t.Helper()
			path := filepath.Join(directory, "fifo")
			require.NoError(t, syscall.Mkfifo(path, 0o600))
			return path
		}, false, "it is not a regular file but a pipe, a socket or a device; write its content to a file"},
		"a device": {func(*testing.T, string) string { return os.DevNull }, false, "it is not a regular file"},
		"a link to a FIFO": {func(t *testing.T, directory string) string {
			t.Helper()
			require.NoError(t, syscall.Mkfifo(filepath.Join(directory, "fifo"), 0o600))
			path := filepath.Join(directory, "link")
			require.NoError(t, os.Symlink("fifo", path))
			return path
		}, false, "it is not a regular file"},
		"a link to nothing": {func(t *testing.T, directory string) string {
			t.Helper()
			path := filepath.Join(directory, "link")
			require.NoError(t, os.Symlink("none", path))
			return path
		}, false, "no such file or directory"},
		// Kubernetes: tokens.yaml -> ..data/tokens.yaml, ..data -> ..2026_11_20, in a
		// directory that all can write to, with the sticky bit.
		"a secret of Kubernetes": {func(t *testing.T, directory string) string {
			t.Helper()
			require.NoError(t, os.Chmod(directory, 0o777|fs.ModeSticky))
			require.NoError(t, os.Mkdir(filepath.Join(directory, "..2026_11_20"), 0o755))
			write(t, filepath.Join(directory, "..2026_11_20", "tokens.yaml"), 0o644)
			require.NoError(t, os.Symlink("..2026_11_20", filepath.Join(directory, "..data")))
			path := filepath.Join(directory, "tokens.yaml")
			require.NoError(t, os.Symlink(filepath.Join("..data", "tokens.yaml"), path))
			return path
		}, true, ""},
		"a link into a directory of all": {linked(0o777), false, "target has the mode 0777; run: chmod o-w "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := filepath.Join(t.TempDir(), "secrets")
			require.NoError(t, os.Mkdir(directory, 0o755))
			path := test.prepare(t, directory)
			data, readable, err := secretfile.Read(path)
			_, checked := secretfile.Check(path)
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				require.ErrorContains(t, checked, test.wrong)
				assert.Empty(t, data)
				return
			}
			require.NoError(t, err)
			require.NoError(t, checked)
			assert.Equal(t, text, string(data))
			assert.Equal(t, test.readable, readable)
		})
	}
}
