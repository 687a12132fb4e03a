package alert

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/files/durable"
)

// A restored server sends no message that was delivered before the backup, and the end of a state has the same id, which a
// target that has it already can recognise.
func TestRestoredBackup(t *testing.T) {
	t.Parallel()
	d, path, restored := declared(t, "errors > 5", "ops"), t.TempDir(), t.TempDir()
	open := func(path string) *Book {
		directory, err := OpenDirectory(path)
		require.NoError(t, err)
		book, err := OpenBook(directory, everyTarget)
		require.NoError(t, err)
		require.NoError(t, book.Use([]Definition{*d}, noon))
		return book
	}
	end := func(book *Book) string {
		require.NoError(t, book.Checked(d, unmet(noon.Add(time.Hour))))
		return book.Due(noon.Add(time.Hour))["ops"].Message.ID
	}
	book := open(path)
	require.NoError(t, book.Checked(d, met(noon)))
	require.NoError(t, book.Delivered(book.Due(noon)["ops"], noon))
	require.NoError(t, os.WriteFile(filepath.Join(path, "x"+durable.PartSuffix), []byte("{"), 0o600))
	require.NoError(t, Backup(t.Context(), path, func(name string, size int64, content io.Reader) error {
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		assert.Len(t, text, int(size))
		return os.WriteFile(filepath.Join(restored, name), text, 0o600)
	}))
	want, again := end(book), open(restored)
	require.NoError(t, again.Checked(d, met(noon.Add(59*time.Minute))))
	assert.Empty(t, again.Due(noon.Add(59*time.Minute)))
	assert.Equal(t, want, end(again))

	require.NoError(t, Backup(t.Context(), filepath.Join(path, "none"), nil), "there is nothing to copy")
	ended, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, Backup(ended, path, nil), context.Canceled)
}
