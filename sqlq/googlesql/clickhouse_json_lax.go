package googlesql

import "strings"

// lax makes a value of JSON whatever kind it has, and NULL of what has none.
func (c *clickhouseCall) lax() clickhouseValue {
	return c.safely(func() string { return c.p.laxOf(c.args[0].sql, c.typ) })
}

// laxArray is as lax, of each element of an array.
func (c *clickhouseCall) laxArray() clickhouseValue {
	v := c.safely(func() string {
		of, e := c.args[0].sql, c.p.alias()
		elements := "arrayMap(" + e + " -> " + c.p.laxOf(e, c.typ.elem) + ", arrayMap(e -> " + unmarkedJSON("e") + ", JSONExtractArrayRaw(" + c.p.markedJSON(of) + ")))"
		return "if(ifNull(startsWith(" + of + ", '['), false), [CAST(" + elements + " AS " + c.typ.clickhouseBare() + ")], [])"
	})
	v.isBare = false
	return v
}

func (p *clickhousePrinter) laxOf(json string, to *dataType) string {
	return p.let(json, func(json string) string {
		isBool, isText := json+" IN ('true', 'false')", "startsWith("+json+`, '"')`
		text := "multiIf(" + isText + ", toNullable(JSONExtractString(assumeNotNull(" + json + "))), match(" + json + ", '^-?[0-9]'), " + json + ", NULL)"
		return p.let(text, func(text string) string {
			const whole = ", '^[+-]?[0-9]+\\\\z')"
			number := clickhouseValue{sql: p.castFromText(clickhouseValue{sql: text, typ: scalar(stringKind)}, scalar(float64Kind)), typ: scalar(float64Kind)}
			var branches []string
			switch to.kind { // The other is FLOAT64.
			case boolKind:
				branches = []string{isBool, json + " = 'true'", isText, p.castFromText(clickhouseValue{sql: text, typ: scalar(stringKind)}, to), number.sql + " != 0"}
			case int64Kind:
				rounded, _ := p.cast(number, to)
				const tiny = ", '[eE]-[0-9]{3,}\\\\z')" // ClickHouse reads no number that is nearer to 0 than a FLOAT64
				branches = []string{isBool, "toInt64(" + json + " = 'true')", "match(" + text + whole, "toInt64OrNull(" + text + ")", "match(" + text + tiny, "toInt64(0)", rounded.sql}
			case stringKind:
				branches = []string{isBool, json, isText + " OR match(" + text + whole, text, p.castToText(number)}
			default:
				return number.sql
			}
			return "multiIf(" + strings.Join(branches, ", ") + ")"
		})
	})
}
