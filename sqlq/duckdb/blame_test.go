package duckdb_test

import (
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
)

// abcLogs are five events of the project abc whose message is abc, too.
func abcLogs() sqlqtest.Logs {
	events := make([]sqlqtest.Event, 5)
	for i := range events {
		text := "abc"
		events[i] = sqlqtest.Event{ID: strconv.Itoa(1000 + i), Timestamp: time.Date(2026, 3, 1, 10, 0, i, 0, time.UTC), Project: &text, EventMessage: &text}
	}
	return sqlqtest.Logs{"edge_logs": events}
}

// D33: an SQL error caused by arguments is 400 and names the parameter where that is
// proven. Every other one is 500, also where the data happens to equal an argument, and where
// the SQL applies the argument to data: what query.yaml declares should reject it.
func TestRunBlamesArguments(t *testing.T) {
	t.Parallel()
	const internal, together = "INTERNAL", "INVALID_ARGUMENT "
	blames := func(param string) string { return together + param }
	tests := map[string]struct {
		sql  string
		args []any // of the parameters a, b, …
		want string
	}{
		"LIMIT":                               {"SELECT id FROM edge_logs LIMIT $a", []any{int64(-1)}, blames("a")},
		"OFFSET of two":                       {"SELECT id FROM edge_logs LIMIT $a OFFSET $b", []any{int64(1), int64(-1)}, blames("b")},
		"LIMIT and OFFSET":                    {"SELECT id FROM edge_logs LIMIT $a OFFSET $b", []any{int64(-1), int64(-1)}, blames("a")},
		"text to BIGINT":                      {"SELECT CAST($a AS BIGINT) AS n", []any{"abc"}, blames("a")},
		"text to BIGINT, with rows":           {"SELECT CAST($a AS BIGINT) AS n FROM edge_logs", []any{"abc"}, blames("a")},
		"text to BIGINT behind a filter":      {"SELECT CAST($a AS BIGINT) AS n FROM edge_logs WHERE project = $b", []any{"xyz", "abc"}, blames("a")},
		"text to BIGINT in a filter":          {"SELECT id FROM edge_logs WHERE id = CAST($a AS BIGINT)", []any{"abc"}, blames("a")},
		"text to TIMESTAMP":                   {"SELECT id FROM edge_logs WHERE timestamp > CAST($a AS TIMESTAMP)", []any{"20 June"}, blames("a")},
		"text to DATE":                        {"SELECT year($a::DATE) AS n", []any{"20 June"}, blames("a")},
		"two strings, both invalid":           {"SELECT CAST($a AS BIGINT) + CAST($b AS BIGINT) AS n", []any{"abc", "def"}, together},
		"two numbers, invalid together":       {"SELECT $a::TINYINT * $b::TINYINT AS n", []any{int64(100), int64(100)}, together},
		"a string and a limit":                {"SELECT CAST($a AS BIGINT) AS n FROM edge_logs LIMIT $b", []any{"abc", int64(1)}, blames("a")},
		"a limit and a string":                {"SELECT CAST($a AS BIGINT) AS n FROM edge_logs LIMIT $b", []any{"12", int64(-1)}, blames("b")},
		"data that equals an argument":        {"SELECT CAST(event_message AS BIGINT) AS n FROM edge_logs WHERE project = $a", []any{"abc"}, internal},
		"data that equals one, selected":      {"SELECT CAST(event_message AS BIGINT) AS n, $a AS p FROM edge_logs", []any{"abc"}, internal},
		"data that equals a number":           {"SELECT CAST(id AS TINYINT) AS n FROM edge_logs WHERE CAST(id AS BIGINT) >= $a", []any{int64(1000)}, internal},
		"only data":                           {"SELECT CAST(event_message AS BIGINT) AS n FROM edge_logs WHERE $a != 'x'", []any{"y"}, internal},
		"overflow":                            {"SELECT $a * 1000000000000000000 AS n", []any{int64(1000)}, blames("a")},
		"overflow with data":                  {"SELECT $a::BIGINT * CAST(id AS BIGINT) * 1000000000000 AS n FROM edge_logs", []any{int64(-1000000)}, internal},
		"overflow behind a filter":            {"SELECT $a::BIGINT * 1000000000000000000 AS n FROM edge_logs WHERE project = $b", []any{int64(1000), "abc"}, blames("a")},
		"overflow of data":                    {"SELECT CAST(id AS BIGINT) * 1000000000000000000 AS n FROM edge_logs WHERE project = $a", []any{"abc"}, internal},
		"division":                            {"SELECT (-9223372036854775808)::BIGINT // $a AS n", []any{int64(-1)}, blames("a")},
		"square root":                         {"SELECT sqrt($a) AS n FROM edge_logs", []any{int64(-1)}, blames("a")},
		"format of strptime":                  {"SELECT strptime(event_message, $a) AS t FROM edge_logs", []any{"%Q"}, internal},
		"format that does not fit":            {"SELECT strptime('2026', $a) AS t", []any{"%m-%d"}, blames("a")},
		"range with no step":                  {"SELECT range AS n FROM range(0, 10, $a)", []any{int64(0)}, blames("a")},
		"series with no step":                 {"SELECT generate_series AS t FROM generate_series(TIMESTAMP '2026-01-01', TIMESTAMP '2026-01-02', to_minutes($a))", []any{int64(0)}, blames("a")},
		"list that is too long":               {"SELECT len(range(0, $a)) AS n", []any{int64(math.MaxInt64 / 2)}, blames("a")},
		"date out of range":                   {"SELECT make_date($a, 1, 1) AS d FROM edge_logs", []any{int64(99999999)}, blames("a")},
		"interval out of range":               {"SELECT timestamp + to_days($a) AS t FROM edge_logs", []any{int64(99999999999)}, blames("a")},
		"unknown part of a date":              {"SELECT date_trunc($a, timestamp) AS t FROM edge_logs", []any{"fortnight"}, internal},
		"quantile":                            {"SELECT quantile_disc(timestamp, $a) AS t FROM edge_logs", []any{7.5}, internal},
		"path in JSON":                        {"SELECT json_extract(metadata, $a) AS j FROM edge_logs", []any{"$[["}, internal},
		"the argument is a mistake by itself": {"SELECT CASE WHEN $a != '' THEN 'x'::BIGINT END AS n", []any{"20 June"}, blames("a")},
		"the SQL never works":                 {"SELECT error('no') AS n, $a AS a", []any{"abc"}, internal},
		"a table by its whole name":           {"SELECT CAST(event_message AS BIGINT) AS n FROM main.edge_logs WHERE project = $a", []any{"abc"}, internal},
		"a name of its own":                   {"WITH edge_logs AS (FROM main.edge_logs) SELECT CAST(event_message AS BIGINT) AS n FROM edge_logs WHERE project = $a", []any{"abc"}, internal},
	}
	engine := duckdb.New(openStore(t, abcLogs()).DB())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statement := statementOf(test.sql, test.args...)
			result, err := engine.Run(t.Context(), statement)
			require.Error(t, err, "%v", result)
			coded := sqlq.AsError(err)
			got := string(coded.Code)
			if coded.Code == sqlq.InvalidArgument {
				got += " " + coded.Param
			}
			assert.Equal(t, test.want, got, err.Error())
		})
	}
}

