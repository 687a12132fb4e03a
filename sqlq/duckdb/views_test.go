package duckdb_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
)

// narrowed are views that return a text for the rows of edge_logs, and note for which ranges they were asked.
type narrowed struct {
	text  string
	asked []sqlq.Range
}

func (n *narrowed) Within(view string, during sqlq.Range) string {
	n.asked = append(n.asked, during)
	if view != "edge_logs" {
		return ""
	}
	return n.text
}

// A series reads what the views return for its range, and the view itself once that is gone. Other mistakes in the SQL are
// those of the view.
func TestSeriesOnViews(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	db := openStore(t, sqlqtest.Logs{"edge_logs": {{ID: "a", Timestamp: now.Add(-time.Minute), Metadata: []byte(`[{}]`)}}}).DB()
	during := sqlq.Range{From: now.Add(-time.Hour), To: now}
	for name, test := range map[string]struct {
		text, sql, want string
		params          []sqlq.Arg
	}{
		"less":              {text: "(SELECT id || '!' AS id, timestamp FROM edge_logs)", sql: "SELECT id AS n FROM edge_logs", want: "a!"},
		"with an argument":  {text: "(SELECT id || '!' AS id, timestamp FROM edge_logs)", sql: "SELECT id || $x AS n FROM edge_logs", params: []sqlq.Arg{{Name: "x", Type: sqlq.String, Value: "?"}}, want: "a!?"},
		"all":               {sql: "SELECT id AS n FROM edge_logs", want: "a"},
		"a part is gone":    {text: "(SELECT id, timestamp FROM part7.events)", sql: "SELECT id AS n FROM edge_logs", want: "a"},
		"a schema is gone":  {text: "(SELECT id, timestamp FROM memory.recent7.events)", sql: "SELECT id AS n FROM edge_logs", want: "a"},
		"a column is gone":  {text: "(SELECT nothing, timestamp FROM edge_logs)", sql: "SELECT id AS n FROM edge_logs", want: "a"},
		"another table":     {text: "(SELECT 'b' AS id, now() AS timestamp)", sql: "SELECT id AS n FROM auth_logs, (SELECT 1) UNION ALL SELECT id FROM edge_logs WHERE id = 'a'", want: "a"},
		"a mistake of both": {text: "(SELECT id, timestamp FROM edge_logs)", sql: "SELECT nothing AS n FROM edge_logs", want: "INTERNAL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, views := duckdb.New(db), &narrowed{text: test.text}
			engine.OnViews(views)
			query := savedQuery(test.sql, column("n", sqlq.String))
			for _, arg := range test.params {
				query.Params = append(query.Params, sqlq.Param{Name: arg.Name, Type: arg.Type})
			}
			query.Series = &sqlq.Series{Tables: []string{"edge_logs"}}
			if name == "another table" {
				query.Series.Tables = []string{"auth_logs"}
			}
			for range 2 { // prepared or not
				result, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Args: test.params, Now: now, Range: during})
				if err != nil {
					assert.Equal(t, test.want, string(sqlq.AsError(err).Code))
					continue
				}
				require.Len(t, result.Rows, 1)
				assert.Equal(t, test.want, result.Rows[0][0])
			}
			assert.Equal(t, []sqlq.Range{during, during}, views.asked)
		})
	}
}
