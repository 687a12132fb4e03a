package googlesql

import (
	"regexp"
	"strings"
)

// toInteger converts a wide number to an INT64, which is an error if it has none.
func (p *clickhousePrinter) toInteger(wide string) string {
	if p.safe {
		return "accurateCastOrNull(" + wide + ", 'Int64')"
	}
	if p.inBranch {
		wide = "materialize(" + wide + ")"
	}
	return "accurateCast(" + wide + ", 'Nullable(Int64)')"
}

const mostClickHouseNumeric = "toDecimal256('99999999999999999999999999999.999999999', 9)"

// toNumeric converts a wide decimal to a NUMERIC, which is an error if it has none.
func (p *clickhousePrinter) toNumeric(wide string) string {
	alias := p.alias()
	return p.raiseIf("abs("+wide+" AS "+alias+") > "+mostClickHouseNumeric, "A number is outside the range of NUMERIC", "CAST("+alias+" AS Nullable(Decimal(38, 9)))")
}

// unscaled is a NUMERIC as an integer without the point.
func unscaledClickHouse(of string) string {
	return "toInt256(toDecimal256(" + of + ", 9) * 1000000000)"
}

// scaledClickHouse is the decimal of an integer without the point.
func scaledClickHouse(of string) string { return "(toDecimal256(" + of + ", 9) / 1000000000)" }

// arithmetic is an operation on two numbers of a type. That of integers is an error beyond INT64, which ClickHouse wraps.
func (p *clickhousePrinter) arithmetic(op string, typ *dataType, a, b string) string {
	switch {
	case typ.is(int64Kind):
		return p.toInteger("toInt128(" + a + ") " + op + " toInt128(" + b + ")")
	case typ.is(numericKind) && op == "*":
		return p.toNumeric("round(toDecimal256(" + a + ", 9) * toDecimal256(" + b + ", 9), 9)")
	case typ.is(numericKind):
		return p.toNumeric("toDecimal256(" + a + ", 9) " + op + " toDecimal256(" + b + ", 9)")
	}
	return "(" + a + " " + op + " " + b + ")"
}

// zero is the number 0 of a type.
func (p *clickhousePrinter) zero(typ *dataType) string {
	return "CAST(" + ifElse(typ.is(float64Kind, numberKind), "-0.", "0") + " AS " + typ.clickhouse() + ")"
}

// numericQuotient divides exactly, with half a digit rounded away from zero.
func (p *clickhousePrinter) numericQuotient(a, b string) string {
	n, d, r := p.alias(), p.alias(), p.alias()
	q := p.alias()
	number := "(" + unscaledClickHouse(a) + " * 1000000000 AS " + n + ")"
	divisor := "(" + unscaledClickHouse(b) + " AS " + d + ")"
	sum := "(intDivOrNull(" + number + ", " + divisor + ") AS " + q + ") + if(abs((" + n + " - " + q + " * " + d + " AS " + r + ")) * 2 >= abs(" + d + "), if((" + n + " < 0) = (" + d + " < 0), 1, -1), 0)"
	return p.toNumeric(scaledClickHouse(sum))
}

// numericDivision is a division of unscaled numbers n and d, which is an error by 0.
func (c *clickhouseCall) numericDivision(sql string) string {
	n, d := c.p.alias(), c.p.alias()
	made := strings.NewReplacer("n,", n+",", "d)", d+")").Replace(sql)
	return c.p.raiseIf("("+unscaledClickHouse(c.args[1].sql)+" AS "+d+") = 0 AND ("+unscaledClickHouse(c.args[0].sql)+" AS "+n+") IS NOT NULL", "division by zero", c.p.toNumeric(scaledClickHouse("toInt256("+made+")")))
}

