package duckdb_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// A query that check accepts runs, with its optional parameters present and absent: an absent one
// is a NULL of its type.
func TestAbsentParameters(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	day := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		expression string
		param      sqlq.Type
		column     sqlq.Type
		present    any
		want       any
	}{
		"date_trunc of a TIMESTAMP":        {"date_trunc('day', $p)", sqlq.Timestamp, sqlq.Timestamp, day, day.Truncate(24 * time.Hour)},
		"difference of TIMESTAMPs":         {"epoch_us($p) - epoch_us($now - INTERVAL 1 DAY)", sqlq.Timestamp, sqlq.Int64, day, int64(86_400_000_000)},
		"the TIMESTAMP itself":             {"$p", sqlq.Timestamp, sqlq.Timestamp, day, day},
		"comparison with a TIMESTAMP":      {"$now >= $p", sqlq.Timestamp, sqlq.Bool, day, true},
		"bucket of an INT64":               {"[10, 20][$p]", sqlq.Int64, sqlq.Int64, int64(2), int64(20)},
		"days":                             {"epoch(to_days($p::INTEGER))::BIGINT", sqlq.Int64, sqlq.Int64, int64(1), int64(86_400)},
		"negative of an INT64":             {"-$p", sqlq.Int64, sqlq.Int64, int64(1), int64(-1)},
		"FLOAT64":                          {"floor($p)", sqlq.Float64, sqlq.Float64, 1.5, 1.0},
		"BOOL":                             {"NOT $p", sqlq.Bool, sqlq.Bool, true, false},
		"STRING":                           {"lower($p)", sqlq.String, sqlq.String, "A", "a"},
		"STRING of functions of many kind": {"reverse($p) || repeat($p, 2)", sqlq.String, sqlq.String, "ab", "baabab"},
		"STRING in place of a time":        {"$now > $p", sqlq.String, sqlq.Bool, "2026-01-01", true},
		"STRING in place of a number":      {"1 + length($p) > $p", sqlq.String, sqlq.Bool, "1", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := savedQuery("SELECT "+test.expression+" AS n -- $p", sqlq.Column{Name: "n", Type: test.column})
			query.Params = []sqlq.Param{{Name: "p", Type: test.param}}
			_, err := engine.Check(t.Context(), query)
			require.NoError(t, err)
			for range 2 { // with a new statement, and with a prepared one
				for value, want := range map[any]any{nil: nil, test.present: test.want} {
					result, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Now: day, Args: []sqlq.Arg{{Name: "p", Type: test.param, Value: value}}})
					require.NoError(t, err)
					assert.Equal(t, [][]any{{want}}, result.Rows)
				}
			}
		})
	}
}

// A query with many optional parameters works with each combination of them.
func TestManyAbsentParameters(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	query := savedQuery("SELECT [date_trunc('day', $a), date_trunc('day', $b), date_trunc('day', $c), date_trunc('day', $d), date_trunc('day', $e)]::VARCHAR AS n",
		sqlq.Column{Name: "n", Type: sqlq.String})
	args := make([]sqlq.Arg, 5)
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		query.Params = append(query.Params, sqlq.Param{Name: name, Type: sqlq.Timestamp})
		args[i] = sqlq.Arg{Name: name, Type: sqlq.Timestamp}
	}
	_, err := engine.Check(t.Context(), query)
	require.NoError(t, err)
	for set := range 1 << len(args) {
		want := "["
		for i := range args {
			args[i].Value, want = any(nil), want+"NULL, "
			if set>>i&1 == 1 {
				args[i].Value = time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC)
				want = want[:len(want)-len("NULL, ")] + "'2026-03-01 00:00:00', "
			}
		}
		result, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Args: args})
		require.NoError(t, err)
		assert.Equal(t, want[:len(want)-2]+"]", result.Rows[0][0])
	}
}

// What fails for present or for absent parameters, whatever their values, does not pass
// the check.
func TestCheckTriesPresentAndAbsent(t *testing.T) {
	t.Parallel()
	text, number, moment := sqlq.Param{Name: "p", Type: sqlq.String}, sqlq.Param{Name: "p", Type: sqlq.Int64}, sqlq.Param{Name: "p", Type: sqlq.Timestamp}
	withDefault := number
	withDefault.Default = []string{"7"}
	engine := duckdb.New(openStore(t, nil).DB())
	for name, test := range map[string]struct {
		sql    string
		params []sqlq.Param
		want   string
	}{
		"present INT64 for an INTEGER":      {"SELECT '' || round(1.25, $p) AS n", []sqlq.Param{number}, "test/duckdb.sql:1:14: Binder Error: No function matches"},
		"present INT64 that has a default":  {"SELECT '' || round(1.25, $p) AS n", []sqlq.Param{withDefault}, "test/duckdb.sql:1:14: Binder Error: No function matches"},
		"present TIMESTAMP as a text":       {"SELECT\n 1 AS a, lower($p) AS n", []sqlq.Param{moment}, "test/duckdb.sql:2:10: Binder Error: No function matches"},
		"texts that fit":                    {"SELECT date_trunc($p, $now)::VARCHAR AS n", []sqlq.Param{text}, ""},
		"a required one":                    {"SELECT date_trunc('day', $p)::VARCHAR AS n", []sqlq.Param{{Name: "p", Type: sqlq.Timestamp, Required: true}}, ""},
		"LIMIT":                             {"SELECT '' AS n LIMIT $p", []sqlq.Param{number}, ""},
		"a list that is bound":              {"SELECT max(i)::VARCHAR AS n FROM range($p) numbers(i)", []sqlq.Param{withDefault}, ""},
		"an allowed value of a conversion":  {"SELECT ($p::INTEGER)::VARCHAR AS n", []sqlq.Param{{Name: "p", Type: sqlq.String, Required: true, Allowed: []string{"1"}}}, ""},
		"absent where the place is shifted": {"SELECT date_trunc('day', $p), nosuch($p) AS n", []sqlq.Param{moment}, "test/duckdb.sql:1:31: Catalog Error: Scalar Function with name nosuch does not exist!"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := savedQuery(test.sql, sqlq.Column{Name: "n", Type: sqlq.String})
			query.Params = test.params
			_, err := engine.Check(t.Context(), query)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
