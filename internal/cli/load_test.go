package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The limit of an event must be a size that the store supports.
func TestMaxEvent(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--max-event=plenty": `--max-event: "plenty" is not a size such as 10GiB`,
		"--max-event=0":      "--max-event: 0 B is not a size from 1 KiB to 16 MiB",
		"--max-event=1023":   "--max-event: 1023 B is not a size from 1 KiB to 16 MiB",
		"--max-event=1GiB":   "--max-event: 1 GiB is not a size from 1 KiB to 16 MiB",
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			status := Run(t.Context(), []string{"load", "--data", t.TempDir(), "--source=edge_logs", flag, "load.go"}, &stdout, &stderr)
			assert.Equal(t, statusUsage, status)
			assert.Contains(t, stderr.String(), want)
		})
	}
}
