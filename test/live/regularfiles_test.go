package live_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe in place of a file delays neither the check, nor a reload, nor the shutdown.
func TestPipesInPlaceOfFiles(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"query.yaml", "duckdb.sql"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			writeNumber(t, directory, 1)
			s := serve(t, "--data", t.TempDir(), "--queries", directory)
			path := filepath.Join(directory, "mine.number", file)
			require.NoError(t, os.Remove(path))
			require.NoError(t, syscall.Mkfifo(path, 0o600))

			const message = "it is not a regular file but a pipe, a socket or a device"
			checked := run(t, "check", "--queries", directory)
			assert.Equal(t, 1, checked.status)
			assert.Contains(t, checked.stderr, message)
			for reloads := range 2 {
				require.NoError(t, s.command.Process.Signal(syscall.SIGHUP))
				require.Eventually(t, func() bool { return strings.Count(s.stderr.String(), message) > reloads }, time.Minute, 10*time.Millisecond)
			}
			s.becomesNumber(t, 1)
			assert.Zero(t, s.stop(t), s.stderr)
		})
	}
}
