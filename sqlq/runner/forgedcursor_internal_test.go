package runner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// A caller who knows the SQL can make a cursor, but none with other parameters than cursors have.
func TestForgedCursors(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{
		Params:  []sqlq.Param{{Name: "project", Type: sqlq.String}, {Name: "limit", Type: sqlq.Int64}, {Name: "start", Type: sqlq.Timestamp, Default: []string{"now-1h"}}, {Name: "before", Type: sqlq.String}},
		Columns: []sqlq.Column{{Name: "key", Type: sqlq.String}},
		Pages:   &sqlq.Pages{Limit: "limit", After: []sqlq.PageKey{{Param: "before"}}},
	}
	for _, params := range []map[string]string{{"project": "globex"}, {"limit": "9"}, {"after": "x"}, {"nosuch": "x"}, {"": ""}, {"before": "a", "project": "globex"}} {
		forged := &cursor{Params: params}
		text, err := forged.encode(query)
		require.NoError(t, err)
		for _, sent := range []map[string][]string{{"after": {text}}, {"after": {text}, "nosuch": {"y"}, "project": {"acme"}, "": {"z"}}} {
			_, err := (&Request{Query: query, Params: sent}).Bind()
			require.ErrorContains(t, err, "is not a cursor of this version of the saved query")
		}
	}
}
