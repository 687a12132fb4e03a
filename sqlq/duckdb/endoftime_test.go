package duckdb_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// An event of the last microsecond that a TIMESTAMP has is inside of every window without an
// end, and at the end of a window that ends there (D11, specification 2.3 rule 2).
func TestLastMicrosecondIsInsideOfWindows(t *testing.T) {
	t.Parallel()
	shipped := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	project, last := "acme", "9999-12-31T23:59:59.999999Z"
	at, err := sqlq.ParseTimestamp(last)
	require.NoError(t, err)
	store := openStore(t, sqlqtest.Logs{"edge_logs": {{
		ID: "last", Timestamp: at, Project: &project,
		Metadata: json.RawMessage(`[{"request":[{"url":"https://acme.example.com/","path":"/rest/v1/items"}]}]`),
	}}})
	engine := duckdb.New(store.DB())
	for name, params := range map[string]map[string][]string{
		"usage.api-counts": {"interval": {"daily"}},
		"logs.all":         {},
		"logs.search":      {"iso_timestamp_end": {last}},
		"logs.histogram":   {"iso_timestamp_end": {last}},
		"logs.facets":      {"iso_timestamp_end": {last}},
	} {
		query, _ := shipped.Find(name)
		params["project"] = []string{project}
		args, err := query.Bind(params)
		require.NoError(t, err, name)
		result, err := engine.Run(t.Context(), sqlq.NewStatement(query, args, time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)))
		require.NoError(t, err, name)
		assert.NotEmpty(t, result.Rows, name)
	}
}
