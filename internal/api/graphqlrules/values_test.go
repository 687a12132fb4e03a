package graphqlrules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"savedq/graph/graphtest"
)

// No argument accepts numbers or lists, but the default of a variable can be one.
func TestLiteralsThatNoArgumentAccepts(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"Int = 2147483647": "",
		"Int = 2147483648": "needs a value of type Int",
		"Int = 1.5":        "needs a value of type Int",
		`Int = "1"`:        "needs a value of type Int",
		"Float = 1":        "",
		"Float = 1.5":      "",
		"[Float!] = [12345678901234567890, 1e308]": "",
		"Float = 1e400":    "needs a value of type Float",
		"Float = true":     "needs a value of type Float",
		"Decimal = 1.50":   "",
		`Decimal = "1.50"`: "",
		"Decimal = true":   `needs a value of type Decimal, such as "12.50"`,
		"[Decimal!] = [12345678901234567890123456789.5, 12345678901234567890]": "",
		`[String!] = ["a", "b"]`:  "",
		`[String!] = "a"`:         "",
		`[String!] = ["a", null]`: "needs a value of type String!",
		`String = ["a"]`:          "needs a value of type String",
		"[Int!]! = [1, [2]]":      "needs a value of type Int!",
		"Time = {at: [1.5, {}]}":  `needs a value of type Time, such as "2026-11-20T10:00:00Z"`,
	} {
		t.Run(declared, func(t *testing.T) {
			t.Parallel()
			document := "query($v: " + declared + ") { endpoint(id: $v) { name } }"
			var messages []string
			_, errs := NewDocuments(graphtest.ShippedSchema(t), DefaultLimits()).Read(document)
			for _, err := range errs {
				if err.Rule == rules.ValuesOfCorrectTypeRule.Name {
					messages = append(messages, err.Message)
				}
			}
			assert.Equal(t, want, strings.Join(messages, "; "))
		})
	}
}
