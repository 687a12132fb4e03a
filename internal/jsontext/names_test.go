package jsontext_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/jsontext"
)

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
