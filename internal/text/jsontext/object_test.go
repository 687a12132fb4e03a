package jsontext_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/text/jsontext"
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

type embedded struct {
	ID json.RawMessage `json:"id"`
}

func TestWrongName(t *testing.T) {
	t.Parallel()
	var target struct {
		Query string         `json:"query,omitempty"`
		Any   map[string]any `json:"any"`
		Inner *struct {
			Hash string `json:"sha256Hash"`
		} `json:"inner"`
		embedded
	}
	const twice = " is given twice in one object of the request's JSON; give it once"
	for text, want := range map[string]string{
		`null`:                                 "",
		` {} `:                                 "",
		`{"a":{"b":1},"b":[{"b":1},{"b":1}]}`:  "",
		`{"a":1,"A":2}`:                        "",
		`{"a":"a","b":"a"}`:                    "",
		`{"a":1,"a":1}`:                        "a" + twice,
		`{"ab":1, "\u0061b" :2}`:               "ab" + twice,
		`{"a":[1, {"c":{}, "b":[] , "b":[]}]}`: "b" + twice,
		`[[],{"a":1},[{"a":1,"a":2}]]`:         "a" + twice,
		`{"Query":1}`:                          "Query is not known; write query",
		`{"query":1,"QUERY":2}`:                "QUERY is not known; write query",
		`{"ID":1}`:                             "ID is not known; write id",
		`{"inner":{"sha256hash":1}}`:           "sha256hash is not known; write sha256Hash",
		`{"inner":{"query":1,"Query":2}}`:      "",
		`{"any":{"Query":1,"ID":[{"ID":1}]}}`:  "",
		`{"x":{"Query":1},"id":{"ID":1}}`:      "",
		`{"id":{"a":1,"a":1}}`:                 "",
		`[{"Query":1}]`:                        "",
	} {
		name, fault := jsontext.WrongName([]byte(text), &target)
		got := name + " " + fault
		if fault == "" {
			got = name
		}
		assert.Equal(t, want, got, text)
	}
}
