package clickhousesql

import (
	"slices"
	"strings"
)

func operatorRows() []function {
	compares := func(name, operator string) function {
		return function{
			name: name, args: "Any, Any", result: "UInt8", doc: "`x " + operator + " y`", flag: true,
			build: func(r *resolver, c *call) *value {
				c.checkCount(2, 2)
				c.values = r.arguments(c)
				return r.compare(c.place, c.f.name, c.values[0], c.values[1])
			},
			write: writeComparison(strings.Replace(operator, "!=", "<>", 1)),
		}
	}
	contains := func(name string, isNot bool) function {
		return function{name: name, args: "Any, Any", result: "UInt8", doc: map[bool]string{false: "`x IN (…)`", true: "`x NOT IN (…)`"}[isNot], flag: true, build: buildIn, write: writeIn}
	}
	like := func(name, operator, doc string) function {
		return function{name: name, args: "String, String", result: "UInt8", doc: doc, flag: true, sql: "({0} " + operator + ` {1} ESCAPE '\')`}
	}
	return []function{
		compares("equals", "="), compares("notEquals", "!="), compares("less", "<"), compares("greater", ">"), compares("lessOrEquals", "<="), compares("greaterOrEquals", ">="),
		{name: "and", args: "Flag, Flag, ...", result: "UInt8", doc: "`x AND y`", typ: typeOfCondition, flag: true, write: joinedBy(" AND "), anyCase: true},
		{name: "or", args: "Flag, Flag, ...", result: "UInt8", doc: "`x OR y`", typ: typeOfCondition, flag: true, write: joinedBy(" OR "), anyCase: true},
		{name: "not", args: "Flag", result: "UInt8", doc: "`NOT x`", typ: typeOfCondition, flag: true, sql: "(NOT {0?})", anyCase: true},
		contains("in", false), contains("notIn", true),
		like("like", "LIKE", "`s LIKE pattern`"), like("notLike", "NOT LIKE", "`s NOT LIKE pattern`"),
		like("ilike", "ILIKE", "`s ILIKE pattern`, in any letter case"), like("notILike", "NOT ILIKE", "`s NOT ILIKE pattern`"),
		{name: "plus", args: "Any, Any", result: "number or time", doc: "`x + y`; also a time and an interval", build: buildArithmetic, write: writeArithmetic},
		{name: "minus", args: "Any, Any", result: "number or time", doc: "`x - y`; also a time and an interval", build: buildArithmetic, write: writeArithmetic},
		{name: "multiply", args: "Number, Number", result: "number", doc: "`x * y`", build: buildArithmetic, write: writeArithmetic},
		{name: "divide", args: "Number, Number", result: "Float64", doc: "`x / y`, always a Float64", sql: "({0~} / {1~})"},
		{name: "modulo", args: "Number, Number", result: "number", doc: "`x % y`", others: []string{"mod"}, typ: typeOfModulo, write: writeModulo},
		{name: "negate", args: "Number", result: "number", doc: "`-x`", typ: typeOfNegate, sql: "(-{0#})"},
		{name: "arrayElement", args: "Any, Any", result: "elem", doc: "`array[1]`, also from the end; `map['key']`. What is missing is 0 or empty", build: buildElement, write: writeElement},
		{name: "tuple", args: "Any, ...", result: "Tuple()", doc: "`(x, y)`", nulls: true, typ: typeOfTuple, write: writeTuple, size: ""},
		{name: "tupleElement", args: "Any, const Int", result: "elem", doc: "`t.1`", build: buildMember, write: writeMember},
		{name: "array", args: "[Any], ...", result: "Array()", doc: "`[x, y]`", build: buildArray, write: writeArray},
		{name: "CAST", args: "Any", result: "elem", doc: "`CAST(x AS Type)`, `x::Type`", write: writeCast, hidden: true},
		{name: "savedqFlatten", args: "Map", hidden: true, write: func(p *printer, v *value) string { return mapped(p.sql(v.args[0])) }},
		{name: "savedqAttribute", args: "Map, String", hidden: true, write: writeAttribute},
	}
}

