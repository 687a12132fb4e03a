package googlesql

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/googlesql/googlesqltest"
	"savedq/sqlq/googlesql/googlesqltest/duckdbtest"
)

// Each expression of the cases returns on DuckDB what it returns on BigQuery. Each function has cases.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := googlesqltest.Read(filepath.Join("testdata", "cases"))
	require.NoError(t, err)
	db := openDuckDB(t)
	var all strings.Builder
	for _, file := range files {
		for _, c := range file.Cases {
			all.WriteString(c.SQL + "\n")
		}
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
	for name := range newFunctionTable() {
		if !strings.HasPrefix(name, "CURRENT_") { // which read the clock, a parameter
			assert.Contains(t, all.String(), name+"(", "%s has no case", name)
		}
	}
}

// The limits of callers' SQL can refuse an expression, and change no result, though what makes texts and arrays is printed
// differently.
func TestCasesOfCallers(t *testing.T) {
	t.Parallel()
	files, err := googlesqltest.Read(filepath.Join("testdata", "cases"))
	require.NoError(t, err)
	db := openDuckDB(t)
	for _, file := range files {
		t.Run(filepath.Base(file.Path), func(t *testing.T) {
			for _, c := range file.Cases {
				if c.Want == googlesqltest.Error || strings.HasPrefix(c.Want, googlesqltest.Refused) {
					continue
				}
				got, err := runIn(t, db, Environment{CallersFrom: 1}, 16<<10, []googlesqltest.Case{c})
				if refused := new(Error); errors.As(err, &refused) || err != nil && strings.Contains(err.Error(), "the share of each text and array") {
					continue
				}
				if assert.NoError(t, err, c.SQL) {
					assert.Equal(t, c.Want, got[0], c.SQL)
				}
			}
		})
	}
}

func translateWithin(text string, env Environment, rowBytes int) (_ *sqlq.Translation, err error) {
	defer recoverError(&err)
	r, rel := resolveText(text, env)
	r.checkDecided()
	return r.translation(text, rel, rowBytes), nil
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
		"INTERVAL": "INTERVAL 1 DAY", "T": "2", "N": "2", "ARRAY": "[1]", "ARRAY<T>": "[1, 2]", "ARRAY<STRING>": "['a']", "ARRAY<BYTES>": "[b'a']", "ARRAY<INT64>": "[65]", "ARRAY<FLOAT64>": "[1.5]", "PART": "DAY", "FORM": "NFC", "ANY": "1",
	}
	types := map[string]string{"T": "INT64", "N": "INT64", "ARRAY": "ARRAY<INT64>", "ARRAY<T>": "ARRAY<INT64>"}
	aboutNull := []string{"IF", "IFNULL", "COALESCE", "NULLIF", "JSON_SET", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT", "JSON_REMOVE", "JSON_STRIP_NULLS", "JSON_OBJECT"}
	db := openDuckDB(t)
	var cases []googlesqltest.Case
	for _, group := range functionGroups() {
		for _, f := range group.functions {
			for i, param := range f.list {
				if f.kind != scalarFunction || slices.Contains(aboutNull, f.name) || param == "PART" || param == "FORM" || param == "ANY" {
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
	return runIn(t, db, Environment{}, MostRowBytes, cases)
}

func runIn(t *testing.T, db *sql.DB, env Environment, rowBytes int, cases []googlesqltest.Case) ([]string, error) {
	t.Helper()
	expressions := make([]string, len(cases))
	for i, c := range cases {
		expressions[i] = fmt.Sprintf("(%s) AS c%d", c.SQL, i)
	}
	translated, err := translateWithin("SELECT "+strings.Join(expressions, ",\n"), env, rowBytes)
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
		got[i] = googlesqltest.Text(duckdbtest.Value(v, types[i].DatabaseTypeName()))
	}
	return got, rows.Err()
}

// Functions that read the clock return @now (D1). Logflare's helper returns the times of D2.
func TestClock(t *testing.T) {
	t.Parallel()
	db := openDuckDB(t)
	now := time.Date(2024, time.February, 29, 10, 30, 45, 500_000_000, time.UTC)
	for expression, want := range map[string]string{
		"STRING(CURRENT_TIMESTAMP())":                                       "2024-02-29 10:30:45.500+00",
		"STRING(CURRENT_DATETIME())":                                        "2024-02-29 10:30:45.500",
		"STRING(CURRENT_DATE)":                                              "2024-02-29",
		"STRING(CURRENT_TIME())":                                            "10:30:45.500",
		"STRING(CURRENT_DATETIME('Asia/Kolkata'))":                          "2024-02-29 16:00:45.500",
		"STRING(CURRENT_DATE('+14:00'))":                                    "2024-03-01",
		"STRING(CAST('18' AS DATE FORMAT 'YY'))":                            "2018-02-01",
		"STRING(CAST('7' AS DATE FORMAT 'Y'))":                              "2027-02-01",
		"STRING(CAST('999' AS DATE FORMAT 'YYY'))":                          "2999-02-01",
		"STRING(CAST('49-12' AS DATE FORMAT 'RR-MM'))":                      "2049-12-01",
		"STRING(CAST('50-12' AS DATE FORMAT 'RR-MM'))":                      "1950-12-01",
		"STRING(CAST('05' AS DATETIME FORMAT 'DD'))":                        "2024-02-05 00:00:00",
		"STRING(CAST('05' AS TIMESTAMP FORMAT 'DD' AT TIME ZONE '+14:00'))": "2024-03-04 10:00:00+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(5, 'MINUTE_SECOND')"):        "301 2024-02-29 10:25:45+00 2024-02-29 10:30:45+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(15, 'MINUTE_MINUTE')"):       "16 2024-02-29 10:15:00+00 2024-02-29 10:30:00+00",
		bounds("logs.generate_timestamp_trunc_array(1, 'hour_minute')"):     "61 2024-02-29 09:30:00+00 2024-02-29 10:30:00+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(1, CONCAT('DAY', '_HOUR'))"): "25 2024-02-28 10:00:00+00 2024-02-29 10:00:00+00",
		bounds("GENERATE_TIMESTAMP_TRUNC_ARRAY(7, 'DAY_DAY')"):              "8 2024-02-22 00:00:00+00 2024-02-29 00:00:00+00",
	} {
		translated, err := Translate("SELECT "+expression+" AS c", Environment{})
		require.NoError(t, err, expression)
		var got string
		require.NoError(t, db.QueryRowContext(t.Context(), translated.SQL, sql.Named("now", now)).Scan(&got), translated.SQL)
		assert.Equal(t, want, got, expression)
	}
}

