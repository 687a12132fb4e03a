package sqlq_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// A column can have each name that BigQuery gives one.
func TestCheckColumnName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"n", "n_GET", "requestMethod", "Start Time", "5xx", "größe", "数量", "a-b", "50%", "a:b", "a'b", "<a>", strings.Repeat("ä", 300)} {
		require.NoError(t, sqlq.CheckColumnName(name), name)
	}
	for name, want := range map[string]string{
		"":                       "is empty",
		"\u0020n":                "begins or ends with a space",
		"n\u00a0":                "has the character",
		"a.b":                    "has the character '.'",
		"count(*)":               "has the character '('",
		`a"b`:                    "has the character '\"'",
		"a`b":                    "has the character '`'",
		"a\nb":                   "has the character '\\n'",
		"a\x00":                  "has the character",
		"a\u200bb":               "has the character",
		"\xff":                   "",
		strings.Repeat("a", 301): "is longer than 300 characters",
	} {
		assert.ErrorContains(t, sqlq.CheckColumnName(name), want, name)
	}
}

// A comparison names a column with spaces in quotes.
func TestComparedNames(t *testing.T) {
	t.Parallel()
	columns := []sqlq.Column{{Name: "n_GET", Type: sqlq.Int64}, {Name: "n > GET", Type: sqlq.Int64}, {Name: "größe", Type: sqlq.Int64}, {Name: "5xx", Type: sqlq.Int64}}
	for text, want := range map[string]int{`n_GET > 5`: 0, `"n > GET" >= 5`: 1, `größe == 5`: 2, ` "5xx"<5`: 3, `"n_GET" != 5`: 0} {
		condition, err := sqlq.ParseComparison(text, columns)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, condition.Column, text)
			assert.Equal(t, int64(5), condition.Value, text)
		}
	}
	for text, want := range map[string]string{`5xx > 5`: "is in quotes", `n_get > 5`: `column "n_get" is not declared; did you mean n_GET?`, `"n_GET > 5`: "is not a comparison"} {
		_, err := sqlq.ParseComparison(text, columns)
		assert.ErrorContains(t, err, want, text)
	}
}
