package clickhousesql

import (
	"strings"
)

func arrayRows() []function {
	lambda := func(name, result, doc string, write func(p *printer, v *value, body, list string) string) function {
		return function{name: name, args: "lambda, Array, ...", result: result, doc: doc, build: buildLambda, write: func(p *printer, v *value) string {
			return p.lambda(v, write)
		}}
	}
	keeps := func(name, sql, doc string, others ...string) function {
		return function{name: name, others: others, args: "Array", result: "like 1", sql: sql, doc: doc}
	}
	return []function{
		{name: "arrayJoin", args: "Array", result: "elem", doc: "Each element of the array, in a row of its own.", build: buildArrayJoin, sql: "unnest({0})"},
		{name: "has", args: "Array, Any", result: "UInt8", doc: "Whether an array has a value, or a map a key.", build: buildHas, write: writeHas, flag: true},
		{name: "hasAny", args: "Array, Array", result: "UInt8", doc: "Whether an array has one of the values of another one.", flag: true, sql: "list_has_any({0}, {1})", build: buildArrays},
		{name: "hasAll", args: "Array, Array", result: "UInt8", doc: "Whether an array has all values of another one.", flag: true, sql: "list_has_all({0}, {1})", build: buildArrays},
		{name: "indexOf", args: "Array, Any", result: "UInt64", doc: "Where a value is in an array; 0 if it is not.", build: buildHas, sql: "CAST(coalesce(list_position({0}, {1}), 0) AS UBIGINT)"},
		{name: "countEqual", args: "Array, Any", result: "UInt64", doc: "How often a value is in an array.", build: buildHas, sql: "CAST(len(list_filter({0}, lambda e: e = {1})) AS UBIGINT)"},
		lambda("arrayMap", "Array()", "What a lambda makes of each element: `arrayMap(x -> lower(x), array)`.", func(_ *printer, _ *value, body, list string) string {
			return "list_transform(" + list + ", " + body + ")"
		}),
		lambda("arrayFilter", "like 2", "The elements for which a lambda is not 0.", func(_ *printer, _ *value, body, list string) string { return "list_filter(" + list + ", " + body + ")" }),
		lambda("arrayExists", "UInt8", "Whether a lambda is not 0 for an element.", func(_ *printer, _ *value, body, list string) string {
			return "CAST(len(list_filter(" + list + ", " + body + ")) > 0 AS BIGINT)"
		}),
		lambda("arrayAll", "UInt8", "Whether a lambda is not 0 for all elements.", func(_ *printer, _ *value, body, list string) string {
			return "CAST(len(list_filter(" + list + ", " + body + ")) = len(" + list + ") AS BIGINT)"
		}),
		lambda("arrayCount", "UInt64", "For how many elements a lambda is not 0.", func(_ *printer, _ *value, body, list string) string {
			return "CAST(len(list_filter(" + list + ", " + body + ")) AS UBIGINT)"
		}),
		lambda("arrayFirst", "elem", "The first element for which a lambda is not 0.", func(_ *printer, v *value, body, list string) string {
			return "coalesce(list_extract(list_filter(" + list + ", " + body + "), 1), " + v.typ.zero() + ")"
		}),
		{name: "arraySum", args: "Numbers", result: "Float64", doc: "The sum of the elements.", typ: typeOfArraySum, write: writeArraySum},
		{name: "arrayAvg", args: "Numbers", result: "Float64", doc: "The average of the elements.", sql: "coalesce(CAST(list_avg({0}) AS DOUBLE), 'nan'::DOUBLE)"},
		{name: "arrayMin", args: "Array", result: "elem", doc: "The least element.", write: writeListAggregate("list_min")},
		{name: "arrayMax", args: "Array", result: "elem", doc: "The greatest element.", write: writeListAggregate("list_max")},
		{name: "arrayUniq", args: "Array", result: "UInt64", doc: "The number of distinct elements.", sql: "CAST(len(list_distinct({0})) AS UBIGINT)"},
		keeps("arrayDistinct", "list_transform(list_filter({0}, lambda e, i: list_position({0}, e) = i), lambda e: e)", "The distinct elements."),
		keeps("arraySort", "list_sort({0})", "The elements in order."), keeps("arrayReverseSort", "list_reverse_sort({0})", "The elements in descending order."), keeps("arrayReverse", "list_reverse({0})", "The elements from the end.", "reverseArray"),
		{name: "arrayEnumerate", args: "Array", result: "Array(UInt32)", doc: "The numbers from 1 to the length.", sql: "list_transform({0}, lambda e, i: i)"},
		{name: "arrayConcat", args: "Array, ...", result: "like 1", doc: "The elements of several arrays.", build: buildArrays, write: writeArrays},
		{name: "arrayPushBack", args: "Array, Any", result: "like 1", doc: "The array with an element behind it.", build: buildHas, sql: "list_append({0}, {1})"},
		{name: "arrayPushFront", args: "Array, Any", result: "like 1", doc: "The array with an element before it.", build: buildHas, sql: "list_prepend({1}, {0})"},
		{name: "arraySlice", args: "Array, Int, [Int]", result: "like 1", doc: "A part of an array, from an element on.", write: writeSlice},
		{name: "range", args: "Int, [Int], [Int]", result: "Array(like 1)", doc: "The numbers from 0, or from the first argument, up to before the last one.", typ: typeOfRange, write: writeRange},
		{name: "map", args: "Any, Any, ...", result: "Map(String, String)", doc: "A map of keys and values.", build: buildMap, write: writeMap},
		{name: "mapKeys", args: "Map", result: "Array(String)", doc: "The keys of a map.", typ: func(_ *resolver, c *call) *dataType { return arrayOf(c.values[0].typ.inner[0]) }, sql: "map_keys({0})"},
		{name: "mapValues", args: "Map", result: "Array(String)", doc: "The values of a map.", typ: func(_ *resolver, c *call) *dataType { return arrayOf(c.values[0].typ.inner[1]) }, sql: "map_values({0})"},
		{name: "mapContains", others: []string{"mapContainsKey"}, args: "Map, Any", result: "UInt8", doc: "Whether a map has a key.", flag: true, build: buildHas, write: writeHas},
		{name: "mapFilter", args: "lambda, Map", result: "like 2", doc: "The entries of a map for which a lambda of key and value is not 0.", build: buildLambda, write: writeMapFilter},
	}
}