// cast converts a value as CAST does. It reports false for types that do not convert.
func (p *clickhousePrinter) cast(v clickhouseValue, to *dataType) (clickhouseValue, bool) {
	from := v.typ
	out := clickhouseValue{typ: to, at: v.at}
	switch {
	case v.isNull():
		return p.null(to), true
	case from.is(nullKind): // ERROR
		out.sql = "CAST(" + v.sql + " AS " + to.clickhouse() + ")"
		if to.isWrapped() {
			out.sql = "if((" + v.sql + ") IS NULL, " + p.null(to).sql + ", " + p.null(to).sql + ")"
		}
		return out, true
	case from.equal(to) && !from.is(structKind, arrayKind):
		v.typ = to
		return v, true
	case from.is(arrayKind) && to.is(arrayKind):
		e := p.alias()
		inner, ok := p.cast(clickhouseValue{sql: e, typ: from.elem, at: v.at}, to.elem)
		if !ok {
			return out, false
		}
		mapped := func(of string) string {
			return "CAST(arrayMap(" + e + " -> " + p.wrapped(inner).sql + ", " + of + ") AS " + to.clickhouseBare() + ")"
		}
		if v.isBare {
			out.sql, out.isBare = mapped(v.sql), true
		} else {
			alias := p.alias()
			out.sql = "if(empty(" + v.sql + " AS " + alias + "), [], [" + mapped(alias+"[1]") + "])"
		}
		return out, true
	case from.is(structKind) && to.is(structKind) && len(from.fields) == len(to.fields):
		var fields []string
		of := v
		if !v.isBare {
			of = clickhouseValue{sql: p.alias(), typ: from}
		}
		for i := range from.fields {
			converted, ok := p.cast(p.field(of, i), to.fields[i].typ)
			if !ok {
				return out, false
			}
			fields = append(fields, p.wrapped(converted).sql)
		}
		tuple := "CAST(tuple(" + strings.Join(fields, ", ") + ") AS " + to.clickhouseBare() + ")"
		if v.isBare {
			out.sql, out.isBare = tuple, true
		} else {
			out.sql = "if(empty(" + v.sql + " AS " + of.sql + "), [], [" + tuple + "])"
		}
		return out, true
	case from.is(intervalKind) && to.is(intervalKind):
		return v, true
	case from.is(stringKind) && !to.is(arrayKind, structKind, jsonKind, intervalKind):
		out.sql = p.castFromText(v, to)
	case to.is(stringKind) && !from.is(arrayKind, structKind, jsonKind):
		out.sql = p.castToText(v)
	case from.is(int64Kind, boolKind) && to.is(float64Kind, numberKind):
		out.sql = "toFloat64(" + v.sql + ")"
	case from.is(float64Kind, numberKind) && to.is(float64Kind, numberKind), from.is(datetimeKind, timestampKind) && to.is(datetimeKind, timestampKind):
		out.sql = v.sql
	case from.is(float64Kind, numberKind) && to.is(int64Kind):
		alias := p.alias()
		out.sql = p.toInteger("(trunc(" + v.sql + " AS " + alias + ") + if(abs(" + alias + " - trunc(" + alias + ")) >= 0.5, sign(" + alias + "), 0))")
	case from.is(numericKind) && to.is(int64Kind):
		out.sql = p.toInteger("toInt128(round(toDecimal256(" + v.sql + ", 9)))")
	case from.is(float64Kind, numberKind) && to.is(numericKind):
		alias := p.alias()
		out.sql = p.raiseIf("NOT isFinite("+v.sql+" AS "+alias+") OR abs("+alias+") > 1e29", "A number is outside the range of NUMERIC",
			"CAST(round(toDecimal256OrNull(printf('%.30f', if(isFinite("+alias+") AND abs("+alias+") < 1e30, "+alias+", 0)), 30), 9) AS Nullable(Decimal(38, 9)))")
	case from.is(numericKind) && to.is(float64Kind, numberKind):
		out.sql = "toFloat64(toString(" + v.sql + "))"
	case from.is(int64Kind) && to.is(numericKind):
		out.sql = "CAST(" + v.sql + " AS Nullable(Decimal(38, 9)))"
	case from.is(boolKind) && to.is(int64Kind):
		out.sql = "toInt64(" + v.sql + ")"
	case from.is(int64Kind) && to.is(boolKind):
		out.sql = "(" + v.sql + " != 0)"
	case from.is(timestampKind, datetimeKind) && to.is(dateKind, timeKind):
		out.sql = p.asTime(v.sql, to)
	case from.is(dateKind) && to.is(datetimeKind, timestampKind):
		out.sql = timeOf(v.sql)
	default:
		return out, false
	}
	return out, true
}

