package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq/googlesql/googlejson"
)

// toJSON makes JSON of any value.
func toJSON(p *printer, c *call) fragment {
	arg := c.args[0]
	if c.typ.kind == jsonKind && arg.typ.kind == dynamicKind { // NULL is as good as a JSON null, and what the store has
		return arg.dyn.as(p, scalar(jsonKind))
	}
	if c.typ.kind == stringKind {
		compact := text("CAST(coalesce(", jsonForm{p, true, false}.of(arg), ", 'null') AS VARCHAR)")
		if len(c.args) > 1 {
			return text("CASE WHEN ", c.args[1], " THEN pretty_json(", compact, ") WHEN NOT ", c.args[1], " THEN ", compact, " END")
		}
		return compact
	}
	quotesWide, _ := c.flag("stringify_wide_numbers", false)
	return p.jsonOrNull(arg, quotesWide)
}

// jsonOrNull returns a value as JSON, which is null for NULL.
func (p *printer) jsonOrNull(v value, quotesWide bool) fragment {
	return text("coalesce(", jsonForm{p, quotesWide, true}.of(v), ", CAST('null' AS JSON))")
}

// jsonForm is how values become JSON.
type jsonForm struct {
	*printer
	// quotesWide makes texts of numbers that other readers would not take exactly.
	quotesWide bool
	// sorts puts the members of objects in the order of their names, and writes a FLOAT64, as the type JSON has them.
	sorts bool
}

// of returns a value as JSON, with the texts of GoogleSQL for what JSON does not have.
func (j jsonForm) of(v value) fragment {
	switch v.typ.kind { //nolint:exhaustive // DuckDB writes the others so.
	case jsonKind:
		return text("json(", v, ")")
	case dynamicKind:
		return text("json(", v.dyn.as(j.printer, scalar(jsonKind)), ")")
	case int64Kind: // other readers take numbers as doubles
		if !j.quotesWide {
			break
		}
		return text("CASE WHEN ", v, " BETWEEN -9007199254740992 AND 9007199254740992 THEN to_json(", v, ") ELSE to_json(CAST(", v, " AS VARCHAR)) END")
	case float64Kind, numberKind:
		return text("CASE WHEN isnan(", v, ") THEN to_json('NaN') WHEN isinf(", v, ") THEN to_json(CASE WHEN ", v, " > 0 THEN 'Infinity' ELSE '-Infinity' END) ELSE CAST(", ifElse(j.sorts, text("json_number(", v, ")"), castToText(v)), " AS JSON) END")
	case numericKind:
		number := text("CAST(", castToText(v), " AS JSON)")
		if !j.quotesWide {
			return number
		}
		return text("CASE WHEN ", v, " BETWEEN -9007199254740992 AND 9007199254740992 AND ", v, " = trunc(", v, ") THEN ", number, " ELSE to_json(", castToText(v), ") END")
	case timeKind:
		return text("to_json(", castToText(v), ")")
	case timestampKind:
		return text("to_json(", isoText(v), " || 'Z')")
	case datetimeKind:
		return text("to_json(", isoText(v), ")")
	case bytesKind:
		return text("to_json(to_base64(", v, "))")
	case intervalKind:
		return text("to_json(", isoInterval(v), ")")
	case arrayKind:
		if v.typ.elem.hasFloats() {
			return text("CASE WHEN ", v, " IS NOT NULL THEN ", jsonOf("[", text("array_to_string(list_transform(", v, ", lambda e: ", j.textOf(inside(v.typ.elem, written{plain("e")}, v.at)), "), ',')"), "]"), " END")
		}
		if v.typ.elem.is(stringKind, boolKind, nullKind) {
			return text("to_json(", v, ")")
		}
		return text("to_json(list_transform(", v, ", lambda e: ", j.of(inside(v.typ.elem, written{plain("e")}, v.at)), "))")
	case structKind:
		order := make([]int, len(v.typ.fields))
		for i := range order {
			order[i] = i
		}
		if j.sorts {
			slices.SortFunc(order, func(a, b int) int { return strings.Compare(v.typ.fields[a].name, v.typ.fields[b].name) })
		}
		if v.typ.hasFloats() {
			members := each(order, func(n, i int) fragment {
				return text(quoteText(ifElse(n > 0, ",", "")+jsonQuote(v.typ.fields[i].name)+":")+", ", j.textOf(v.fieldAt(i, v.at)))
			})
			return text("CASE WHEN ", v, " IS NOT NULL THEN ", jsonOf("{", list(", ", members), "}"), " END")
		}
		fields := each(order, func(_, i int) fragment {
			return text(quoteText(v.typ.fields[i].name)+", ", j.of(v.fieldAt(i, v.at)))
		})
		return text("CASE WHEN ", v, " IS NOT NULL THEN json_object(", list(", ", fields), ") END")
	}
	return text("to_json(", v, ")")
}

// jsonOf is JSON that is put together as text: DuckDB would write the numbers in it in its own way.
func jsonOf(begin string, of fragment, end string) fragment {
	return text("CAST(concat('"+begin+"', ", of, ", '"+end+"') AS JSON)")
}

// textOf is the text of a value as JSON, which is null for NULL.
func (j jsonForm) textOf(v value) fragment {
	return text("coalesce(CAST(", j.of(v), " AS VARCHAR), 'null')")
}

// hasFloats reports whether a value of a type is a FLOAT64, or holds one.
func (t *dataType) hasFloats() bool {
	return t.is(float64Kind, numberKind) || t.kind == arrayKind && t.elem.hasFloats() ||
		slices.ContainsFunc(t.fields, func(f field) bool { return f.typ.hasFloats() })
}

