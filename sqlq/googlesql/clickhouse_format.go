package googlesql

import (
	"slices"
	"strconv"
	"strings"
)

// format writes FORMAT, with the verbs that [format] takes.
func (c *clickhouseCall) format() clickhouseValue {
	if c.args[0].isNull() {
		return c.p.null(c.typ)
	}
	rest, args, written := c.args[0].literal.text, c.args[1:], ""
	var parts []string
	for rest != "" {
		if rest[0] != '%' {
			written, rest = written+rest[:1], rest[1:]
			continue
		}
		match := verbPattern.FindStringSubmatch(rest)
		rest = rest[len(match[0]):]
		if match[3] == "%" {
			written += "%"
			continue
		}
		if written != "" {
			parts = append(parts, clickhouseText(written))
		}
		parts, written = append(parts, c.formatted(args[0], newVerb(match, c.at))), ""
		args = args[1:]
	}
	if written != "" || parts == nil {
		parts = append(parts, clickhouseText(written))
	}
	if len(parts) == 1 {
		return c.value(parts[0])
	}
	return c.value("concat(" + strings.Join(parts, ", ") + ")")
}

// formatted writes a value with a verb.
func (c *clickhouseCall) formatted(of clickhouseValue, v verb) string {
	p := c.p
	convert := func(to *dataType) clickhouseValue {
		converted, ok := p.cast(of, to)
		if !ok {
			fail(c.at, "FORMAT of a value of type %s is not supported on ClickHouse", of.typ)
		}
		if converted.isNull() {
			converted.sql = "CAST(NULL AS " + to.clickhouse() + ")"
		}
		return converted
	}
	switch v.kind {
	case "d", "i", "x", "X", "o":
		of = convert(scalar(int64Kind))
		return p.let(of.sql, func(x string) string { return v.clickhouseInteger(p, x) })
	case "f", "F", "e", "E", "g", "G":
		if of.typ.is(numericKind) {
			return p.let(of.sql, func(x string) string { return v.clickhouseNumeric(p, x) })
		}
		of = convert(scalar(float64Kind))
		return p.let(of.sql, func(x string) string { return v.clickhouseFloat(p, x) })
	case "T":
		c.refuse("%t, and no constants of %T")
	case "t":
		return v.clickhouseString(p, p.printed(of, c))
	}
	return v.clickhouseString(p, convert(scalar(stringKind)).sql)
}

// printed is the text of a value for %t, which is never NULL.
func (p *clickhousePrinter) printed(of clickhouseValue, c *clickhouseCall) string {
	text := ""
	switch {
	case of.isNull():
		return "'NULL'"
	case of.typ.is(bytesKind):
		e := p.alias()
		text = "arrayStringConcat(arrayMap(" + e + " -> multiIf(" + e + " IN ('22', '27', '5C', '60'), concat('\\\\', unhex(" + e + ")), " + e + " BETWEEN '20' AND '7E', unhex(" + e + "), concat('\\\\x', lower(" + e + "))), extractAll(ifNull(hex(" + of.sql + "), ''), '..')))"
	default:
		made, ok := p.cast(of, scalar(stringKind))
		if !ok {
			fail(c.at, "%%t of FORMAT does not take a value of type %s on ClickHouse", of.typ)
		}
		text = made.sql
	}
	if of.typ.is(float64Kind, numberKind) {
		text = p.let(text, func(t string) string {
			return "if(match(" + t + ", '^-?[0-9]+\\\\z'), concat(" + t + ", '.0'), " + t + ")"
		})
	}
	if of.typ.is(bytesKind) {
		return "if((" + of.sql + ") IS NULL, 'NULL', " + text + ")"
	}
	return "ifNull(" + text + ", 'NULL')"
}

func (v verb) clickhouseString(p *clickhousePrinter, sql string) string {
	if v.precision >= 0 {
		sql = "leftUTF8(" + sql + ", " + strconv.Itoa(v.precision) + ")"
	}
	return v.clickhousePadded(p, sql, "", "", "false")
}

