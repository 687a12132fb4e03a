package googlesql

import (
	"slices"
	"strings"
)

// operator writes an operator.
func (p *clickhousePrinter) operator(n *call) clickhouseValue {
	v := clickhouseValue{typ: n.typ}
	switch n.name {
	case "AND", "OR":
		a, b := p.condition(n.args[0]), p.condition(n.args[1])
		v.sql = "(" + a + " " + n.name + " " + b + ")"
		return v
	case "IS NULL":
		if dyn := n.args[0].dyn; dyn != nil {
			v.sql = p.dynamicIsNull(dyn)
			return v
		}
		of := p.expression(n.args[0])
		v.sql = or(p.isNullOf(of), "false")
		if v.sql != "true" && v.sql != "false" {
			v.sql = "(" + v.sql + ")"
		}
		return v
	case "INTERVAL":
		return p.interval(n)
	case "EXTRACT":
		return p.extracted(n)
	}
	isOrder := slices.Contains([]string{"<", "<=", ">", ">="}, n.name)
	leave := p.compared(isOrder)
	args := p.expressions(n.args)
	leave()
	at := func(i int) string { return args[i].sql }
	joined := func(operator string) string {
		return "(" + strings.Join(each(args, func(_ int, arg clickhouseValue) string { return arg.sql }), operator) + ")"
	}
	switch n.name {
	case "NOT":
		v.sql = "(NOT " + at(0) + ")"
	case "BETWEEN", "= of structs":
		v.sql = joined(" AND ")
	case "= of any":
		v.sql = joined(" OR ")
	case "~":
		v.sql = "bitNot(" + at(0) + ")"
	case "|":
		v.sql = "bitOr(" + at(0) + ", " + at(1) + ")"
	case "&":
		v.sql = "bitAnd(" + at(0) + ", " + at(1) + ")"
	case "^":
		v.sql = "bitXor(" + at(0) + ", " + at(1) + ")"
	case "<<", ">>": // of bits, without a sign
		shift := ifElse(n.name == "<<", "bitShiftLeft", "bitShiftRight")
		v.sql = p.let(at(1), func(by string) string {
			return p.raiseIf(by+" < 0", "The bits are shifted by a negative number", "if("+by+" >= 64, toInt64(0), toInt64("+shift+"(toUInt64("+at(0)+"), toUInt8(least("+by+", 63)))))")
		})
	case "unary -":
		if n.typ.is(int64Kind) {
			v.sql = p.toInteger("-toInt128(" + at(0) + ")")
			break
		}
		v.sql = "(-" + at(0) + ")"
	case "unary +":
		return args[0]
	case "IS TRUE":
		v.sql = "ifNull(" + at(0) + " = true, false)"
	case "IS FALSE":
		v.sql = "ifNull(" + at(0) + " = false, false)"
	case "IS DISTINCT FROM":
		v.sql = p.isDistinct(args[0], args[1])
	case "=", "!=", "<", "<=", ">", ">=":
		if args[0].typ.is(intervalKind) {
			v.sql = "(" + p.intervalNumber(args[0]) + " " + n.name + " " + p.intervalNumber(args[1]) + ")"
			break
		}
		v.sql = "(" + at(0) + " " + n.name + " " + at(1) + ")"
	case "IN":
		v.sql = p.in(args)
	case "IN UNNEST":
		v.sql = p.inArray(n, args)
	case "LIKE":
		parts := each(args[1:], func(_ int, pattern clickhouseValue) string {
			of := at(0)
			if args[0].isConstant() && !pattern.isConstant() { // which ClickHouse does not search otherwise
				of = "materialize(" + of + ")"
			}
			like := "(" + of + " LIKE " + p.like(pattern) + ")"
			return ifElse(n.like.not, "(NOT "+like+")", like)
		})
		v.sql = "(" + strings.Join(parts, ifElse(n.like.quantifier == "ALL", " AND ", " OR ")) + ")"
	case "+", "-", "*", "/":
		return p.arithmeticOf(n, args)
	case "as output":
		return p.asOutput(n, args[0])
	default:
		fail(n.at, "%s is not supported on ClickHouse", n.name)
	}
	return v
}

// isDistinct compares values, with NULL as one of them.
func (p *clickhousePrinter) isDistinct(a, b clickhouseValue) string {
	return p.lets([]string{a.sql, b.sql}, func(names []string) string {
		a.sql, b.sql = names[0], names[1]
		return p.isOther(a, b)
	})
}

