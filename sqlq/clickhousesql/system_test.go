package clickhousesql_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/clickhousesql/clickhousesqltest"
)

// A client of ClickHouse asks what a server is and has, in the words of the clients that people use. No other text can.
func TestClients(t *testing.T) {
	t.Parallel()
	files, err := clickhousesqltest.Read(filepath.Join("testdata", "clients"))
	require.NoError(t, err)
	store := openStore(t)
	env := environment()
	env.IsClient = true
	for _, c := range files[0].Cases {
		got, err := rowsOf(t, store.DB(), c.SQL, env)
		if c.Refused != "" {
			require.Error(t, err, c.SQL)
			assert.Contains(t, err.Error(), c.Refused, c.SQL)
			continue
		}
		require.NoError(t, err, c.SQL)
		assert.Equal(t, c.Want, append([]string(nil), got...), c.SQL)
	}
	for _, sql := range []string{"SELECT version()", "SHOW TABLES", "SELECT name FROM system.tables", "SELECT id FROM default.logs", "DESCRIBE logs"} {
		_, err := clickhousesql.Describe(sql, environment())
		assert.Error(t, err, sql)
	}
}

func TestStatementOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]clickhousesql.Statement{
		"SELECT 1":             {SQL: "SELECT 1", Verb: "SELECT"},
		"SELECT 1 FORMAT JSON": {SQL: "SELECT 1 ", Format: "JSON", Verb: "SELECT"},
		"/* c */ select 1\nformat `Native` ;; -- x": {SQL: "/* c */ select 1\n", Format: "Native", Verb: "SELECT"},
		"SELECT 'a FORMAT JSON'":                    {SQL: "SELECT 'a FORMAT JSON'", Verb: "SELECT"},
		"SELECT 1 FORMAT":                           {SQL: "SELECT 1 FORMAT", Verb: "SELECT"},
		"(SELECT 1) FORMAT CSV":                     {SQL: "(SELECT 1) ", Format: "CSV"},
		"insert INTO logs FORMAT Native \xff":       {SQL: "insert INTO logs FORMAT Native \xff", Verb: "INSERT"},
		"SELECT 'open":                              {SQL: "SELECT 'open", Verb: "SELECT"},
		"FORMAT JSON":                               {SQL: "FORMAT JSON", Verb: "FORMAT"},
		"":                                          {},
		"'":                                         {SQL: "'"},
	} {
		assert.Equal(t, want, clickhousesql.StatementOf(text), text)
	}
}
