package googlesql

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A value that an expression repeats is written once if it is long, as the parameter of a lambda.
func TestClickHouseLet(t *testing.T) {
	t.Parallel()
	long := "f(" + strings.Repeat("x", mostWritten/2) + ")"
	twice := func(name string) string { return "g(" + name + ", " + name + ")" }
	p := new(clickhousePrinter)
	for name, test := range map[string]struct{ got, want string }{
		"of one use": {p.let(long, func(name string) string { return "g(" + name + ")" }), "g((" + long + "))"},
		"of no use":  {p.let(long, func(string) string { return "1" }), "1"},
		"short":      {p.let("a + 1", twice), "g((a + 1), (a + 1))"},
		"a name":     {p.let("`a`", twice), "g(`a`, `a`)"},
		"long":       {p.let(long, twice), "arrayMap(`#x0` -> g(`#x0`, `#x0`), [" + long + "])[1]"},
		"values": {
			p.lets([]string{long, "a", long}, func(names []string) string { return twice(names[0]) + twice(names[1]) + twice(names[2]) }),
			"arrayMap((`#x0`, `#x2`) -> g(`#x0`, `#x0`)g(a, a)g(`#x2`, `#x2`), [" + long + "], [" + long + "])[1]",
		},
		"in another": {
			p.let(long, func(outer string) string {
				return p.let(long+outer, func(inner string) string { return twice(inner) + outer })
			}),
			"arrayMap(`#x0` -> arrayMap(`#x1` -> g(`#x1`, `#x1`)`#x0`, [" + long + "`#x0`])[1], [" + long + "])[1]",
		},
		"of another": { // whose parameter has the same name, which is not seen outside of it
			p.let(p.let(long, twice), twice),
			"arrayMap(`#x0` -> g(`#x0`, `#x0`), [arrayMap(`#x0` -> g(`#x0`, `#x0`), [" + long + "])[1]])[1]",
		},
		"a text with the name of a parameter": {p.let("'`#x0`'", twice), "g('`#x0`', '`#x0`')"},
	} {
		assert.Equal(t, test.want, test.got, name)
	}
	assert.Equal(t, `'\x03'`, clickhouseText(letBegin))
	assert.Equal(t, "`\\x03`", clickhouseName(letBegin))
}

// An expression grows with its depth, and not by a factor with each level.
func TestClickHouseDeepExpression(t *testing.T) {
	t.Parallel()
	sizes := make(map[int]int)
	for _, depth := range []int{4, 8} {
		sql := strings.Repeat("CAST(CAST(", depth) + "x" + strings.Repeat(" AS STRING) AS FLOAT64)", depth)
		translated, err := Translate("SELECT "+sql+" AS c FROM UNNEST([1.5]) AS x", Environment{Target: ClickHouse})
		require.NoError(t, err)
		sizes[depth] = len(translated.SQL)
	}
	assert.Less(t, sizes[8], 3*sizes[4])
}
