package jsontext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/text/jsontext"
)

func TestValueText(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		``:                     "",
		`null`:                 "",
		`true`:                 "true",
		`"a\n\u00e9"`:          "a\né",
		`12345678901234567890`: "12345678901234567890",
		`-5`:                   "-5",
		`200.0`:                "200",
		`1.50`:                 "1.5",
		`1e3`:                  "1000",
		`1E400`:                "+Inf",
		`{"a": 1.0}`:           `{"a": 1.0}`,
		`[1e3]`:                `[1e3]`,
	} {
		assert.Equal(t, want, jsontext.Value(value).Text(), value)
	}
}

func TestValueParts(t *testing.T) {
	t.Parallel()
	object := jsontext.Value(`{"a" : [1 , {"b":2}], "\u0062": null, "a":3}`)
	var names, values []string
	for member := range object.Members() {
		names, values = append(names, string(member.Quoted)+" "+member.Name), append(values, string(member.Value))
	}
	assert.Equal(t, []string{`"a" a`, `"\u0062" b`, `"a" a`}, names)
	assert.Equal(t, []string{`[1 , {"b":2}]`, `null`, `3`}, values)
	assert.Equal(t, jsontext.Value(`[1 , {"b":2}]`), object.Get("a"), "the first of its name")
	assert.True(t, object.Get("b").IsNull())
	assert.Nil(t, object.Get("c"))

	var elements []string
	for element := range object.Get("a").Elements() {
		elements = append(elements, string(element))
	}
	assert.Equal(t, []string{`1`, `{"b":2}`}, elements)
	for range jsontext.Value(`"text"`).Members() {
		assert.Fail(t, "a text has no members")
	}
	for range jsontext.Value(`{"a":1}`).Elements() {
		assert.Fail(t, "an object has no elements")
	}
	assert.Nil(t, jsontext.Value(`[{"a":1}]`).Get("a"))
}
