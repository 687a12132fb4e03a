package googlesql

import (
	"slices"
	"strings"
)

// expression resolves an expression.
func (r *resolver) expression(x expression, s *scope) value {
	if r.expressionsRead++; r.expressionsRead > mostExpressions {
		fail(x.offset(), tooComplex)
	}
	v := x.resolve(r, s)
	v.at = x.offset()
	v.selected()
	r.notes.expression(x, v, s)
	return v
}

func (x *literal) resolve(*resolver, *scope) value {
	return value{typ: scalar(x.kind), node: newConstant(x), at: x.place, constant: x}
}

func (x *pathExpr) resolve(_ *resolver, s *scope) value { return s.path(x) }

func (x *fieldExpr) resolve(r *resolver, s *scope) value { return r.expression(x.of, s).field(x.name) }

func (x *betweenExpr) resolve(r *resolver, s *scope) value {
	a := r.expression(x.x, s)
	low := r.compare(">=", a, r.expression(x.low, s), x.place)
	high := r.compare("<=", a, r.expression(x.high, s), x.place)
	return condition("BETWEEN", x.place, low, high)
}

func (x *queryExpr) resolve(r *resolver, s *scope) value {
	rel := r.query(x.query, s)
	v, rows := oneColumn(rel, x.place), &subquery{at: x.place, kind: scalarSubquery, query: rel}
	if v.dyn != nil {
		return carried(v, rows).opaque()
	}
	return value{typ: v.typ, node: rows, at: v.at, quantiles: v.quantiles}.opaque()
}

func oneColumn(rel *relation, at place) value {
	if len(rel.columns) != 1 {
		fail(at, "a subquery in an expression has one column, not %d; SELECT AS STRUCT makes one of several", len(rel.columns))
	}
	return rel.columns[0].value
}

func (r *resolver) expressions(list []expression, s *scope) []value {
	return each(list, func(_ int, x expression) value { return r.expression(x, s) })
}

// resolve resolves a parameter, which has the type that it is declared with.
func (x *param) resolve(r *resolver, _ *scope) value {
	typ, ok := r.env.param(x.name)
	if !ok {
		fail(x.place, "parameter @%s is not declared%s", x.name, didYouMean(x.name, r.env.paramNames()))
	}
	if typ.kind == nullKind {
		return r.untyped(x)
	}
	v := newValue(typ, x.place, &parameter{name: x.name, typ: typ})
	v.isParam = true
	return v
}

// untyped resolves a parameter whose type its uses decide.
func (r *resolver) untyped(x *param) value {
	s := r.untypedParams[foldName(x.name)]
	if s == nil {
		s = &shape{}
		r.untypedParams[foldName(x.name)] = s
	}
	v := newDynamic(&dynamic{shape: s, base: &parameter{name: x.name, shape: s}, layout: typedLayout}, x.place)
	v.isParam = true
	return v
}

// paramType is the type of a parameter, as its uses have it.
func (s *shape) paramType() *dataType {
	s = s.root()
	if s.elem != nil {
		return arrayOf(s.elem.paramType())
	}
	for _, k := range []kind{timestampKind, datetimeKind, dateKind, timeKind, stringKind, bytesKind, float64Kind, numberKind, numericKind, int64Kind, boolKind} {
		if s.kinds&(1<<k) != 0 {
			return scalar(ifElse(k == numberKind, float64Kind, k))
		}
	}
	return scalar(stringKind)
}

func (x *indexExpr) resolve(r *resolver, s *scope) value {
	of, at := r.expression(x.of, s), x.place
	if of.quantiles != nil {
		if v, ok := of.quantiles.at(x, of); ok {
			return v
		}
	}
	index := r.expression(x.index, s)
	if of.typ.kind == jsonKind {
		return of.jsonAt(x, index)
	}
	if of.typ.kind == structKind {
		return of.fieldOf(x, index)
	}
	i := coerce(index, scalar(int64Kind))
	if of.typ.kind != arrayKind && of.typ.kind != dynamicKind {
		fail(at, "a value of type %s has no elements", of.typ)
	}
	if of.typ.kind == dynamicKind {
		return newDynamic(&dynamic{shape: of.typ.shape.element(), parent: of.dyn, index: i, kind: x.kind}, at).from(of, i)
	}
	return inside(of.typ.elem, &element{of: of, index: i, kind: x.kind}, at).from(of, i)
}