// typeOfCondition is a Bool if one of the conditions is.
func typeOfCondition(_ *resolver, c *call) *dataType {
	for _, v := range c.values {
		if v.typ.kind == boolKind {
			return &dataType{kind: boolKind}
		}
	}
	return flagType()
}

// checkCount checks how many arguments a call has.
func (c *call) checkCount(least, most int) {
	if len(c.args) < least || len(c.args) > most {
		fail(c.place, "%s takes (%s)", c.name, c.f.args)
	}
}

func joinedBy(operator string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		parts := make([]string, len(v.args))
		for i, arg := range v.args {
			parts[i] = p.condition(arg)
		}
		return "(" + strings.Join(parts, operator) + ")"
	}
}

// isNaNSafe reports whether a value is never NaN.
func (v *value) isNaNSafe() bool {
	return v.typ.kind != floatKind || v.kind == constantValue && v.text != "nan"
}

// writeComparison compares as ClickHouse does: NaN equals nothing, and is neither less nor greater.
func writeComparison(operator string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		a, b := v.args[0], v.args[1]
		left, right := p.plain(a), p.plain(b)
		if a.typ.isNumber() && b.typ.isNumber() {
			left, right = p.number(a), p.number(b)
		}
		text := "(" + left + " " + operator + " " + right + ")"
		not := func(of *value, sql string) {
			if !of.isNaNSafe() {
				text = "(" + text + " AND NOT isnan(" + sql + "))"
			}
		}
		switch operator {
		case "=":
			if !a.isNaNSafe() && !b.isNaNSafe() {
				not(a, left)
			}
		case "<>":
			if !a.isNaNSafe() && !b.isNaNSafe() {
				text = "(" + text + " OR isnan(" + left + "))"
			}
		case "<", "<=": // NaN is the greatest for DuckDB
			not(b, right)
			if operator == "<=" && !b.isNaNSafe() {
				break
			}
		case ">", ">=":
			not(a, left)
		}
		return text
	}
}

// buildIn resolves IN with a list.
func buildIn(r *resolver, c *call) *value {
	c.checkCount(2, 2)
	x := r.plain(r.value(c.args[0], c.s))
	list, isList := c.args[1].(*callExpr)
	if !isList || list.name != "tuple" && list.name != "array" || x.typ.kind == tupleKind && !isTupleList(list) {
		if x.typ.kind != tupleKind {
			array := r.plain(r.value(c.args[1], c.s))
			if array.typ.kind == arrayKind { // a parameter, for example
				if common(x.typ, array.typ.elem()) == nil {
					fail(c.place, "a %s cannot be in an %s", x.typ, array.typ)
				}
				return r.negated(c, r.newCall(c.place, row("has"), flagType().orNull(x.typ.nullable), array, x))
			}
		}
		list = &callExpr{place: c.args[1].offset(), name: "tuple", args: []expression{c.args[1]}}
	}
	v := r.newCall(c.place, row("in"), flagType().orNull(x.typ.nullable || x.isNull()), x)
	for _, arg := range list.args {
		element := r.plain(r.value(arg, c.s))
		if element.isNull() {
			continue
		}
		element = r.adapted(element, x.typ)
		if !x.isNull() && common(x.typ, element.typ) == nil {
			hint := ""
			if x.typ.kind == stringKind && element.typ.isNumber() {
				hint = "; write the number in quotes"
			}
			fail(element.place, "a %s cannot be among values of %s%s", x.typ, element.typ, hint)
		}
		v.args = append(v.args, element)
		v.hasAggregate = v.hasAggregate || element.hasAggregate
		v.isConstant = v.isConstant && element.isConstant
	}
	return r.negated(c, r.intern(v))
}

// isTupleList reports whether a list has lists.
func isTupleList(list *callExpr) bool {
	return !slices.ContainsFunc(list.args, func(x expression) bool {
		inner, ok := x.(*callExpr)
		return !ok || inner.name != "tuple"
	})
}

