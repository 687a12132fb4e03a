package emulatortest

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqlqtest"
)

// The saved queries need only the tables that the document creates, and they return the
// first events that it inserts.
func TestDocumentedTablesSuffice(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../../docs/bigquery.md")
	require.NoError(t, err)
	running := startEmptyEmulator(t)
	tables, rows := 0, 0
	for _, block := range regexp.MustCompile("(?ms)^```sql\n(.*?)^```$").FindAllSubmatch(document, -1) {
		for statement := range strings.SplitSeq(string(block[1]), ";\n") {
			statement = strings.TrimSpace(statement)
			switch {
			case strings.HasPrefix(statement, "CREATE TABLE"):
				tables++
			case strings.HasPrefix(statement, "INSERT"):
				rows++
			default:
				continue
			}
			require.NoError(t, running.execute(t.Context(), statement), statement)
		}
	}
	assert.Equal(t, 9, tables)
	assert.Equal(t, 2, rows)

	catalog := sqlqtest.Shipped(t, googlesql.Dialect{})
	for _, test := range []struct {
		query, interval, column string
		want                    any
	}{
		{query: "logs.all", column: "event_message", want: "GET | 200"},
		{query: "usage.api-counts", interval: "hourly", column: "total_rest_requests", want: int64(1)},
		{query: invocationStats, interval: "15min", column: "p95_execution_time", want: 12.5},
	} {
		query, found := catalog.Find(test.query)
		require.True(t, found, test.query)
		_, err := running.engine.Check(t.Context(), query)
		require.NoError(t, err, test.query)
		args, err := query.Bind(map[string][]string{"project": {"acme"}, "interval": {test.interval}})
		require.NoError(t, err)
		result, err := running.engine.Run(t.Context(), sqlq.NewStatement(query, args, time.Now()))
		require.NoError(t, err, test.query)
		var values []any
		for _, row := range result.Rows {
			for i, column := range result.Columns {
				if column.Name == test.column && row[i] != nil {
					values = append(values, row[i])
				}
			}
		}
		assert.Equal(t, []any{test.want}, values, test.query)
	}
}