func (v verb) clickhouseInteger(p *clickhousePrinter, x string) string {
	decimal, prefix := v.kind == "d" || v.kind == "i", ""
	digits := "toString(abs(" + x + "))"
	if !decimal {
		magnitude := "abs(toInt128(" + x + "))"
		switch v.kind {
		case "o":
			digits = "ifNull(nullIf(trimLeft(arrayStringConcat(arrayMap(i -> toString(bitAnd(bitShiftRight(assumeNotNull(toUInt64(abs(toInt128(" + x + ")))), i * 3), 7)), reverse(range(22)))), '0'), ''), '0')"
		default:
			digits = "ifNull(nullIf(trimLeft(hex(toUInt64(" + magnitude + ")), '0'), ''), '0')"
			if v.kind == "x" {
				digits = "lower(" + digits + ")"
			}
		}
		digits = "if(" + x + " IS NULL, NULL, " + digits + ")"
	}
	switch {
	case v.has("'") && (!decimal || v.precision >= 0):
		fail(v.place, "FORMAT takes the flag ' with %%d and %%i without a precision, and with %%f, on ClickHouse")
	case v.has("'"):
		digits = groupedDigits(digits)
	case v.precision == 0:
		digits = "if(" + x + " = 0, '', " + digits + ")"
	case v.precision > 0:
		digits = p.let(digits, func(d string) string {
			return "leftPad(" + d + ", greatest(length(" + d + "), " + strconv.Itoa(v.precision) + "), '0')"
		})
	}
	if v.has("#") && !decimal {
		prefix = clickhouseText(map[string]string{"x": "0x", "X": "0X", "o": "0"}[v.kind])
	}
	return v.clickhousePadded(p, digits, "("+x+" < 0)", prefix, ifElse(decimal && v.precision >= 0, "false", "true"))
}

// groupedDigits puts commas between thousands of digits, which can have a fraction.
func groupedDigits(digits string) string {
	return "replaceRegexpAll(reverse(replaceRegexpAll(reverse(" + digits + "), '([0-9]{3})', '\\\\1,')), '^,', '')"
}

func (v verb) clickhouseFloat(p *clickhousePrinter, x string) string {
	precision := 6
	if v.precision >= 0 {
		precision = v.precision
	}
	isFixed := v.kind == "f" || v.kind == "F"
	written := "printf('%" + ifElse(v.has("#"), "#", "") + "." + strconv.Itoa(precision) + v.kind + "', abs(" + x + "))"
	digits := "multiIf(isNaN(" + x + "), '" + ifElse(v.kind == strings.ToUpper(v.kind), "NAN", "nan") + "', isInfinite(" + x + "), '" + ifElse(v.kind == strings.ToUpper(v.kind), "INF", "inf") + "', " + written + ")"
	if v.has("'") {
		if !isFixed || v.has("#") {
			fail(v.place, "FORMAT takes the flag ' with %%d and %%f only; CAST the number for %%%s", v.text())
		}
		digits = p.let(digits, func(d string) string {
			return "if(isFinite(" + x + "), concat(" + groupedDigits("splitByChar('.', assumeNotNull("+d+"))[1]") + ", substring(" + d + ", length(splitByChar('.', assumeNotNull(" + d + "))[1]) + 1)), " + d + ")"
		})
	}
	isNegative := "(" + x + " < 0 OR " + x + " = 0 AND 1 / " + x + " < 0)"
	return v.clickhousePadded(p, digits, isNegative, "", "isFinite("+x+")")
}

func (v verb) clickhouseNumeric(p *clickhousePrinter, x string) string {
	digits := 6
	if v.precision >= 0 {
		digits = v.precision
	}
	if v.kind != "f" && v.kind != "F" || v.has("'") || v.has("#") || digits > numericDigits {
		fail(v.place, "FORMAT takes a NUMERIC with %%t and with %%f of up to 9 digits, such as %%.2f; CAST it AS FLOAT64 for %%%s", v.text())
	}
	scale := "1" + strings.Repeat("0", numericDigits-digits)
	// leftPad cuts longer texts.
	whole := "toString(intDiv(toInt256(abs(round(toDecimal256(" + x + ", 9), " + strconv.Itoa(digits) + ")) * 1000000000), " + scale + "))"
	magnitude := p.let(whole, func(text string) string {
		return "leftPad(" + text + ", greatest(length(" + text + "), " + strconv.Itoa(digits+1) + "), '0')"
	})
	if digits > 0 {
		magnitude = p.let(magnitude, func(n string) string {
			return "concat(substring(" + n + ", 1, length(" + n + ") - " + strconv.Itoa(digits) + "), '.', right(" + n + ", " + strconv.Itoa(digits) + "))"
		})
	}
	return v.clickhousePadded(p, magnitude, "("+x+" < 0)", "", "true")
}

