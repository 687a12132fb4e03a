package googlesql

import (
	"regexp"
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
	return v
}

func (x *literal) resolve(*resolver, *scope) value {
	return value{typ: scalar(x.kind), sql: literalSQL(x), at: x.place, constant: x}
}

func (x *pathExpr) resolve(_ *resolver, s *scope) value { return s.path(x) }

func (x *fieldExpr) resolve(r *resolver, s *scope) value { return r.expression(x.of, s).field(x.name) }

func (x *betweenExpr) resolve(r *resolver, s *scope) value {
	a := r.expression(x.x, s)
	low := r.compare(">=", a, r.expression(x.low, s), x.place)
	high := r.compare("<=", a, r.expression(x.high, s), x.place)
	return newValue(scalar(boolKind), x.place, "(", low, " AND ", high, ")")
}

func (x *queryExpr) resolve(r *resolver, s *scope) value {
	rel := r.query(x.query, s)
	return oneColumn(rel, x.place).column(text("(\n", rel.fragment, "\n)")).opaque()
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
	v := newValue(typ, x.place, "CAST($"+x.name+" AS "+typ.duck()+")")
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
	base := deferred(func() fragment { return text("CAST($" + x.name + " AS " + s.paramType().duck() + ")") })
	v := newDynamic(&dynamic{shape: s, base: base, isJSON: never, isConverted: s.isScalar}, x.place)
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
	isSafe := x.kind == "SAFE_OFFSET" || x.kind == "SAFE_ORDINAL"
	if x.kind == "ORDINAL" || x.kind == "SAFE_ORDINAL" {
		i.sql = text("(", i, " - 1)")
	}
	if of.typ.kind == dynamicKind {
		child := of.typ.shape.element()
		step := &dynamic{shape: child, parent: of.dyn, index: i.sql}
		if !isSafe {
			step.index = inBounds(i.sql, deferred(of.dyn.length))
		}
		return newDynamic(step, at).from(of, i)
	}
	var number fragment
	if isSafe {
		number = text("CASE WHEN ", i, " >= 0 THEN ", i, " + 1 END")
	} else {
		number = text(inBounds(i.sql, text("len(", of, ")")), " + 1")
	}
	return element(of.typ.elem, text("list_extract(", of, ", ", number, ")"), at).from(of, i)
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
	return newValue(v.typ, x.place, "json_extract(", v, ", ", coerce(index, scalar(int64Kind)), ")").from(v, index)
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

// inBounds is an index that is an error if the array has no such element; NULL stays NULL.
func inBounds(index, length fragment) fragment {
	return text("CASE WHEN ", index, " BETWEEN 0 AND ", length, " - 1 OR ", length, " IS NULL OR ", index, " IS NULL THEN ", index, " ELSE error('Array index is out of bounds') END")
}

func (x *unaryExpr) resolve(r *resolver, s *scope) value {
	v, at := r.expression(x.x, s), x.place
	switch x.op {
	case "NOT":
		return newValue(scalar(boolKind), at, "(NOT ", coerce(v, scalar(boolKind)), ")").from(v)
	case "~":
		return newValue(scalar(int64Kind), at, "(~", coerce(v, scalar(int64Kind)), ")").from(v)
	}
	v = numeric(v, at)
	return newValue(v.typ, at, "("+x.op, v, ")").from(v)
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
		fail(at, "values of type %s and %s have no %s; convert one with CAST", a.typ, b.typ, op)
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
	more, less := a, b
	if op[0] == '<' {
		more, less = b, a
	}
	a, b = r.pair(a, b, at, op)
	if op != "=" && op != "!=" {
		r.ordered(a, at)
	} else if a.typ.is(structKind) {
		equal := r.equalFields(a, b, at)
		if op == "!=" {
			equal = newValue(equal.typ, at, "(NOT ", equal, ")")
		}
		return equal
	}
	// DuckDB takes NaN for more than any other number.
	opposite, isOrder := map[string]string{">": "<", ">=": "<=", "<": ">", "<=": ">="}[op]
	_, isColumn := more.sql.(*reference)
	switch {
	case !isOrder || !more.canBeNaN():
		return newValue(scalar(boolKind), at, "(", a, " "+op+" ", b, ")")
	case less.canBeNaN() || isColumn:
		return newValue(scalar(boolKind), at, "(", a, " "+op+" ", b, " AND NOT isnan(", more, "))")
	}
	return newValue(scalar(boolKind), at, "(-", a, " "+opposite+" -", b, ")") // which computes it once
}

// canBeNaN reports whether a value is a FLOAT64 that is no constant.
func (v value) canBeNaN() bool { return v.typ.is(float64Kind) && v.constant == nil }

// equalFields compares structs field by field: that of a NULL and another value is NULL.
func (r *resolver) equalFields(a, b value, at place) value {
	fields := each(a.typ.fields, func(i int, _ field) value { return r.compare("=", a.fieldAt(i, at), b.fieldAt(i, at), at) })
	return newValue(scalar(boolKind), at, "(", list(" AND ", fragments(fields)), ")").from(fields...)
}

func (x *binaryExpr) resolve(r *resolver, s *scope) value {
	a, b, at := r.expression(x.left, s), r.expression(x.right, s), x.place
	switch x.op {
	case "AND", "OR":
		return newValue(scalar(boolKind), at, "(", coerce(a, scalar(boolKind)), " "+x.op+" ", coerce(b, scalar(boolKind)), ")").from(a, b)
	case "=", "!=", "<", "<=", ">", ">=":
		return r.compare(x.op, a, b, at).from(a, b)
	case "||":
		return r.function("CONCAT", []value{a, b}, at)
	case "|", "&", "<<", ">>", "^":
		return r.bits(x.op, coerce(a, scalar(int64Kind)), coerce(b, scalar(int64Kind)), at)
	}
	if interval, ok := x.right.(*intervalExpr); ok && a.typ.is(timestampKind) {
		interval.from.only("a TIMESTAMP", dayParts...)
	}
	return r.arithmetic(x.op, a, b, at).from(a, b)
}

func (r *resolver) bits(op string, a, b value, at place) value {
	switch op {
	case "^":
		return newValue(a.typ, at, "xor(", a, ", ", b, ")")
	case "<<", ">>": // of bits, without a sign
		return newValue(a.typ, at, "CASE WHEN ", b, " >= 64 THEN 0 WHEN ", b, " < 0 THEN ", raise("The bits are shifted by a negative number"),
			" ELSE CAST(CAST(", a, " AS BIT) "+op+" CAST(", b, " AS INTEGER) AS BIGINT) END")
	}
	return newValue(a.typ, at, "(", a, " "+op+" ", b, ")")
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
		return newValue(typ, at, inYears(text("(", a, " "+op+" ", b, ")"), typ)).from(a, b)
	case a.typ.is(intervalKind) && b.typ.is(intervalKind) && op != "*" && op != "/":
		return newValue(a.typ, at, "(", a, " "+op+" ", b, ")")
	case op == "+" && a.typ.is(int64Kind) && b.typ.is(dateKind):
		return r.arithmetic(op, b, a, at)
	case (op == "+" || op == "-") && a.typ.is(dateKind) && b.typ.is(int64Kind):
		return newValue(a.typ, at, inYears(text("(", a, " "+op+" CAST(", b, " AS INTEGER))"), a.typ)).from(a, b)
	case op == "-" && a.typ.is(times...) && b.typ.is(a.typ.kind):
		return interval(a, b, at)
	}
	a, b = numeric(a, a.at), numeric(b, b.at)
	typ := withDecimals(supertype(a.typ, b.typ), a, b)
	if op == "/" && typ.is(int64Kind, numberKind) {
		typ = scalar(float64Kind)
	}
	a, b = coerce(a, typ), coerce(b, typ)
	if typ.is(numericKind) && op == "*" { // DuckDB makes another type
		return newValue(typ, at, "CAST(", a, " * ", b, " AS DECIMAL(38, 9))")
	}
	if typ.is(numericKind) && op == "/" {
		return newValue(typ, at, r.quotient(a, notZero(a, b)))
	}
	if op == "/" {
		if b.constant != nil && !isZero(b.constant.text) {
			return newValue(typ, at, "(", a, " / ", b, ")")
		}
		return newValue(typ, at, "(", a, " / ", notZero(a, b), ")")
	}
	return newValue(typ, at, "(", a, " "+op+" ", b, ")")
}

