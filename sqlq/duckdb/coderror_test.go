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

// An expression that DuckDB does not accept, should binding let it through, is the
// caller's to mend.
func TestRunRejectsExpression(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, _ := catalog.Find("usage.api-counts")
	args, err := query.Bind(map[string][]string{"project": {"acme"}, "interval": {"daily"}})
	require.NoError(t, err)
	args[0].Value = "(?<name>acme)"
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	project, url := "acme", json.RawMessage(`[{"request":[{"url":"https://acme.example.com","path":"/rest"}]}]`)
	engine := duckdb.New(openStore(t, sqlqtest.Logs{"edge_logs": {{ID: "1", Timestamp: now, Project: &project, Metadata: url}}}).DB())
	_, err = engine.Run(t.Context(), sqlq.Statement{Query: query, Args: args, Now: now})
	coded := sqlq.AsError(err)
	assert.Equal(t, sqlq.InvalidArgument, coded.Code)
	assert.Equal(t, "project: is not a regular expression that the engine accepts: invalid perl operator: (?<", coded.PublicText(coded.Param))
}

// Another failure is not blamed on the expression.
func TestRunBlamesNoInnocentExpression(t *testing.T) {
	t.Parallel()
	query := savedQuery("SELECT ('{' || coalesce($p, ''))::JSON AS n", sqlq.Column{Name: "n", Type: sqlq.JSON})
	query.Params = []sqlq.Param{{Name: "p", Type: sqlq.String, Regex: true}}
	statement := sqlq.Statement{Query: query, Args: []sqlq.Arg{{Name: "p", Type: sqlq.String, Value: "acme"}}}
	_, err := duckdb.New(openStore(t, nil).DB()).Run(t.Context(), statement)
	require.Error(t, err)
	assert.Equal(t, "the query cannot use this value; see the description of the parameter", sqlq.AsError(err).Message)
}

// Rows whose file is damaged are UNAVAILABLE, and no argument is blamed. The message does not have what the view says about
// the file, which is for the log.
func TestRunFindsRowsUnreadable(t *testing.T) {
	t.Parallel()
	db := openStore(t, nil).DB()
	_, err := db.ExecContext(t.Context(), "CREATE VIEW damaged AS SELECT CAST(error('"+duckdbsql.UnreadablePrefix+"00000007.events is missing') AS VARCHAR) AS n")
	require.NoError(t, err)
	engine := duckdb.New(db)
	callers := statementOf("SELECT n FROM damaged")
	callers.Query.Callers = &sqlq.CallersSQL{}
	for name, statement := range map[string]sqlq.Statement{
		"a saved query":   statementOf("SELECT n FROM damaged"),
		"with arguments":  statementOf("SELECT n FROM damaged WHERE n = $a LIMIT $b", "1", int64(5)),
		"SQL of a caller": callers,
	} {
		_, err := engine.Run(t.Context(), statement)
		coded := sqlq.AsError(err)
		assert.Equal(t, sqlq.Unavailable, coded.Code, name)
		assert.Equal(t, "log events of this time cannot be read, because a file of the store is damaged; queries of other times and sources work", coded.PublicText(""), name)
		assert.Equal(t, time.Minute, coded.RetryAfter, name)
		assert.ErrorContains(t, err, "00000007.events is missing", name)
	}
}
