package engines

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The credentials for BigQuery hold a private key.
func TestCheckCredentials(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.Chmod(directory, 0o755), "stores that other tests open set the umask")
	path := filepath.Join(directory, "key.json")
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	for mode, want := range map[os.FileMode]struct{ wrong, warned string }{
		0o600: {"", ""},
		0o640: {"", ""},
		0o644: {"", "msg=\"every user of this machine can read the credentials for BigQuery\" file=" + path + " run=\"chmod o-r " + path + "\""},
		0o666: {"the variable GOOGLE_APPLICATION_CREDENTIALS: " + path + " cannot be used: others can write to it, because it has the mode 0666; run: chmod go-w " + path, ""},
	} {
		var log bytes.Buffer
		require.NoError(t, os.Chmod(path, mode))
		err := checkCredentials(path, slog.New(slog.NewTextHandler(&log, nil)))
		if want.wrong != "" {
			require.EqualError(t, err, want.wrong)
			continue
		}
		require.NoError(t, err)
		assert.Contains(t, log.String(), want.warned)
		assert.Equal(t, want.warned == "", log.Len() == 0)
	}
	require.NoError(t, checkCredentials("", slog.New(slog.DiscardHandler)))
	require.NoError(t, checkCredentials(path+"x", slog.New(slog.DiscardHandler)), "the client says what is missing")
}
