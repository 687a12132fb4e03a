package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Invalid flags of the cache and the queue are rejected before anything is opened.
func TestCacheFlags(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--cache-bytes=much":       `--cache-bytes: "much" is not a size such as 10GiB`,
		"--stale-if-error=-1s":     "--stale-if-error: must be at least 0s, not -1s",
		"--warm-concurrency=-1":    "--warm-concurrency: must be at least 0, not -1",
		"--engine-concurrency=0":   "--engine-concurrency: must be at least 1, not 0",
		"--queue-length=0":         "--queue-length: must be at least 1, not 0",
		"--queue-target=0s":        "--queue-target: must be at least 1ms, not 0s",
		"--queue-timeout=0s":       "--queue-timeout: must be at least 1ms, not 0s",
		"--engine-concurrency=two": `--engine-concurrency: expected a valid 64 bit int but got "two"`,
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
