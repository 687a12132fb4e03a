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
	for args, want := range map[string]string{
		"--retention-file=/nosuch": "--retention-file: /nosuch: cannot be read: no such file or directory",
		"--retention-file=" + file: "--retention-file: " + file + `:1:12: "90" is not a duration such as 30s, 5m or 7d, up to 65535d, or the word forever` + "\n" + file + `:2:1: unknown key "auth"`,
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			var stdout, stderr strings.Builder
			assert.Equal(t, statusFailed, Run(t.Context(), append([]string{"serve", "--addr=127.0.0.1:0", "--data", data}, strings.Fields(args)...), &stdout, &stderr))
			assert.Contains(t, stderr.String(), want)
			assert.NoDirExists(t, data)
		})
	}
}