func (r *resolver) negated(c *call, v *value) *value {
	if c.f.name == "notIn" {
		return r.newCall(c.place, row("not"), v.typ, v)
	}
	return v
}

func writeIn(p *printer, v *value) string {
	if v.args[0].isNull() {
		return "CAST(NULL AS BOOLEAN)"
	}
	if len(v.args) == 1 {
		if v.args[0].typ.nullable {
			return "(CASE WHEN " + p.plain(v.args[0]) + " IS NOT NULL THEN false END)"
		}
		return "false"
	}
	return "(" + p.plain(v.args[0]) + " IN (" + p.list(v.args[1:]) + "))"
}

// buildArithmetic resolves +, - and *.
func buildArithmetic(r *resolver, c *call) *value {
	c.checkCount(2, 2)
	values := r.arguments(c)
	a, b := r.plain(values[0]), r.plain(values[1])
	if c.f.name == "plus" && b.typ.isTime() {
		a, b = b, a
	}
	if a.isString() && b.typ.kind == intervalKind {
		a = r.timeConstant(a, dateTimeType())
	}
	nullable := a.typ.nullable || b.typ.nullable || a.isNull() || b.isNull()
	switch {
	case a.isNull() || b.isNull():
		return r.nullValue(c.place)
	case a.typ.isTime() && b.typ.kind == intervalKind && c.f.name != "multiply":
		return r.newCall(c.place, c.f, addedType(a.typ, b.text).orNull(nullable), a, b)
	case a.typ.isTime() && b.typ.kind == intKind && c.f.name != "multiply":
		unit := map[kind]string{dateKind: "day", timeKind: "second"}[a.typ.kind]
		added := r.intern(&value{place: b.place, kind: intervalValue, typ: &dataType{kind: intervalKind}, text: unit, args: []*value{b}, isConstant: b.isConstant, hasAggregate: b.hasAggregate})
		return r.newCall(c.place, c.f, a.typ, a, added)
	case a.typ.isTime() && b.typ.isTime() && c.f.name == "minus":
		if a.typ.kind != b.typ.kind || a.typ.scale != wholeSeconds || b.typ.scale != wholeSeconds {
			if a.typ.kind != dateKind || b.typ.kind != dateKind {
				fail(c.place, "the difference of a %s and a %s is not supported; use dateDiff('second', …, …)", b.typ, a.typ)
			}
		}
		return r.newCall(c.place, c.f, intType(32, true).orNull(nullable), a, b)
	}
	for _, v := range []*value{a, b} {
		if !v.typ.isNumber() {
			fail(v.place, "%s takes numbers, and this is a %s%s", operatorOf(c.f.name), v.typ, hintFor(v, "Number"))
		}
	}
	return r.newCall(c.place, c.f, arithmeticType(c.f.name, a.typ, b.typ).orNull(nullable), a, b)
}

func operatorOf(name string) string {
	return map[string]string{"plus": "+", "minus": "-", "multiply": "*"}[name]
}

// arithmeticType is twice as wide as the wider of two integers.
func arithmeticType(name string, a, b *dataType) *dataType {
	if a.kind == floatKind || b.kind == floatKind {
		return floatType()
	}
	bits := func(t *dataType) int {
		if t.kind == boolKind {
			return 8
		}
		return t.bits
	}
	return intType(min(64, 2*max(bits(a), bits(b))), a.signed || b.signed || name == "minus")
}

// addedType is the type of a time and an interval.
func addedType(t *dataType, unit string) *dataType {
	sub := map[string]int{"millisecond": 3, "microsecond": 6}[unit]
	switch {
	case sub > 0 && t.kind == timeKind:
		return momentType(max(t.scale, sub))
	case sub > 0:
		return momentType(sub)
	case t.kind == dateKind && slices.Contains([]string{"second", "minute", "hour"}, unit):
		return dateTimeType()
	}
	return t.notNull()
}