// jsonAt returns the member or the element of JSON that an index names.
func (v value) jsonAt(x *indexExpr, index value) value {
	switch {
	case x.kind != "":
		fail(x.place, "JSON takes no %s; write the name of a member or the index of an element alone, as in x['name'] or x[0]", x.kind)
	case index.typ.is(stringKind) && index.constant != nil:
		return v.field(name{index.at, index.constant.text})
	case index.typ.is(stringKind, dynamicKind):
		fail(index.at, "the name of a member of JSON must be a constant, as in x['name']")
	}
	return newValue(v.typ, x.place, &element{of: v, index: coerce(index, scalar(int64Kind))}, v, index)
}

// fieldOf returns the field of a struct at a constant index.
func (v value) fieldOf(x *indexExpr, index value) value {
	i, isConstant := index.integer()
	if x.kind == "ORDINAL" {
		i--
	}
	switch {
	case x.kind != "" && x.kind != "OFFSET" && x.kind != "ORDINAL":
		fail(x.place, "a struct takes no %s; write [OFFSET(0)], or the name of the field", x.kind)
	case !isConstant:
		fail(index.at, "the index of a field of a struct must be a constant")
	case i < 0 || i >= int64(len(v.typ.fields)):
		fail(index.at, "the struct has %d fields, and none at this index", len(v.typ.fields))
	}
	return v.fieldAt(int(i), x.place)
}

func (x *unaryExpr) resolve(r *resolver, s *scope) value {
	v, at := r.expression(x.x, s), x.place
	switch x.op {
	case "NOT":
		return condition("NOT", at, coerce(v, scalar(boolKind)))
	case "~":
		return operation("~", scalar(int64Kind), at, coerce(v, scalar(int64Kind)))
	}
	v = numeric(v, at)
	return operation("unary "+x.op, v.typ, at, v)
}

// numeric returns a value as a number.
func numeric(v value, at place) value {
	switch {
	case v.typ.kind == dynamicKind:
		return coerce(v, scalar(numberKind))
	case v.typ.kind == nullKind:
		return coerce(v, scalar(int64Kind))
	case !v.typ.isNumeric():
		fail(at, "a number is needed here, not a value of type %s", v.typ)
	}
	return v
}

// pair returns two values in the type that both convert to.
func (r *resolver) pair(a, b value, at place, op string) (left, right value) {
	// A constant takes the type of the other value.
	if isConstant(a) && !isConstant(b) && b.typ.kind != dynamicKind && coercible(a, b.typ) >= 0 {
		return coerce(a, b.typ), b
	}
	if isConstant(b) && !isConstant(a) && a.typ.kind != dynamicKind && coercible(b, a.typ) >= 0 {
		return a, coerce(b, a.typ)
	}
	typ := withDecimals(supertype(a.typ, b.typ), a, b)
	switch {
	case typ != nil:
	case isConstant(a) && coercible(a, b.typ) >= 0:
		typ = b.typ
	case isConstant(b) && coercible(b, a.typ) >= 0:
		typ = a.typ
	default:
		fail(at, "values of type %s and %s have no %s; %s", a.typ, b.typ, op, howToConvert(a, b))
	}
	if typ.is(arrayKind, jsonKind) {
		fail(at, "values of type %s cannot be compared; compare TO_JSON_STRING(x)", typ)
	}
	return inType(a, typ), inType(b, typ)
}

// inType returns a value in a type that it and others have in common.
func inType(v value, typ *dataType) value {
	if typ.kind == dynamicKind {
		return alike(v, typ.shape)
	}
	return coerce(v, typ)
}

func isConstant(v value) bool { return v.constant != nil || v.isParam }

