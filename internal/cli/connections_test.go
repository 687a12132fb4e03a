package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Invalid flags of connections and shutdown are rejected before anything is opened.
func TestConnectionFlags(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--max-connections=-1":            "--max-connections: must be at least 0, not -1",
		"--max-connections-per-client=-1": "--max-connections-per-client: must be at least 0, not -1",
		"--max-connections=many":          `--max-connections: expected a valid 64 bit int but got "many"`,
		"--shutdown-delay=-1s":            "--shutdown-delay: must be at least 0s, not -1s",
		"--shutdown-delay=10":             `--shutdown-delay: "10" is not a duration such as 30s, 5m or 7d`,
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusUsage, Run(t.Context(), []string{"serve", flag}, &stdout, &stderr))
			assert.Contains(t, stderr.String(), want)
			assert.Empty(t, stdout.String())
		})
	}
}