func writeArithmetic(p *printer, v *value) string {
	a, b := v.args[0], v.args[1]
	operator := operatorOf(v.function.name)
	switch {
	case b.kind == intervalValue:
		text := "(" + p.plain(a) + " " + operator + " " + p.interval(b) + ")"
		if a.typ.kind == dateKind && v.typ.kind == dateKind {
			return "CAST(" + text + " AS DATE)"
		}
		return text
	case a.typ.kind == dateKind && b.typ.kind == dateKind:
		return "CAST(" + p.plain(a) + " - " + p.plain(b) + " AS BIGINT)"
	case a.typ.isTime():
		return "((epoch_us(" + p.plain(a) + ") - epoch_us(" + p.plain(b) + ")) // 1000000)"
	case v.typ.kind == floatKind:
		return "(" + p.float(a) + " " + operator + " " + p.float(b) + ")"
	}
	left, right := p.number(a), p.number(b)
	if v.typ.bits < 64 || max(a.typ.bits, b.typ.bits) <= 32 {
		return "(" + left + " " + operator + " " + right + ")"
	}
	duck := v.typ.duck()
	quick := "TRY(CAST(" + left + " AS " + duck + ") " + operator + " CAST(" + right + " AS " + duck + "))"
	whole := "(CAST(" + left + " AS HUGEINT) " + operator + " CAST(" + right + " AS HUGEINT))"
	return "coalesce(" + quick + ", " + wrapped(whole, v.typ) + ")"
}

// wrapped returns a HUGEINT as an integer of a type, of which it takes the last bits.
func wrapped(sql string, typ *dataType) string {
	modulus, half := hugePower(typ.bits), hugePower(typ.bits-1)
	if !typ.signed {
		return "CAST(((" + sql + " % " + modulus + ") + " + modulus + ") % " + modulus + " AS " + typ.duck() + ")"
	}
	return "CAST((((" + sql + " + " + half + ") % " + modulus + ") + " + modulus + ") % " + modulus + " - " + half + " AS " + typ.duck() + ")"
}

// hugePower is a power of 2 as a HUGEINT.
func hugePower(n int) string {
	powers := map[int]string{7: "128", 8: "256", 15: "32768", 16: "65536", 31: "2147483648", 32: "4294967296", 63: "9223372036854775808", 64: "18446744073709551616"}
	return powers[n] + "::HUGEINT"
}

func typeOfModulo(_ *resolver, c *call) *dataType {
	a, b := c.values[0].typ, c.values[1].typ
	if a.kind == floatKind || b.kind == floatKind {
		return floatType()
	}
	bits := max(8, b.bits)
	if a.signed {
		bits = min(64, 2*bits)
	}
	return intType(bits, a.signed)
}

func writeModulo(p *printer, v *value) string {
	if v.typ.kind == floatKind {
		return p.template("fmod({0~}, {1~})", v.args)
	}
	return p.quotient(v, " % ", raise("division by zero"))
}

func typeOfNegate(_ *resolver, c *call) *dataType {
	t := c.values[0].typ
	switch {
	case t.kind == floatKind:
		return floatType()
	case t.kind == boolKind:
		return intType(8, true)
	case t.signed:
		return t.notNull()
	}
	return intType(min(64, 2*t.bits), true)
}

// buildElement resolves an element of an array or a map.
func buildElement(r *resolver, c *call) *value {
	c.checkCount(2, 2)
	values := r.arguments(c)
	of, index := values[0], r.plain(values[1])
	switch of.typ.kind {
	case mapKind:
		if common(of.typ.inner[0], index.typ) == nil {
			fail(index.place, "a key of the map is a %s, and this is a %s", of.typ.inner[0], index.typ)
		}
		if of.attributes && index.isString() {
			if _, ok := attribute("", index.text); !ok {
				fail(index.place, "a path with a quote or a backslash is not supported")
			}
			return r.newCall(c.place, row("savedqAttribute"), stringType(), of, index)
		}
		return r.newCall(c.place, c.f, of.typ.inner[1].orNull(index.typ.nullable), r.plain(of), index)
	case arrayKind:
		if !index.typ.is(intKind, boolKind) {
			fail(index.place, "the place in an array is a whole number, and this is a %s", index.typ)
		}
		return r.newCall(c.place, c.f, of.typ.elem().orNull(index.typ.nullable), of, index)
	case tupleKind:
		if index.kind == constantValue {
			return r.member(c.place, of, index)
		}
	case nothingKind, stringKind, intKind, floatKind, boolKind, dateKind, timeKind, intervalKind, lambdaKind:
	}
	fail(c.place, "[…] reads an element of an array or a map, and this is a %s", of.typ)
	return nil
}

