package server

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// A server cannot make a backup write elsewhere.
func TestFilesOfBackups(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"usage/2026-11-22.ndjson": true, "usage/2026-11-22.ndjson.part": false, "usage/lock": false, "2026-11-22.ndjson": false,
		"usage/../2026-11-22.ndjson": false, "usage/../../x": false, "/usage/2026-11-22.ndjson": false, "usage/": false, "": false,
		"alerts/a.b.json": true, "alerts/a.json.part": false, "alerts/../a.json": false, "alerts/b/a.json": false, "a.json": false, "usage/a.json": false,
	} {
		assert.Equal(t, want, IsBackedUp(name), name)
	}
}

// A backup of a server has the states of its alerts, and so has one of its directory.
func TestBackupsHaveAlerts(t *testing.T) {
	t.Parallel()
	r := newReloads(t, func(config *Config) { alertFiles(t, config, "http://127.0.0.1:1") })
	require.NoError(t, os.WriteFile(filepath.Join(r.config.Data, "alerts", "a.b.json"), []byte("{}"), 0o600))
	for _, backUp := range []func(context.Context, func(logstore.BackupFile) error) error{backUpMore(r.config.Data, r.ledger.Backup), BackUpMore(r.config.Data)} {
		contents := make(map[string]string)
		require.NoError(t, backUp(t.Context(), func(file logstore.BackupFile) error {
			text, err := io.ReadAll(file.Content)
			contents[file.Name] = string(text)
			assert.True(t, IsBackedUp(file.Name), file.Name)
			return err
		}))
		assert.Equal(t, "{}", contents["alerts/a.b.json"])
	}
}