func (r *resolver) compare(op string, a, b value, at place) value {
	canBeNaN := [2]bool{a.canBeNaN(), b.canBeNaN()}
	a, b = r.pair(a, b, at, op)
	if op != "=" && op != "!=" {
		r.ordered(a, at)
	} else if a.typ.is(structKind) {
		equal := r.equalFields(a, b, at)
		if op == "!=" {
			equal = condition("NOT", at, equal)
		}
		return equal
	}
	return newValue(scalar(boolKind), at, &call{function: operator(op), at: at, args: []value{a, b}, typ: scalar(boolKind), canBeNaN: canBeNaN}, a, b)
}

// canBeNaN reports whether a value is a FLOAT64 that is no constant.
func (v value) canBeNaN() bool { return v.typ.is(float64Kind) && v.constant == nil }

// equalFields compares structs field by field: that of a NULL and another value is NULL.
func (r *resolver) equalFields(a, b value, at place) value {
	fields := each(a.typ.fields, func(i int, _ field) value { return r.compare("=", a.fieldAt(i, at), b.fieldAt(i, at), at) })
	return condition("= of structs", at, fields...)
}

func (x *binaryExpr) resolve(r *resolver, s *scope) value {
	a, b, at := r.expression(x.left, s), r.expression(x.right, s), x.place
	switch x.op {
	case "AND", "OR":
		return condition(x.op, at, coerce(a, scalar(boolKind)), coerce(b, scalar(boolKind)))
	case "=", "!=", "<", "<=", ">", ">=":
		return r.compare(x.op, a, b, at).from(a, b)
	case "||":
		return r.function("CONCAT", []value{a, b}, at)
	case "|", "&", "<<", ">>", "^":
		return operation(x.op, scalar(int64Kind), at, coerce(a, scalar(int64Kind)), coerce(b, scalar(int64Kind)))
	}
	if interval, ok := x.right.(*intervalExpr); ok && a.typ.is(timestampKind) {
		interval.from.only("a TIMESTAMP", dayParts...)
	}
	return r.arithmetic(x.op, a, b, at).from(a, b)
}

// arithmetic resolves +, -, * and /. The quotient of integers is a FLOAT64, and by 0 it is an error.
func (r *resolver) arithmetic(op string, a, b value, at place) value {
	times := []kind{dateKind, datetimeKind, timestampKind, timeKind}
	switch {
	case op == "+" && a.typ.is(intervalKind) && b.typ.is(times...):
		return r.arithmetic(op, b, a, at)
	case (op == "+" || op == "-") && a.typ.is(times...) && b.typ.is(intervalKind):
		typ := a.typ
		if typ.is(dateKind) {
			typ = scalar(datetimeKind)
		}
		return operation(op, typ, at, a, b)
	case a.typ.is(intervalKind) && b.typ.is(intervalKind) && op != "*" && op != "/":
		return operation(op, a.typ, at, a, b)
	case op == "*" && b.typ.is(intervalKind) && a.typ.is(int64Kind, dynamicKind):
		return r.arithmetic(op, b, a, at)
	case (op == "*" || op == "/") && a.typ.is(intervalKind) && b.typ.is(int64Kind, dynamicKind, nullKind):
		return operation(op, a.typ, at, a, coerce(b, scalar(int64Kind)))
	case op == "+" && a.typ.is(int64Kind) && b.typ.is(dateKind):
		return r.arithmetic(op, b, a, at)
	case (op == "+" || op == "-") && a.typ.is(dateKind) && b.typ.is(int64Kind):
		return operation(op, a.typ, at, a, b)
	case op == "-" && a.typ.is(times...) && b.typ.is(a.typ.kind):
		return operation(op, scalar(intervalKind), at, a, b)
	}
	a, b = numeric(a, a.at), numeric(b, b.at)
	typ := withDecimals(supertype(a.typ, b.typ), a, b)
	if op == "/" && typ.is(int64Kind, numberKind) {
		typ = scalar(float64Kind)
	}
	return operation(op, typ, at, coerce(a, typ), coerce(b, typ))
}

