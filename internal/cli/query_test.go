package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/format"
	"savedq/sqlq"
)

// Each format that is text ends with a newline on a terminal, unless there is nothing to print.
func TestPrintResult(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}, Rows: [][]any{{int64(1)}}}
	for _, output := range format.All() {
		var out strings.Builder
		require.NoError(t, printResult(&out, output.Name, "q", result))
		assert.Equal(t, !output.Binary, strings.HasSuffix(out.String(), "\n"), output.Name)
		assert.False(t, strings.HasSuffix(out.String(), "\n\n"), output.Name)
	}
	var out strings.Builder
	require.NoError(t, printResult(&out, "ndjson", "q", &sqlq.Result{}))
	assert.Empty(t, out.String())
	require.ErrorContains(t, printResult(&out, "xml", "q", result), `there is no format "xml"`)
}

// A failing writer, such as a closed pipe, is an error.
func TestPrintResultReportsFailingWriter(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}, Rows: [][]any{{int64(1)}}}
	for _, output := range format.All() {
		require.ErrorIs(t, printResult(brokenPipe{}, output.Name, "q", result), errBroken, output.Name)
	}
}

var errBroken = assert.AnError

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }
