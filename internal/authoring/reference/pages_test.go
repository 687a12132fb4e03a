package reference_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/reference"
	"savedq/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the pages") //nolint:gochecknoglobals // Flags are global.

// The committed pages match the program.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	program, err := cli.Model()
	require.NoError(t, err)
	metrics, err := reference.MetricsPage()
	require.NoError(t, err)
	logs, err := reference.LogsPage(filepath.Join(root, "internal"), filepath.Join(root, "sqlq"))
	require.NoError(t, err)
	for name, page := range map[string]string{
		"reference/flags.md": reference.Flags(program), "reference/metrics.md": metrics, "reference/logs.md": logs, "googlesql.md": reference.GoogleSQL(),
		"clickhousesql.md": reference.ClickHouseSQL(),
	} {
		path := filepath.Join(root, "docs", name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
		}
		committed, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, page, string(committed), "%s is not current: run \"make generate\"", name)
	}
}
