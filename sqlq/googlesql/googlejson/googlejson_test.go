package googlejson_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql/googlejson"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b": {"d": 1, "c": [ ]}, "a": null}`:           `{"a":null,"b":{"c":[],"d":1}}`,
		`{"a": 1, "a": 2}`:                               `{"a":1}`,
		`[1.50, 18446744073709551615, -1e3, "<\u00e4>"]`: `[1.5,18446744073709551615,-1000.0,"<ä>"]`,
		` true `: `true`,
	} {
		got, err := googlejson.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{``, `{`, `{"a": 1} 2`, `[1,]`, `{'a': 1}`, `1e400`, `18446744073709551616`, `[0.1000000000000000000000001]`, `NaN`} {
		_, err := googlejson.Parse(text)
		require.Error(t, err, text)
	}
	got, err := googlejson.ParseRounded(`[18446744073709551616, 1.00000000000000000000001]`)
	require.NoError(t, err)
	assert.Equal(t, `[1.8446744073709552e+19,1.0]`, got)
	_, err = googlejson.ParseRounded(`1e400`)
	require.Error(t, err)
}

func TestParsePath(t *testing.T) {
	t.Parallel()
	steps, err := googlejson.ParsePath(`$.a-b[2]."c d"['e']["f"].ä`)
	require.NoError(t, err)
	assert.Equal(t, []googlejson.Step{{Name: "a-b"}, {Index: 2, IsIndex: true}, {Name: "c d"}, {Name: "e"}, {Name: "f"}, {Name: "ä"}}, steps)
	for _, path := range []string{"", "a", "$.", "$a", "$[*]", "$.a[-1]", "$..a", "$[99999999999999999999]", "$[1000001]"} {
		_, err := googlejson.ParsePath(path)
		require.Error(t, err, path)
	}
}

// Changes of JSON that is not JSON, or at what is no path, are errors. Changes that do not fit leave the JSON as it is.
func TestChange(t *testing.T) {
	t.Parallel()
	for _, change := range []string{googlejson.SetValue, googlejson.Append, googlejson.Insert, googlejson.Remove, googlejson.StripNulls} {
		_, err := googlejson.Change(change, `{`, "$.a", "1", true)
		require.Error(t, err, change)
		_, err = googlejson.Change(change, `{}`, "a", "1", true)
		require.Error(t, err, change)
		got, err := googlejson.Change(change, `{"a": "b"}`, "$.a[0]", "1", true)
		require.NoError(t, err, change)
		assert.JSONEq(t, `{"a": "b"}`, got, change)
	}
	for _, change := range []string{googlejson.SetValue, googlejson.Append, googlejson.Insert} {
		_, err := googlejson.Change(change, `{}`, "$.a", "{", true)
		require.Error(t, err, change)
	}
	_, err := googlejson.Change(googlejson.Remove, `{}`, "$", "", false)
	require.ErrorContains(t, err, "cannot remove $")
	_, err = googlejson.Change("turn", `{}`, "$.a", "1", false)
	require.ErrorContains(t, err, `no change "turn"`)
}

// The lines of nested brackets are as long as the brackets are deep, so that the depth bounds what a short text becomes.
func TestPrettyLimitsDepth(t *testing.T) {
	t.Parallel()
	nested := func(open string, depth int, closing string) string {
		return strings.Repeat(open, depth) + "1" + strings.Repeat(closing, depth)
	}
	for _, text := range []string{
		nested("[", 500, "]"), nested(`{"a":`, 500, "}"), nested(`[{"[":`, 250, "}]"), `["` + strings.Repeat("[", 10_000) + `"]`, `["\"` + strings.Repeat("{", 10_000) + `\\"]`,
		"[" + strings.Repeat("[1],", 10_000) + "1]",
	} {
		pretty, err := googlejson.Pretty(text)
		require.NoError(t, err, text[:10])
		assert.JSONEq(t, text, pretty.(string))
	}
	for _, text := range []string{nested("[", 501, "]"), nested(`{"a":`, 501, "}"), nested(`[{"[":`, 251, "}]"), nested("[", 200_000, "]"), `["\\",` + nested("[", 500, "]") + "]"} {
		_, err := googlejson.Pretty(text)
		require.EqualError(t, err, "JSON with brackets in more than 500 levels cannot be indented; TO_JSON_STRING(x) writes it in one line")
	}
}

func TestBadJSON(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(string) (any, error){
		"LaxBool": googlejson.LaxBool, "LaxInt64": googlejson.LaxInt64, "LaxFloat64": googlejson.LaxFloat64, "LaxString": googlejson.LaxString,
		"IsExactFloat64": googlejson.IsExactFloat64, "Pretty": googlejson.Pretty,
		"Flatten":  func(text string) (any, error) { return googlejson.Flatten(text) },
		"Contains": func(text string) (any, error) { return googlejson.Contains("{}", text) },
		"in":       func(text string) (any, error) { return googlejson.Contains(text, "{}") },
		"Keys":     func(text string) (any, error) { return googlejson.Keys(text, 1, googlejson.Strict) },
		"names":    func(text string) (any, error) { return googlejson.Object(text, "[]") },
		"values":   func(text string) (any, error) { return googlejson.Object("[]", text) },
	} {
		_, err := of(`{"a"`)
		require.Error(t, err, name)
	}
}
