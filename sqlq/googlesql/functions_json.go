package googlesql

import (
	"regexp"
	"strings"
)

func jsonFunctions() []function {
	const params = "STRING | STRING, STRING | JSON | JSON, STRING"
	return []function{
		{name: "TO_JSON_STRING", params: "ANY", result: "STRING", size: sizeOfJSON, emit: toJSON},
		{name: "TO_JSON", params: "ANY", result: "JSON", size: sizeOfJSON, emit: toJSON},
		{name: "PARSE_JSON", params: "STRING", result: "JSON", sql: "CAST(parsed_json({0}) AS JSON)"},
		{name: "JSON_TYPE", params: "JSON", result: "STRING", sql: "CASE json_type({0}) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'ARRAY' THEN 'array' WHEN 'OBJECT' THEN 'object' WHEN 'NULL' THEN 'null' WHEN NULL THEN NULL ELSE CASE WHEN {0} IS NOT NULL THEN 'number' END END"},
		// A cast of JSON is a TRY_CAST: DuckDB also converts values for which the CASE has another branch.
		{name: "STRING", params: "JSON", result: "STRING", sql: ofJSON("STRING", "= 'VARCHAR'", "json_extract_string({0}, '$')")},
		{name: "BOOL", params: "JSON", result: "BOOL", sql: ofJSON("BOOL", "= 'BOOLEAN'", "TRY_CAST({0} AS BOOLEAN)")},
		{name: "FLOAT64", params: "JSON", result: "FLOAT64", sql: ofJSON("FLOAT64", "IN ('UBIGINT', 'BIGINT', 'DOUBLE')", "TRY_CAST({0} AS DOUBLE)")},
		{name: "INT64", params: "JSON", result: "INT64", sql: ofJSON("INT64", "IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND TRY_CAST({0} AS DOUBLE) = trunc(TRY_CAST({0} AS DOUBLE))", "coalesce(CASE WHEN json_type({0}) = 'DOUBLE' THEN TRY_CAST(TRY_CAST({0} AS DOUBLE) AS BIGINT) ELSE TRY_CAST({0} AS BIGINT) END, {!The JSON is no INT64})")},
		{name: "LAX_STRING", params: "JSON", result: "STRING", sql: "CASE WHEN json_type({0}) NOT IN ('ARRAY', 'OBJECT', 'NULL') THEN json_extract_string({0}, '$') END"},
		{name: "LAX_BOOL", params: "JSON", result: "BOOL", sql: "CASE json_type({0}) WHEN 'BOOLEAN' THEN TRY_CAST({0} AS BOOLEAN) WHEN 'VARCHAR' THEN CASE lower(json_extract_string({0}, '$')) WHEN 'true' THEN true WHEN 'false' THEN false END WHEN 'UBIGINT' THEN TRY_CAST({0} AS DOUBLE) <> 0 WHEN 'BIGINT' THEN TRY_CAST({0} AS DOUBLE) <> 0 WHEN 'DOUBLE' THEN TRY_CAST({0} AS DOUBLE) <> 0 END"},
		{name: "LAX_FLOAT64", params: "JSON", result: "FLOAT64", sql: "CASE WHEN json_type({0}) IN ('UBIGINT', 'BIGINT', 'DOUBLE', 'VARCHAR') THEN TRY_CAST(json_extract_string({0}, '$') AS DOUBLE) END"},
		{name: "LAX_INT64", params: "JSON", result: "INT64", sql: "CASE json_type({0}) WHEN 'BOOLEAN' THEN TRY_CAST(TRY_CAST({0} AS BOOLEAN) AS BIGINT) WHEN 'UBIGINT' THEN TRY_CAST({0} AS BIGINT) WHEN 'BIGINT' THEN TRY_CAST({0} AS BIGINT) WHEN 'DOUBLE' THEN TRY_CAST(round(TRY_CAST({0} AS DOUBLE)) AS BIGINT) WHEN 'VARCHAR' THEN TRY_CAST(round(TRY_CAST(json_extract_string({0}, '$') AS DOUBLE)) AS BIGINT) END"},
		{name: "JSON_VALUE JSON_EXTRACT_SCALAR", params: params, result: "STRING", emit: jsonValue},
		{name: "JSON_QUERY JSON_EXTRACT", params: params, result: "STRING | STRING | JSON | JSON", emit: jsonQuery},
		{name: "JSON_VALUE_ARRAY JSON_EXTRACT_STRING_ARRAY", params: params, result: "ARRAY<STRING>", size: sizeOfFirst(elementBytes / 2), emit: jsonValueArray},
		{name: "JSON_QUERY_ARRAY JSON_EXTRACT_ARRAY", params: params, result: "ARRAY<STRING> | ARRAY<STRING> | ARRAY<JSON> | ARRAY<JSON>", size: sizeOfFirst(elementBytes / 2), emit: jsonQueryArray},
	}
}

// ofJSON reads JSON that must be of a kind.
func ofJSON(name, kind, sql string) string {
	return "CASE WHEN json_type({0}) " + kind + " THEN " + sql + " WHEN {0} IS NOT NULL THEN {!The JSON is no " + name + "} END"
}

