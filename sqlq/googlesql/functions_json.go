package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq/googlesql/googlejson"
)

func jsonFunctions() []function {
	const params = "STRING | STRING, STRING | JSON | JSON, STRING"
	functions := slices.Concat(jsonConversions(), jsonChanges())
	return append(functions, []function{
		{name: "TO_JSON_STRING", params: "ANY", result: "STRING", size: sizeOfJSON, check: checkToJSON, duckdb: form{by: toJSON}},
		{name: "TO_JSON_STRING", params: "ANY, BOOL", result: "STRING", size: sizeOfPretty, check: checkToJSON, duckdb: form{by: toJSON}},
		{name: "TO_JSON", params: "ANY", result: "JSON", named: "stringify_wide_numbers BOOL", size: sizeOfJSON, check: checkToJSON, duckdb: form{by: toJSON}},
		{name: "PARSE_JSON", params: "STRING", result: "JSON", named: wideNumberMode, check: checkParseJSON, duckdb: form{by: parseJSON}},
		{name: "JSON_TYPE", params: "JSON", result: "STRING", duckdb: form{sql: "CASE json_type({0}) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'ARRAY' THEN 'array' WHEN 'OBJECT' THEN 'object' WHEN 'NULL' THEN 'null' WHEN NULL THEN NULL ELSE CASE WHEN {0} IS NOT NULL THEN 'number' END END"}},
		{name: "JSON_VALUE JSON_EXTRACT_SCALAR", params: params, result: "STRING", check: checkPath, duckdb: form{by: jsonValue}},
		{name: "JSON_QUERY JSON_EXTRACT", params: params, result: "STRING | STRING | JSON | JSON", check: checkPath, duckdb: form{by: jsonQuery}},
		{name: "JSON_VALUE_ARRAY JSON_EXTRACT_STRING_ARRAY", params: params, result: "ARRAY<STRING>", size: sizeOfFirst(elementBytes / 2), check: checkPath, duckdb: form{by: jsonValueArray}},
		{name: "JSON_QUERY_ARRAY JSON_EXTRACT_ARRAY", params: params, result: "ARRAY<STRING> | ARRAY<STRING> | ARRAY<JSON> | ARRAY<JSON>", size: sizeOfFirst(elementBytes / 2), check: checkPath, duckdb: form{by: jsonQueryArray}},
	}...)
}

func checkToJSON(c *call) { useAsJSON(c.args[0].typ) }

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
	// sorts puts the members of objects in the order of their names, as the type JSON has them.
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
		return text("CASE WHEN isnan(", v, ") THEN to_json('NaN') WHEN isinf(", v, ") THEN to_json(CASE WHEN ", v, " > 0 THEN 'Infinity' ELSE '-Infinity' END) ELSE CAST(", castToText(v), " AS JSON) END")
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
		fields := each(order, func(_, i int) fragment {
			return text(quoteText(v.typ.fields[i].name)+", ", j.of(v.fieldAt(i, v.at)))
		})
		return text("CASE WHEN ", v, " IS NOT NULL THEN json_object(", list(", ", fields), ") END")
	}
	return text("to_json(", v, ")")
}

// isoText is the text of a time with a date, with none, three or six digits of the second.
func isoText(v value) fragment {
	return text("replace(", datetimeText(v), ", ' ', 'T')")
}

// jsonPath returns the constant path of a call in DuckDB's spelling.
func (c *call) jsonPath() string {
	if len(c.args) < 2 {
		return "'$'"
	}
	at := c.args[1].at
	var path strings.Builder
	path.WriteString("$")
	for _, step := range c.steps(c.args[1]) {
		switch {
		case step.IsIndex:
			path.WriteString("[" + itoa(step.Index) + "]")
		case strings.Contains(step.Name, `"`):
			fail(at, "%s does not take a name with a quote", c.name)
		default:
			path.WriteString(`."` + step.Name + `"`)
		}
	}
	return quoteText(path.String())
}

// checkPath fails for a path that is not supported.
func checkPath(c *call) { c.jsonPath() }

// steps returns the steps of a constant path.
func (c *call) steps(path value) []googlejson.Step {
	if path.constant == nil {
		fail(path.at, "the path of %s must be a constant", c.name)
	}
	steps, err := googlejson.ParsePath(path.constant.text)
	if err != nil {
		fail(path.at, "%s does not take %s", c.name, err)
	}
	return steps
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
