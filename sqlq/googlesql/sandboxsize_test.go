package googlesql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql"
)

// A list of DuckDB is there for some thousand rows at a time, so it must not hold a text of a caller for each element. It
// may hold what it is made of.
func TestSandboxListsOfTexts(t *testing.T) {
	t.Parallel()
	sandbox, err := googlesql.NewSandbox("WITH x AS (SELECT 'a' AS text, [1, 2] AS numbers) SELECT 1 AS n FROM x", googlesql.Environment{})
	require.NoError(t, err)
	for selected, isList := range map[string]bool{
		"n": true, "n + 1": true, "text": false, "CONCAT(text, n)": false, "[n]": false, "STRUCT(text)": false,
	} {
		query, err := sandbox.Query("SELECT ARRAY_LENGTH(ARRAY(SELECT " + selected + " FROM UNNEST(numbers) AS n)) AS c FROM x")
		require.NoError(t, err, selected)
		translation, err := query.Translate()
		require.NoError(t, err, selected)
		if isList {
			assert.NotContains(t, translation.SQL, "ARRAY(", selected)
		} else {
			assert.Contains(t, translation.SQL, "ARRAY(", selected)
		}
	}
}