// isoText is the text of a time with a date, with none, three or six digits of the second.
func isoText(v value) fragment {
	return text("replace(", datetimeText(v), ", ' ', 'T')")
}

// source is the JSON that a call reads. Text that is not JSON gives NULL.
func (c *call) source() fragment {
	of := c.args[0].node
	if c.args[0].typ.kind == stringKind {
		return text("TRY_CAST(", of, " AS JSON)")
	}
	return of
}

// jsonValue reads a scalar. Objects and lists are NULL.
func jsonValue(_ *printer, c *call) fragment {
	of, path := c.source(), c.jsonPath()
	return text("json_extract_string(json_value(", of, ", "+path+"), '$')")
}

// jsonQuery reads any JSON.
func jsonQuery(_ *printer, c *call) fragment {
	sql := text("json_extract(", c.source(), ", "+c.jsonPath()+")")
	if c.typ.kind == stringKind {
		return text("nullif(CAST(", sql, " AS VARCHAR), 'null')")
	}
	return sql
}

// jsonList reads the elements of a list as JSON; NULL for what is no list.
func (c *call) jsonList() fragment {
	of, path := c.source(), c.jsonPath()
	return text("CASE WHEN json_type(", of, ", "+path+") = 'ARRAY' THEN from_json(json_extract(", of, ", "+path+`), '["JSON"]') END`)
}

func jsonQueryArray(_ *printer, c *call) fragment {
	if c.typ.elem.kind == stringKind {
		return text("list_transform(", c.jsonList(), ", lambda e: coalesce(CAST(e AS VARCHAR), 'null'))")
	}
	return c.jsonList()
}

// jsonValueArray reads a list of scalars. A list with others is NULL.
func jsonValueArray(_ *printer, c *call) fragment {
	elements := c.jsonList()
	return text("CASE WHEN len(list_filter(", elements, ", lambda e: json_type(e) IN ('OBJECT', 'ARRAY'))) = 0 THEN list_transform(", elements, ", lambda e: json_extract_string(e, '$')) END")
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

// sizeOfPretty is the bytes of JSON with an indent for each level. A comma and a bracket begin lines, and a bracket a level.
func sizeOfPretty(args []value) fragment {
	if !args[0].typ.is(arrayKind, structKind, jsonKind, dynamicKind) {
		return sizeOfFirst(6)(args)
	}
	const written, brackets, levels = "CAST({0} AS VARCHAR)", "concat('[', chr(123))", "500"
	without := func(characters string) string { return "strlen(translate(" + written + ", " + characters + ", ''))" }
	return template("coalesce(6 * strlen("+written+") + 2 * (1 + 2 * (strlen("+written+") - "+without("concat("+brackets+", ',')")+")) * "+
		"least("+levels+", strlen("+written+") - "+without(brackets)+"), 0)", args[0])
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

func jsonRemove(_ *printer, c *call) fragment {
	sql := fragment(c.args[0].node)
	for i := 1; i < len(c.args); i++ {
		if path, found := c.path(i); found {
			sql = changedJSON(googlejson.Remove, sql, path, plain("''"), false)
		}
	}
	return sql
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
	if slices.ContainsFunc(c.args, func(arg value) bool { return arg.typ.hasFloats() }) {
		return jsonOf("[", list(", ',', ", each(c.args, func(_ int, arg value) fragment { return jsonForm{p, false, true}.textOf(arg) })), "]")
	}
	return text("json_array(", list(", ", each(c.args, func(_ int, arg value) fragment { return p.jsonOrNull(arg, false) })), ")")
}

// emptyObject writes {}, which a template cannot.
func emptyObject(*printer, *call) fragment { return plain("CAST('{}' AS JSON)") }

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

// jsonElements are the elements of an array of JSON, of which nulls are NULL.
const jsonElements = `from_json({0}, '["JSON"]')`

// ofJSON reads JSON that must be of a kind.
func ofJSON(name, is, sql string) string {
	return "CASE WHEN " + is + " THEN " + sql + " WHEN {0} IS NOT NULL THEN {!The JSON is no " + name + "} END"
}

// ofJSONArray reads the elements of an array of JSON, which must all be of a kind.
func ofJSONArray(name, is, sql string) string {
	ofElement := func(sql string) string { return strings.ReplaceAll(sql, "{0}", "{e}") }
	return "CASE WHEN json_type({0}) = 'ARRAY' AND len(list_filter(" + jsonElements + ", lambda {e}: coalesce(" + ofElement(is) + ", false))) = json_array_length({0}) THEN list_transform(" +
		jsonElements + ", lambda {e}: " + ofElement(sql) + ") WHEN {0} IS NOT NULL THEN {!The JSON is no array of " + name + "} END"
}

// wideNumbers reads numbers of JSON with the one template or the other. Only integers can have more digits than a FLOAT64,
// because PARSE_JSON rejects others.
func wideNumbers(rounded, exact string) form {
	return form{by: func(p *printer, c *call) fragment {
		sql := ifElse(c.isExact(), exact, rounded)
		return p.inLambda(c, func(args []value) fragment { return c.with(args).template(sql) })
	}}
}

// parseJSON reads a text as JSON.
func parseJSON(_ *printer, c *call) fragment {
	return c.template(ifElse(c.isRounded(), "CAST(rounded_json({0}) AS JSON)", "CAST(parsed_json({0}) AS JSON)"))
}