// clickhousePadded is as [verb.padded].
func (v verb) clickhousePadded(p *clickhousePrinter, digits, isNegative, prefix, takesZeros string) string {
	if v.width == 0 && isNegative == "" {
		return digits
	}
	sign := ""
	if isNegative != "" {
		positive := ifElse(v.has("+"), "'+'", ifElse(v.has(" "), "' '", "''"))
		sign = "if(" + isNegative + ", '-', " + positive + ")"
	}
	before := slices.DeleteFunc([]string{sign, prefix}, func(part string) bool { return part == "" })
	join := func(parts ...string) string {
		if len(parts) == 1 {
			return parts[0]
		}
		return "concat(" + strings.Join(parts, ", ") + ")"
	}
	if v.width == 0 {
		return join(append(slices.Clone(before), digits)...)
	}
	return p.let(digits, func(d string) string {
		return p.let(join(append(slices.Clone(before), d)...), func(whole string) string {
			width := strconv.Itoa(v.width)
			fill := func(name string) string {
				return name + "(" + whole + ", greatest(lengthUTF8(" + whole + "), " + width + "), ' ')"
			}
			switch {
			case v.has("-"):
				return fill("rightPadUTF8")
			case !v.has("0") || isNegative == "":
				return fill("leftPadUTF8")
			}
			used := "(lengthUTF8(" + whole + ") - lengthUTF8(" + d + "))"
			zeros := join(append(slices.Clone(before), "leftPad("+d+", greatest(toInt64(length("+d+")), greatest("+width+" - toInt64"+used+", 0)), '0')")...)
			return "if(" + takesZeros + ", " + zeros + ", " + fill("leftPadUTF8") + ")"
		})
	})
}

// castFormat writes CAST … FORMAT.
func (p *clickhousePrinter) castFormat(n *cast) clickhouseValue {
	switch {
	case n.to.is(dateKind, datetimeKind, timeKind, timestampKind):
		fail(n.format.place, "CAST of a STRING AS %s with FORMAT is not supported on ClickHouse; use PARSE_%[1]s", n.to)
	case n.of.typ.isNumeric():
		fail(n.format.place, "CAST of a number with FORMAT is not supported on ClickHouse; use FORMAT('%%.2f', x)")
	}
	of := p.expression(n.of)
	v := clickhouseValue{typ: n.to}
	if of.isNull() {
		return p.null(n.to)
	}
	before := p.safe
	p.safe = n.safe
	defer func() { p.safe = before }()
	format := strings.ToUpper(n.format.text)
	v.sql = p.let(of.sql, func(x string) string {
		of.sql = x
		return p.formattedAs(n, of, format)
	})
	return v
}

// formattedAs writes a value that it can repeat with a format of CAST.
func (p *clickhousePrinter) formattedAs(n *cast, of clickhouseValue, format string) string {
	x := of.sql
	switch {
	case n.to.is(stringKind) && of.typ.is(bytesKind):
		switch format {
		case "HEX", "BASE16":
			return "lower(hex(" + x + "))"
		case "BASE64":
			return "base64Encode(" + x + ")"
		case "BASE2":
			return "bin(" + x + ")"
		case "ASCII":
			return p.raiseIf("NOT match(hex("+x+"), '^(?:[0-7].)*\\\\z')", "The bytes are not ASCII", x)
		default:
			return p.raiseIf("NOT isValidUTF8("+x+")", "The bytes are not UTF-8", x)
		}
	case n.to.is(bytesKind):
		switch format {
		case "HEX", "BASE16":
			return p.raiseIf("NOT match("+x+", '^(?:[0-9a-fA-F]{2})*\\\\z')", "The text does not have the format", "unhex("+x+")")
		case "BASE64":
			return p.fromBase64(x)
		case "ASCII":
			return p.raiseIf("NOT match(hex("+x+"), '^(?:[0-7].)*\\\\z')", "The text does not have the format", x)
		default:
			return x
		}
	}
	return p.formattedTime(n, of)
}

// formattedTime writes a time with a format of CAST.
func (p *clickhousePrinter) formattedTime(n *cast, of clickhouseValue) string {
	if !of.typ.is(timestampKind) || n.zone.node == nil {
		return p.localFormat(n, of.typ, of.sql, "0")
	}
	return p.let(p.toLocal(p.expression(n.zone), of.sql), func(local string) string {
		return p.localFormat(n, of.typ, local, "intDiv("+clickhouseMicros(local)+" - "+clickhouseMicros(of.sql)+", 60000000)")
	})
}

