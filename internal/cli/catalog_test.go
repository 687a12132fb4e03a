package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A folder can take the name and the id of a shipped saved query that is left out, in every command
// that reads folders.
func TestOmitShipped(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	folder := filepath.Join(directory, "logs.all")
	writeFile(t, filepath.Join(folder, "query.yaml"), "id: c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32\nname: logs.all\ndescription: Mine.\ncolumns:\n  - {name: n, type: INT64, description: Number.}\n")
	writeFile(t, filepath.Join(folder, "query.sql"), "SELECT 7 AS n")

	status, _, stderr := runCommand(t, "check", "--queries", directory)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, `logs.all/query.yaml:2:7: name "logs.all" is already taken by shipped queries/logs.all/query.yaml:2:7; to replace that saved query, leave it out with --omit-shipped logs.all`)

	status, stdout, stderr := runCommand(t, "endpoints", "--omit-shipped", "logs.all,usage.api-counts", "--queries", directory)
	assert.Equal(t, statusOK, status, stderr)
	assert.NotContains(t, stdout, "project_tier? iso_timestamp_start? iso_timestamp_end?\n", "the shipped logs.all")
	assert.NotContains(t, stdout, "usage.api-counts")
	assert.Contains(t, stdout, "logs.search")
	status, stdout, stderr = runCommand(t, "check", "--omit-shipped", "all", "--queries", directory)
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, 2, strings.Count(stdout, "\n"), stdout)

	parser := newTestParser(t, &commands{}, func(string) string { return "" })
	for value, want := range map[string]string{
		"logs.al": `--omit-shipped: there is no shipped saved query "logs.al"; did you mean "logs.all"?`,
		"mine":    `--omit-shipped: there is no shipped saved query "mine"; use some of functions.invocation-stats, functions.list, logs.all, logs.facets, logs.histogram, logs.search, projects.list, usage.api-counts, or all`,
		"":        "--omit-shipped: must not be empty; leave the flag out for its default",
	} {
		for _, command := range []string{"serve", "import --queries " + directory + " catalog.go", "new mine --queries " + directory} {
			_, err := parser.Parse(append(strings.Fields(command), "--omit-shipped="+value))
			require.ErrorContains(t, err, want)
		}
	}
}
