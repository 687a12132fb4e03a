package googlesql

import (
	"strings"

	"savedq/sqlq/googlesql/googlejson"
)

// jsonChanges are the functions that make JSON of other JSON, or of its parts.
func jsonChanges() []function {
	return []function{
		{name: "JSON_SET", params: "JSON, STRING, ANY…", result: "JSON", named: "create_if_missing BOOL", size: sizeOfChange, check: checkChange, duckdb: form{by: jsonSet}, note: "pairs of a constant path and a value"},
		{name: "JSON_ARRAY_APPEND", params: "JSON, STRING, ANY…", result: "JSON", named: "append_each_element BOOL", size: sizeOfChange, check: checkChange, duckdb: form{by: jsonAppend}, note: "pairs of a constant path and a value"},
		{name: "JSON_ARRAY_INSERT", params: "JSON, STRING, ANY…", result: "JSON", named: "insert_each_element BOOL", size: sizeOfChange, check: checkChange, duckdb: form{by: jsonInsert}, note: "pairs of a constant path and a value"},
		{name: "JSON_REMOVE", params: "JSON, STRING…", result: "JSON", check: checkRemove, duckdb: form{by: jsonRemove}, note: "with constant paths"},
		{name: "JSON_STRIP_NULLS", params: "JSON | JSON, STRING", result: "JSON", named: "include_arrays BOOL, remove_empty BOOL", check: checkStripNulls, duckdb: form{by: jsonStripNulls}},
		{name: "JSON_OBJECT", params: "", result: "JSON", duckdb: form{by: emptyObject}},
		{name: "JSON_OBJECT", params: "STRING, ANY…", result: "JSON", size: sizeTimes(6), check: checkObject, duckdb: form{by: jsonObject}, note: "pairs of a name and a value"},
		{name: "JSON_OBJECT", params: "ARRAY<STRING>, ARRAY", result: "JSON", size: sizeTimes(6), check: checkValues, duckdb: form{by: jsonObjectOfArrays}},
		{name: "JSON_ARRAY", params: "", result: "JSON", duckdb: form{sql: "CAST('[]' AS JSON)"}},
		{name: "JSON_ARRAY", params: "ANY…", result: "JSON", size: sizeTimes(6), check: checkValues, duckdb: form{by: jsonArray}},
		{name: "JSON_CONTAINS", params: "JSON, JSON", result: "BOOL", duckdb: form{sql: "json_holds({0}, {1})"}},
		{name: "JSON_FLATTEN", params: "JSON", result: "ARRAY<JSON>", size: sizeOfFirst(elementBytes / 2), duckdb: form{sql: `list_transform(from_json(flat_json({0}), '["JSON"]'), lambda {e}: coalesce({e}, CAST('null' AS JSON)))`}},
		{name: "JSON_KEYS", params: "JSON | JSON, INT64", result: "ARRAY<STRING>", named: "mode STRING", size: sizeOfKeys, check: checkKeys, duckdb: form{by: jsonKeys}},
	}
}

// checkChange fails for a path that is not supported.
func checkChange(c *call) {
	for i := 1; i < len(c.args); i += 2 {
		c.path(i)
	}
	if len(c.args)%2 == 0 {
		fail(c.args[len(c.args)-1].at, "%s takes pairs of a path and a value, and the last path has no value", c.name)
	}
	checkValues(c)
}

// checkValues notes that values become JSON.
func checkValues(c *call) {
	for _, arg := range c.args {
		useAsJSON(arg.typ)
	}
}

// path returns an argument that is a constant path in JSON, and false for NULL.
func (c *call) path(i int) (string, bool) {
	of, written := c.args[i], c.written.args[i]
	if constant, isConstant := written.(*literal); isConstant && constant.kind == nullKind || isNullCast(written) {
		return "", false
	}
	if !of.typ.is(stringKind) {
		fail(of.at, "the path of %s must be a STRING, not a value of type %s", c.name, of.typ)
	}
	c.steps(of)
	return of.constant.text, true
}

func checkRemove(c *call) {
	for i := 1; i < len(c.args); i++ {
		if _, found := c.path(i); found && len(c.steps(c.args[i])) == 0 {
			fail(c.args[i].at, "JSON_REMOVE cannot remove $, which is everything")
		}
	}
}

func checkStripNulls(c *call) {
	if len(c.args) > 1 {
		c.path(1)
	}
}

// checkObject fails for a name without a value.
func checkObject(c *call) {
	if len(c.args)%2 != 0 {
		fail(c.args[len(c.args)-1].at, "JSON_OBJECT takes pairs of a name and a value, and the last name has no value")
	}
	for i := 0; i < len(c.args); i += 2 {
		c.args[i] = coerce(c.args[i], scalar(stringKind))
		useAsJSON(c.args[i+1].typ)
	}
}

// keysMode returns the mode of JSON_KEYS.
func (c *call) keysMode() string {
	return strings.ToLower(c.mode("mode", googlejson.Strict, googlejson.Lax, googlejson.LaxRecursive))
}

func checkKeys(c *call) { c.keysMode() }
