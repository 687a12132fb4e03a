package load_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/load"
)

// An event that was rejected before the interruption for its size is sent after it, if the limit
// was raised: batches that are acknowledged have it.
func TestSendContinuesWithAnotherLimit(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.Repeat(`{"event_message":"small"}`+"\n", 3000), "\n")
	lines[500] = `{"id":"large","event_message":"` + strings.Repeat("x", 2<<20) + `"}` + "\n"
	for name, test := range map[string]struct {
		limit    int
		large    bool
		warning  string
		rejected int
	}{
		"the same limit": {1 << 20, false, "", 1},
		"a larger limit": {12 << 20, true, "because it was written with --max-event 1 MiB, and this is 12 MiB: all events are sent again, and the server drops those that it has", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeInput(t, strings.Join(lines, ""))
			server := newFakeServer(t)
			server.before = func(number int, w http.ResponseWriter) bool {
				return number > 1 && fail(w, http.StatusForbidden, "the token has expired")
			}
			options := sendOptions(server, &delays{})
			options.Parallel = 1
			_, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.ErrorContains(t, err, "acknowledged so far: 500 events")
			server.before = func(int, http.ResponseWriter) bool { return false }
			var warnings []string
			options.MaxEventBytes = test.limit
			options.Warn = func(warning string) { warnings = append(warnings, warning) }
			summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.NoError(t, err)
			_, large := server.events["edge_logs large"]
			assert.Equal(t, test.large, large)
			assert.Equal(t, test.rejected, summary.Rejected)
			assert.Equal(t, 3000-test.rejected, summary.Loaded+summary.Duplicates)
			if test.warning == "" {
				assert.Empty(t, warnings)
				return
			}
			require.Len(t, warnings, 1)
			assert.Contains(t, warnings[0], load.SentPath(path)+" cannot be continued, ")
			assert.Contains(t, warnings[0], test.warning)
		})
	}
}

// Where no record can be written, as in a read-only directory, events are sent without one.
func TestSendWithoutARecord(t *testing.T) {
	t.Parallel()
	path := writeInput(t, manyEvents(50))
	require.NoError(t, os.MkdirAll(filepath.Join(load.SentPath(path), "in the way"), 0o700))
	var warnings []string
	options := sendOptions(newFakeServer(t), &delays{})
	options.Warn = func(warning string) { warnings = append(warnings, warning) }
	summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, 50, summary.Loaded)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "what is sent cannot be recorded in "+filepath.Dir(path)+" (directory not empty), so after an interruption all events of the file are sent again")
	assert.DirExists(t, load.SentPath(path))
}
