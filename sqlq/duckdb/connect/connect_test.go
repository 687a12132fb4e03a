package connect_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/connect"
)

// Arguments that make the test program run the query of [TestReleasedRows].
const (
	withConnect = "-with-connect"
	plainDriver = "-plain-driver"
)

// TestMain lets the test program run the query.
func TestMain(m *testing.M) {
	switch os.Args[len(os.Args)-1] {
	case withConnect:
		connector, err := connect.New("?threads=1", nil)
		runQuery(connector, err)
	case plainDriver:
		connector, err := duckdb.NewConnector("?threads=1", nil)
		runQuery(connector, err)
	default:
		os.Exit(m.Run())
	}
}

// runQuery runs a join over a cross product whose LIMIT ends the run early, and exits with 0 if its rows are right.
func runQuery(connector *duckdb.Connector, err error) {
	check := func(err error) {
		if err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	check(err)
	db := sql.OpenDB(connector)
	for _, table := range []string{"a", "b", "o"} {
		_, err := db.Exec("CREATE TABLE " + table + ` AS
			SELECT project, rpad('MARK-' || project || '-', 80, chr(97 + i % 26)) AS txt
			FROM (SELECT i::INT AS i, ['acme','globex','initech','acme2'][1 + i % 4] AS project FROM range(100) t(i))`)
		check(err)
	}
	const query = `SELECT upper(x.txt)
		FROM (SELECT c.project, o.txt FROM (SELECT * FROM a WHERE project IN ('acme','acme2')) c
			CROSS JOIN (SELECT * FROM o WHERE contains(txt,'acme')) o) x
		JOIN (SELECT * FROM b WHERE project IN ('acme','acme2')) b ON x.project = b.project
		LIMIT 10001`
	for range 20 {
		rows, err := db.Query(query)
		check(err)
		count := 0
		for rows.Next() {
			var text string
			check(rows.Scan(&text))
			if !strings.HasPrefix(text, "MARK-ACME") || len(text) != 80 {
				check(fmt.Errorf("a row is %q", text))
			}
			count++
		}
		check(rows.Err())
		check(rows.Close()) //nolint:sqlclosecheck // The process ends.
		if count != 10001 {
			check(fmt.Errorf("%d rows", count))
		}
	}
	check(db.Close())
	os.Exit(0)
}

// DuckDB reads freed memory without the setting of [connect.New]. If the plain driver passes with a later DuckDB,
// the setting can go.
func TestReleasedRows(t *testing.T) {
	t.Parallel()
	run := func(kind string) (string, error) {
		command := exec.CommandContext(t.Context(), os.Args[0], kind)
		var output bytes.Buffer
		command.Stdout, command.Stderr = &output, &output
		err := command.Run()
		return output.String(), err
	}
	output, err := run(withConnect)
	require.NoError(t, err, output)
	_, err = run(plainDriver)
	assert.Error(t, err, "this DuckDB does not need the setting")
}

// A connection can be opened after the configuration is locked, and cannot change the setting back.
func TestLocked(t *testing.T) {
	t.Parallel()
	connector, err := connect.New("", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	for _, statement := range []string{connect.AllowLater, "SET GLOBAL lock_configuration = true"} {
		_, err := db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	for range 3 {
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		var enabled bool
		require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT current_setting('enable_caching_operators')").Scan(&enabled))
		assert.False(t, enabled)
	}
}
