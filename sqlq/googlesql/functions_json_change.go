package googlesql

import (
	"strings"

	"savedq/sqlq/googlesql/googlejson"
)

// jsonChanges are the functions that make JSON of other JSON, or of its parts.
func jsonChanges() []function {
	return []function{
		{name: "JSON_SET", params: "JSON, STRING, ANY…", result: "JSON", named: "create_if_missing BOOL", size: sizeOfChange, emit: jsonSet, note: "pairs of a constant path and a value"},
		{name: "JSON_ARRAY_APPEND", params: "JSON, STRING, ANY…", result: "JSON", named: "append_each_element BOOL", size: sizeOfChange, emit: jsonAppend, note: "pairs of a constant path and a value"},
		{name: "JSON_ARRAY_INSERT", params: "JSON, STRING, ANY…", result: "JSON", named: "insert_each_element BOOL", size: sizeOfChange, emit: jsonInsert, note: "pairs of a constant path and a value"},
		{name: "JSON_REMOVE", params: "JSON, STRING…", result: "JSON", emit: jsonRemove, note: "with constant paths"},
		{name: "JSON_STRIP_NULLS", params: "JSON | JSON, STRING", result: "JSON", named: "include_arrays BOOL, remove_empty BOOL", emit: jsonStripNulls},
		{name: "JSON_OBJECT", params: "", result: "JSON", emit: func(c *call) value { return c.value("CAST('{}' AS JSON)") }},
		{name: "JSON_OBJECT", params: "STRING, ANY…", result: "JSON", size: sizeTimes(6), emit: jsonObject, note: "pairs of a name and a value"},
		{name: "JSON_OBJECT", params: "ARRAY<STRING>, ARRAY", result: "JSON", size: sizeTimes(6), emit: jsonObjectOfArrays},
		{name: "JSON_ARRAY", params: "", result: "JSON", sql: "CAST('[]' AS JSON)"},
		{name: "JSON_ARRAY", params: "ANY…", result: "JSON", size: sizeTimes(6), emit: jsonArray},
		{name: "JSON_CONTAINS", params: "JSON, JSON", result: "BOOL", sql: "json_holds({0}, {1})"},
		{name: "JSON_FLATTEN", params: "JSON", result: "ARRAY<JSON>", size: sizeOfFirst(elementBytes / 2), sql: `list_transform(from_json(flat_json({0}), '["JSON"]'), lambda {e}: coalesce({e}, CAST('null' AS JSON)))`},
		{name: "JSON_KEYS", params: "JSON | JSON, INT64", result: "ARRAY<STRING>", named: "mode STRING", size: sizeOfKeys, emit: jsonKeys},
	}
}

// sizeOfChange is the bytes of the values, and of the nulls that indexes of paths make.
func sizeOfChange(args []value) fragment {
	padding := 0
	for _, arg := range args[1:] {
		if arg.constant == nil {
			continue
		}
		if steps, err := googlejson.ParsePath(arg.constant.text); err == nil {
			for _, step := range steps {
				padding += step.Index * len("null,")
			}
		}
	}
	return text(sizeOfAll(args, "6 * "), " + "+itoa(padding))
}

// sizeOfKeys is the bytes of the paths of members, which can each have the names of all members around it.
func sizeOfKeys(args []value) fragment {
	return template("CAST(strlen({0}) AS DOUBLE) * strlen({0}) / 8", args...)
}

// sizeOfPretty is the bytes of JSON with an indent for each level.
func sizeOfPretty(args []value) fragment {
	const levels, jsonLevels = 8, 500
	if args[0].typ.is(arrayKind, structKind, jsonKind, dynamicKind) {
		return sizeOfFirst(2 * jsonLevels)(args)
	}
	return sizeOfFirst(levels)(args)
}

// changed returns JSON with changes, of which each is of a path and a value. Those of a path that is NULL are left out.
func (c *call) changed(change func(of value) (name string, option bool)) value {
	if len(c.args)%2 == 0 {
		fail(c.args[len(c.args)-1].at, "%s takes pairs of a path and a value, and the last path has no value", c.name)
	}
	sql := c.args[0].sql
	for i := 1; i < len(c.args); i += 2 {
		if path, found := c.path(i); found {
			name, option := change(c.args[i+1])
			sql = changedJSON(name, sql, path, text("CAST(", jsonOrNull(c.args[i+1], false), " AS VARCHAR)"), option)
		}
	}
	return c.value(sql)
}