// interval is the difference of two times: of dates in days, of local times in days and the rest, and of others in hours.
func interval(a, b value, at place) value {
	const day = "86400000000"
	micros := text("date_diff('microsecond', ", b, ", ", a, ")")
	sql := text("to_microseconds(", micros, ")")
	switch a.typ.kind { //nolint:exhaustive // The others have no days.
	case dateKind:
		sql = text("to_days(CAST(date_diff('day', ", b, ", ", a, ") AS INTEGER))")
	case datetimeKind:
		sql = text("(to_days(CAST(", micros, " // "+day+" AS INTEGER)) + to_microseconds(", micros, " % "+day+"))")
	}
	return newValue(scalar(intervalKind), at, sql).from(a, b)
}

// notZero is a divisor that is an error if it is 0 and the dividend is a number.
func notZero(a, b value) fragment {
	return text("CASE WHEN ", b, " = 0 AND ", a, " IS NOT NULL THEN ", raise("division by zero"), " ELSE ", b, " END")
}

func isZero(number string) bool {
	for _, digit := range number {
		if digit >= '1' && digit <= '9' {
			return false
		}
	}
	return true
}

func (x *inExpr) resolve(r *resolver, s *scope) value {
	of, at := r.expression(x.x, s), x.place
	if of.typ.is(structKind) && x.list == nil {
		fail(at, "IN takes a list of structs only; write EXISTS (SELECT 1 FROM … WHERE …)")
	}
	switch {
	case x.unnest != nil:
		array := r.expression(x.unnest, s)
		items := value{sql: elements(array), at: array.at}
		item := elementOf(array, plain(""), at)
		if typ := withDecimals(supertype(of.typ, item.typ), of, item); typ != nil && typ.kind != dynamicKind {
			of = coerce(of, typ)
			items = newValue(arrayOf(typ), at, "CAST(", items, " AS "+typ.duck()+"[])")
		} else if typ == nil {
			fail(at, "a value of type %s is not in an array of %s; convert it with CAST", of.typ, item.typ)
		}
		return newValue(scalar(boolKind), at, "CASE WHEN list_contains(", items, ", ", of, ") THEN true WHEN len(", items, ") > 0 AND (",
			of, " IS NULL OR list_count(", items, ") < len(", items, ")) THEN NULL ELSE false END").from(of)
	case x.query != nil:
		rel := r.query(x.query, s)
		oneColumn(rel, at)
		of, rel.columns[0].value = r.pair(of, rel.columns[0].value, at, "=")
		return newValue(scalar(boolKind), at, "(", of, " IN (\n", rel.fragment, "\n))").opaque()
	}
	written := r.expressions(x.list, s)
	var options []value
	for _, option := range written {
		a, b := r.pair(of, option, option.at, "=")
		if a.typ.is(structKind) || !a.typ.equal(of.typ) && len(written) > 1 { // each is compared on its own
			comparisons := each(written, func(_ int, option value) value { return r.compare("=", of, option, option.at) })
			return newValue(scalar(boolKind), at, "(", list(" OR ", fragments(comparisons)), ")").from(comparisons...)
		}
		of = a
		options = append(options, b)
	}
	return newValue(scalar(boolKind), at, "(", of, " IN (", list(", ", fragments(options)), "))").from(options...)
}

