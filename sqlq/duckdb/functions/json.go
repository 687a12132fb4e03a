package functions

import (
	"strconv"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq/googlesql/googlejson"
)

// jsonFunctions are functions of JSON, which is text.
func jsonFunctions() []rowFunction {
	text, boolean := duckdb.TYPE_VARCHAR, duckdb.TYPE_BOOLEAN
	of := func(convert func(text string) (any, error)) func([]string) (any, error) {
		return func(texts []string) (any, error) { return convert(texts[0]) }
	}
	return []rowFunction{
		ofTexts("parsed_json", 1, text, func(of []string) (any, error) { return googlejson.Parse(of[0]) }),
		ofTexts("rounded_json", 1, text, func(of []string) (any, error) { return googlejson.ParseRounded(of[0]) }),
		ofTexts("changed_json", 5, text, func(of []string) (any, error) {
			return googlejson.Change(of[0], of[1], of[2], of[3], of[4] == "true")
		}),
		ofTexts("object_json", 2, text, func(of []string) (any, error) { return googlejson.Object(of[0], of[1]) }),
		ofTexts("json_holds", 2, boolean, func(of []string) (any, error) { return googlejson.Contains(of[0], of[1]) }),
		ofTexts("flat_json", 1, text, func(of []string) (any, error) { return googlejson.Flatten(of[0]) }),
		ofTexts("attributes_json", 1, text, of(func(metadata string) (any, error) { return attributes(metadata) })),
		ofTexts("lax_bool", 1, boolean, of(googlejson.LaxBool)),
		ofTexts("lax_int64", 1, duckdb.TYPE_BIGINT, of(googlejson.LaxInt64)),
		ofTexts("lax_float64", 1, duckdb.TYPE_DOUBLE, of(googlejson.LaxFloat64)),
		ofTexts("lax_string", 1, text, of(googlejson.LaxString)),
		ofTexts("is_exact_float64", 1, boolean, of(googlejson.IsExactFloat64)),
		ofValues("json_number", []duckdb.Type{duckdb.TYPE_DOUBLE}, text, func(of arguments) (any, error) { return googlejson.FloatText(of[0].(float64)), nil }), //nolint:forcetypeassert // It has been checked.
		ofTexts("pretty_json", 1, text, of(googlejson.Pretty)),
		ofTexts("key_paths_json", 3, text, func(of []string) (any, error) {
			depth, err := strconv.ParseInt(of[1], 10, 64)
			if err != nil {
				return nil, err
			}
			return googlejson.Keys(of[0], depth, of[2])
		}),
	}
}
