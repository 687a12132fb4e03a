package mcp_test

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The resources are the documentation of the token's tools, and the tables for tokens without limits.
func TestResources(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	for secret, want := range map[string]int{"full": 15, "acme": 9, "other": 1, "none": 0} {
		listed, err := s.connect(t, secret).ListResources(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, listed.Resources, want, secret)
		assert.Equal(t, "private", listed.CacheScope)
	}
	read := func(secret, uri string) string {
		result, err := s.connect(t, secret).ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return err.Error()
		}
		assert.Equal(t, "text/markdown", result.Contents[0].MIMEType)
		return result.Contents[0].Text
	}
	tables := read("full", "savedq://tables")
	assert.Contains(t, tables, "\n## edge_logs\n")
	assert.Contains(t, tables, "\n- `timestamp` (TIMESTAMP): Time of the event.\n")
	documentation := read("full", "savedq://queries/many.rows")
	assert.Contains(t, documentation, "# many.rows\n\nRows of many.rows.\n\nTool: `many_rows`. At most 450 rows.")
	assert.Contains(t, documentation, "\n- `project` (STRING, required): The project.\n")
	assert.Contains(t, documentation, "\n- `n` (INT64): The number.\n")
	assert.Contains(t, documentation, "```sql\nSELECT 1, $project\n```")
	assert.NotContains(t, read("acme", "savedq://queries/many.rows"), "`project` (", "bound parameters are no arguments")
	assert.Contains(t, read("full", "savedq://queries/every.type"), "\n- `word` (STRING, default one): A word. One of one, two.\n")
	for _, denied := range [][2]string{
		{"acme", "savedq://tables"}, {"other", "savedq://queries/many.rows"}, {"full", "savedq://queries/hidden.rows"}, {"full", "savedq://queries/nosuch"}, {"full", "file:///etc/passwd"},
	} {
		assert.Contains(t, read(denied[0], denied[1]), "Resource not found", denied[1])
	}
}