// buildArrayJoin resolves arrayJoin: a row for each element. Of an aggregate, the rows are made behind the groups.
func buildArrayJoin(r *resolver, c *call) *value {
	c.checkCount(1, 1)
	array := r.plain(r.value(c.args[0], c.s))
	if array.typ.kind != arrayKind {
		fail(array.place, "arrayJoin takes an array, and this is a %s%s", array.typ, map[bool]string{true: "; use mapKeys(…) or mapValues(…)"}[array.typ.kind == mapKind])
	}
	if len(c.s.variables) > 0 {
		fail(c.place, "arrayJoin cannot be in a lambda")
	}
	if c.s.inAggregate != "" && array.hasAggregate {
		fail(c.place, "an aggregate function cannot be in another one")
	}
	if array.hasAggregate {
		if c.s.clause != "" {
			fail(c.place, "arrayJoin of an aggregate cannot be in %s", c.s.clause)
		}
		return r.newCall(c.place, c.f, array.typ.elem(), array)
	}
	return r.elements(c.callExpr, array, c.s)
}

// buildHas resolves a function of an array or a map, and a value of it.
func buildHas(r *resolver, c *call) *value {
	c.checkCount(2, 2)
	values := r.arguments(c)
	of, x := values[0], r.plain(values[1])
	var elem *dataType
	switch {
	case of.typ.kind == arrayKind:
		elem = of.typ.elem()
	case of.typ.kind == mapKind && isKeyFunction(c.f.name):
		elem = of.typ.inner[0]
		if !of.attributes {
			of = r.plain(of)
		}
	default:
		fail(of.place, "%s takes an array, and this is a %s", c.name, of.typ)
	}
	if common(elem, x.typ) == nil {
		fail(x.place, "an element is a %s, and this is a %s", elem, x.typ)
	}
	typ := of.typ.notNull()
	switch {
	case c.f.flag:
		typ = flagType()
	case c.f.result == "UInt64":
		typ = countType()
	case c.f.result == "like 1" && common(elem, x.typ).duck() != elem.duck():
		fail(x.place, "an element is a %s, and this is a %s", elem, x.typ)
	}
	return r.newCall(c.place, c.f, typ, r.plain(of), x)
}

func isKeyFunction(name string) bool {
	return name == "has" || name == "mapContains"
}

func writeHas(p *printer, v *value) string {
	of := v.args[0]
	if of.typ.kind == mapKind {
		return "map_contains(" + p.plain(of) + ", " + p.plain(v.args[1]) + ")"
	}
	if v.args[1].isNull() {
		return "(len(" + p.plain(of) + ") > list_count(" + p.plain(of) + "))"
	}
	return "coalesce(list_contains(" + p.plain(of) + ", " + p.plain(v.args[1]) + "), false)"
}

