package googlesql

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// bare is a target that has constants and calls, but no function.
type bare struct{}

func (bare) name() string         { return "Bare" }
func (bare) finish(*printer, int) {}
func (bare) form(*function) form  { return form{} }

func (bare) write(p *printer, n node) {
	switch n := n.(type) {
	case *queryRows:
		n.body.print(p)
	case *selectRows:
		n.of.columns[0].value.node.print(p)
	case *call:
		n.template(p.form(n).sql).print(p)
	case *constant:
		p.write(n.text)
	}
}

// A function or an operator without a form for a target is refused with its place. Nothing before the printer knows the target.
func TestTargetWithoutForms(t *testing.T) {
	t.Parallel()
	translate := func(text string) (printed string, err error) {
		defer recoverError(&err)
		r, rel := resolveText(text, Environment{})
		p := &printer{target: bare{}, env: &r.env, most: mostPrintedBytes}
		rel.rows.print(p)
		return string(p.out), nil
	}
	printed, err := translate("SELECT DATE ' 2026-1-2 '")
	require.NoError(t, err)
	assert.Equal(t, "2026-01-02", printed)
	for text, want := range map[string]Error{
		"SELECT  ABS(1)":     {8, "ABS is not supported on Bare"},
		"SELECT 1 + 2":       {9, "+ is not supported on Bare"},
		"SELECT ABS('a', 1)": {7, "ABS does not take (STRING, INT64); it is ABS(N)"},
	} {
		_, err := translate(text)
		var mistake *Error
		if assert.ErrorAs(t, err, &mistake, text) {
			assert.Equal(t, want, *mistake, text)
		}
	}
}

func TestUnknownTarget(t *testing.T) {
	t.Parallel()
	_, err := Translate("SELECT 1", Environment{Target: "Nowhere"})
	require.EqualError(t, err, "GoogleSQL is not translated for Nowhere")
}

// DuckDB has all functions and operators.
func TestFormsOfDuckDB(t *testing.T) {
	t.Parallel()
	has := func(f function) bool { return f.duckdb.sql != "" || f.duckdb.by != nil }
	for _, group := range functionGroups() {
		for _, f := range group.functions {
			assert.True(t, has(f), "%s(%s)", f.name, f.params)
		}
	}
	for _, f := range operators() {
		assert.True(t, has(f), f.name)
	}
}

// Expressions are the same if they mean the same, whatever query of the text they are in.
func TestSame(t *testing.T) {
	t.Parallel()
	const text = "SELECT UPPER(id), upper(id), LOWER(id), id = 'a', id = 'b', CAST(n AS STRING), SAFE_CAST(n AS STRING), DATE_TRUNC(d, WEEK), DATE_TRUNC(d, WEEK(MONDAY)), metadata[0].x AS x0, metadata[0].y AS y0, metadata[1].x AS x1 FROM t"
	env := Environment{Tables: []Table{{Name: "t", Columns: []TableColumn{
		{Name: "id", Type: sqlq.String}, {Name: "n", Type: sqlq.Int64}, {Name: "d", Type: sqlq.Date}, {Name: "metadata", Type: sqlq.JSON, IsMetadata: true},
	}}}}
	_, rel := resolveText(text, env)
	for i, a := range rel.columns {
		for j, b := range rel.columns {
			assert.Equal(t, i == j || i+j == 1, same(a.value.node, b.value.node), "%d and %d", i, j)
		}
	}
}

// ClickHouse's analyzer takes its time for each query of a WITH clause, so those that nothing reads are left out.
func TestUnreadCommonTables(t *testing.T) {
	t.Parallel()
	translated, err := Translate(
		"WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a), unread AS (SELECT x AS y FROM b) SELECT (SELECT MAX(x) FROM B) AS c",
		Environment{Target: ClickHouse})
	require.NoError(t, err)
	assert.Contains(t, translated.SQL, "`with a` AS (")
	assert.Contains(t, translated.SQL, "`with b` AS (")
	assert.NotContains(t, translated.SQL, "unread")
}

// A CASE over a parameter whose value is fixed has the branch of that value alone.
func TestFixedValues(t *testing.T) {
	t.Parallel()
	env := Environment{Target: ClickHouse, Params: []Param{{Name: "unit", Type: sqlq.String}, {Name: "other", Type: sqlq.String}}}
	const written = "SELECT CASE @Unit WHEN 'a' THEN 11 WHEN 'b' THEN 22 ELSE 33 END AS c, CASE WHEN @other = 'x' THEN 44 WHEN @unit = 'b' THEN 55 END AS d"
	for value, want := range map[string][]string{
		"a": {"CAST(toInt64(11) AS", "({other:Nullable(String)} = 'x'), toInt64(44), CAST(NULL AS"},
		"b": {"CAST(toInt64(22) AS", "({other:Nullable(String)} = 'x'), toInt64(44), toInt64(55))"},
		"z": {"CAST(toInt64(33) AS", "toInt64(44), CAST(NULL AS"},
	} {
		env.Fixed = map[string]string{"unit": value}
		translated, err := Translate(written, env)
		require.NoError(t, err)
		for _, part := range want {
			assert.Contains(t, translated.SQL, part, value)
		}
		assert.NotContains(t, translated.SQL, "unit")
	}
}
