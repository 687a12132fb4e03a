package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq/googlesql/googlejson"
)

func clickhouseJSON() map[string]clickhouseForm {
	by := func(emit func(c *clickhouseCall) clickhouseValue) clickhouseForm { return clickhouseForm{emit: emit} }
	const changes = "make the JSON with TO_JSON(STRUCT(…))"
	forms := map[string]clickhouseForm{
		"TO_JSON_STRING(ANY)": by(func(c *clickhouseCall) clickhouseValue {
			if dyn := c.call.args[0].dyn; dyn != nil && !dyn.shape.isScalar() {
				if _, _, ok := c.p.mapped(dyn); ok { // a map is no JSON by itself
					return c.value(c.p.dynamicJSON(dyn))
				}
			}
			return c.value(c.p.jsonOrNull(c.args[0], jsonForm{quotesWide: true}))
		}),
		"TO_JSON_STRING(ANY, BOOL)": by((*clickhouseCall).toPrettyJSON),
		"TO_JSON": by(func(c *clickhouseCall) clickhouseValue {
			if dyn := c.call.args[0].dyn; dyn != nil {
				return c.value(c.p.dynamicJSON(dyn))
			}
			quotesWide, _ := c.flag("stringify_wide_numbers", false)
			return c.value(c.p.jsonOrNull(c.args[0], jsonForm{quotesWide: quotesWide, sorts: true}))
		}),
		"PARSE_JSON": by((*clickhouseCall).parseJSON),
		"JSON_TYPE":  {sql: "multiIf({0} IS NULL, NULL, startsWith({0}, '\"'), 'string', {0} IN ('true', 'false'), 'boolean', startsWith({0}, '['), 'array', startsWith({0}, '{x7b}'), 'object', {0} = 'null', 'null', 'number')"},
		"JSON_VALUE JSON_EXTRACT_SCALAR": by(func(c *clickhouseCall) clickhouseValue {
			raw := c.jsonPart()
			return c.value(c.p.jsonText(raw, false))
		}),
		"JSON_QUERY JSON_EXTRACT":                    by((*clickhouseCall).jsonQuery),
		"JSON_VALUE_ARRAY JSON_EXTRACT_STRING_ARRAY": by((*clickhouseCall).jsonValueArray),
		"JSON_QUERY_ARRAY JSON_EXTRACT_ARRAY":        by((*clickhouseCall).jsonQueryArray),
		"STRING(JSON)":                               {sql: ofClickHouseJSON("STRING", "startsWith({0}, '\"')", "JSONExtractString({0})")},
		"BOOL(JSON)":                                 {sql: ofClickHouseJSON("BOOL", "{0} IN ('true', 'false')", "{0} = 'true'")},
		"FLOAT64(JSON)":                              by((*clickhouseCall).jsonFloat),
		"INT64(JSON)":                                by((*clickhouseCall).jsonInteger),
		"JSON_ARRAY()":                               {sql: "'[]'"},
		"JSON_ARRAY": by(func(c *clickhouseCall) clickhouseValue {
			parts := each(c.args, func(_ int, arg clickhouseValue) string { return c.p.jsonOrNull(arg, jsonForm{sorts: true}) })
			return c.value("concat('[', " + strings.Join(parts, ", ',', ") + ", ']')")
		}),
		"JSON_OBJECT()": {sql: "'{x7b}{x7d}'"},
		"JSON_OBJECT":   by((*clickhouseCall).jsonObject),
	}
	for _, typ := range []string{"STRING", "BOOL", "FLOAT64", "INT64"} {
		forms["LAX_"+typ] = by((*clickhouseCall).lax)
		forms["LAX_"+typ+"_ARRAY"] = by((*clickhouseCall).laxArray)
	}
	for _, name := range []string{"JSON_SET", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT", "JSON_REMOVE", "JSON_STRIP_NULLS"} {
		forms[name] = clickhouseForm{why: changes}
	}
	return forms
}

// ofClickHouseJSON reads JSON that must be of a kind.
func ofClickHouseJSON(name, is, sql string) string {
	return "{?{0} IS NOT NULL AND NOT (" + is + ")|The JSON is no " + name + "|if({0} IS NULL, NULL, " + sql + ")}"
}

func (c *clickhouseCall) toPrettyJSON() clickhouseValue {
	if constant := c.args[1].literal; constant == nil || !strings.EqualFold(constant.text, "false") {
		c.refuse("FALSE for what makes JSON of several lines")
	}
	return c.value(c.p.jsonOrNull(c.args[0], jsonForm{quotesWide: true}))
}

// parseJSON reads a constant: ClickHouse sorts no members of objects.
func (c *clickhouseCall) parseJSON() clickhouseValue {
	written := c.args[0].literal
	if written == nil || c.isRounded() {
		c.refuse("a constant, and no rounding; JSON_VALUE and JSON_QUERY read texts")
	}
	if written.kind == nullKind {
		return c.p.null(c.typ)
	}
	parsed, err := googlejson.Parse(written.text)
	switch {
	case err != nil && c.safe:
		return c.p.null(c.typ)
	case err != nil:
		return c.value(c.p.raiseIf("true", "a text is not valid JSON; SAFE.PARSE_JSON returns NULL for it", "CAST(NULL AS Nullable(String))"))
	}
	return c.p.constant(&constant{jsonKind, parsed}, c.typ)
}