// buildArrays resolves a function of arrays of one type.
func buildArrays(r *resolver, c *call) *value {
	values := r.arguments(c)
	if len(values) == 0 || c.f.flag && len(values) != 2 {
		fail(c.place, "%s takes (%s)", c.name, c.f.args)
	}
	typ := values[0].typ
	for i, v := range values {
		if v.typ.kind != arrayKind {
			fail(v.place, "%s takes arrays, and this is a %s", c.name, v.typ)
		}
		found := common(typ, v.typ)
		if found == nil {
			fail(v.place, "the arrays have one type, and these are %s and %s", typ, v.typ)
		}
		typ = found
		values[i] = r.plain(v)
	}
	if c.f.flag {
		typ = flagType()
	}
	return r.newCall(c.place, c.f, typ, values...)
}

func writeArrays(p *printer, v *value) string {
	parts := make([]string, len(v.args))
	for i, arg := range v.args {
		parts[i] = p.as(arg, v.typ)
	}
	return p.nested(v, "list_concat("+strings.Join(parts, ", ")+")")
}

// buildLambda resolves a function of a lambda and arrays.
func buildLambda(r *resolver, c *call) *value {
	if len(c.args) == 1 && isOneOfFlags(c.f.name) { // of numbers
		c.args = []expression{&lambda{place: c.place, names: []token{{kind: nameToken, text: "x"}}, body: &identifier{place: c.place, parts: []string{"x"}}}, c.args[0]}
	}
	if len(c.args) < 2 {
		fail(c.place, "%s takes (%s)", c.name, c.f.args)
	}
	written, ok := c.args[0].(*lambda)
	if !ok {
		fail(c.args[0].offset(), "the first argument of %s is a lambda, such as x -> lower(x)", c.name)
	}
	v := &value{place: c.place, kind: callValue, function: c.f, isConstant: true}
	var elems []*dataType
	for _, arg := range c.args[1:] {
		array := r.plain(r.value(arg, c.s))
		switch {
		case array.typ.kind == mapKind && c.f.name == "mapFilter" && len(c.args) == 2:
			elems = append(elems, array.typ.inner...)
		case array.typ.kind == arrayKind && c.f.name != "mapFilter":
			elems = append(elems, array.typ.elem())
		default:
			fail(array.place, "%s takes (%s), and this is a %s", c.name, c.f.args, array.typ)
		}
		v.args = append(v.args, array)
		v.hasAggregate = v.hasAggregate || array.hasAggregate
		v.isConstant = v.isConstant && array.isConstant
	}
	if len(elems) != len(written.names) {
		fail(written.place, "the lambda takes %d arguments, and there are %d", len(written.names), len(elems))
	}
	before := len(c.s.variables)
	for i, name := range written.names {
		v.variables = append(v.variables, r.intern(&value{place: name.start, kind: variableValue, typ: elems[i], text: name.text}))
	}
	c.s.variables = append(c.s.variables, v.variables...)
	body := r.plain(r.value(written.body, c.s))
	c.s.variables = c.s.variables[:before]
	if body.hasAggregate {
		fail(body.place, "an aggregate function cannot be in a lambda")
	}
	if reads(body, func(one *value) bool { return one.kind == queryValue }) {
		fail(body.place, "a subquery cannot be in a lambda")
	}
	switch c.f.result {
	case "Array()":
		v.typ = arrayOf(body.typ)
	case "like 2":
		v.typ = v.args[0].typ
	case "elem":
		v.typ = v.args[0].typ.elem()
	default:
		v.typ = parseType(c.f.result, c.place)
	}
	if c.f.result != "Array()" && !body.typ.isNumber() && !body.isNull() {
		fail(body.place, "the lambda of %s is a condition, and this is a %s", c.name, body.typ)
	}
	if len(v.args) > 1 && c.f.result != "Array()" && c.f.name != "arrayExists" && c.f.name != "arrayCount" && c.f.name != "arrayAll" {
		fail(c.place, "%s of several arrays is not supported", c.name)
	}
	v.isConstant = v.isConstant && !reads(body, func(one *value) bool { return one.kind == columnValue })
	v.args = append(v.args, body)
	return r.intern(v)
}

func isOneOfFlags(name string) bool {
	return name == "arrayExists" || name == "arrayAll" || name == "arrayCount"
}

// reads reports whether a value, or a part of it, is one that is asked for.
func reads(v *value, is func(v *value) bool) bool {
	if is(v) {
		return true
	}
	for _, arg := range v.args {
		if reads(arg, is) {
			return true
		}
	}
	return false
}

