package sqlqtest

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/queries"
)

// logs.histogram and logs.facets have the same filters as logs.search, word for word, so its questions
// and mutants test them, too.
func TestLogsQueriesShareTheirFilters(t *testing.T) {
	t.Parallel()
	// withoutPages removes what logs.search needs for pages.
	withoutPages := strings.NewReplacer(
		"SELECT id, timestamp", "SELECT id AS event_id, timestamp",
		"source || ':' || id AS id,\n", "",
		"id AS event_id,\nlogged", "event_id,\nlogged",
		"LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))", "TIMESTAMP(@iso_timestamp_end)",
		"least($iso_timestamp_end::TIMESTAMP, $before_timestamp::TIMESTAMP)", "$iso_timestamp_end::TIMESTAMP",
	)
	for _, file := range []string{"query.sql", "duckdb.sql"} {
		search := withoutPages.Replace(sqlLines(t, logsSearch, file))
		// The entries with their fields come before the columns, and the filters after them.
		parts := regexp.MustCompile(`(?s)\A(WITH\n.*)\n\)\nSELECT\n.*?\n(WHERE .*)\nAND \(\n\S*before_timestamp`).FindStringSubmatch(search)
		require.NotEmpty(t, parts, file)
		for _, query := range []string{logsHistogram, logsFacets} {
			for _, part := range parts[1:] {
				assert.Contains(t, sqlLines(t, query, file), part, "%s of %s", file, query)
			}
		}
	}
}

// sqlLines returns the SQL of a shipped query without comments and indentation.
func sqlLines(t *testing.T, query, file string) string {
	t.Helper()
	text, err := fs.ReadFile(queries.FS, query+"/"+file)
	require.NoError(t, err)
	return regexp.MustCompile(`(?m)^( *--.*\n)* *`).ReplaceAllString(string(text), "")
}
