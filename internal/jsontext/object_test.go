package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/jsontext"
)

func TestDecodeObject(t *testing.T) {
	t.Parallel()
	got, err := jsontext.DecodeObject([]byte(` {"a": [1, {"b": null}], "c": {"a": "x"}, "d": 12345678901234567890, "e": true} `))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"a": []any{json.Number("1"), map[string]any{"b": nil}}, "c": map[string]any{"a": "x"},
		"d": json.Number("12345678901234567890"), "e": true,
	}, got)
	for text, want := range map[string]string{
		``:                       "is not valid JSON",
		`{`:                      "is not valid JSON",
		`{"a":1`:                 "is not valid JSON",
		`{"a":[1}`:               "is not valid JSON",
		`{"a":}`:                 "is not valid JSON",
		`{1:2}`:                  "is not valid JSON",
		`[]`:                     "is not a JSON object",
		`null`:                   "is not a JSON object",
		`{} {}`:                  "has text after the JSON object",
		`{}x`:                    "has text after the JSON object",
		`{"a":1,"a":1}`:          "has the same name twice in one object",
		`{"a":1,"\u0061":1}`:     "has the same name twice in one object",
		`{"x":{"a":1,"a":1}}`:    "has the same name twice in one object",
		`{"x":[{"a":1,"a":2}]}`:  "has the same name twice in one object",
		`{"a":"\ud83d"}`:         "is not valid UTF-8, or has an unpaired surrogate",
		"{\"a\":\"\xff\"}":       "is not valid UTF-8, or has an unpaired surrogate",
		`{"a":` + deep(40) + `}`: "nests deeper than 32 levels",
	} {
		_, err := jsontext.DecodeObject([]byte(text))
		assert.EqualError(t, err, want, text)
	}
}

func deep(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func FuzzDecodeObject(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}],"a":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		object, err := jsontext.DecodeObject([]byte(text))
		if err != nil {
			return
		}
		var usual map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &usual))
		assert.Len(t, usual, len(object))
	})
}