// resolve resolves LIKE. NOT is about each pattern: NOT LIKE ANY is true if one of several does not match.
func (x *likeExpr) resolve(r *resolver, s *scope) value {
	of := coerce(r.expression(x.x, s), scalar(stringKind))
	var parts []value
	for _, pattern := range x.patterns {
		like := coerce(r.expression(pattern, s), scalar(stringKind))
		match := r.like(x.place, of, like)
		parts = append(parts, newValue(scalar(boolKind), x.place, ifElse(x.not, "(NOT ", "("), match, ")"))
	}
	all := list(ifElse(x.quantifier == "ALL", " AND ", " OR "), fragments(parts))
	return newValue(scalar(boolKind), x.place, "(", all, ")").from(parts...)
}

// like returns whether a text matches a pattern of LIKE. DuckDB tries all places for each of several % of a pattern, which
// takes the product of their numbers, unless it has neither _ nor escapes. In callers' SQL such patterns become regular
// expressions, which take linear time.
func (r *resolver) like(at place, of, pattern value) fragment {
	plainly := func(of, pattern value) fragment {
		if pattern.constant != nil && !strings.Contains(pattern.constant.text, `\`) { // DuckDB is faster without
			return text("(", of, " LIKE ", pattern, ")")
		}
		return text("(", of, " LIKE ", pattern, ` ESCAPE '\')`)
	}
	switch {
	case !r.env.isCallers(at):
		return plainly(of, pattern)
	case pattern.constant == nil:
		args := []value{of, pattern}
		sql := r.hoisted(args, func(args []value) fragment {
			of, pattern := args[0], args[1]
			const ofCharacter = `CASE "#e" WHEN '%' THEN '.*' WHEN '_' THEN '.' WHEN '\' THEN `
			regexp := text("array_to_string(list_transform(regexp_extract_all(", pattern, `, '\\.|.', 0, 's'), lambda "#e": `, ofCharacter,
				raise("a pattern of LIKE ends with a backslash"), ` ELSE regexp_escape(right("#e", 1)) END), '')`)
			size := text(itoa(2*elementBytes)+" * strlen(", pattern, ")")
			return text("CASE WHEN length(", pattern, ") > length(replace(", pattern, ", '%', '')) + 1 AND regexp_matches(", pattern, `, '[_\\]') THEN `,
				within(size, "LIKE", text("regexp_full_match(", of, ", ", regexp, ", 's')")), " ELSE ", plainly(of, pattern), " END")
		})
		if slices.ContainsFunc(args, value.isComputed) {
			return text(lambdaCopies, sql)
		}
		return sql
	case strings.Count(pattern.constant.text, "%") > 1 && strings.ContainsAny(pattern.constant.text, `_\`):
		return text("regexp_full_match(", of, ", "+quoteText(likeRegexp(pattern.constant.text))+", 's')")
	}
	return plainly(of, pattern)
}

// likeRegexp returns the regular expression of a pattern of LIKE.
func likeRegexp(pattern string) string {
	var out strings.Builder
	isEscaped := false
	for _, c := range pattern {
		switch {
		case isEscaped || c != '%' && c != '_' && c != '\\':
			out.WriteString(regexp.QuoteMeta(string(c)))
			isEscaped = false
		case c == '\\':
			isEscaped = true
		case c == '%':
			out.WriteString(".*")
		case c == '_':
			out.WriteByte('.')
		}
	}
	return out.String()
}

func (x *isExpr) resolve(r *resolver, s *scope) value {
	of, at := r.expression(x.x, s), x.place
	switch x.what {
	case "NULL":
		if of.dyn != nil {
			return newValue(scalar(boolKind), at, deferred(of.dyn.isNull)).from(of)
		}
		return newValue(scalar(boolKind), at, "(", of, " IS NULL)")
	case "DISTINCT":
		a, b := r.pair(of, r.expression(x.y, s), at, "order")
		return newValue(scalar(boolKind), at, "(", a, " IS DISTINCT FROM ", b, ")")
	case "UNKNOWN":
		return newValue(scalar(boolKind), at, "(", coerce(of, scalar(boolKind)), " IS NULL)")
	}
	return newValue(scalar(boolKind), at, "(", coerce(of, scalar(boolKind)), " IS "+x.what+")")
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
			fail(v.at, "a value of type %s stands beside one of type %s; convert one with CAST", v.typ, typ)
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
func result(typ *dataType, at place, args []value, parts ...any) value {
	v := newValue(typ, at, parts...).from(args...)
	if typ.kind == dynamicKind {
		s := typ.shape
		d := newDynamic(&dynamic{shape: s, base: v.sql, isJSON: func() bool { return !s.isScalar() }, isConverted: s.isScalar}, at)
		return d.from(v)
	}
	return v
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
	parts := []any{"CASE"}
	for i, condition := range conditions {
		parts = append(parts, " WHEN ", branch{condition.sql}, " THEN ", branch{results[i].sql})
	}
	if x.other != nil {
		parts = append(parts, " ELSE ", branch{results[len(results)-1].sql})
	}
	return result(typ, x.place, append(conditions, results...), append(parts, " END")...)
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
	array := r.limited(x.place, "an array", values, sizeOfEach, func(values []value) value {
		return newValue(typ, x.place, "CAST([", list(", ", fragments(values)), "] AS ", deferred(func() fragment { return plain(typ.duck()) }), ")").from(values...)
	})
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
	return r.limited(at, "a struct", values, sizeOfEach, func(values []value) value {
		return newValue(typ, at, packed(typ.fields, values)).from(values...)
	})
}

// resolve resolves ARRAY(SELECT …). If it reads an array only, it is a function on a list, which needs
// no join.
func (x *arrayQueryExpr) resolve(r *resolver, s *scope) value {
	if unnest, q := onlyUnnest(x.query); unnest != nil && len(q.items) == 1 && !q.items[0].star && !q.asStruct {
		if filtered, element, param, ok := r.filteredList(unnest, q, s); ok {
			r.lambdas++
			v := r.expression(q.items[0].x, &scope{outer: s, variables: []*variable{element}})
			r.lambdas--
			// All elements of some thousand rows are there at a time. A caller must not make each a text.
			path, isPath := q.items[0].x.(*pathExpr)
			isPart := isPath && equalFold(path.names[0].text, unnest.alias)
			if !v.isOpaque && !r.isFromOutside(v.sql) && (isPart || !v.typ.isMade() || !r.env.isCallers(x.place)) {
				sql := text("list_transform(", filtered, ", lambda ", param, ": ", v, ")")
				if q.distinct {
					sql = text("list_concat(list_distinct(", sql, "), list_filter(", sql, ", lambda e: e IS NULL)[1:1])")
				}
				return newValue(arrayOf(v.typ), x.place, sql)
			}
		}
	}
	rel := r.query(x.query, s)
	single := oneColumn(rel, x.place)
	return newValue(arrayOf(single.typ), x.place, "ARRAY(\n", rel.fragment, "\n)").opaque()
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
	if unnest, q := onlyUnnest(x.query); unnest != nil && q.where != nil {
		if filtered, _, _, ok := r.filteredList(unnest, q, s); ok {
			return newValue(scalar(boolKind), x.place, "(len(", filtered, ") > 0)")
		}
	}
	rel := r.query(x.query, s)
	return newValue(scalar(boolKind), x.place, "EXISTS (\n", rel.fragment, "\n)").opaque()
}

// onlyUnnest returns the parts of a query that reads one array, row by row.
func onlyUnnest(q *query) (*unnestItem, *selectQuery) {
	s, ok := q.body.(*selectQuery)
	if !ok || len(q.common) > 0 || q.order != nil || q.limit != nil || s.group != nil || s.having != nil || s.qualify != nil {
		return nil, nil
	}
	unnest, ok := s.from.(*unnestItem)
	if !ok || unnest.index != "" {
		return nil, nil
	}
	return unnest, s
}

// filteredList returns the elements of an array for which the WHERE clause is true, and the element in a
// lambda. It reports false if a lambda cannot hold the clause.
func (r *resolver) filteredList(unnest *unnestItem, q *selectQuery, s *scope) (filtered fragment, v *variable, param string, ok bool) {
	array := r.expression(unnest.x, s)
	param = quoteName(r.alias(or(unnest.alias, "element")))
	element := elementOf(array, plain(param), unnest.place)
	v = &variable{name: unnest.alias, element: &element}
	filtered = text("coalesce(", elements(array), ", [])")
	if q.where != nil {
		r.lambdas++
		condition := coerce(r.expression(q.where, &scope{outer: s, variables: []*variable{v}}), scalar(boolKind))
		r.lambdas--
		if condition.isOpaque || r.isFromOutside(condition.sql) {
			return nil, nil, "", false
		}
		filtered = text("list_filter(", filtered, ", lambda ", param, ": ", condition, ")")
	}
	return filtered, v, param, true
}
