package clickhousesql

import "slices"

func numberRows() []function {
	float := func(name, sql, doc string, others ...string) function {
		return function{name: name, others: others, args: "Number", result: "Float64", sql: sql, doc: doc, anyCase: true}
	}
	rounded := func(name, doc string, others ...string) function {
		return function{name: name, others: others, args: "Number, [const Int]", result: "like 1", doc: doc, write: writeRounded, anyCase: true, typ: typeOfRounded}
	}
	return []function{
		rounded("round", "The number rounded to digits behind the point, a half to the even neighbour."), rounded("roundBankers", "The same."),
		rounded("floor", "The number rounded down."), rounded("ceil", "The number rounded up.", "ceiling"), rounded("trunc", "The number without digits.", "truncate"),
		{name: "abs", args: "Number", result: "like 1", doc: "The number without its sign.", sql: "abs({0#})", typ: typeOfAbs, anyCase: true},
		{name: "sign", args: "Number", result: "Int8", doc: "-1, 0 or 1.", sql: "CAST(sign({0#}) AS BIGINT)", anyCase: true},
		float("sqrt", "CASE WHEN {0~} < 0 THEN 'nan'::DOUBLE ELSE sqrt({0~}) END", "The square root."), float("exp", "exp({0~})", "The power of e."),
		float("log", logOf("ln"), "The natural logarithm.", "ln"), float("log2", logOf("log2"), "The logarithm to base 2."), float("log10", logOf("log10"), "The logarithm to base 10."),
		{name: "pow", others: []string{"power"}, args: "Number, Number", result: "Float64", doc: "The power.", sql: "pow({0~}, {1~})", anyCase: true},
		{name: "greatest", args: "Any, ...", result: "like 1", doc: "The greatest argument.", typ: typeOfAlike, write: writeAlike("greatest"), anyCase: true},
		{name: "least", args: "Any, ...", result: "like 1", doc: "The least argument.", typ: typeOfAlike, write: writeAlike("least"), anyCase: true},
		{name: "intDiv", args: "Number, Number", result: "like 1", doc: "The quotient of integers without a fraction.", typ: typeOfDivision, write: writeDivision("{!division by zero}")},
		{name: "intDivOrZero", args: "Number, Number", result: "like 1", doc: "The same, and 0 for a division by zero.", typ: typeOfDivision, write: writeDivision("0")},
		{name: "isNaN", args: "Number", result: "UInt8", doc: "Whether it is NaN.", sql: "isnan({0~})", flag: true},
		{name: "isFinite", args: "Number", result: "UInt8", doc: "Whether it is neither NaN nor infinite.", sql: "isfinite({0~})", flag: true},
		{name: "isInfinite", args: "Number", result: "UInt8", doc: "Whether it is infinite.", sql: "isinf({0~})", flag: true},
		{name: "ifNotFinite", args: "Number, Number", result: "Float64", doc: "The first argument, or the second if it is NaN or infinite.", sql: "CASE WHEN isfinite({0~}) THEN {0~} ELSE {1~} END"},
	}
}

func logOf(function string) string {
	return "CASE WHEN {0~} > 0 THEN " + function + "({0~}) WHEN {0~} = 0 THEN '-inf'::DOUBLE ELSE 'nan'::DOUBLE END"
}

func typeOfRounded(_ *resolver, c *call) *dataType {
	t := c.values[0].typ.notNull()
	if t.kind == boolKind {
		return flagType()
	}
	return t
}

func writeRounded(p *printer, v *value) string {
	digits := "0"
	if len(v.args) == 2 {
		digits = v.args[1].text
	}
	name := v.function.name
	if v.typ.kind == intKind {
		if len(digits) > 0 && digits[0] == '-' {
			fail(v.args[1].place, "the digits of an integer are not rounded; divide it first")
		}
		return p.number(v.args[0])
	}
	x := p.float(v.args[0])
	switch {
	case name == "round" || name == "roundBankers":
		return "CASE WHEN isfinite(" + x + ") THEN round_even(" + x + ", " + digits + ") ELSE " + x + " END"
	case digits == "0":
		return name + "(" + x + ")"
	}
	power := "pow(10::DOUBLE, " + digits + ")"
	return "(" + name + "(" + x + " * " + power + ") / " + power + ")"
}

func typeOfAbs(_ *resolver, c *call) *dataType {
	t := c.values[0].typ.notNull()
	if t.kind == intKind {
		return intType(t.bits, false)
	}
	if t.kind == boolKind {
		return flagType()
	}
	return t
}

func typeOfAlike(_ *resolver, c *call) *dataType {
	typ := c.values[0].typ
	for _, v := range c.values {
		found := common(typ, v.typ)
		if found == nil {
			fail(v.place, "the arguments of %s have one type, and these are %s and %s", c.f.name, typ, v.typ)
		}
		typ = found
	}
	return typ
}

func typeOfDivision(_ *resolver, c *call) *dataType {
	a, b := c.values[0].typ, c.values[1].typ
	signed := a.signed || b.signed || a.kind == floatKind || b.kind == floatKind
	return intType(max(8, a.bits), signed)
}

func writeDivision(otherwise string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		return p.quotient(v, " // ", p.template(otherwise, nil))
	}
}

// quotient writes an integer division with its quotient or remainder, in the narrowest type of DuckDB that holds both
// numbers and the result. otherwise is what a division by 0 is.
func (p *printer) quotient(v *value, operator, otherwise string) string {
	isNarrow := !slices.ContainsFunc(v.args, func(of *value) bool { return of.typ.kind == floatKind || of.typ.bits > 32 })
	whole := func(of *value) string {
		switch {
		case isNarrow:
			return p.number(of)
		case of.typ.kind == floatKind:
			return "CAST(trunc(" + p.plain(of) + ") AS HUGEINT)"
		}
		return "CAST(" + p.number(of) + " AS HUGEINT)"
	}
	divisor := whole(v.args[1])
	text := whole(v.args[0]) + operator + divisor
	if v.args[1].kind != constantValue || v.args[1].typ.kind != intKind || v.args[1].text == "0" {
		text = "CASE WHEN " + divisor + " = 0 THEN " + otherwise + " ELSE " + text + " END"
	}
	return "CAST(" + text + " AS " + v.typ.duck() + ")"
}