func (p *clickhousePrinter) badValue(to *dataType) string {
	return "a value cannot be converted to " + to.String() + "; SAFE_CAST returns NULL for it"
}

// castFromText converts a text, in the spellings of [castFromText].
func (p *clickhousePrinter) castFromText(v clickhouseValue, to *dataType) string {
	text := p.alias()
	of := "(" + v.sql + " AS " + text + ")"
	if v.isNull() {
		of = "(CAST(NULL AS Nullable(String)) AS " + text + ")"
	}
	switch to.kind { //nolint:exhaustive // The others are times.
	case stringKind, bytesKind:
		return v.sql
	case int64Kind:
		digits := "extract(assumeNotNull(" + text + "), '^[+-]?0[xX]0*([0-9a-fA-F]{0,16})\\\\z')"
		number := "toInt128(reinterpretAsUInt64(reverse(unhex(leftPad(" + digits + ", 16, '0')))))"
		hexadecimal := "if(startsWith(" + text + ", '-'), -" + number + ", " + number + ")"
		made := p.alias()
		sql := "(multiIf(match(" + of + ", '^[+-]?[0-9]+\\\\z'), toInt128(toInt64OrNull(" + text + ")), match(" + text + ", '^[+-]?0[xX]0*[0-9a-fA-F]{1,16}\\\\z') OR match(" + text + ", '^[+-]?0[xX]0+\\\\z'), " + hexadecimal + ", NULL) AS " + made + ")"
		return p.raiseIf(text+" IS NOT NULL AND ("+sql+" IS NULL OR "+made+" < -9223372036854775808 OR "+made+" > 9223372036854775807)", p.badValue(to), "toInt64("+made+")")
	case boolKind:
		made := p.alias()
		return p.raiseIf(of+" IS NOT NULL AND (multiIf(lower("+text+") = 'true', true, lower("+text+") = 'false', false, NULL) AS "+made+") IS NULL", p.badValue(to), made)
	case float64Kind, numberKind:
		made, low := p.alias(), p.alias()
		sql := "(multiIf(match((lower(" + of + ") AS " + low + "), '^[+]?inf(inity)?\\\\z'), inf, match(" + low + ", '^-inf(inity)?\\\\z'), -inf, match(" + low + ", '^[+-]?nan\\\\z'), nan, match(" + low +
			", '^[+-]?([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)(e[+-]?[0-9]+)?\\\\z'), toFloat64OrNull(" + low + "), NULL) AS " + made + ")"
		return p.raiseIf(text+" IS NOT NULL AND "+sql+" IS NULL", p.badValue(to), made)
	case numericKind:
		made := p.alias()
		sql := "(if(match(" + of + ", '^[+-]?([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)([eE][+-]?[0-9]+)?\\\\z'), round(toDecimal256OrNull(" + text + ", 36), 9), NULL) AS " + made + ")"
		return p.raiseIf(text+" IS NOT NULL AND ("+sql+" IS NULL OR abs("+made+") > "+mostClickHouseNumeric+")", p.badValue(to), "CAST("+made+" AS Nullable(Decimal(38, 9)))")
	}
	if constant := v.literal; constant != nil && constant.kind == stringKind && isTimeText(constant.text, to) {
		if sql, ok := p.timeConstant(constant, to); ok {
			return sql
		}
	}
	groups := p.alias()
	number := func(i string) string { return "toInt64OrZero(" + groups + "[" + i + "])" }
	micros := func(i string) string { return "toInt64OrZero(rightPad(" + groups + "[" + i + "], 6, '0'))" }
	const clock = `([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{0,6}))?`
	var t parsedTime
	pattern := `^` + clock + `\z`
	if to.is(timeKind) {
		t = parsedTime{hour: number("1"), minute: number("2"), second: number("3"), micros: micros("4")}
	} else {
		t = parsedTime{year: number("1"), month: number("2"), day: number("3")}
		pattern = `^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})`
		if !to.is(dateKind) {
			pattern += `(?:[ tT]` + clock + `)?`
			t.hour, t.minute, t.second, t.micros = number("4"), number("5"), number("6"), micros("7")
		}
		if to.is(timestampKind) {
			pattern += `(?:\s?([zZ]|UTC|[+-][0-9]{1,2}(?::?[0-9]{2})?))?`
			t.offset = clickhouseOffset(groups + "[8]")
		}
		pattern += `\z`
	}
	return p.parsedTime(v.sql, pattern, groups, 1, t, &clickhouseCall{p: p, call: &call{typ: to}})
}