func writeElement(p *printer, v *value) string {
	of := v.args[0]
	zero := v.typ.zero()
	text := ""
	if of.typ.kind == mapKind {
		text = "map_extract_value(" + p.plain(of) + ", " + p.plain(v.args[1]) + ")"
	} else {
		text = "list_extract(" + p.plain(of) + ", " + p.number(v.args[1]) + ")"
	}
	if zero == "NULL" {
		return text
	}
	return "coalesce(" + text + ", " + zero + ")"
}

func writeAttribute(p *printer, v *value) string {
	text, _ := attribute(p.sql(v.args[0]), v.args[1].text)
	return text
}

func typeOfTuple(_ *resolver, c *call) *dataType {
	t := &dataType{kind: tupleKind}
	if len(c.values) == 0 {
		fail(c.place, "a tuple has a value")
	}
	for _, v := range c.values {
		t.inner = append(t.inner, v.typ)
	}
	return t
}

func writeTuple(p *printer, v *value) string {
	fields := make([]string, len(v.args))
	for i, arg := range v.args {
		fields[i] = "f" + itoa(i+1) + " := " + p.as(arg, v.typ.inner[i])
	}
	text := "struct_pack(" + strings.Join(fields, ", ") + ")"
	return p.nested(v, text)
}

// nested bounds what has arrays or tuples in it twice.
func (p *printer) nested(v *value, text string) string {
	var sizes []string
	for _, arg := range v.args {
		if arg.typ.is(arrayKind, mapKind, tupleKind) {
			sizes = append(sizes, "coalesce(strlen(CAST("+p.plain(arg)+" AS VARCHAR)), 0)")
		}
	}
	if !p.env.IsCallers || len(sizes) == 0 {
		return text
	}
	return p.within(v, strings.Join(sizes, " + "), text)
}

func buildMember(r *resolver, c *call) *value {
	c.checkCount(2, 2)
	values := r.arguments(c)
	return r.member(c.place, values[0], values[1])
}

func (r *resolver) member(at place, of, index *value) *value {
	if of.typ.kind != tupleKind || index.kind != constantValue || index.typ.kind != intKind {
		fail(at, "a member is of a tuple, by its number, such as t.1")
	}
	n := 0
	for i := range of.typ.inner {
		if index.text == itoa(i+1) {
			n = i + 1
		}
	}
	if n == 0 {
		fail(at, "the tuple has %d members", len(of.typ.inner))
	}
	return r.newCall(at, row("tupleElement"), of.typ.inner[n-1], of, index)
}

func writeMember(p *printer, v *value) string {
	return "struct_extract(" + p.plain(v.args[0]) + ", 'f" + v.args[1].text + "')"
}

// buildArray resolves an array, whose elements get one type.
func buildArray(r *resolver, c *call) *value {
	elem := &dataType{kind: nothingKind}
	values := r.arguments(c)
	for i, v := range values {
		values[i] = r.plain(v)
		if i == 0 {
			elem = v.typ
			continue
		}
		found := common(elem, v.typ)
		if found == nil {
			fail(v.place, "the elements of an array have one type, and these are %s and %s", elem, v.typ)
		}
		elem = found
	}
	return r.newCall(c.place, c.f, arrayOf(elem), values...)
}

func writeArray(p *printer, v *value) string {
	elements := make([]string, len(v.args))
	for i, arg := range v.args {
		elements[i] = p.as(arg, v.typ.elem())
	}
	if len(elements) == 0 {
		return v.typ.zero()
	}
	return p.nested(v, "["+strings.Join(elements, ", ")+"]")
}