func (x *inExpr) resolve(r *resolver, s *scope) value {
	of, at := r.expression(x.x, s), x.place
	if of.typ.is(structKind) && x.list == nil {
		fail(at, "IN takes a list of structs only; write EXISTS (SELECT 1 FROM … WHERE …)")
	}
	switch {
	case x.unnest != nil:
		array := r.expression(x.unnest, s)
		items := elements(array)
		item := elementOf(array, nil, at)
		var elem *dataType
		if typ := withDecimals(supertype(of.typ, item.typ), of, item); typ != nil && typ.kind != dynamicKind {
			of, elem = coerce(of, typ), typ
		} else if typ == nil {
			fail(at, "a value of type %s is not in an array of %s; convert it with CAST", of.typ, item.typ)
		}
		return newValue(scalar(boolKind), at, &call{function: operator("IN UNNEST"), at: at, args: []value{of, items}, typ: scalar(boolKind), elem: elem}, of, items)
	case x.query != nil:
		rel := r.query(x.query, s)
		oneColumn(rel, at)
		of, rel.columns[0].value = r.pair(of, rel.columns[0].value, at, "=")
		return newValue(scalar(boolKind), at, &subquery{at: at, kind: inSubquery, query: rel, of: of}, of).opaque()
	}
	written := r.expressions(x.list, s)
	var options []value
	for _, option := range written {
		a, b := r.pair(of, option, option.at, "=")
		if a.typ.is(structKind) || !a.typ.equal(of.typ) && len(written) > 1 { // each is compared on its own
			comparisons := each(written, func(_ int, option value) value { return r.compare("=", of, option, option.at) })
			return condition("= of any", at, comparisons...)
		}
		of = a
		options = append(options, b)
	}
	return condition("IN", at, append([]value{of}, options...)...)
}

// resolve resolves LIKE. NOT is about each pattern: NOT LIKE ANY is true if one of several does not match.
func (x *likeExpr) resolve(r *resolver, s *scope) value {
	of := coerce(r.expression(x.x, s), scalar(stringKind))
	args := []value{of}
	for _, pattern := range x.patterns {
		v := coerce(r.expression(pattern, s), scalar(stringKind))
		if v.constant != nil && endsInEscape(v.constant.text) {
			fail(v.at, "a pattern of LIKE ends with a backslash; write two of them for a backslash")
		}
		args = append(args, v)
	}
	return newValue(scalar(boolKind), x.place, &call{function: operator("LIKE"), at: x.place, args: args, typ: scalar(boolKind), like: x}, args...)
}

