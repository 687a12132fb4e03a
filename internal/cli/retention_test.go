package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		"--retention=-1d":                      {statusUsage, `--retention: "-1d" is not a duration such as 30s, 5m or 7d`},
		"--retention=106752d":                  {statusUsage, `--retention: "106752d" is not a duration such as 30s, 5m or 7d, up to 65535d`},
		"--retention=99999999999999999999d":    {statusUsage, `--retention: "99999999999999999999d" is not a duration such as 30s, 5m or 7d, up to 65535d`},
		"--retention=365000000h":               {statusUsage, `--retention: "365000000h" is not a duration such as 30s, 5m or 7d, up to 65535d`},
		"--retention=-1h":                      {statusUsage, "--retention: -1h0m0s is shorter than 1m0s; use 0 to keep all events"},
		"--retention=59s":                      {statusUsage, "--retention: 59s is shorter than 1m0s; use 0 to keep all events"},
		"--retention=1h --engine=bigquery":     {statusUsage, "--retention and --retention-file delete events of the embedded store; with BigQuery, set the expiration"},
		"--retention-file=x --engine=bigquery": {statusUsage, "--retention and --retention-file delete events of the embedded store"},
		"--retention-file=/nosuch":             {statusFailed, "--retention-file: /nosuch: cannot be read: no such file or directory"},
		"--retention-file=" + file:             {statusFailed, "--retention-file: " + file + `:1:12: "90" is not a duration such as 30s, 5m or 7d, up to 65535d, or the word forever` + "\n" + file + `:2:1: unknown key "auth"`},
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