// toJSON makes JSON of any value.
func toJSON(c *call) value {
	arg := c.args[0]
	sql := jsonOf(arg, c.typ.kind == stringKind)
	if arg.typ.kind == dynamicKind {
		sql = arg.dyn.as(scalar(jsonKind))
		if c.typ.kind == jsonKind { // NULL is as good as a JSON null, and what the store has
			return c.value(sql)
		}
	}
	if c.typ.kind == stringKind {
		return c.value("CAST(coalesce(", sql, ", 'null') AS VARCHAR)")
	}
	return c.value("coalesce(", sql, ", CAST('null' AS JSON))")
}

// jsonOf returns a value as JSON, with the texts of GoogleSQL for what JSON does not have. In the text of
// TO_JSON_STRING, numbers that other readers would not take exactly are texts as well.
func jsonOf(v value, inText bool) fragment {
	switch v.typ.kind { //nolint:exhaustive // DuckDB writes the others so.
	case jsonKind:
		return text("json(", v, ")")
	case dynamicKind:
		return text("json(", v.dyn.as(scalar(jsonKind)), ")")
	case int64Kind: // other readers take numbers as doubles
		if !inText {
			break
		}
		return text("CASE WHEN ", v, " BETWEEN -9007199254740992 AND 9007199254740992 THEN to_json(", v, ") ELSE to_json(CAST(", v, " AS VARCHAR)) END")
	case float64Kind, numberKind:
		return text("CASE WHEN isnan(", v, ") THEN to_json('NaN') WHEN isinf(", v, ") THEN to_json(CASE WHEN ", v, " > 0 THEN 'Infinity' ELSE '-Infinity' END) ELSE CAST(", castToText(v), " AS JSON) END")
	case numericKind:
		number := text("CAST(", castToText(v), " AS JSON)")
		if !inText {
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
		return text("to_json(list_transform(", v, ", lambda e: ", jsonOf(element(v.typ.elem, plain("e"), v.at), inText), "))")
	case structKind:
		fields := each(v.typ.fields, func(i int, f field) fragment { return text(quoteText(f.name)+", ", jsonOf(v.fieldAt(i, v.at), inText)) })
		return text("CASE WHEN ", v, " IS NOT NULL THEN json_object(", list(", ", fields), ") END")
	}
	return text("to_json(", v, ")")
}

// isoText is the text of a time with a date, with none, three or six digits of the second.
func isoText(v value) fragment {
	return text("replace(", datetimeText(v), ", ' ', 'T')")
}

// pathStep matches a step of a path in JSON.
var pathStep = regexp.MustCompile(`^(?:\.([A-Za-z_\p{L}][\w\p{L}-]*)|\.?\[([0-9]+)\]|\."([^"]*)"|\['([^']*)'\]|\["([^"]*)"\])`)

// jsonPath returns the constant path of a call in DuckDB's spelling.
func (c *call) jsonPath() string {
	if len(c.args) < 2 {
		return "'$'"
	}
	constant, at := c.args[1].constant, c.args[1].at
	if constant == nil {
		fail(at, "the path of %s must be a constant", c.name)
	}
	rest, found := strings.CutPrefix(constant.text, "$")
	if !found {
		fail(at, "the path of %s begins with $", c.name)
	}
	var path strings.Builder
	path.WriteString("$")
	for rest != "" {
		match := pathStep.FindStringSubmatch(rest)
		if match == nil {
			fail(at, "%s does not take the path %q; it takes names and indexes, such as $.a[0]", c.name, constant.text)
		}
		rest = rest[len(match[0]):]
		if match[2] != "" {
			path.WriteString("[" + match[2] + "]")
			continue
		}
		name := match[1] + match[3] + match[4] + match[5]
		if strings.Contains(name, `"`) {
			fail(at, "%s does not take a name with a quote", c.name)
		}
		path.WriteString(`."` + name + `"`)
	}
	return quoteText(path.String())
}

// source is the JSON that a call reads. Text that is not JSON gives NULL.
func (c *call) source() fragment {
	of := c.args[0].sql
	if c.args[0].typ.kind == stringKind {
		return text("TRY_CAST(", of, " AS JSON)")
	}
	return of
}

// jsonValue reads a scalar. Objects and lists are NULL.
func jsonValue(c *call) value {
	of, path := c.source(), c.jsonPath()
	return c.value("json_extract_string(json_value(", of, ", "+path+"), '$')")
}

// jsonQuery reads any JSON.
func jsonQuery(c *call) value {
	sql := text("json_extract(", c.source(), ", "+c.jsonPath()+")")
	if c.typ.kind == stringKind {
		return c.value("nullif(CAST(", sql, " AS VARCHAR), 'null')")
	}
	return c.value(sql)
}

// jsonList reads the elements of a list as JSON; NULL for what is no list.
func (c *call) jsonList() fragment {
	of, path := c.source(), c.jsonPath()
	return text("CASE WHEN json_type(", of, ", "+path+") = 'ARRAY' THEN from_json(json_extract(", of, ", "+path+`), '["JSON"]') END`)
}

func jsonQueryArray(c *call) value {
	if c.typ.elem.kind == stringKind {
		return c.value("list_transform(", c.jsonList(), ", lambda e: coalesce(CAST(e AS VARCHAR), 'null'))")
	}
	return c.value(c.jsonList())
}

// jsonValueArray reads a list of scalars. A list with others is NULL.
func jsonValueArray(c *call) value {
	elements := c.jsonList()
	return c.value("CASE WHEN len(list_filter(", elements, ", lambda e: json_type(e) IN ('OBJECT', 'ARRAY'))) = 0 THEN list_transform(", elements, ", lambda e: json_extract_string(e, '$')) END")
}