func (c *clickhouseCall) jsonQuery() clickhouseValue {
	raw := c.jsonPart()
	if c.typ.kind == stringKind {
		return c.value("nullIf(nullIf(" + raw + ", ''), 'null')")
	}
	return c.value("nullIf(" + raw + ", '')")
}

// jsonElements are the elements of the array at the path of a call; NULL if there is none.
func (c *clickhouseCall) jsonElements(made func(list string) string) clickhouseValue {
	of := c.args[0].sql
	path, isThere := c.path(of)
	is := "JSONType(" + notNullJSON(of) + path + ") = 'Array'"
	if isThere != "" {
		is = isThere + " AND " + is
	}
	list := "arrayMap(e -> " + unmarkedJSON("e") + ", JSONExtractArrayRaw(" + c.p.markedJSON(of) + path + "))"
	return clickhouseValue{sql: "if(" + is + ", [CAST(" + made(list) + " AS " + c.typ.clickhouseBare() + ")], [])", typ: c.typ}
}

func (c *clickhouseCall) jsonQueryArray() clickhouseValue {
	return c.jsonElements(func(list string) string { return list })
}

// jsonValueArray reads a list of scalars. A list with others is NULL.
func (c *clickhouseCall) jsonValueArray() clickhouseValue {
	v := c.jsonElements(func(list string) string {
		return "arrayMap(e -> " + c.p.jsonText("e", false) + ", " + list + ")"
	})
	of := c.args[0].sql
	path, _ := c.path(of)
	v.sql = "if(arrayExists(e -> startsWith(e, '{') OR startsWith(e, '['), JSONExtractArrayRaw(" + notNullJSON(of) + path + ")), [], " + v.sql + ")"
	return v
}

const clickhouseNumber = "match({0}, '^-?[0-9]')"

func (c *clickhouseCall) jsonFloat() clickhouseValue {
	if c.mode("wide_number_mode", "round", "exact") == "exact" {
		c.refuse("wide_number_mode => 'round'")
	}
	return c.template(ofClickHouseJSON("FLOAT64", clickhouseNumber, "toFloat64OrNull({0})"))
}

func (c *clickhouseCall) jsonInteger() clickhouseValue {
	const whole = clickhouseNumber + " AND (match({0}, '^-?[0-9]+\\\\z') AND toInt64OrNull({0}) IS NOT NULL OR NOT match({0}, '^-?[0-9]+\\\\z') AND trunc(toFloat64OrNull({0})) = toFloat64OrNull({0}) AND abs(toFloat64OrNull({0})) < 9223372036854775807.)"
	return c.template(ofClickHouseJSON("INT64", whole, "if(match({0}, '^-?[0-9]+\\\\z'), toInt64OrNull({0}), toInt64(toFloat64OrNull({0})))"))
}

// jsonObject makes an object of constant names and values in turn, in the order of the names. The first of a name counts.
func (c *clickhouseCall) jsonObject() clickhouseValue {
	type member struct{ name, value string }
	var members []member
	if len(c.args)%2 != 0 {
		fail(c.at, "JSON_OBJECT takes pairs of a name and a value, and the last name has no value")
	}
	for i := 0; i < len(c.args); i += 2 {
		name := c.args[i].literal
		if name == nil || name.kind != stringKind {
			c.refuse("names that are constant texts")
		}
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name.text }) {
			members = append(members, member{name.text, c.p.jsonOrNull(c.args[i+1], jsonForm{sorts: true})})
		}
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	parts := each(members, func(i int, m member) string {
		return clickhouseText(ifElse(i > 0, ",", "{")+jsonQuote(m.name)+":") + ", " + m.value
	})
	return c.value("concat(" + strings.Join(parts, ", ") + ", '}')")
}

// jsonFloat is a finite FLOAT64 as the type JSON writes it; see [googlejson.FloatText]. ClickHouse has as few digits, but takes an
// exponent for other numbers.
func (p *clickhousePrinter) jsonFloat(x string) string {
	return p.let("toString(abs("+x+"))", func(s string) string { return p.jsonDigits(x, s) })
}

// jsonDigits is a finite FLOAT64 whose text without a sign is s.
func (p *clickhousePrinter) jsonDigits(x, s string) string {
	behind := func(of string) string { return "if(" + of + " = '', '', concat('.', " + of + "))" }
	plainly := "if(position(" + s + ", '.') > 0, " + s + ", concat(" + s + ", '.0'))"
	withExponent := "if(abs(" + x + ") > 1, replaceOne(" + s + ", 'e', 'e+'), replaceRegexpOne(" + s + ", 'e-(\\d)$', 'e-0\\1'))"
	large := "concat(substring(" + s + ", 1, 1), " + behind("trimRight(substring("+s+", 2), '0')") + ", 'e+', toString(length(" + s + ") - 1))"
	digits := "trimLeft(substring(" + s + ", 3), '0')"
	small := "concat(substring(" + digits + ", 1, 1), " + behind("substring("+digits+", 2)") + ", 'e-0', toString(length(" + s + ") - 1 - length(" + digits + ")))"
	return "concat(if(startsWith(toString(" + x + "), '-'), '-', ''), multiIf(position(" + s + ", 'e') > 0, " + withExponent + ", " + x + " = 0 OR abs(" + x + ") >= 1e-4 AND abs(" + x + ") < 1e15, " + plainly +
		", abs(" + x + ") > 1, " + large + ", " + small + "))"
}
