package googlesql

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// format writes values with the verbs of a format.
func format(p *printer, c *call) fragment {
	var parts []fragment
	for i, part := range c.formatParts() {
		parts = append(parts, plain(quoteText(part.text)))
		if part.verb != nil {
			parts = append(parts, p.formatted(c.args[i+1], *part.verb))
		}
	}
	return joined(parts, c.typ)
}

// sizeOfFormat returns the bytes that a format makes of values, with the widths that it has; nil if they are few.
func sizeOfFormat(args []value) fragment {
	if args[0].constant == nil {
		return nil
	}
	width := 0
	for _, number := range regexp.MustCompile(`[0-9]+`).FindAllString(args[0].constant.text, -1) {
		if n, err := strconv.Atoi(number); err == nil && n <= mostFormatWidth {
			width += n
		}
	}
	padding := value{typ: scalar(stringKind), constant: &literal{text: strings.Repeat(" ", width)}}
	factor := joinings(2 * len(args))
	if strings.ContainsAny(args[0].constant.text, "tT") { // with quotes and escapes
		factor = "4 * " + factor
	}
	return sizeOfAll(append([]value{padding}, args...), factor)
}

// formatted writes a value with a verb.
func (p *printer) formatted(of value, v verb) fragment {
	write := v.string
	switch v.kind {
	case "d", "i", "x", "X", "o":
		write = v.integer
	case "f", "F", "e", "E", "g", "G":
		write = ifElse(of.typ.is(numericKind), v.numeric, v.float)
	case "t", "T":
		if of.typ.is(arrayKind, structKind) { // whose parts are read one by one
			return p.hoisted([]value{of}, func(args []value) fragment { return p.shownWith(args[0], v) })
		}
		of = p.printed(of, v.kind == "T")
	}
	switch isPlain := v.flags == "" && v.width == 0; {
	case isPlain && v.precision < 0 && (v.kind == "s" || v.kind == "t" || v.kind == "T"):
		return of.node
	case isPlain && v.precision < 0 && (v.kind == "d" || v.kind == "i"):
		return text("CAST(", of, " AS VARCHAR)")
	case isPlain && of.typ.is(float64Kind):
		return text("printf('%"+strings.TrimPrefix(v.text(), "'")+"', ", of, ")")
	}
	return p.hoisted([]value{of}, func(args []value) fragment { return write(args[0]) })
}

// shownWith writes a value with %t or %T.
func (p *printer) shownWith(of value, v verb) fragment {
	sql := p.printed(of, v.kind == "T")
	if v.flags == "" && v.width == 0 && v.precision < 0 {
		return sql.node
	}
	return v.string(sql)
}

// printed is the text of a value for %t or, as a constant of GoogleSQL, for %T. It is never NULL.
func (p *printer) printed(of value, isConstant bool) value {
	return writtenValue(scalar(stringKind), of.at, "CASE WHEN ", of, " IS NULL THEN 'NULL' ELSE ", p.shown(of, isConstant), " END")
}

// shown is as [printer.printed], of a value that is not NULL.
func (p *printer) shown(of value, isConstant bool) fragment {
	typ := of.typ
	if typ.kind == dynamicKind {
		of = of.as(p.casted(of, scalar(stringKind)))
		typ = scalar(stringKind)
	}
	quoted := func(before, behind string, sql fragment) fragment {
		if !isConstant {
			return sql
		}
		return text("concat("+quoteText(before)+", ", sql, ", "+quoteText(behind)+")")
	}
	switch typ.kind { //nolint:exhaustive // The others have a text only.
	case stringKind:
		if isConstant {
			return text("quoted_text(", of, ")")
		}
		return of.node
	case bytesKind:
		if isConstant {
			return text("quoted_bytes(", of, ")")
		}
		return escapedBytes(of)
	case jsonKind:
		if isConstant {
			return text("concat('JSON ', quoted_text(CAST(", of, " AS VARCHAR)))")
		}
		return text("CAST(", of, " AS VARCHAR)")
	case float64Kind, numberKind: // 1.0, not 1
		sql := p.casted(of, scalar(stringKind))
		number := text("CASE WHEN regexp_full_match(", sql, ", '-?[0-9]+') THEN ", sql, " || '.0' ELSE ", sql, " END")
		if !isConstant {
			return number
		}
		return text("CASE WHEN isfinite(", of, ") THEN ", number, " ELSE concat('CAST(\"', ", sql, ", '\" AS FLOAT64)') END")
	case dateKind, datetimeKind, timeKind, timestampKind, numericKind:
		return quoted(typ.String()+` "`, `"`, p.casted(of, scalar(stringKind)))
	case intervalKind:
		return quoted(`INTERVAL "`, `" YEAR TO SECOND`, p.casted(of, scalar(stringKind)))
	case arrayKind:
		elements := text("list_transform(", of, ", lambda e: ", p.printed(inside(typ.elem, written{plain("e")}, of.at), isConstant), ")")
		return text("concat('[', array_to_string(", elements, ", ', '), ']')")
	case structKind:
		fields := each(typ.fields, func(i int, _ field) fragment { return p.printed(of.fieldAt(i, of.at), isConstant).node })
		return text(ifElse(len(fields) == 1, "concat('STRUCT(', ", "concat('(', "), list(", ', ', ", fields), ", ')')")
	}
	return p.casted(of, scalar(stringKind))
}

