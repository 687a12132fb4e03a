package regularfile_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/files/regularfile"
)

// Everything but a regular file of bounded size is an error, and none waits.
func TestRead(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	path := func(name string) string { return filepath.Join(directory, name) }
	require.NoError(t, os.WriteFile(path("file"), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("file", path("link")))
	require.NoError(t, syscall.Mkfifo(path("fifo"), 0o600))
	require.NoError(t, os.Symlink("fifo", path("link to a fifo")))
	require.NoError(t, os.Symlink("/dev/zero", path("device")))
	require.NoError(t, os.Mkdir(path("directory"), 0o700))
	require.NoError(t, os.WriteFile(path("large"), nil, 0o600))
	require.NoError(t, os.Truncate(path("large"), regularfile.MaxBytes+1))
	require.NoError(t, os.WriteFile(path("largest"), nil, 0o600))
	require.NoError(t, os.Truncate(path("largest"), regularfile.MaxBytes))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", path("socket"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })

	const kind = "it is not a regular file but a pipe, a socket or a device"
	for name, want := range map[string]string{
		"file": "", "link": "", "largest": "",
		"fifo": kind, "link to a fifo": kind, "device": kind,
		"socket": "no such device or address", "directory": "is a directory", "large": "it is larger than 16 MiB", "none": "no such file",
	} {
		_, byPath := regularfile.Read(path(name))
		_, byName := fs.ReadFile(regularfile.DirFS(directory), name)
		for _, err := range []error{byPath, byName} {
			if want == "" {
				require.NoError(t, err, name)
			} else {
				require.ErrorContains(t, err, want, name)
			}
		}
	}
	_, err = fs.ReadFile(regularfile.DirFS(directory), "../file")
	require.ErrorIs(t, err, fs.ErrInvalid)
	entries, err := fs.ReadDir(regularfile.DirFS(directory), ".")
	require.NoError(t, err)
	assert.Len(t, entries, 9)
	_, err = fs.Stat(regularfile.DirFS(directory), "fifo")
	require.ErrorContains(t, err, kind)
}

// A pipe is never waited for, and its writer is not blocked.
func TestPipes(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file, pipe := filepath.Join(directory, "file"), filepath.Join(directory, "pipe")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	opened, info, err := regularfile.Open(file)
	require.NoError(t, err)
	assert.Equal(t, int64(4), info.Size())
	require.NoError(t, opened.Close())
	_, _, err = regularfile.Open(pipe)
	require.ErrorIs(t, err, regularfile.ErrKind)
	assert.False(t, regularfile.ReleasePipe(file))
	assert.False(t, regularfile.ReleasePipe(filepath.Join(directory, "none")))
	read := make(chan []byte)
	go func() {
		content, err := os.ReadFile(pipe)
		assert.NoError(t, err)
		read <- content
	}()
	for {
		assert.True(t, regularfile.ReleasePipe(pipe))
		select {
		case content := <-read:
			assert.Empty(t, content)
			return
		default: // it does not wait yet
			runtime.Gosched()
		}
	}
}
