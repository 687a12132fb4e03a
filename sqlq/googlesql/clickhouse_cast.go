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
	return p.let(wide, func(wide string) string {
		return p.raiseIf("abs("+wide+") > "+mostClickHouseNumeric, "A number is outside the range of NUMERIC", "CAST("+wide+" AS Nullable(Decimal(38, 9)))")
	})
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
	return p.lets([]string{unscaledClickHouse(a) + " * 1000000000", unscaledClickHouse(b)}, func(names []string) string {
		n, d := names[0], names[1]
		return p.toNumeric(scaledClickHouse(p.let("intDivOrNull("+n+", "+d+")", func(q string) string {
			return q + " + if(abs(" + n + " - " + q + " * " + d + ") * 2 >= abs(" + d + "), if((" + n + " < 0) = (" + d + " < 0), 1, -1), 0)"
		})))
	})
}

// numericDivision is a division of unscaled numbers n and d, which is an error by 0.
func (c *clickhouseCall) numericDivision(sql string) string {
	return c.p.lets([]string{unscaledClickHouse(c.args[0].sql), unscaledClickHouse(c.args[1].sql)}, func(names []string) string {
		n, d := names[0], names[1]
		made := strings.NewReplacer("n,", n+",", "d)", d+")").Replace(sql)
		return c.p.raiseIf(d+" = 0 AND "+n+" IS NOT NULL", "division by zero", c.p.toNumeric(scaledClickHouse("toInt256("+made+")")))
	})
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
			out.sql = p.let(v.sql, func(of string) string { return "if(empty(" + of + "), [], [" + mapped(of+"[1]") + "])" })
		}
		return out, true
	case from.is(structKind) && to.is(structKind) && len(from.fields) == len(to.fields):
		out.isBare = v.isBare
		ok := true
		out.sql = p.let(v.sql, func(of string) string {
			v.sql = of
			fields := each(from.fields, func(i int, _ field) string {
				converted, isConverted := p.cast(p.field(v, i), to.fields[i].typ)
				ok = ok && isConverted
				return p.wrapped(converted).sql
			})
			tuple := "CAST(tuple(" + strings.Join(fields, ", ") + ") AS " + to.clickhouseBare() + ")"
			return ifElse(v.isBare, tuple, "if(empty("+of+"), [], ["+tuple+"])")
		})
		return out, ok
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
		out.sql = p.let(v.sql, func(of string) string { return p.toInteger(roundAway(of)) })
	case from.is(numericKind) && to.is(int64Kind):
		out.sql = p.toInteger("toInt128(round(toDecimal256(" + v.sql + ", 9)))")
	case from.is(float64Kind, numberKind) && to.is(numericKind):
		out.sql = p.let(v.sql, func(of string) string {
			return p.raiseIf("NOT isFinite("+of+") OR abs("+of+") > 1e29", "A number is outside the range of NUMERIC",
				"CAST(round(toDecimal256OrNull(printf('%.30f', if(isFinite("+of+") AND abs("+of+") < 1e30, "+of+", 0)), 30), 9) AS Nullable(Decimal(38, 9)))")
		})
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
	switch {
	case to.is(stringKind, bytesKind):
		return v.sql
	case v.isNull():
		return p.null(to).sql
	}
	if constant := v.literal; constant != nil && constant.kind == stringKind && to.is(dateKind, datetimeKind, timestampKind, timeKind) && isTimeText(constant.text, to) {
		if sql, ok := p.timeConstant(constant, to); ok {
			return sql
		}
	}
	return p.let(v.sql, func(text string) string { return p.parsedText(text, to) })
}