// escapedBytes writes bytes that are no printable characters of ASCII, a backslash and quotes as escapes.
func escapedBytes(of value) fragment {
	const sql = `array_to_string(list_transform(range(1, 2 * octet_length({0}), 2), lambda "#b": CASE
		WHEN substr(hex({0}), "#b", 2) IN ('22', '27', '5C', '60') THEN '\' || decode(unhex(substr(hex({0}), "#b", 2)))
		WHEN substr(hex({0}), "#b", 2) BETWEEN '20' AND '7E' THEN decode(unhex(substr(hex({0}), "#b", 2)))
		ELSE '\x' || lower(substr(hex({0}), "#b", 2)) END), '')`
	return template(strings.ReplaceAll(sql, "\n\t\t", " "), of)
}

// string writes a text, of which the precision is the most characters.
func (v verb) string(of value) fragment {
	sql := fragment(of.node)
	if v.precision >= 0 {
		sql = text("left(", sql, ", "+itoa(v.precision)+")")
	}
	return v.padded(sql, nil, nil, plain("false"))
}

// integer writes an INT64. Zeros make a number as long as its precision, and then the width, which both bases have in groups.
func (v verb) integer(of value) fragment {
	isNegative := text("(", of, " < 0)")
	decimal, prefix := v.isDecimal(), fragment(nil)
	digits := text("ltrim(CAST(", of, " AS VARCHAR), '-')")
	if !decimal {
		digits = text("printf('%"+v.kind+"', CAST(abs(CAST(", of, " AS HUGEINT)) AS UBIGINT))")
	}
	switch {
	case v.has("'"):
		digits = text("ltrim(format('{:,}', ", of, "), '-')")
	case v.precision == 0:
		digits = text("CASE WHEN ", of, " = 0 THEN '' ELSE ", digits, " END")
	case v.precision > 0:
		digits = text("lpad(", digits, ", CAST(greatest(length(", digits, "), "+itoa(v.precision)+") AS INTEGER), '0')")
	}
	if v.has("#") && !decimal {
		prefix = plain(quoteText(map[string]string{"x": "0x", "X": "0X", "o": "0"}[v.kind]))
	}
	return v.padded(digits, isNegative, prefix, plain(ifElse(decimal && v.precision >= 0, "false", "true")))
}

// float writes a FLOAT64. What is not finite is not padded with zeros.
func (v verb) float(of value) fragment {
	precision := v.digits()
	magnitude := text("abs(", of, ")")
	digits := text("printf('%"+ifElse(v.has("#"), "#", "")+"."+itoa(precision)+v.kind+"', ", magnitude, ")")
	if v.has("'") {
		digits = text("format('{:,."+itoa(precision)+"f}', ", magnitude, ")")
	}
	isNegative := text("(", of, " < 0 OR ", of, " = 0 AND CAST(", of, " AS VARCHAR)[1] = '-')")
	return v.padded(digits, isNegative, nil, text("isfinite(", of, ")"))
}

// numeric writes a NUMERIC with its own digits.
func (v verb) numeric(of value) fragment {
	magnitude := text("ltrim(CAST(CAST(", of, " AS DECIMAL(38, "+itoa(v.digits())+")) AS VARCHAR), '-')")
	return v.padded(magnitude, text("(", of, " < 0)"), nil, plain("true"))
}

// padded returns digits, or a text, with a sign, a prefix and what fills the width: zeros behind the sign if the flag and the
// value allow them, and spaces otherwise.
func (v verb) padded(digits, isNegative, prefix, takesZeros fragment) fragment {
	sign := fragment(nil)
	if isNegative != nil {
		positive := ifElse(v.has("+"), "'+'", ifElse(v.has(" "), "' '", "''"))
		sign = text("CASE WHEN ", isNegative, " THEN '-' ELSE "+positive+" END")
	}
	before := slices.DeleteFunc([]fragment{sign, prefix}, func(part fragment) bool { return part == nil })
	whole := joined(append(before, digits), scalar(stringKind))
	if v.width == 0 {
		return whole
	}
	fill := func(name string) fragment {
		return text(name+"(", whole, ", CAST(greatest(length(", whole, "), "+itoa(v.width)+") AS INTEGER), ' ')")
	}
	switch {
	case v.has("-"):
		return fill("rpad")
	case !v.has("0") || isNegative == nil:
		return fill("lpad")
	}
	used := text("length(", whole, ") - length(", digits, ")")
	zeros := joined(append(before, text("lpad(", digits, ", CAST(greatest(length(", digits, "), "+itoa(v.width)+" - (", used, ")) AS INTEGER), '0')")), scalar(stringKind))
	return text("CASE WHEN ", takesZeros, " THEN ", zeros, " ELSE ", fill("lpad"), " END")
}
