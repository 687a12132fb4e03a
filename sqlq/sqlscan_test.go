package sqlq

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScanSQLFindsParameters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql  string
		want []sqlUse
	}{
		"none":               {"SELECT 1", nil},
		"each once":          {"SELECT $a, $b, $a", []sqlUse{{"a", 1, 8}, {"b", 1, 12}}},
		"line and column":    {"SELECT\n  1,\n  $a_1", []sqlUse{{"a_1", 3, 3}}},
		"cast":               {"SELECT $now::TIMESTAMP", []sqlUse{{"now", 1, 8}}},
		"string":             {"SELECT '$no', $a", []sqlUse{{"a", 1, 15}}},
		"doubled quote":      {"SELECT 'it''s $no', $a", []sqlUse{{"a", 1, 21}}},
		"escaped string":     {`SELECT E'it\'s $no', $a`, []sqlUse{{"a", 1, 22}}},
		"backslash is plain": {`SELECT 'c:\', $a`, []sqlUse{{"a", 1, 15}}},
		"word ends in e":     {`SELECT date'2026-01-01', $a`, []sqlUse{{"a", 1, 26}}},
		"quoted name":        {`SELECT "$no", $a`, []sqlUse{{"a", 1, 15}}},
		"line comment":       {"SELECT 1 -- $no 'x\n, $a", []sqlUse{{"a", 2, 3}}},
		"block comment":      {"SELECT /* $no ' */ $a", []sqlUse{{"a", 1, 20}}},
		"nested comments":    {"SELECT /* /* $no */ $no */ $a", []sqlUse{{"a", 1, 28}}},
		"dollar quotes":      {"SELECT $$ $no $$, $a", []sqlUse{{"a", 1, 19}}},
		"tagged quotes":      {"SELECT $t$ $no $$ $t$, $a", []sqlUse{{"a", 1, 24}}},
		"name with a dollar": {"SELECT a$b, $a", []sqlUse{{"a", 1, 13}}},
		"unclosed string":    {"SELECT $a, 'x $no", []sqlUse{{"a", 1, 8}}},
		"lone dollar":        {"SELECT $", nil},
		"position":           {"SELECT $1", []sqlUse{{"1", 1, 8}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, scanSQL(DuckDB, test.sql).params)
		})
	}
}

func TestScanGoogleSQLFindsParameters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql  string
		want []sqlUse
	}{
		"each once":         {"SELECT @a, @b, @a", []sqlUse{{"a", 1, 8}, {"b", 1, 12}}},
		"dollar is nothing": {"SELECT '$', @a", []sqlUse{{"a", 1, 13}}},
		"strings":           {`SELECT '@no', "@no", @a`, []sqlUse{{"a", 1, 22}}},
		"escaped quote":     {`SELECT 'it\'s @no', @a`, []sqlUse{{"a", 1, 21}}},
		"raw string":        {`SELECT r'\d @no', @a`, []sqlUse{{"a", 1, 19}}},
		"triple quotes":     {`SELECT """a "@no" 'b'""", @a`, []sqlUse{{"a", 1, 27}}},
		"quoted name":       {"SELECT `@no`, @a", []sqlUse{{"a", 1, 15}}},
		"comments":          {"SELECT 1 # @no\n-- @no\n/* @no */, @a", []sqlUse{{"a", 3, 12}}},
		"system variable":   {"SELECT @@project_id, @a", []sqlUse{{"a", 1, 22}}},
		"unclosed string":   {"SELECT @a, 'x @no", []sqlUse{{"a", 1, 8}}},
		"lone at sign":      {"SELECT @", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, scanSQL(BigQuery, test.sql).params)
		})
	}
}

func TestScanSQLFindsEnd(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql   string
		end   int
		extra *sqlUse
		empty bool
	}{
		"no semicolon":     {"SELECT 1", 8, nil, false},
		"semicolon":        {"SELECT 1;\n-- end\n", 8, nil, false},
		"semicolons":       {"SELECT 1; ;", 8, nil, false},
		"in a string":      {"SELECT ';'", 10, nil, false},
		"second statement": {"SELECT 1;\n DROP", 8, &sqlUse{"DROP", 2, 2}, false},
		"comment alone":    {"-- x", 4, nil, true},
		"nothing":          {"", 0, nil, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scan := scanSQL(DuckDB, test.sql)
			assert.Equal(t, test.end, scan.end)
			assert.Equal(t, test.extra, scan.extra)
			assert.Equal(t, test.empty, scan.empty)
		})
	}
}

func FuzzScanSQL(f *testing.F) {
	f.Add("SELECT $a, '$b', E'\\'', $$ $c $$, \"x\" -- $d\n;/* */ SELECT")
	f.Fuzz(func(t *testing.T, sql string) {
		for _, dialect := range []Dialect{DuckDB, BigQuery} {
			checkScan(t, sql, scanSQL(dialect, sql))
		}
	})
}

func checkScan(t *testing.T, sql string, scan sqlScan) {
	t.Helper()
	assert.LessOrEqual(t, scan.end, len(sql))
	for _, use := range scan.params {
		assert.True(t, isName(use.name))
		assert.Positive(t, use.line)
		assert.Positive(t, use.column)
	}
}