// lambda writes a function of a lambda and arrays. Several arrays are zipped to one.
func (p *printer) lambda(v *value, write func(p *printer, v *value, body, list string) string) string {
	arrays, body := v.args[:len(v.args)-1], v.args[len(v.args)-1]
	name := p.next("v")
	list := p.plain(arrays[0])
	if len(arrays) == 1 {
		p.known[v.variables[0].id] = name
	} else {
		parts := make([]string, len(arrays))
		for i, array := range arrays {
			parts[i] = p.plain(array)
			p.known[v.variables[i].id] = name + "[" + itoa(i+1) + "]"
		}
		list = "list_zip(" + strings.Join(parts, ", ") + ")"
	}
	text := p.plain(body)
	if v.function.result != "Array()" {
		text = p.condition(body)
	}
	written := write(p, v, "lambda "+name+": "+text, list)
	for _, variable := range v.variables {
		delete(p.known, variable.id)
	}
	return written
}

func writeMapFilter(p *printer, v *value) string {
	name := p.next("v")
	p.known[v.variables[0].id], p.known[v.variables[1].id] = name+".key", name+".value"
	return "map_from_entries(list_filter(map_entries(" + p.plain(v.args[0]) + "), lambda " + name + ": " + p.condition(v.args[1]) + "))"
}

func typeOfArraySum(_ *resolver, c *call) *dataType {
	elem := c.values[0].typ.elem()
	if elem.kind == floatKind {
		return floatType()
	}
	return intType(64, elem.signed)
}

func writeArraySum(p *printer, v *value) string {
	return "CAST(coalesce(list_sum(" + p.plain(v.args[0]) + "), 0) AS " + v.typ.duck() + ")"
}

func writeListAggregate(name string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		return "coalesce(" + name + "(" + p.plain(v.args[0]) + "), " + v.typ.zero() + ")"
	}
}

func writeSlice(p *printer, v *value) string {
	x, from := p.plain(v.args[0]), p.number(v.args[1])
	first := "(CASE WHEN " + from + " < 0 THEN greatest(len(" + x + ") + " + from + " + 1, 1) ELSE " + from + " END)"
	if len(v.args) == 2 {
		return "list_slice(" + x + ", " + first + ", len(" + x + "))"
	}
	n := p.number(v.args[2])
	last := "(CASE WHEN " + n + " < 0 THEN len(" + x + ") + " + n + " ELSE " + first + " + " + n + " - 1 END)"
	return "CASE WHEN " + last + " < " + first + " THEN " + v.typ.zero() + " ELSE list_slice(" + x + ", " + first + ", " + last + ") END"
}

// mostRange is the most elements of a range.
const mostRange = 10_000

// typeOfRange is an array of integers that hold all arguments.
func typeOfRange(_ *resolver, c *call) *dataType {
	elem := intType(8, false)
	for i, v := range c.values {
		switch {
		case v.typ.kind != intKind:
		case i == 0:
			elem = v.typ.notNull()
		default:
			elem = common(elem, v.typ.notNull())
		}
	}
	return arrayOf(elem)
}

func writeRange(p *printer, v *value) string {
	from, to, step := "0", p.number(v.args[0]), "1"
	if len(v.args) > 1 {
		from, to = to, p.number(v.args[1])
	}
	if len(v.args) > 2 {
		step = p.number(v.args[2])
	}
	return "CASE WHEN " + step + " < 1 OR (CAST(" + to + " AS HUGEINT) - " + from + ") // greatest(" + step + ", 1) > " + itoa(mostRange) + " THEN " + raise("range makes at most 10000 elements") +
		" ELSE CAST(range(CAST(" + from + " AS BIGINT), CAST(" + to + " AS BIGINT), CAST(" + step + " AS BIGINT)) AS " + v.typ.duck() + ") END"
}

func buildMap(r *resolver, c *call) *value {
	values := r.arguments(c)
	if len(values) == 0 || len(values)%2 != 0 {
		fail(c.place, "map takes keys and values")
	}
	var types [2]*dataType
	for i, v := range values {
		v = r.plain(v)
		values[i] = v
		if types[i%2] == nil {
			types[i%2] = v.typ
			continue
		}
		found := common(types[i%2], v.typ)
		if found == nil {
			fail(v.place, "the keys of a map have one type, and the values have")
		}
		types[i%2] = found
	}
	return r.newCall(c.place, c.f, &dataType{kind: mapKind, inner: types[:]}, values...)
}

func writeMap(p *printer, v *value) string {
	var sides [2][]string
	for i, arg := range v.args {
		sides[i%2] = append(sides[i%2], p.as(arg, v.typ.inner[i%2]))
	}
	return p.nested(v, "map(["+strings.Join(sides[0], ", ")+"], ["+strings.Join(sides[1], ", ")+"])")
}
