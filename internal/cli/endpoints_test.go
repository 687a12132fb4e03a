package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The list fits a terminal, and has the formats of other commands.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	list := func(t *testing.T, format string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		require.Equal(t, statusOK, Run(t.Context(), []string{"endpoints", "--format", format}, &stdout, &stderr), stderr.String())
		return stdout.String()
	}
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		table := list(t, "table")
		assert.Regexp(t, `(?m)^NAME +ID +MAX_ROWS +CACHE_SECONDS +WARM_SECONDS +ALIASES +PARAMETERS$`, table)
		assert.Regexp(t, `(?m)^usage\.api-counts +7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21 +\d+ +\d+ +\d+ +project interval$`, table)
		assert.Regexp(t, `(?m)^functions\.invocation-stats +\S+ .* project function_id\? interval\?$`, table)
		for line := range strings.Lines(table) {
			assert.Less(t, len([]rune(line)), 240, line)
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		var listed struct{ Result []map[string]any }
		require.NoError(t, json.Unmarshal([]byte(list(t, "json")), &listed))
		require.Len(t, listed.Result, 8)
		assert.Equal(t, "functions.invocation-stats", listed.Result[0]["name"])
		assert.IsType(t, float64(0), listed.Result[0]["cache_seconds"])
	})
	t.Run("csv", func(t *testing.T) {
		t.Parallel()
		assert.True(t, strings.HasPrefix(list(t, "csv"), "name,id,max_rows,cache_seconds,warm_seconds,aliases,parameters\n"))
	})
}
