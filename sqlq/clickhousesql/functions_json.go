package clickhousesql

import (
	"strconv"
	"strings"
)

func jsonRows() []function {
	extract := func(name, result, doc string, write func(p *printer, v *value, path string) string, others ...string) function {
		return function{name: name, others: others, args: "String, Any, ...", result: result, doc: doc, build: buildJSON, write: func(p *printer, v *value) string {
			return write(p, v, v.path())
		}, flag: name == "JSONHas" || name == "JSONExtractBool"}
	}
	text := func(p *printer, v *value, path string) string {
		return p.ofJSON(v, "json_extract_string({0}, "+path+")", "''")
	}
	return []function{
		extract("JSONExtractString", "String", "The text at a path of JSON, as in `JSONExtractString(json, 'a', 'b', 1)`; empty if there is none.", text, "simpleJSONExtractString", "visitParamExtractString"),
		extract("JSONExtractInt", "Int64", "The whole number at a path, or 0.", jsonInt, "simpleJSONExtractInt", "visitParamExtractInt"),
		extract("JSONExtractUInt", "UInt64", "The same without a sign.", jsonInt, "simpleJSONExtractUInt", "visitParamExtractUInt"),
		extract("JSONExtractFloat", "Float64", "The number at a path, or 0.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "TRY_CAST(json_extract_string({0}, "+path+") AS DOUBLE)", "0::DOUBLE")
		}, "simpleJSONExtractFloat", "visitParamExtractFloat"),
		extract("JSONExtractBool", "UInt8", "1 for true at a path, else 0.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "(json_extract_string({0}, "+path+") = 'true' AND json_type({0}, "+path+") = 'BOOLEAN' OR json_type({0}, "+path+") IN ('BIGINT', 'UBIGINT') AND json_extract_string({0}, "+path+") <> '0')", "false")
		}, "simpleJSONExtractBool", "visitParamExtractBool"),
		extract("JSONExtractRaw", "String", "The JSON at a path.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "CAST(json_extract({0}, "+path+") AS VARCHAR)", "''")
		}, "simpleJSONExtractRaw", "visitParamExtractRaw"),
		extract("JSONHas", "UInt8", "Whether there is a value at a path.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "(json_extract({0}, "+path+") IS NOT NULL)", "false")
		}, "simpleJSONHas", "visitParamHas"),
		extract("JSONLength", "UInt64", "The number of elements or members at a path.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "CAST(CASE WHEN json_type({0}, "+path+") = 'OBJECT' THEN len(json_keys({0}, "+path+")) ELSE json_array_length({0}, "+path+") END AS UBIGINT)", "0::UBIGINT")
		}),
		extract("JSONExtractKeys", "Array(String)", "The names of the members at a path.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "json_keys({0}, "+path+")", "CAST([] AS VARCHAR[])")
		}),
		extract("JSONExtractArrayRaw", "Array(String)", "The elements at a path, each as JSON.", func(p *printer, v *value, path string) string {
			return p.ofJSON(v, "CASE WHEN json_type({0}, "+path+") = 'ARRAY' THEN CAST(json_extract({0}, "+path+") AS JSON[])::VARCHAR[] END", "CAST([] AS VARCHAR[])")
		}),
		{name: "isValidJSON", args: "String", result: "UInt8", doc: "Whether a text is JSON.", flag: true, sql: "json_valid({0})"},
		{name: "toJSONString", args: "Any", result: "String", doc: "A value as JSON.", write: func(p *printer, v *value) string {
			return "CAST(to_json(" + asJSON(p.plain(v.args[0]), v.args[0].typ, 0) + ") AS VARCHAR)"
		}},
	}
}

// buildJSON resolves a function of JSON and a path of constants.
func buildJSON(r *resolver, c *call) *value {
	if len(c.args) == 0 {
		fail(c.place, "%s takes (%s)", c.name, c.f.args)
	}
	c.values = r.arguments(c)
	for i, v := range c.values {
		switch {
		case i == 0:
			if v.typ.kind != stringKind {
				fail(v.place, "%s takes a String with JSON, and this is a %s", c.name, v.typ)
			}
		case v.kind != constantValue || !v.typ.is(stringKind, intKind):
			fail(v.place, "a step of the path is a constant: a name, or a place from 1")
		case v.typ.kind == stringKind && strings.ContainsAny(v.text, `"\`):
			fail(v.place, "a name with a quote or a backslash is not supported")
		}
	}
	typ := parseType(c.f.result, c.place)
	v := r.newCall(c.place, c.f, typ.orNull(c.values[0].typ.nullable), c.values...)
	v.written = c.name
	return v
}

// path is the path of the arguments behind the JSON, in DuckDB's SQL.
func (v *value) path() string {
	var path strings.Builder
	path.WriteString("$")
	for _, step := range v.args[1:] {
		if step.typ.kind == stringKind {
			path.WriteString(`."` + step.text + `"`)
			continue
		}
		switch n, _ := strconv.Atoi(step.text); {
		case n > 0:
			path.WriteString("[" + strconv.Itoa(n-1) + "]")
		case n < 0:
			path.WriteString("[#" + strconv.Itoa(n) + "]")
		default:
			fail(step.place, "the places of JSON count from 1")
		}
	}
	return quoteText(path.String())
}

// ofJSON writes what is read of a text if it is JSON, or else another value.
func (p *printer) ofJSON(v *value, sql, otherwise string) string {
	read := "coalesce(" + p.template(sql, v.args) + ", " + otherwise + ")"
	return "CASE WHEN json_valid(" + p.plain(v.args[0]) + ") THEN " + read + " ELSE " + otherwise + " END"
}

func jsonInt(p *printer, v *value, path string) string {
	text := "json_extract_string({0}, " + path + ")"
	duck := v.typ.duck()
	whole := "CASE WHEN regexp_full_match(" + text + ", '-?[0-9]+') THEN TRY_CAST(" + text + " AS " + duck + ") ELSE TRY_CAST(trunc(TRY_CAST(" + text + " AS DOUBLE)) AS " + duck + ") END"
	return p.ofJSON(v, whole, "0::"+duck)
}
