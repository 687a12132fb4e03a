package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A saved query whose constants take too much memory is a mistake in its file, for "check"
// and for the server, which does not start.
func TestConstantsAreLimited(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "", "SELECT list_sum(range(1, 400000000))::VARCHAR AS x")
	for _, command := range [][]string{{"check"}, {"serve", "--no-auth", "--addr=127.0.0.1:0", "--data=" + t.TempDir()}, {"query", "--data=" + t.TempDir(), "mine"}} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusFailed, Run(t.Context(), append(command, "--omit-shipped=all", "--queries", directory), &stdout, &stderr))
			assert.Contains(t, stderr.String(), "savedq: the saved queries cannot be used:\n"+directory+"/mine/duckdb.sql: compiling takes more than 512 MiB of memory")
		})
	}
}

// A signal stops the check of the saved queries at once. A server that is stopped during
// the check exits successfully.
func TestCheckIsStopped(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "", "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))::VARCHAR AS x")
	for name, test := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"check": {[]string{"check"}, statusFailed, "savedq: stopped while checking the saved queries: context deadline exceeded\n"},
		"serve": {[]string{"serve", "--no-auth", "--addr=127.0.0.1:0", "--data=" + t.TempDir()}, statusOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			var stdout, stderr strings.Builder
			started := time.Now()
			assert.Equal(t, test.status, Run(ctx, append(test.args, "--omit-shipped=all", "--queries", directory), &stdout, &stderr))
			assert.True(t, strings.HasSuffix(stderr.String(), test.want), stderr.String())
			assert.Less(t, time.Since(started), time.Minute)
		})
	}
}