// isOther is as isDistinct, of values that it can repeat.
func (p *clickhousePrinter) isOther(a, b clickhouseValue) string {
	nullA, nullB := or(p.isNullOf(a), "false"), or(p.isNullOf(b), "false")
	differ := "(" + a.sql + " != " + b.sql + ")"
	if a.typ.is(float64Kind, numberKind) { // NaN is NaN
		differ = "(" + differ + " AND NOT (isNaN(" + a.sql + ") AND isNaN(" + b.sql + ")))"
	}
	return "if(" + nullA + " OR " + nullB + ", (" + nullA + ") != (" + nullB + "), " + differ + ")"
}

// in writes IN with a list. Constants are a set, which indexes use.
func (p *clickhousePrinter) in(args []clickhouseValue) string {
	var constants, others []string
	for _, option := range args[1:] {
		if option.literal != nil && !option.isNull() {
			constants = append(constants, option.sql)
		} else {
			others = append(others, "("+args[0].sql+" = "+option.sql+")")
		}
	}
	if constants != nil {
		others = slices.Insert(others, 0, "("+args[0].sql+" IN ("+strings.Join(constants, ", ")+"))")
	}
	return "(" + strings.Join(others, " OR ") + ")"
}

// inArray writes IN UNNEST.
func (p *clickhousePrinter) inArray(n *call, args []clickhouseValue) string {
	items := args[1]
	if n.elem != nil {
		items.typ = n.args[1].typ
		if items.typ.is(arrayKind) && !items.typ.elem.equal(n.elem) {
			converted, ok := p.cast(items, arrayOf(n.elem))
			if !ok {
				fail(n.at, "IN UNNEST of values of type %s is not supported on ClickHouse", items.typ)
			}
			items = converted
		}
	}
	return p.inList(args[0], items)
}

// inList reports whether a value is in an array, with NULL for what is not known.
func (p *clickhousePrinter) inList(of, items clickhouseValue) string {
	return p.lets([]string{p.bare(items), of.sql}, func(names []string) string {
		list, x := names[0], names[1]
		return "multiIf(empty(" + list + "), false, " + x + " IS NULL, NULL, has(" + list + ", " + x + "), true, has(" + list + ", NULL), NULL, false)"
	})
}