var writtenTime = regexp.MustCompile("^" + datePattern + timePattern)

// isTimeText reports whether a constant text begins as the text of a time does.
func isTimeText(text string, to *dataType) bool {
	switch {
	case to.is(timeKind):
		return regexp.MustCompile("^" + clockPattern + "$").MatchString(text)
	case to.is(dateKind):
		return regexp.MustCompile("^" + datePattern + "$").MatchString(text)
	}
	return writtenTime.MatchString(text) && strings.TrimSpace(text) == text
}

// timeConstant is a constant text as a time; it reports false for one that has none.
func (p *clickhousePrinter) timeConstant(constant *literal, to *dataType) (sql string, ok bool) {
	defer func() {
		if failure := recover(); failure != nil {
			if _, isError := failure.(*Error); !isError {
				panic(failure)
			}
			ok = false
		}
	}()
	return p.timeLiteral(&literal{constant.place, to.kind, constant.text}), true
}

// castToText converts a value to the text that GoogleSQL makes of it.
func (p *clickhousePrinter) castToText(v clickhouseValue) string {
	alias := p.alias()
	first := "(" + v.sql + " AS " + alias + ")"
	if v.isNull() {
		return "CAST(NULL AS Nullable(String))"
	}
	switch v.typ.kind { //nolint:exhaustive // The others are converted alike.
	case stringKind:
		return v.sql
	case boolKind:
		return "if(" + first + " IS NULL, NULL, if(" + alias + ", 'true', 'false'))"
	case timestampKind:
		return "concat(" + clickhouseDatetimeText(first, alias) + ", '+00')"
	case datetimeKind:
		return clickhouseDatetimeText(first, alias)
	case timeKind:
		return "substring(" + clickhouseDatetimeText(first, alias) + ", 12)"
	case bytesKind:
		return p.raiseIf("NOT isValidUTF8"+first, "The bytes are not UTF-8", alias)
	case float64Kind, numberKind:
		short := p.alias()
		return "multiIf(" + first + " = 0, '0', isNaN(" + alias + "), 'nan', toFloat64OrNull((printf('%.15g', " + alias + ") AS " + short + ")) = " + alias + " OR isInfinite(" + alias + "), " + short + ", printf('%.17g', " + alias + "))"
	case intervalKind:
		return p.intervalText(v)
	}
	return "toString(" + v.sql + ")"
}

// intervalText is Y-M D H:M:S, as GoogleSQL writes intervals.
func (p *clickhousePrinter) intervalText(v clickhouseValue) string {
	months, days, micros := p.intervalParts(v)
	m, u := p.alias(), p.alias()
	first, second := "(toInt64("+months+") AS "+m+")", "(toInt64("+micros+") AS "+u+")"
	clock := "concat(if(" + second + " < 0, '-', ''), toString(intDiv(abs(" + u + "), 3600000000)), ':', toString(intDiv(abs(" + u + "), 60000000) % 60), ':', toString(intDiv(abs(" + u + "), 1000000) % 60), " +
		"multiIf(" + u + " % 1000000 = 0, '', " + u + " % 1000 = 0, concat('.', leftPad(toString(intDiv(abs(" + u + ") % 1000000, 1000)), 3, '0')), concat('.', leftPad(toString(abs(" + u + ") % 1000000), 6, '0'))))"
	return "concat(if(" + first + " < 0, '-', ''), toString(intDiv(abs(" + m + "), 12)), '-', toString(abs(" + m + ") % 12), ' ', toString(toInt64(" + days + ")), ' ', " + clock + ")"
}
