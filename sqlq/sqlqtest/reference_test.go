package sqlqtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

// shipped returns the shipped saved queries, of which the reference reads the
// name, the parameters and the max rows.
func shipped(t *testing.T) *catalog.Catalog {
	t.Helper()
	catalog := Shipped(t, duckdbsql.Dialect{})
	return catalog
}

// TestReferenceAgainstCases holds the reference and the case files against each
// other. With -update the reference rewrites the files: read the difference.
func TestReferenceAgainstCases(t *testing.T) {
	t.Parallel()
	catalog := shipped(t)
	entries, err := caseFiles.ReadDir(caseFolder)
	require.NoError(t, err)
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			file := caseFolder + "/" + entry.Name()
			text, err := caseFiles.ReadFile(file)
			require.NoError(t, err)
			parsed, err := parseCase(entry.Name(), text)
			require.NoError(t, err)
			wants := make([]sqlq.Result, len(parsed.Questions))
			for i, question := range parsed.Questions {
				bound, err := bind(catalog, parsed.Logs, question.Query, question.Params, question.Now)
				require.NoError(t, err, question.Title)
				expected, err := bound.limit(question.MaxRows).want()
				require.NoError(t, err, question.Title)
				wants[i] = expected.Result
			}
			rewritten := rewriteWants(t, string(text), wants)
			if updating() {
				require.NoError(t, os.WriteFile(filepath.FromSlash(file), []byte(rewritten), 0o600))
				return
			}
			assert.Equal(t, string(text), rewritten, "run the test with -%s and read the difference", updateFlag)
			for i, question := range parsed.Questions {
				assert.Equal(t, question.Want, wants[i], question.Title)
			}
		})
	}
}