// endsInEscape reports whether nothing follows the last escape of a pattern of LIKE.
func endsInEscape(pattern string) bool {
	return (len(pattern)-len(strings.TrimRight(pattern, `\`)))%2 == 1
}

func (x *isExpr) resolve(r *resolver, s *scope) value {
	of, at := r.expression(x.x, s), x.place
	switch x.what {
	case "NULL":
		return condition("IS NULL", at, of)
	case "DISTINCT":
		a, b := r.pair(of, r.expression(x.y, s), at, "order")
		return condition("IS DISTINCT FROM", at, a, b)
	case "UNKNOWN":
		return condition("IS NULL", at, coerce(of, scalar(boolKind)))
	}
	return condition("IS "+x.what, at, coerce(of, scalar(boolKind)))
}

// common returns values in the type that all of them convert to.
func (r *resolver) common(values []value) ([]value, *dataType) {
	typ := scalar(nullKind)
	for _, v := range values {
		if v.isEmptyArray {
			continue
		}
		both := supertype(typ, v.typ)
		if both == nil && coercible(v, typ) >= 0 { // a constant
			both = typ
		}
		if both == nil && (typ.is(stringKind) && !slices.ContainsFunc(values, func(v value) bool { return v.typ.is(stringKind) && v.constant == nil && !v.isParam })) {
			both = v.typ // the texts before are constants
		}
		if both == nil {
			fail(v.at, "a value of type %s stands beside one of type %s; %s", v.typ, typ, howToConvert(v, value{typ: typ}))
		}
		typ = both
	}
	typ = besideEmpty(withDecimals(typ, values...), values)
	return each(values, func(_ int, v value) value { return inType(v, typ) }), typ
}

// besideEmpty returns the type that values have in common with arrays that are empty, of which the type was not found.
func besideEmpty(typ *dataType, values []value) *dataType {
	switch isEmpty := slices.ContainsFunc(values, func(v value) bool { return v.isEmptyArray }); {
	case isEmpty && typ.kind == nullKind:
		return arrayOf(scalar(int64Kind)) // as BigQuery has it
	case isEmpty && typ.kind == dynamicKind:
		typ.shape.element()
	}
	return typ
}

// result returns a value of a type that several others have.
func result(typ *dataType, at place, of node, args ...value) value {
	if typ.kind == dynamicKind {
		return newDynamic(&dynamic{shape: typ.shape, base: of, layout: commonLayout}, at).from(args...)
	}
	return newValue(typ, at, of, args...)
}

func (x *caseExpr) resolve(r *resolver, s *scope) value {
	var conditions, results []value
	var operand value
	if x.operand != nil {
		operand = r.expression(x.operand, s)
	}
	for _, when := range x.whens {
		condition := r.expression(when.condition, s)
		if x.operand == nil {
			condition = coerce(condition, scalar(boolKind))
		} else {
			condition = r.compare("=", operand, condition, when.condition.offset())
		}
		conditions = append(conditions, condition)
		results = append(results, r.expression(when.result, s))
	}
	if x.other != nil {
		results = append(results, r.expression(x.other, s))
	}
	results, typ := r.common(results)
	return result(typ, x.place, &caseOf{conditions, results}, append(slices.Clone(conditions), results...)...)
}

func (x *arrayExpr) resolve(r *resolver, s *scope) value {
	values := r.expressions(x.elements, s)
	elem := scalar(nullKind)
	switch {
	case x.element != nil:
		elem = x.element.of()
		for i := range values {
			values[i] = coerce(values[i], elem)
		}
	case len(values) > 0:
		values, elem = r.common(values)
	}
	if elem.kind == nullKind {
		elem = scalar(int64Kind) // as BigQuery has it
	}
	typ := arrayOf(elem)
	array := newValue(typ, x.place, &arrayOfValues{x.place, typ, values}, values...)
	array.isEmptyArray = x.element == nil && len(values) == 0
	return array
}

func (x *structExpr) resolve(r *resolver, s *scope) value {
	typ, at := &dataType{kind: structKind}, x.place
	if x.declared != nil {
		typ = x.declared.of()
		if len(typ.fields) != len(x.values) {
			fail(at, "the struct has %d fields, but %d values", len(typ.fields), len(x.values))
		}
	}
	var values []value
	for i, e := range x.values {
		v := r.expression(e, s)
		if x.declared != nil {
			v = coerce(v, typ.fields[i].typ)
		} else {
			fieldName := ""
			if x.names != nil {
				fieldName = x.names[i]
			}
			typ.fields = append(typ.fields, field{fieldName, v.typ})
		}
		values = append(values, v)
	}
	typ.checkFields(at)
	return newValue(typ, at, &structOfValues{at: at, fields: typ.fields, values: values}, values...)
}

// resolve resolves ARRAY(SELECT …).
func (x *arrayQueryExpr) resolve(r *resolver, s *scope) value {
	rel := r.query(x.query, s)
	single := oneColumn(rel, x.place)
	v := newValue(arrayOf(single.typ), x.place, &subquery{at: x.place, kind: arraySubquery, query: rel})
	v.mayBeOpaque = true
	return v
}

// resolve resolves WITH(name AS x, …, result), in which each name stands for its expression.
func (x *withExpr) resolve(r *resolver, s *scope) value {
	for i, n := range x.names {
		v := r.expression(x.values[i], s)
		s = &scope{outer: s, variables: []*variable{{columns: []column{{n.text, v}}}}}
	}
	return r.expression(x.result, s)
}

func (x *existsExpr) resolve(r *resolver, s *scope) value {
	if body := existsInArrays(x.query); body != nil && isPlainArray(body.from) { // no column of a row is read
		body.items = []selectItem{{place: body.place, x: &literal{body.place, int64Kind, "1"}}}
	}
	rel := r.query(x.query, s)
	v := newValue(scalar(boolKind), x.place, &subquery{at: x.place, kind: existsSubquery, query: rel})
	v.mayBeOpaque = true
	return v
}

// isPlainArray reports whether a FROM clause reads the elements of one array only.
func isPlainArray(from fromItem) bool {
	array, ok := from.(*unnestItem)
	return ok && array.index == ""
}
