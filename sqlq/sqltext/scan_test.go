package sqltext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

func TestScanSQLFindsParameters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql  string
		want []sqltext.Use
	}{
		"none":               {"SELECT 1", nil},
		"each once":          {"SELECT $a, $b, $a", []sqltext.Use{{"a", 1, 8}, {"b", 1, 12}}},
		"line and column":    {"SELECT\n  1,\n  $a_1", []sqltext.Use{{"a_1", 3, 3}}},
		"cast":               {"SELECT $now::TIMESTAMP", []sqltext.Use{{"now", 1, 8}}},
		"string":             {"SELECT '$no', $a", []sqltext.Use{{"a", 1, 15}}},
		"doubled quote":      {"SELECT 'it''s $no', $a", []sqltext.Use{{"a", 1, 21}}},
		"escaped string":     {`SELECT E'it\'s $no', $a`, []sqltext.Use{{"a", 1, 22}}},
		"backslash is plain": {`SELECT 'c:\', $a`, []sqltext.Use{{"a", 1, 15}}},
		"word ends in e":     {`SELECT date'2026-01-01', $a`, []sqltext.Use{{"a", 1, 26}}},
		"quoted name":        {`SELECT "$no", $a`, []sqltext.Use{{"a", 1, 15}}},
		"line comment":       {"SELECT 1 -- $no 'x\n, $a", []sqltext.Use{{"a", 2, 3}}},
		"comment before CR":  {"SELECT 1 -- $no\r, $a", []sqltext.Use{{"a", 1, 19}}},
		"block comment":      {"SELECT /* $no ' */ $a", []sqltext.Use{{"a", 1, 20}}},
		"nested comments":    {"SELECT /* /* $no */ $no */ $a", []sqltext.Use{{"a", 1, 28}}},
		"dollar quotes":      {"SELECT $$ $no $$, $a", []sqltext.Use{{"a", 1, 19}}},
		"tagged quotes":      {"SELECT $t$ $no $$ $t$, $a", []sqltext.Use{{"a", 1, 24}}},
		"name with a dollar": {"SELECT a$b, $a", []sqltext.Use{{"a", 1, 13}}},
		"unclosed string":    {"SELECT $a, 'x $no", []sqltext.Use{{"a", 1, 8}}},
		"lone dollar":        {"SELECT $", nil},
		"position":           {"SELECT $1", []sqltext.Use{{"1", 1, 8}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, sqltext.ScanStatement(duckdbsql.Dialect{}, test.sql).Params)
		})
	}
}

func TestScanGoogleSQLFindsParameters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql  string
		want []sqltext.Use
	}{
		"each once":         {"SELECT @a, @b, @a", []sqltext.Use{{"a", 1, 8}, {"b", 1, 12}}},
		"dollar is nothing": {"SELECT '$', @a", []sqltext.Use{{"a", 1, 13}}},
		"strings":           {`SELECT '@no', "@no", @a`, []sqltext.Use{{"a", 1, 22}}},
		"escaped quote":     {`SELECT 'it\'s @no', @a`, []sqltext.Use{{"a", 1, 21}}},
		"raw string":        {`SELECT r'\d @no', @a`, []sqltext.Use{{"a", 1, 19}}},
		"triple quotes":     {`SELECT """a "@no" 'b'""", @a`, []sqltext.Use{{"a", 1, 27}}},
		"quoted name":       {"SELECT `@no`, @a", []sqltext.Use{{"a", 1, 15}}},
		"comments":          {"SELECT 1 # @no\n-- @no\n/* @no */, @a", []sqltext.Use{{"a", 3, 12}}},
		"system variable":   {"SELECT @@project_id, @a", []sqltext.Use{{"a", 1, 22}}},
		"unclosed string":   {"SELECT @a, 'x @no", []sqltext.Use{{"a", 1, 8}}},
		"lone at sign":      {"SELECT @", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, sqltext.ScanStatement(googlesql.Dialect{}, test.sql).Params)
		})
	}
}

func TestScanSQLFindsEnd(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql   string
		end   int
		extra *sqltext.Use
		empty bool
	}{
		"no semicolon":     {"SELECT 1", 8, nil, false},
		"semicolon":        {"SELECT 1;\n-- end\n", 8, nil, false},
		"semicolons":       {"SELECT 1; ;", 8, nil, false},
		"in a string":      {"SELECT ';'", 10, nil, false},
		"second statement": {"SELECT 1;\n DROP", 8, &sqltext.Use{"DROP", 2, 2}, false},
		"only a comment":   {"-- x", 4, nil, true},
		"nothing":          {"", 0, nil, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scan := sqltext.ScanStatement(duckdbsql.Dialect{}, test.sql)
			assert.Equal(t, test.end, scan.End)
			assert.Equal(t, test.extra, scan.Second)
			assert.Equal(t, test.empty, scan.Empty)
		})
	}
}

func FuzzScanSQL(f *testing.F) {
	f.Add("SELECT $a, '$b', E'\\'', $$ $c $$, \"x\" -- $d\n;/* */ SELECT")
	f.Fuzz(func(t *testing.T, sql string) {
		for _, dialect := range []sqlq.Dialect{duckdbsql.Dialect{}, googlesql.Dialect{}} {
			checkScan(t, sql, sqltext.ScanStatement(dialect, sql))
		}
	})
}

func checkScan(t *testing.T, sql string, scan sqltext.Scan) {
	t.Helper()
	assert.LessOrEqual(t, scan.End, len(sql))
	for _, use := range scan.Params {
		assert.True(t, len(use.Name) > 0 && sqltext.NameLength(use.Name) == len(use.Name))
		assert.Positive(t, use.Line)
		assert.Positive(t, use.Column)
	}
}
