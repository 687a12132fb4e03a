package server

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/upkeep"
	"savedq/sqlq/tables"
)

// On SIGHUP the file is read again. One with mistakes changes nothing.
func TestReloadRetention(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "retention.yaml")
	edge, _ := tables.Shipped().FindSource("edge_logs")
	var log bytes.Buffer
	s := &Server{config: Config{
		ReadRetention: func() (*upkeep.RetentionPolicy, error) {
			sources, err := upkeep.ReadRetentionFile(file, tables.Shipped(), time.ParseDuration)
			return &upkeep.RetentionPolicy{Default: 24 * time.Hour, Sources: sources}, err
		},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}}
	for _, test := range []struct {
		file string
		want time.Duration
		log  string
	}{
		{"edge_logs: 168h\n", 7 * 24 * time.Hour, "level=INFO msg=\"the retention file was reloaded\""},
		{"edge_logs: never\n", 7 * 24 * time.Hour, "level=ERROR msg=\"the retention file cannot be used, the previous retention stays in effect\""},
		{"cloudflare.logs.prod: forever\n", 0, "level=INFO"},
		{"auth_logs: 1h\n", 24 * time.Hour, "level=INFO"},
	} {
		log.Reset()
		require.NoError(t, os.WriteFile(file, []byte(test.file), 0o600))
		s.reloadRetention(t.Context())
		assert.Equal(t, test.want, s.retention.Load().Of(edge))
		assert.Contains(t, log.String(), test.log)
	}
	log.Reset()
	s.config.ReadRetention = nil
	s.reloadRetention(t.Context())
	assert.Empty(t, log.String())
}