// statementOf returns a statement with the parameters a, b and so on, which have the types
// of the values. Its one column is a text.
func statementOf(sql string, values ...any) sqlq.Statement {
	query := savedQuery("SELECT CAST(COLUMNS(*) AS VARCHAR) AS n FROM (\n"+sql+"\n) LIMIT 1000", sqlq.Column{Name: "n", Type: sqlq.String})
	statement := sqlq.Statement{Query: query, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for i, value := range values {
		name, kind := string(rune('a'+i)), sqlq.String
		switch value.(type) {
		case int64:
			kind = sqlq.Int64
		case float64:
			kind = sqlq.Float64
		}
		query.Params = append(query.Params, sqlq.Param{Name: name, Type: kind})
		statement.Args = append(statement.Args, sqlq.Arg{Name: name, Type: kind, Value: value})
	}
	return statement
}

// A value that query.yaml allows is the author's mistake, not the caller's.
func TestRunBlamesNoAllowedArgument(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, abcLogs()).DB())
	for _, sql := range []string{"SELECT CAST($a AS BIGINT) AS n", "SELECT CAST($a AS BIGINT) AS n FROM edge_logs WHERE project = 'abc'"} {
		statement := statementOf(sql, "daily")
		statement.Query.Params[0].Allowed = []string{"daily", "1"}
		_, err := engine.Run(t.Context(), statement)
		assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
	}
}

// D33: a store that cannot be read is UNAVAILABLE, for every query.
func TestRunFindsTheStoreUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.duckdb")
	run := func(then func(*sql.DB)) {
		db, err := sql.Open("duckdb", path)
		require.NoError(t, err)
		then(db)
		_ = db.Close() // It cannot write to the file any more.
	}
	run(func(db *sql.DB) {
		_, err := db.ExecContext(t.Context(), "CREATE TABLE numbers AS SELECT hash(range)::VARCHAR AS n FROM range(100000); CHECKPOINT")
		require.NoError(t, err)
	})
	run(func(db *sql.DB) {
		_, err := db.ExecContext(t.Context(), "SELECT 1") // opens the file
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, 12<<10))
		_, err = duckdb.New(db).Run(t.Context(), statementOf("SELECT n FROM numbers WHERE contains(n, $a)", "abc"))
		require.Error(t, err)
		assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code, "%v", err)
		assert.Equal(t, "the log store cannot be read; try again in a moment", sqlq.AsError(err).PublicText(""))
	})
}