// path returns an argument that is a constant path in JSON, and false for NULL.
func (c *call) path(i int) (string, bool) {
	of, written := c.args[i], c.node.args[i]
	if constant, isConstant := written.(*literal); isConstant && constant.kind == nullKind || isNullCast(written) {
		return "", false
	}
	if !of.typ.is(stringKind) {
		fail(of.at, "the path of %s must be a STRING, not a value of type %s", c.name, of.typ)
	}
	c.steps(of)
	return of.constant.text, true
}

// changedJSON calls the function of DuckDB that changes JSON.
func changedJSON(change string, of fragment, path string, added fragment, option bool) fragment {
	return text("CAST(changed_json("+quoteText(change)+", ", of, ", "+quoteText(path)+", ", added, ", '"+ifElse(option, "true", "false")+"') AS JSON)")
}

func jsonSet(c *call) value {
	creates, isNull := c.flag("create_if_missing", true)
	if isNull {
		return c.value(c.args[0])
	}
	return c.changed(func(value) (string, bool) { return googlejson.SetValue, creates })
}

func jsonAppend(c *call) value { return c.addedEach(googlejson.Append, "append_each_element") }

func jsonInsert(c *call) value { return c.addedEach(googlejson.Insert, "insert_each_element") }

// addedEach adds values to arrays. The elements of an array are values of their own unless the flag is false, and an array
// that is NULL has none.
func (c *call) addedEach(change, flag string) value {
	each, isNull := c.flag(flag, true)
	if isNull {
		return c.value(c.args[0])
	}
	for i := 2; i < len(c.args) && each; i += 2 {
		if c.args[i].typ.is(arrayKind) {
			c.args[i].sql = text("coalesce(", c.args[i], ", [])")
		}
	}
	return c.changed(func(of value) (string, bool) { return change, each && of.typ.is(arrayKind) })
}

func jsonRemove(c *call) value {
	sql := c.args[0].sql
	for i := 1; i < len(c.args); i++ {
		path, found := c.path(i)
		if !found {
			continue
		}
		if len(c.steps(c.args[i])) == 0 {
			fail(c.args[i].at, "JSON_REMOVE cannot remove $, which is everything")
		}
		sql = changedJSON(googlejson.Remove, sql, path, plain("''"), false)
	}
	return c.value(sql)
}

func jsonStripNulls(c *call) value {
	ofArrays, noArrays := c.flag("include_arrays", true)
	removesEmpty, noEmpty := c.flag("remove_empty", false)
	path, found := "$", true
	if len(c.args) > 1 {
		path, found = c.path(1)
	}
	if noArrays || noEmpty || !found {
		return c.value(c.args[0])
	}
	return c.value(changedJSON(ifElse(ofArrays, googlejson.StripNullsOfArrays, googlejson.StripNulls), c.args[0].sql, path, plain("''"), removesEmpty))
}

// jsonObject makes an object of names and values in turn.
func jsonObject(c *call) value {
	if len(c.args)%2 != 0 {
		fail(c.args[len(c.args)-1].at, "JSON_OBJECT takes pairs of a name and a value, and the last name has no value")
	}
	var names, values []fragment
	for i := 0; i < len(c.args); i += 2 {
		names = append(names, text("to_json(", coerce(c.args[i], scalar(stringKind)), ")"))
		values = append(values, jsonOrNull(c.args[i+1], false))
	}
	return c.value("CAST(object_json(json_array(", list(", ", names), "), json_array(", list(", ", values), ")) AS JSON)")
}

func jsonObjectOfArrays(c *call) value {
	return c.value("CAST(object_json(coalesce(to_json(", c.args[0], "), 'null'), ", jsonOrNull(c.args[1], false), ") AS JSON)")
}

func jsonArray(c *call) value {
	return c.value("json_array(", list(", ", each(c.args, func(_ int, arg value) fragment { return jsonOrNull(arg, false) })), ")")
}

// jsonKeys returns the paths of members.
func jsonKeys(c *call) value {
	depth := fragment(plain("'" + itoa(mostJSONDepth) + "'"))
	if len(c.args) > 1 {
		depth = text("CAST(", c.args[1], " AS VARCHAR)")
	}
	mode := c.mode("mode", googlejson.Strict, googlejson.Lax, googlejson.LaxRecursive)
	return c.value("from_json(key_paths_json(", c.args[0], ", ", depth, ", "+quoteText(strings.ToLower(mode))+`), '["VARCHAR"]')`)
}

// mostJSONDepth is how deep JSON is nested at most.
const mostJSONDepth = 500
