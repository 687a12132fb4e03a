package googlesql

import (
	"slices"
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

// changed returns JSON with changes, of which each is of a path and a value. Those of a path that is NULL are left out.
func (p *printer) changed(c *call, change func(of value) (name string, option bool)) fragment {
	sql := fragment(c.args[0].node)
	for i := 1; i < len(c.args); i += 2 {
		if path, found := c.path(i); found {
			name, option := change(c.args[i+1])
			sql = changedJSON(name, sql, path, text("CAST(", p.jsonOrNull(c.args[i+1], false), " AS VARCHAR)"), option)
		}
	}
	return sql
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

// changedJSON calls the function of DuckDB that changes JSON.
func changedJSON(change string, of fragment, path string, added fragment, option bool) fragment {
	return text("CAST(changed_json("+quoteText(change)+", ", of, ", "+quoteText(path)+", ", added, ", '"+ifElse(option, "true", "false")+"') AS JSON)")
}

func jsonSet(p *printer, c *call) fragment {
	creates, isNull := c.flag("create_if_missing", true)
	if isNull {
		return c.args[0].node
	}
	return p.changed(c, func(value) (string, bool) { return googlejson.SetValue, creates })
}

func jsonAppend(p *printer, c *call) fragment {
	return p.addedEach(c, googlejson.Append, "append_each_element")
}

func jsonInsert(p *printer, c *call) fragment {
	return p.addedEach(c, googlejson.Insert, "insert_each_element")
}

// addedEach adds values to arrays. The elements of an array are values of their own unless the flag is false, and an array
// that is NULL has none.
func (p *printer) addedEach(c *call, change, flag string) fragment {
	each, isNull := c.flag(flag, true)
	if isNull {
		return c.args[0].node
	}
	c = c.with(slices.Clone(c.args))
	for i := 2; i < len(c.args) && each; i += 2 {
		if c.args[i].typ.is(arrayKind) {
			c.args[i].node = written{text("coalesce(", c.args[i], ", [])")}
		}
	}
	return p.changed(c, func(of value) (string, bool) { return change, each && of.typ.is(arrayKind) })
}

func checkRemove(c *call) {
	for i := 1; i < len(c.args); i++ {
		if _, found := c.path(i); found && len(c.steps(c.args[i])) == 0 {
			fail(c.args[i].at, "JSON_REMOVE cannot remove $, which is everything")
		}
	}
}

func jsonRemove(_ *printer, c *call) fragment {
	sql := fragment(c.args[0].node)
	for i := 1; i < len(c.args); i++ {
		if path, found := c.path(i); found {
			sql = changedJSON(googlejson.Remove, sql, path, plain("''"), false)
		}
	}
	return sql
}

func checkStripNulls(c *call) {
	if len(c.args) > 1 {
		c.path(1)
	}
}

func jsonStripNulls(_ *printer, c *call) fragment {
	ofArrays, noArrays := c.flag("include_arrays", true)
	removesEmpty, noEmpty := c.flag("remove_empty", false)
	path, found := "$", true
	if len(c.args) > 1 {
		path, found = c.path(1)
	}
	if noArrays || noEmpty || !found {
		return c.args[0].node
	}
	return changedJSON(ifElse(ofArrays, googlejson.StripNullsOfArrays, googlejson.StripNulls), c.args[0].node, path, plain("''"), removesEmpty)
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

// jsonObject makes an object of names and values in turn.
func jsonObject(p *printer, c *call) fragment {
	var names, values []fragment
	for i := 0; i < len(c.args); i += 2 {
		names = append(names, text("to_json(", c.args[i], ")"))
		values = append(values, p.jsonOrNull(c.args[i+1], false))
	}
	return text("CAST(object_json(json_array(", list(", ", names), "), json_array(", list(", ", values), ")) AS JSON)")
}

func jsonObjectOfArrays(p *printer, c *call) fragment {
	return text("CAST(object_json(coalesce(to_json(", c.args[0], "), 'null'), ", p.jsonOrNull(c.args[1], false), ") AS JSON)")
}

func jsonArray(p *printer, c *call) fragment {
	return text("json_array(", list(", ", each(c.args, func(_ int, arg value) fragment { return p.jsonOrNull(arg, false) })), ")")
}

// keysMode returns the mode of JSON_KEYS.
func (c *call) keysMode() string {
	return strings.ToLower(c.mode("mode", googlejson.Strict, googlejson.Lax, googlejson.LaxRecursive))
}

// emptyObject writes {}, which a template cannot.
func emptyObject(*printer, *call) fragment { return plain("CAST('{}' AS JSON)") }

func checkKeys(c *call) { c.keysMode() }

// jsonKeys returns the paths of members.
func jsonKeys(_ *printer, c *call) fragment {
	depth := fragment(plain("'" + itoa(mostJSONDepth) + "'"))
	if len(c.args) > 1 {
		depth = text("CAST(", c.args[1], " AS VARCHAR)")
	}
	return text("from_json(key_paths_json(", c.args[0], ", ", depth, ", "+quoteText(c.keysMode())+`), '["VARCHAR"]')`)
}

// mostJSONDepth is how deep JSON is nested at most.
const mostJSONDepth = 500
