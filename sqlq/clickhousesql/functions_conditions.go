package clickhousesql

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

func conditionRows() []function {
	return []function{
		{name: "if", args: "Flag, Any, Any", result: "like 2", doc: "The second argument where the first is not 0, else the third; also `c ? x : y`.", anyCase: true, build: buildIf, write: writeIf},
		{name: "multiIf", others: []string{"caseWithoutExpression"}, args: "Flag, Any, ..., Any", result: "like 2", doc: "The value behind the first condition that is true, else the last argument; also `CASE`.", build: buildIf, write: writeIf},
		{name: "coalesce", args: "Any, ...", result: "like 1", doc: "The first argument that is not NULL.", nulls: true, anyCase: true, typ: typeOfCoalesce, write: writeAlike("coalesce")},
		{name: "ifNull", args: "Any, Any", result: "like 1", doc: "The first argument, or the second if it is NULL.", nulls: true, anyCase: true, typ: typeOfCoalesce, write: writeAlike("coalesce")},
		{name: "nullIf", args: "Any, Any", result: "Nullable", doc: "NULL if both are equal, else the first argument.", anyCase: true, build: buildNullIf, write: writeNullIf},
		{name: "isNull", args: "Any", result: "UInt8", doc: "`x IS NULL`", nulls: true, flag: true, sql: "({0} IS NULL)", anyCase: true},
		{name: "isNotNull", args: "Any", result: "UInt8", doc: "`x IS NOT NULL`", nulls: true, flag: true, sql: "({0} IS NOT NULL)"},
		{name: "assumeNotNull", args: "Any", result: "like 1", doc: "The value, with 0 or an empty text for NULL.", nulls: true, write: writeAssumeNotNull},
		{name: "toNullable", args: "Any", result: "like 1", doc: "The value, in a type with NULL.", nulls: true, typ: func(_ *resolver, c *call) *dataType { return c.values[0].typ.orNull(true) }, sql: "{0}"},
	}
}

// buildIf resolves conditions with values, which get one type.
func buildIf(r *resolver, c *call) *value {
	if len(c.args) < 3 || len(c.args)%2 == 0 || c.f.name == "if" && len(c.args) > 3 {
		fail(c.place, "%s takes (%s)", c.name, c.f.args)
	}
	values := r.arguments(c)
	var typ *dataType
	for i, v := range values {
		v = r.plain(v)
		values[i] = v
		if i%2 == 0 && i < len(values)-1 {
			if !v.typ.isNumber() && !v.isNull() {
				fail(v.place, "a condition is a number or a Bool, and this is a %s; compare it with something", v.typ)
			}
			continue
		}
		if typ == nil {
			typ = v.typ
			continue
		}
		found := common(typ, v.typ)
		if found == nil {
			fail(v.place, "the values of %s have one type, and these are %s and %s; convert one with toString(…)", c.f.name, typ, v.typ)
		}
		typ = found
	}
	return r.newCall(c.place, c.f, typ, values...)
}

func writeIf(p *printer, v *value) string {
	var out strings.Builder
	out.WriteString("CASE")
	last := len(v.args) - 1
	for i := 0; i < last; i += 2 {
		out.WriteString(" WHEN " + p.condition(v.args[i]) + " THEN " + p.as(v.args[i+1], v.typ))
	}
	out.WriteString(" ELSE " + p.as(v.args[last], v.typ) + " END")
	return out.String()
}

func typeOfCoalesce(_ *resolver, c *call) *dataType {
	typ := c.values[0].typ
	nullable := true
	for _, v := range c.values {
		found := common(typ, v.typ)
		if found == nil {
			fail(v.place, "the arguments of %s have one type, and these are %s and %s", c.f.name, typ, v.typ)
		}
		typ = found
		nullable = nullable && (v.typ.nullable || v.isNull())
	}
	if typ.kind == nothingKind {
		return typ
	}
	return typ.notNull().orNull(nullable)
}

// writeAlike writes a function of DuckDB whose arguments have the type of the result.
func writeAlike(name string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		parts := make([]string, len(v.args))
		for i, arg := range v.args {
			parts[i] = p.as(arg, v.typ)
		}
		return name + "(" + strings.Join(parts, ", ") + ")"
	}
}

func buildNullIf(r *resolver, c *call) *value {
	c.checkCount(2, 2)
	values := r.arguments(c)
	x := r.plain(values[0])
	equal := r.compare(c.place, "equals", x, values[1])
	return r.newCall(c.place, c.f, x.typ.orNull(true), x, equal)
}

func writeNullIf(p *printer, v *value) string {
	return "CASE WHEN " + p.condition(v.args[1]) + " THEN NULL ELSE " + p.plain(v.args[0]) + " END"
}

func writeAssumeNotNull(p *printer, v *value) string {
	return "coalesce(" + p.plain(v.args[0]) + ", " + v.typ.notNull().zero() + ")"
}