// bounds is an expression of how long an array of times is, and of its first and last.
func bounds(array string) string {
	return fmt.Sprintf("(SELECT CONCAT(COUNT(*), ' ', STRING(MIN(x)), ' ', STRING(MAX(x))) FROM UNNEST(%s) AS x)", array)
}

// A local time becomes the first time in UTC at which the zone's clock shows it, however far the clock is set back.
func TestFirstLocalTime(t *testing.T) {
	t.Parallel()
	db := openDuckDB(t)
	for _, change := range []struct{ zone, utc string }{ // what was set back, and when
		{"Europe/Berlin", "2026-10-25 01:00:00"},
		{"America/New_York", "2026-11-01 06:00:00"},
		{"Australia/Lord_Howe", "2026-04-04 15:00:00"}, // half an hour
		{"Antarctica/Troll", "2026-10-25 01:00:00"},    // two hours
		{"Asia/Pyongyang", "2015-08-14 15:00:00"},      // half an hour, for good
		{"America/Caracas", "2007-12-09 07:00:00"},     // half an hour, for good
		{"Pacific/Kwajalein", "1969-09-30 13:00:00"},   // 23 hours
		{"Europe/Moscow", "2014-10-25 22:00:00"},       // an hour, for good
		{"Pacific/Apia", "2011-12-30 10:00:00"},        // forward, by a day
		{"Europe/Berlin", "2026-03-29 01:00:00"},       // forward, by an hour
	} {
		t.Run(change.zone+" "+change.utc, func(t *testing.T) {
			t.Parallel()
			location, err := time.LoadLocation(change.zone)
			require.NoError(t, err)
			at, err := time.Parse(time.DateTime, change.utc)
			require.NoError(t, err)
			firsts := make(map[string]string) // by local time
			var locals []string
			for utc := at.Add(-30 * time.Hour); utc.Before(at.Add(30 * time.Hour)); utc = utc.Add(15 * time.Minute) {
				local := utc.In(location).Format(time.DateTime)
				if firsts[local] == "" {
					firsts[local] = utc.Format(time.DateTime)
					locals = append(locals, local)
				}
			}
			translation, err := Translate(fmt.Sprintf("SELECT CAST(TIMESTAMP(CAST(x AS DATETIME), '%s') AS STRING) AS first FROM UNNEST(['%s']) AS x WITH OFFSET AS o ORDER BY o",
				change.zone, strings.Join(locals, "', '")), Environment{})
			require.NoError(t, err)
			rows, err := db.QueryContext(t.Context(), translation.SQL)
			require.NoError(t, err)
			defer func() { assert.NoError(t, rows.Close()) }()
			for i := 0; rows.Next(); i++ {
				var first string
				require.NoError(t, rows.Scan(&first))
				assert.Equal(t, firsts[locals[i]]+"+00", first, locals[i])
			}
			require.NoError(t, rows.Err())
		})
	}
}

