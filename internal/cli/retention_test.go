package cli

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/upkeep"
)

// Wrong values are reported before anything is opened.
func TestRetentionFlags(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "retention.yaml")
	require.NoError(t, os.WriteFile(file, []byte("edge_logs: 90\nauth: 1d\n"), 0o600))
	for args, want := range map[string]struct {
		status  int
		message string
	}{
		"--retention=90":                       {statusUsage, `--retention: "90" is not a duration such as 30s, 5m or 7d`},
		"--retention=-1d":                      {statusUsage, `--retention: "-1d" is not a number of days such as 90d`},
		"--retention=106752d":                  {statusUsage, "--retention: 106752d is too long; use at most 106751d"},
		"--retention=99999999999999999999d":    {statusUsage, "--retention: 99999999999999999999d is too long; use at most 106751d"},
		"--retention=365000000h":               {statusUsage, "--retention: 365000000h is too long; use at most 106751d"},
		"--retention=-1h":                      {statusUsage, "--retention: -1h0m0s is shorter than 1m0s; use 0 to keep all events"},
		"--retention=59s":                      {statusUsage, "--retention: 59s is shorter than 1m0s; use 0 to keep all events"},
		"--retention=1h --engine=bigquery":     {statusUsage, "--retention and --retention-file delete events of the embedded store; with BigQuery, set the expiration"},
		"--retention-file=x --engine=bigquery": {statusUsage, "--retention and --retention-file delete events of the embedded store"},
		"--retention-file=/nosuch":             {statusFailed, "--retention-file: /nosuch: cannot be read: no such file or directory"},
		"--retention-file=" + file:             {statusFailed, "--retention-file: " + file + `:1:12: "90" is not a duration such as 30s, 5m or 7d, or the word forever` + "\n" + file + `:2:1: unknown key "auth"`},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			var stdout, stderr strings.Builder
			assert.Equal(t, want.status, Run(t.Context(), append([]string{"serve", "--addr=127.0.0.1:0", "--data", data}, strings.Fields(args)...), &stdout, &stderr))
			assert.Contains(t, stderr.String(), want.message)
			assert.NoDirExists(t, data)
		})
	}
}

// On SIGHUP the file is read again. One with mistakes changes nothing.
func TestReloadRetention(t *testing.T) {
	t.Parallel()
	flags := retentionFlags{Retention: 24 * time.Hour, RetentionFile: filepath.Join(t.TempDir(), "retention.yaml")}
	edge, _ := logevent.FindSource("edge_logs")
	var current atomic.Pointer[upkeep.RetentionPolicy]
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	for _, test := range []struct {
		file string
		want time.Duration
		log  string
	}{
		{"edge_logs: 7d\n", 7 * 24 * time.Hour, "level=INFO msg=\"the retention file was reloaded\""},
		{"edge_logs: never\n", 7 * 24 * time.Hour, "level=ERROR msg=\"the retention file cannot be used, the previous retention stays in effect\""},
		{"cloudflare.logs.prod: forever\n", 0, "level=INFO"},
		{"auth_logs: 1h\n", 24 * time.Hour, "level=INFO"},
	} {
		log.Reset()
		require.NoError(t, os.WriteFile(flags.RetentionFile, []byte(test.file), 0o600))
		flags.reloadPolicy(t.Context(), &current, logger)
		assert.Equal(t, test.want, current.Load().Of(edge))
		assert.Contains(t, log.String(), test.log)
	}
	log.Reset()
	(&retentionFlags{}).reloadPolicy(t.Context(), &current, logger)
	assert.Empty(t, log.String())
}