// localFormat writes a local time of a type that is some minutes from UTC.
func (p *clickhousePrinter) localFormat(n *cast, typ *dataType, x, minutes string) string {
	pad := func(number, digits string) string { return "leftPad(toString(" + number + "), " + digits + ", '0')" }
	named := func(format string) string { return "formatDateTime(" + x + ", '" + format + "')" }
	meridian := func(morning, afternoon string) string {
		return "if(toHour(" + x + ") < 12, '" + morning + "', '" + afternoon + "')"
	}
	half := pad("(toHour("+x+") + 11) % 12 + 1", "2")
	fraction := "leftPad(toString(positiveModulo(" + clickhouseMicros(x) + ", 1000000)), 6, '0')"
	made := map[string]string{
		"YYYY": pad("toYear("+x+")", "4"), "YYY": pad("toYear("+x+") % 1000", "3"), "YY": pad("toYear("+x+") % 100", "2"), "Y": "toString(toYear(" + x + ") % 10)",
		"RRRR": pad("toYear("+x+")", "4"), "RR": pad("toYear("+x+") % 100", "2"),
		"MONTH": named("%M"), "MON": named("%b"), "MM": pad("toMonth("+x+")", "2"), "MI": pad("toMinute("+x+")", "2"),
		"DAY": named("%W"), "DY": named("%a"), "DDD": pad("toDayOfYear("+x+")", "3"), "DD": pad("toDayOfMonth("+x+")", "2"), "D": "toString(toDayOfWeek(" + x + ") % 7 + 1)",
		"HH24": pad("toHour("+x+")", "2"), "HH12": half, "HH": half,
		"SSSSS": pad("toHour("+x+") * 3600 + toMinute("+x+") * 60 + toSecond("+x+")", "5"), "SS": pad("toSecond("+x+")", "2"),
		"A.M.": meridian("A.M.", "P.M."), "P.M.": meridian("A.M.", "P.M."), "AM": meridian("AM", "PM"), "PM": meridian("AM", "PM"),
		"TZH": "concat(if(" + minutes + " < 0, '-', '+'), " + pad("intDiv(abs("+minutes+"), 60)", "2") + ")", "TZM": pad("abs("+minutes+") % 60", "2"),
	}
	for digits := 1; digits <= 9; digits++ {
		made["FF"+strconv.Itoa(digits)] = "rightPad(left(" + fraction + ", " + strconv.Itoa(digits) + "), " + strconv.Itoa(digits) + ", '0')"
	}
	var parts []string
	elements := formatElements()
	text := n.format.text
	upper := strings.Map(func(r rune) rune { return ifElse(r >= 'a' && r <= 'z', r-'a'+'A', r) }, text)
	for at := 0; at < len(text); {
		rest := text[at:]
		switch index := slices.IndexFunc(elements, func(e formatElement) bool { return strings.HasPrefix(upper[at:], e.name) }); {
		case index >= 0:
			element := elements[index]
			element.check(n.format.place, typ)
			sql := made[element.name]
			if element.hasLetters {
				sql = clickhouseCase(rest[:len(element.name)], sql)
			}
			parts = append(parts, sql)
			at += len(element.name)
		case rest[0] == '"':
			quoted, length := quotedFormat(rest)
			parts = append(parts, clickhouseText(quoted))
			at += max(1, length)
		default:
			parts = append(parts, clickhouseText(rest[:1]))
			at++
		}
	}
	body := "''"
	if len(parts) == 1 {
		body = parts[0]
	} else if len(parts) > 1 {
		body = "concat(" + strings.Join(parts, ", ") + ")"
	}
	return "if(" + x + " IS NULL, NULL, " + body + ")"
}

// clickhouseCase gives a text the letters of an element; see [inCase].
func clickhouseCase(element, sql string) string {
	switch isUpper := strings.ToUpper(element) == element; {
	case element[:1] == strings.ToLower(element[:1]):
		return "lower(" + sql + ")"
	case isUpper || strings.ToUpper(element[:2]) == element[:2], strings.HasSuffix(strings.ToUpper(element), "M"), strings.Contains(element, "."):
		return "upper(" + sql + ")"
	}
	return sql
}