// like is a pattern of LIKE. In GoogleSQL, a backslash before any character is that character.
func (p *clickhousePrinter) like(pattern clickhouseValue) string {
	if pattern.literal == nil || pattern.isNull() {
		return pattern.sql
	}
	var out strings.Builder
	text := pattern.literal.text
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		if strings.IndexByte(`%_\`, text[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return clickhouseText(out.String())
}

// arithmeticOf writes +, -, * and /.
func (p *clickhousePrinter) arithmeticOf(n *call, args []clickhouseValue) clickhouseValue {
	v := clickhouseValue{typ: n.typ}
	a, b := args[0], args[1]
	isTime := a.typ.is(dateKind, datetimeKind, timestampKind, timeKind)
	switch {
	case isTime && b.typ.is(intervalKind):
		v.sql = p.shifted(a.sql, a.typ, b, n.name == "-", n.typ)
	case a.typ.is(intervalKind) && b.typ.is(int64Kind):
		return p.scaledInterval(n, a, b)
	case a.typ.is(intervalKind):
		x, y, z := p.intervalParts(a)
		q, r, s := p.intervalParts(b)
		sum := func(a, b string) string { return ifElse(b == "0", a, "("+a+") "+n.name+" ("+b+")") }
		return p.newInterval(sum(x, q), sum(y, r), sum(z, s), n.typ)
	case a.typ.is(dateKind) && b.typ.is(int64Kind):
		v.sql = p.dayOf("toInt128(toInt32(" + a.sql + ")) " + n.name + " " + b.sql)
	case n.typ.is(intervalKind):
		return p.timeBetween(a, b, n.typ)
	case n.name == "/" && n.typ.is(numericKind):
		v.sql = p.lets([]string{a.sql, b.sql}, func(names []string) string {
			of, d := names[0], names[1]
			return p.raiseIf(d+" = 0 AND "+of+" IS NOT NULL", "division by zero", p.numericQuotient(of, "nullIf("+d+", 0)"))
		})
	case n.name == "/" && b.literal != nil && !isZero(b.literal.text):
		v.sql = "(" + a.sql + " / " + b.sql + ")"
	case n.name == "/":
		v.sql = p.lets([]string{a.sql, b.sql}, func(names []string) string {
			of, d := names[0], names[1]
			return p.raiseIf(d+" = 0 AND "+of+" IS NOT NULL", "division by zero", of+" / "+d)
		})
	default:
		v.sql = p.arithmetic(n.name, n.typ, a.sql, b.sql)
	}
	return v
}

// scaledInterval multiplies an interval, or divides it; see [printer.scaledInterval].
func (p *clickhousePrinter) scaledInterval(n *call, a, b clickhouseValue) clickhouseValue {
	months, days, micros := p.intervalParts(a)
	if n.name == "*" {
		by := func(part string) string { return "(" + part + ") * (" + b.sql + ")" }
		return p.newInterval(by(months), by(days), by(micros), n.typ)
	}
	by := p.raiseIf("("+b.sql+") = 0", "division by zero", "nullIf("+b.sql+", 0)")
	days = "((" + months + ") % " + by + " * 30 + (" + days + "))"
	return p.newInterval("intDiv("+months+", "+by+")", "intDiv("+days+", "+by+")", "intDiv(("+days+" % "+by+") * "+microsOfDay+" + ("+micros+"), "+by+")", n.typ)
}

// intervalNumber is the length of an interval, in which a month has 30 days.
func (p *clickhousePrinter) intervalNumber(v clickhouseValue) string {
	months, days, micros := p.intervalParts(v)
	return "((toInt128(" + months + ") * 30 + " + days + ") * " + clickhouseDayMicros + " + " + micros + ")"
}

// timeBetween is the difference of two times, as the function of this name for DuckDB makes it.
func (p *clickhousePrinter) timeBetween(a, b clickhouseValue, typ *dataType) clickhouseValue {
	if a.typ.is(dateKind) {
		return p.newInterval("0", "(toInt32("+a.sql+") - toInt32("+b.sql+"))", "0", typ)
	}
	micros := "(" + clickhouseMicros(a.sql) + " - " + clickhouseMicros(b.sql) + ")"
	if a.typ.is(datetimeKind) {
		return p.newInterval("0", "intDiv("+micros+", "+clickhouseDayMicros+")", "("+micros+" % "+clickhouseDayMicros+")", typ)
	}
	return p.newInterval("0", "0", micros, typ)
}

// interval writes INTERVAL n PART.
func (p *clickhousePrinter) interval(n *call) clickhouseValue {
	of := p.expression(n.args[0])
	number := of.sql
	if constant, ok := of.integer(); ok {
		number = itoa64(constant)
	}
	times := func(factor string) string {
		if factor == "1" {
			return number
		}
		return "(" + number + " * " + factor + ")"
	}
	if constant, ok := of.integer(); ok {
		times = func(factor string) string {
			return multiplied(constant, factor, n.at)
		}
	}
	switch n.part.name {
	case "YEAR":
		return p.newInterval(times("12"), "0", "0", n.typ)
	case "QUARTER":
		return p.newInterval(times("3"), "0", "0", n.typ)
	case "MONTH":
		return p.newInterval(times("1"), "0", "0", n.typ)
	case "WEEK":
		return p.newInterval("0", times("7"), "0", n.typ)
	case "DAY":
		return p.newInterval("0", times("1"), "0", n.typ)
	}
	return p.newInterval("0", "0", times(clickhouseUnits[n.part.name]), n.typ)
}

// multiplied is a product of constants.
func multiplied(n int64, factor string, at place) string {
	by := int64(0)
	for _, digit := range factor {
		by = by*10 + int64(digit-'0')
	}
	if product := n * by; n == 0 || product/n == by {
		return itoa64(product)
	}
	fail(at, "the interval is too long")
	return ""
}

// extracted writes EXTRACT.
func (p *clickhousePrinter) extracted(n *call) clickhouseValue {
	v := clickhouseValue{typ: n.typ}
	of := p.expression(n.args[0])
	if of.typ.is(intervalKind) {
		v.sql = p.intervalPart(n.part, of)
		return v
	}
	if n.zone.node != nil {
		of.sql = p.toLocal(p.expression(n.zone), of.sql)
	}
	if of.isNull() {
		of.sql = "CAST(NULL AS " + of.typ.clickhouse() + ")"
	}
	v.sql = p.extract(n.part, of.sql)
	return v
}

func (c *clickhouseCall) ifElse() clickhouseValue {
	args := each(c.args, func(_ int, v clickhouseValue) clickhouseValue { return c.p.wrapped(v) })
	return clickhouseValue{sql: "if(" + args[0].sql + ", " + c.p.typed(args[1], c.typ) + ", " + c.p.typed(args[2], c.typ) + ")", typ: c.typ}
}

func (c *clickhouseCall) coalesce() clickhouseValue {
	var parts []string
	for i, arg := range c.args {
		if isNull := c.p.isNullOf(arg); i < len(c.args)-1 {
			parts = append(parts, "NOT ("+or(isNull, "false")+")")
		}
		parts = append(parts, c.p.typed(c.p.wrapped(arg), c.typ))
	}
	if len(parts) == 1 {
		return clickhouseValue{sql: parts[0], typ: c.typ}
	}
	return clickhouseValue{sql: "multiIf(" + strings.Join(parts, ", ") + ")", typ: c.typ}
}

func (c *clickhouseCall) nullIf() clickhouseValue {
	a, b := c.p.wrapped(c.args[0]), c.p.wrapped(c.args[1])
	if c.typ.isWrapped() {
		c.refuse("values that are no structs and no arrays")
	}
	return clickhouseValue{sql: "if(" + a.sql + " = " + b.sql + ", NULL, " + a.sql + ")", typ: c.typ}
}

// error raises a message. That of a caller is shown only if it is a literal, and ClickHouse takes no others.
func (c *clickhouseCall) error() clickhouseValue {
	message := "ERROR was called; its message is shown if it is a string literal"
	if c.args[0].literal != nil {
		message = c.args[0].literal.text
	}
	if c.args[0].isNull() {
		message = "NULL"
	}
	before := c.p.inBranch
	c.p.inBranch = true
	defer func() { c.p.inBranch = before }()
	return clickhouseValue{sql: c.p.raiseIf("true", message, "NULL"), typ: c.typ}
}

func (c *clickhouseCall) abs() clickhouseValue {
	if c.typ.is(int64Kind) {
		return c.value(c.p.toInteger("abs(" + c.args[0].sql + ")"))
	}
	return c.value("abs(" + c.args[0].sql + ")")
}

// greatest is NULL if an argument is, and NaN if one is.
func (c *clickhouseCall) greatest() clickhouseValue {
	var isNull, isNaN, args []string
	for _, arg := range c.args {
		if condition := c.p.isNullOf(arg); condition != "" {
			isNull = append(isNull, condition)
		}
		if c.typ.is(float64Kind, numberKind) {
			isNaN = append(isNaN, "isNaN("+arg.sql+")")
		}
		args = append(args, c.p.typed(arg, c.typ))
	}
	sql := strings.ToLower(c.name) + "(" + strings.Join(args, ", ") + ")"
	if len(args) == 1 {
		sql = args[0]
	}
	if isNaN != nil {
		sql = "if(" + strings.Join(isNaN, " OR ") + ", toFloat64(nan), " + sql + ")"
	}
	if isNull != nil {
		sql = "if(" + strings.Join(isNull, " OR ") + ", NULL, " + sql + ")"
	}
	return c.value(sql)
}

// round rounds a number as it is; see [round].
func (c *clickhouseCall) round() clickhouseValue {
	n, ok := c.args[1].integer()
	x, digits := c.args[0].sql, c.args[1].sql
	scale := "pow(10, least(greatest(" + digits + ", -330), 330))"
	general := "multiIf(NOT isFinite(" + x + "), " + x + ", " + digits + " >= 300, " + x + ", " + digits + " > 0, if(isFinite(" + x + " * " + scale + "), " + roundAway(x+" * "+scale) + " / " + scale + ", " + x + "), " + roundAway(x+" / pow(10, least(-"+digits+", 308))") + " * pow(10, least(-" + digits + ", 308)))"
	general = "if(" + digits + " IS NULL, NULL, " + c.p.raiseIf(digits+" = -308 AND abs("+x+") >= 1.5e308 AND isFinite("+x+")", "Floating point error in ROUND", general) + ")"
	if !ok || n < 1 || n > mostExactDigits {
		return c.value("if(" + x + " IS NULL, NULL, " + general + ")")
	}
	power := "1e" + itoa64(n)
	return c.value("multiIf(" + x + " IS NULL, NULL, NOT isFinite(" + x + ") OR abs(" + x + ") >= 1e300, " + x + ", abs(" + x + " * " + power + " - trunc(" + x + " * " + power + ")) = 0.5 AND (" + x + " * " + itoa64(int64(2)<<n) + ") - trunc(" + x + " * " + itoa64(int64(2)<<n) + ") = 0, " +
		"(trunc(" + x + " * " + power + ") + sign(" + x + ")) / " + power + ", toFloat64OrNull(printf('%." + itoa64(n) + "f', " + x + ")))")
}

func (c *clickhouseCall) truncNumber() clickhouseValue {
	x, digits := c.args[0].sql, c.args[1].sql
	scale := "pow(10, least(greatest(" + digits + ", -330), 330))"
	return c.value("multiIf(" + x + " IS NULL OR " + digits + " IS NULL, NULL, NOT isFinite(" + x + ") OR " + digits + " >= 300, " + x + ", " + digits + " < -308, toFloat64(0), " + digits + " < 0, trunc(" + x + " / pow(10, -" + digits + ")) * pow(10, -" + digits + "), isFinite(" + x + " * " + scale + "), trunc(" + x + " * " + scale + ") / " + scale + ", " + x + ")")
}

// roundNumeric rounds an exact number.
func (c *clickhouseCall) roundNumeric() clickhouseValue {
	n, ok := c.args[1].integer()
	switch {
	case c.args[1].isNull():
		return c.p.null(c.typ)
	case !ok:
		c.refuse("a constant number of digits; write it, or CAST the number AS FLOAT64")
	case n >= numericDigits:
		return c.args[0]
	case n < -29:
		return c.value("if(" + c.args[0].sql + " IS NULL, NULL, CAST('0' AS Decimal(38, 9)))")
	}
	return c.value(c.p.toNumeric(strings.ToLower(c.name) + "(toDecimal256(" + c.args[0].sql + ", 9), " + itoa64(n) + ")"))
}

// parseNumeric reads a text with commas between digits, and with spaces around its sign, which can be behind the digits.
func (c *clickhouseCall) parseNumeric() clickhouseValue {
	const digits = `(?:,*[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`
	text := c.args[0].sql
	sign := "if(match(" + text + ", " + clickhouseText(`^\s*-|-\s*\z`) + "), '-', '')"
	number := "replaceAll(extract(" + text + ", " + clickhouseText("("+digits+")") + "), ',', '')"
	pattern := `^(?:\s*(?:[+-]\s*)?` + digits + `\s*|\s*` + digits + `\s*[+-]\s*)\z`
	joined := c.p.castFromText(clickhouseValue{sql: "concat(" + sign + ", " + number + ")", typ: scalar(stringKind)}, c.typ)
	return c.value(c.p.raiseIf("NOT match("+text+", "+clickhouseText(pattern)+")", c.p.badValue(c.typ), joined))
}

// elementAt is the first or the last element of an array.
func (c *clickhouseCall) elementAt(index string) clickhouseValue {
	array := c.p.bare(c.args[0])
	empty := "empty(" + array + ")"
	if isNull := c.p.isNullOf(c.args[0]); isNull != "" {
		empty = "NOT " + isNull + " AND " + empty
	}
	return clickhouseValue{sql: c.p.raisedOf(empty, "The array is empty", array+"["+index+"]", c.typ), typ: c.typ}
}

func (p *clickhousePrinter) fromBase64(of string) string {
	if p.safe {
		return p.let(of, func(text string) string {
			return "if(tryBase64Decode(" + text + ") = '' AND " + text + " != '', NULL, tryBase64Decode(" + text + "))"
		})
	}
	return "base64Decode(" + of + ")"
}

// asOutput writes a value as BigQuery returns it. Arrays that are NULL become empty where the result is written.
func (p *clickhousePrinter) asOutput(n *call, of clickhouseValue) clickhouseValue {
	switch typ := n.args[0].typ; {
	case !typ.hasStrings():
		return of
	case typ.is(bytesKind):
		return clickhouseValue{sql: "base64Encode(" + of.sql + ")", typ: n.typ}
	case typ.is(timeKind, intervalKind):
		return clickhouseValue{sql: p.castToText(of), typ: n.typ}
	}
	fail(n.at, "BYTES, TIME and INTERVAL in an array or a struct of a result are not supported on ClickHouse; convert them with TO_BASE64 or CAST")
	return clickhouseValue{}
}
