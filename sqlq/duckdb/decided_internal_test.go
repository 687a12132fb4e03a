package duckdb

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

func TestDecidedConditions(t *testing.T) {
	t.Parallel()
	none := []sqlq.Arg{{Name: "p", Type: sqlq.String}, {Name: "q", Type: sqlq.String, Value: "x"}, {Name: "list", Type: sqlq.ArrayOf(sqlq.String)}, {Name: "times", Type: sqlq.ArrayOf(sqlq.Timestamp), Value: []any{}}}
	for name, test := range map[string]struct{ sql, want string }{
		"a parameter":               {"SELECT ($p IS NULL OR a = $p)", "SELECT (true)"},
		"in any case and spacing":   {"SELECT (\n$p is /* or */ null -- (\n or a = ')' || $p)", "SELECT (true)"},
		"an array":                  {"SELECT (len($list) = 0 OR a IN $list)", "SELECT (true OR $list IS NULL)"},
		"an array without elements": {"SELECT (LEN( $times ) = 0 OR a = 1)", "SELECT (true OR $times IS NULL)"},
		"what stays is mentioned":   {"SELECT ($p IS NULL OR b < $q OR (b < $p AND $q = f($list)))", "SELECT (true OR $q IS NULL OR $list IS NULL)"},
		"the outer one":             {"SELECT ($p IS NULL OR (len($list) = 0 OR a = 1)), ($p IS NULL OR b)", "SELECT (true OR $list IS NULL), (true)"},
		"the inner one":             {"SELECT (a AND ($p IS NULL OR b))", "SELECT (a AND (true))"},
		"in a list":                 {"SELECT [f FOR f IN l IF ($p IS NULL OR f > $p)]", "SELECT [f FOR f IN l IF (true)]"},
		"with a present one":        {"SELECT ($q IS NULL OR a = $q)", "SELECT ($q IS NULL OR a = $q)"},
		"with another name":         {"SELECT ($pq IS NULL OR a = $p)", "SELECT ($pq IS NULL OR a = $p)"},
		"a test in brackets":        {"SELECT (($p IS NULL) OR a = $p OR b)", "SELECT (true)"},
		"an array in brackets":      {"SELECT ((len($list) = 0::BIGINT) OR a)", "SELECT (true OR $list IS NULL)"},
		"another test in brackets":  {"SELECT (($p IS NULL AND b) OR a)", "SELECT (($p IS NULL AND b) OR a)"},
		"a test behind another":     {"SELECT (b OR ($p IS NULL) OR a)", "SELECT (b OR ($p IS NULL) OR a)"},
		"another number":            {"SELECT ((len($list) = 0::BIGINT + 1) OR a)", "SELECT ((len($list) = 0::BIGINT + 1) OR a)"},
		"a group and AND":           {"SELECT (($p IS NULL) AND a OR b)", "SELECT (($p IS NULL) AND a OR b)"},
		"a test in two brackets":    {"SELECT ((($p IS NULL) OR a) AND b)", "SELECT ((true) AND b)"},
		"without brackets":          {"SELECT $p IS NULL OR a = $p", "SELECT $p IS NULL OR a = $p"},
		"AND":                       {"SELECT ($p IS NULL AND a)", "SELECT ($p IS NULL AND a)"},
		"IS NOT NULL":               {"SELECT ($p IS NOT NULL OR a)", "SELECT ($p IS NOT NULL OR a)"},
		"AND before OR":             {"SELECT ($p IS NULL AND a OR b)", "SELECT ($p IS NULL AND a OR b)"},
		"NOT before it":             {"SELECT (NOT $p IS NULL OR a)", "SELECT (NOT $p IS NULL OR a)"},
		"another length":            {"SELECT (len($list) = 1 OR a)", "SELECT (len($list) = 1 OR a)"},
		"another function":          {"SELECT (max($list) = 0 OR a)", "SELECT (max($list) = 0 OR a)"},
		"two arguments":             {"SELECT if($p IS NULL OR a, 1, 2)", "SELECT if($p IS NULL OR a, 1, 2)"},
		"a cast":                    {"SELECT CAST($p IS NULL OR a AS VARCHAR)", "SELECT CAST($p IS NULL OR a AS VARCHAR)"},
		"an index":                  {"SELECT l[$p IS NULL OR a]", "SELECT l[$p IS NULL OR a]"},
		"text":                      {"SELECT '($p IS NULL OR a)', \"($p IS NULL OR a)\"", "SELECT '($p IS NULL OR a)', \"($p IS NULL OR a)\""},
		"brackets that do not fit":  {"SELECT ($p IS NULL OR a))", "SELECT ($p IS NULL OR a))"},
	} {
		assert.Equal(t, test.want, sqltext.Rewrite(test.sql, decided(test.sql, none)...).Text, name)
		present := []sqlq.Arg{{Name: "p", Type: sqlq.String, Value: ""}, {Name: "list", Type: sqlq.ArrayOf(sqlq.String), Value: []any{""}}, {Name: "times", Type: sqlq.ArrayOf(sqlq.Timestamp), Value: []any{nil}}}
		assert.Empty(t, decided(test.sql, present), name)
	}
}