// parsedText converts a text that it can repeat.
func (p *clickhousePrinter) parsedText(text string, to *dataType) string {
	switch to.kind { //nolint:exhaustive // The others are times.
	case int64Kind:
		digits := "extract(assumeNotNull(" + text + "), '^[+-]?0[xX]0*([0-9a-fA-F]{0,16})\\\\z')"
		number := "toInt128(reinterpretAsUInt64(reverse(unhex(leftPad(" + digits + ", 16, '0')))))"
		hexadecimal := "if(startsWith(" + text + ", '-'), -" + number + ", " + number + ")"
		sql := "multiIf(match(" + text + ", '^[+-]?[0-9]+\\\\z'), toInt128(toInt64OrNull(" + text + ")), match(" + text + ", '^[+-]?0[xX]0*[0-9a-fA-F]{1,16}\\\\z') OR match(" + text + ", '^[+-]?0[xX]0+\\\\z'), " + hexadecimal + ", NULL)"
		return p.let(sql, func(made string) string {
			return p.raiseIf(text+" IS NOT NULL AND ("+made+" IS NULL OR "+made+" < -9223372036854775808 OR "+made+" > 9223372036854775807)", p.badValue(to), "toInt64("+made+")")
		})
	case boolKind:
		return p.let("multiIf(lower("+text+") = 'true', true, lower("+text+") = 'false', false, NULL)", func(made string) string {
			return p.raiseIf(text+" IS NOT NULL AND "+made+" IS NULL", p.badValue(to), made)
		})
	case float64Kind, numberKind:
		low := "lower(" + text + ")"
		sql := "multiIf(match(" + low + ", '^[+]?inf(inity)?\\\\z'), inf, match(" + low + ", '^-inf(inity)?\\\\z'), -inf, match(" + low + ", '^[+-]?nan\\\\z'), nan, match(" + low +
			", '^[+-]?([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)(e[+-]?[0-9]+)?\\\\z'), toFloat64OrNull(" + low + "), NULL)"
		return p.let(sql, func(made string) string {
			return p.raiseIf(text+" IS NOT NULL AND "+made+" IS NULL", p.badValue(to), made)
		})
	case numericKind:
		sql := "if(match(" + text + ", '^[+-]?([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)([eE][+-]?[0-9]+)?\\\\z'), round(toDecimal256OrNull(" + text + ", 36), 9), NULL)"
		return p.let(sql, func(made string) string {
			return p.raiseIf(text+" IS NOT NULL AND ("+made+" IS NULL OR abs("+made+") > "+mostClickHouseNumeric+")", p.badValue(to), "CAST("+made+" AS Nullable(Decimal(38, 9)))")
		})
	}
	number := func(i string) string { return "toInt64OrZero(" + groupOf(i) + ")" }
	micros := func(i string) string { return "toInt64OrZero(rightPad(" + groupOf(i) + ", 6, '0'))" }
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
			t.offset = clickhouseOffset(groupOf("8"))
		}
		pattern += `\z`
	}
	return p.parsedTime(text, pattern, 1, t, &clickhouseCall{p: p, call: &call{typ: to}})
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
	switch {
	case v.isNull():
		return "CAST(NULL AS Nullable(String))"
	case v.typ.is(stringKind):
		return v.sql
	case v.typ.is(intervalKind):
		return p.intervalText(v)
	}
	return p.let(v.sql, func(x string) string {
		switch v.typ.kind { //nolint:exhaustive // The others are converted alike.
		case boolKind:
			return "if(" + x + " IS NULL, NULL, if(" + x + ", 'true', 'false'))"
		case timestampKind:
			return "concat(" + clickhouseDatetimeText(x) + ", '+00')"
		case datetimeKind:
			return clickhouseDatetimeText(x)
		case timeKind:
			return "substring(" + clickhouseDatetimeText(x) + ", 12)"
		case bytesKind:
			return p.raiseIf("NOT isValidUTF8("+x+")", "The bytes are not UTF-8", x)
		case float64Kind, numberKind:
			const short = "printf('%.15g', "
			return "multiIf(" + x + " = 0, '0', isNaN(" + x + "), 'nan', toFloat64OrNull(" + short + x + ")) = " + x + " OR isInfinite(" + x + "), " + short + x + "), printf('%.17g', " + x + "))"
		}
		return "toString(" + x + ")"
	})
}

// intervalText is Y-M D H:M:S, as GoogleSQL writes intervals.
func (p *clickhousePrinter) intervalText(v clickhouseValue) string {
	months, days, micros := p.intervalParts(v)
	return p.lets([]string{"toInt64(" + months + ")", "toInt64(" + micros + ")"}, func(names []string) string {
		m, u := names[0], names[1]
		clock := "concat(if(" + u + " < 0, '-', ''), toString(intDiv(abs(" + u + "), 3600000000)), ':', toString(intDiv(abs(" + u + "), 60000000) % 60), ':', toString(intDiv(abs(" + u + "), 1000000) % 60), " +
			"multiIf(" + u + " % 1000000 = 0, '', " + u + " % 1000 = 0, concat('.', leftPad(toString(intDiv(abs(" + u + ") % 1000000, 1000)), 3, '0')), concat('.', leftPad(toString(abs(" + u + ") % 1000000), 6, '0'))))"
		return "concat(if(" + m + " < 0, '-', ''), toString(intDiv(abs(" + m + "), 12)), '-', toString(abs(" + m + ") % 12), ' ', toString(toInt64(" + days + ")), ' ', " + clock + ")"
	})
}