// A local time that the zone's clock skips is as far from UTC as the time before it.
func TestSkippedLocalTime(t *testing.T) {
	t.Parallel()
	db := openDuckDB(t)
	for _, skipped := range []struct{ zone, local, want string }{
		{"America/Los_Angeles", "2024-03-10 02:30:00", "2024-03-10 10:30:00+00"},
		{"Europe/Berlin", "2026-03-29 02:00:00", "2026-03-29 01:00:00+00"},
		{"Australia/Lord_Howe", "2026-10-04 02:15:00", "2026-10-03 15:45:00+00"},
		{"Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00+00"},
	} {
		text := fmt.Sprintf("SELECT CAST(TIMESTAMP(CAST(x AS DATETIME), '%[1]s') AS STRING) AS a, CAST(CAST(CONCAT(x, ' %[1]s') AS TIMESTAMP) AS STRING) AS b, CAST(TIMESTAMP '%[2]s %[1]s' AS STRING) AS c, "+
			"CAST(PARSE_TIMESTAMP('%%F %%T', x, '%[1]s') AS STRING) AS d FROM UNNEST(['%[2]s']) AS x", skipped.zone, skipped.local)
		translation, err := Translate(text, Environment{})
		require.NoError(t, err)
		var got [4]string
		require.NoError(t, db.QueryRowContext(t.Context(), translation.SQL).Scan(&got[0], &got[1], &got[2], &got[3]))
		assert.Equal(t, [4]string{skipped.want, skipped.want, skipped.want, skipped.want}, got, skipped)
	}
}

// Arrays that a saved query generates are limited before they are made, of constants, parameters and columns alike.
func TestGeneratedArraysAreLimited(t *testing.T) {
	t.Parallel()
	db := openDuckDB(t)
	for _, test := range []struct{ within, beyond, name string }{
		{"GENERATE_ARRAY(1, 1048576)", "GENERATE_ARRAY(1, 1048577)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(x, x + 2097151, 2)", "GENERATE_ARRAY(x, x + 2097152, 2)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(1048576, x, -1)", "GENERATE_ARRAY(1048576, x - 1, -1)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(0.5, 1048576.25)", "GENERATE_ARRAY(0.5, 1048576.5)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(0.0, 524287.75, 0.5)", "GENERATE_ARRAY(0.0, 524288.0, 0.5)", "GENERATE_ARRAY"},
		{
			"GENERATE_TIMESTAMP_ARRAY('2026-01-01', '2026-01-01 00:00:01.048575', INTERVAL 1 MICROSECOND)",
			"GENERATE_TIMESTAMP_ARRAY('2026-01-01', '2026-01-01 00:00:01.048576', INTERVAL 1 MICROSECOND)", "GENERATE_TIMESTAMP_ARRAY",
		},
		{"GENERATE_ARRAY(1, 1)", "GENERATE_ARRAY(1, 1000000000)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(1, @n)", "GENERATE_ARRAY(1, @n * 1000000)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(1, x)", "GENERATE_ARRAY(1, x * 1000000000)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(x, 1000000000, 1000000)", "GENERATE_ARRAY(x, 1000000000, 1)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(1.5, 9.5)", "GENERATE_ARRAY(1.5, 1e12)", "GENERATE_ARRAY"},
		{"GENERATE_ARRAY(1e12, 1.5, -1e11)", "GENERATE_ARRAY(1e12, 1.5, -0.5)", "GENERATE_ARRAY"},
		{"GENERATE_DATE_ARRAY('2026-01-01', '2026-12-31')", "GENERATE_DATE_ARRAY('0001-01-01', '9999-12-31')", "GENERATE_DATE_ARRAY"},
		{"GENERATE_DATE_ARRAY('0001-01-01', '9999-12-31', INTERVAL 7 DAY)", "GENERATE_DATE_ARRAY('0001-01-01', '9999-12-31', INTERVAL x DAY)", "GENERATE_DATE_ARRAY"},
		{
			"GENERATE_TIMESTAMP_ARRAY('2026-01-01', '2026-01-02', INTERVAL 1 SECOND)",
			"GENERATE_TIMESTAMP_ARRAY('2026-01-01', '2026-01-02', INTERVAL 1 MICROSECOND)", "GENERATE_TIMESTAMP_ARRAY",
		},
		{"GENERATE_TIMESTAMP_TRUNC_ARRAY(1000, 'MINUTE_SECOND')", "GENERATE_TIMESTAMP_TRUNC_ARRAY(@n, 'DAY_SECOND')", "GENERATE_TIMESTAMP_TRUNC_ARRAY"},
	} {
		run := func(array string) error {
			translated, err := Translate("SELECT ARRAY_LENGTH("+array+") AS n FROM UNNEST([1]) AS x WHERE @n > 0", Environment{Params: []Param{{Name: "n", Type: sqlq.Int64}}})
			require.NoError(t, err, array)
			var length int64
			return db.QueryRowContext(t.Context(), translated.SQL, sql.Named("n", 10_000), sql.Named("now", time.Now())).Scan(&length)
		}
		require.NoError(t, run(test.within), test.within)
		require.ErrorContains(t, run(test.beyond), test.name+" makes more than 1048576 elements", test.beyond)
	}
}
