package emulatortest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// The tables that the document tells readers to make are all that the saved
// queries need.
func TestDocumentedTablesSuffice(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../../docs/bigquery.md")
	require.NoError(t, err)
	running := startEmptyEmulator(t)
	made := 0
	for _, block := range regexp.MustCompile("(?ms)^```sql\n(.*?)^```$").FindAllSubmatch(document, -1) {
		for statement := range strings.SplitSeq(string(block[1]), ";") {
			if statement = strings.TrimSpace(statement); strings.HasPrefix(statement, "CREATE TABLE") {
				require.NoError(t, running.execute(t.Context(), statement), statement)
				made++
			}
		}
	}
	assert.Equal(t, 9, made)
	catalog, err := sqlq.ShippedCatalog(sqlq.BigQuery)
	require.NoError(t, err)
	for _, query := range catalog.Queries() {
		_, err := running.engine.Check(t.Context(), query)
		require.NoError(t, err, query.Name)
	}
}
