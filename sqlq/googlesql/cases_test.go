package googlesql

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/googlesql/googlesqltest"
)

// Each expression of the cases returns on DuckDB what it returns on BigQuery.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := googlesqltest.Read(filepath.Join("testdata", "cases"))
	require.NoError(t, err)
	db := openDuckDB(t)
	for _, file := range files {
		t.Run(filepath.Base(file.Path), func(t *testing.T) {
			var values, others []googlesqltest.Case
			for _, c := range file.Cases {
				if c.Want == googlesqltest.Error || strings.HasPrefix(c.Want, googlesqltest.Refused) {
					others = append(others, c)
				} else {
					values = append(values, c)
				}
			}
			// Most return what they should, and all at once in a fraction of the time.
			got, err := run(t, db, values)
			if err != nil {
				others = append(others, values...)
			}
			for i, text := range got {
				assert.Equal(t, values[i].Want, text, values[i].SQL)
			}
			for _, c := range others {
				got, err := run(t, db, []googlesqltest.Case{c})
				switch message, refused := strings.CutPrefix(c.Want, googlesqltest.Refused); {
				case refused && (err == nil || !strings.Contains(err.Error(), message)), c.Want == googlesqltest.Error && err == nil:
					t.Errorf("%s: %v instead of %s", c.SQL, err, c.Want)
				case !refused && c.Want != googlesqltest.Error && err != nil:
					t.Errorf("%s: %s", c.SQL, err)
				case err == nil:
					assert.Equal(t, c.Want, got[0], c.SQL)
				}
			}
		})
	}
}

// openDuckDB returns a database with the functions that the translation uses.
func openDuckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	db.SetMaxOpenConns(1)
	require.NoError(t, functions.Register(t.Context(), db))
	_, err = db.ExecContext(t.Context(), "SET TimeZone = 'UTC'")
	require.NoError(t, err)
	return db
}

// Each scalar function returns NULL if one of its arguments is NULL, but those that are about NULL.
func TestNullArguments(t *testing.T) {
	t.Parallel()
	samples := map[string]string{
		"STRING": "'10'", "INT64": "2", "FLOAT64": "2.5", "NUMERIC": "NUMERIC '2.5'", "BOOL": "TRUE", "BYTES": "b'abc'", "JSON": "JSON '1'",
		"DATE": "DATE '2024-01-02'", "DATETIME": "DATETIME '2024-01-02 10:00:00'", "TIMESTAMP": "TIMESTAMP '2024-01-02 10:00:00+00'", "TIME": "TIME '10:00:00'",
		"INTERVAL": "INTERVAL 1 DAY", "T": "2", "N": "2", "ARRAY": "[1]", "ARRAY<T>": "[1, 2]", "ARRAY<STRING>": "['a']", "ARRAY<INT64>": "[65]", "PART": "DAY", "ANY": "1",
	}
	types := map[string]string{"T": "INT64", "N": "INT64", "ARRAY": "ARRAY<INT64>", "ARRAY<T>": "ARRAY<INT64>"}
	aboutNull := []string{"IF", "IFNULL", "COALESCE", "NULLIF"}
	db := openDuckDB(t)
	var cases []googlesqltest.Case
	for _, group := range functionGroups() {
		for _, f := range group.functions {
			for i, param := range f.list {
				if f.kind != scalarFunction || slices.Contains(aboutNull, f.name) || param == "PART" || param == "ANY" {
					continue
				}
				var args []string
				for j, other := range f.list {
					args = append(args, samples[other])
					if j == i {
						args[j] = "CAST(NULL AS " + or(types[param], param) + ")"
					}
				}
				c := googlesqltest.Case{SQL: f.name + "(" + strings.Join(args, ", ") + ")"}
				translation, err := Translate("SELECT "+c.SQL, Environment{})
				if err == nil && !strings.Contains(translation.SQL, "$now") { // others need a constant
					cases = append(cases, c)
				}
			}
		}
	}
	assert.Greater(t, len(cases), 250)
	got, err := run(t, db, cases)
	require.NoError(t, err)
	for i, text := range got {
		assert.Equal(t, "null", text, cases[i].SQL)
	}
}

// run returns what expressions return on DuckDB.
func run(t *testing.T, db *sql.DB, cases []googlesqltest.Case) ([]string, error) {
	t.Helper()
	expressions := make([]string, len(cases))
	for i, c := range cases {
		expressions[i] = fmt.Sprintf("(%s) AS c%d", c.SQL, i)
	}
	translated, err := Translate("SELECT "+strings.Join(expressions, ",\n"), Environment{})
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(t.Context(), translated.SQL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", translated.SQL, err)
	}
	defer func() { assert.NoError(t, rows.Close()) }()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	values, places := make([]any, len(cases)), make([]any, len(cases))
	for i := range values {
		places[i] = &values[i]
	}
	if !rows.Next() {
		return nil, rows.Err()
	}
	if err := rows.Scan(places...); err != nil {
		return nil, err
	}
	got := make([]string, len(cases))
	for i, v := range values {
		got[i] = googlesqltest.Text(googlesqltest.OfDuckDB(v, types[i].DatabaseTypeName()))
	}
	return got, rows.Err()
}
