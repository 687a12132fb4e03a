package sqlq_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// bindExpression binds a regular expression of a caller.
func bindExpression(expression string) error {
	query := sqlq.SavedQuery{Params: []sqlq.Param{{Name: "p", Type: sqlq.String, Regex: true}}}
	_, err := query.Bind(map[string][]string{"p": {expression}})
	return err
}

// Binding accepts each value that all engines accept.
func TestBindTakesExpressions(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{
		"acme", `^https://[a-z0-9-]{1,63}\.example\.com/`, "(?P<name>a)", `[(?<name>]`, `\(?<name>`,
		`\pL\PN\p{Lu}\p{^Greek}\P{Any}`, `\\p{Letter}`, `\Q\p{Letter}\E\p{L}`, `\Q\p{Letter}`, "(?i)acme",
		`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, strings.Repeat("a", 9000), `a{1000}`, `\pL{10}`, `.{800}`, `(a{100}){10}`,
	} {
		assert.NoError(t, bindExpression(expression), "%.60s", expression)
	}
}

// Binding rejects expressions that an engine does not accept, or that are too slow.
func TestBindRejectsExpressions(t *testing.T) {
	t.Parallel()
	const (
		invalid  = "p: is not a valid RE2 regular expression: "
		tooLarge = "p: is too large a regular expression; repeat less, or smaller character classes"
	)
	tests := map[string]string{
		`(`:                            invalid + "missing closing ): `(`",
		`a{1001}`:                      invalid + "invalid repeat count: `{1001}`",
		`(?<name>a)`:                   invalid + "(?<name>…) is spelled (?P<name>…)",
		`\p{Letter}`:                   invalid + "invalid character class: `\\p{Letter}`",
		`a\\\P{^greek}`:                invalid + "invalid character class: `\\P{^greek}`",
		`[\p{Cn}]`:                     invalid + "invalid character class: `\\p{Cn}`",
		`[\pl]`:                        invalid + "invalid character class: `\\pl`",
		`\Q\p{L}\E\p{LC}`:              invalid + "invalid character class: `\\p{LC}`",
		`\pL{1000}`:                    tooLarge,
		`(\PN{100}){10}`:               tooLarge,
		`.{1000}`:                      tooLarge,
		`(a|b{2}|\pL{2}){20}`:          tooLarge,
		strings.Repeat("a{0,1000}", 4): tooLarge,
		strings.Repeat("a", 10_000):    tooLarge,
	}
	for expression, message := range tests {
		err := bindExpression(expression)
		require.Error(t, err, "%.60s", expression)
		assert.EqualError(t, err, message, "%.60s", expression)
	}
}
