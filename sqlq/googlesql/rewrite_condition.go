package googlesql

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// condition writes an expression that is true or false. Where isExact is false, NULL is as good as false, which leaves more texts as
// they are: ” for what is missing is not equal to a constant either.
func (w *rewriter) condition(x expression, isExact bool) flat {
	v := w.notes.values[x]
	switch x := x.(type) {
	case *binaryExpr:
		switch x.op {
		case "AND", "OR":
			level := ifElse(x.op == "AND", ofAnd, ofOr)
			a, b := w.condition(x.left, isExact), w.condition(x.right, isExact)
			return flat{sql: a.in(level) + " " + x.op + " " + b.in(level), level: level}.of(a, b)
		case "=", "!=", "<", "<=", ">", ">=":
			return w.comparison(x, v, isExact)
		}
	case *unaryExpr:
		if x.op == "NOT" {
			return w.not(x.x)
		}
	case *betweenExpr:
		return w.between(x, v, "")
	case *inExpr:
		return w.in(x, v, "", isExact)
	case *likeExpr:
		return w.like(x, false, isExact)
	case *isExpr:
		return w.is(x, v, "")
	case *callExpr:
		return w.test(x, v, isExact)
	}
	return w.as(x, scalar(boolKind))
}

// test writes a call that is true or false.
func (w *rewriter) test(x *callExpr, v value, isExact bool) flat {
	if c := callOf(v); c != nil && !isExact && len(x.args) == 2 && slices.Contains([]string{"REGEXP_CONTAINS", "STARTS_WITH", "ENDS_WITH", "CONTAINS_SUBSTR"}, x.name) {
		if pattern, ok := x.args[1].(*literal); ok && !matchesBlank(x.name, pattern.text) {
			return w.callOn(x, c, func(i int) flat {
				return ifElse(i == 0, w.loose(x.args[i], c.args[i].typ), w.as(x.args[i], c.args[i].typ))
			})
		}
	}
	return w.as(x, scalar(boolKind))
}

// matchesBlank reports whether a function is true for the empty text.
func matchesBlank(function, pattern string) bool {
	if function != "REGEXP_CONTAINS" {
		return pattern == ""
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	return err != nil || canBeEmpty(parsed)
}

// not writes what is not true.
func (w *rewriter) not(x expression) flat {
	v := w.notes.values[x]
	switch x := x.(type) {
	case *betweenExpr:
		return w.between(x, v, "NOT ")
	case *inExpr:
		return w.in(x, v, "NOT ", true)
	case *likeExpr:
		return w.like(x, true, true)
	case *isExpr:
		return w.is(x, v, "NOT ")
	}
	of := w.condition(x, true)
	return flat{sql: "NOT " + of.in(ofNot), level: ofNot}.of(of)
}

// comparison writes a comparison of two values.
func (w *rewriter) comparison(x *binaryExpr, v value, isExact bool) flat {
	c := callOf(v)
	if c == nil || len(c.args) != 2 || w.typeOf(x.left).is(structKind) {
		fail(x.place, "this comparison cannot be written for the table logs")
	}
	a, b := w.loose(x.left, c.args[0].typ), w.loose(x.right, c.args[1].typ)
	if a.isMap || b.isMap {
		fail(x.place, "a comparison of all metadata cannot be written for the table logs; compare a field of it")
	}
	// A missing value is less than any constant, and equal to none.
	if isExact || !isTextOf(x.right) || x.op == "!=" || x.op == "<" || x.op == "<=" {
		a = a.exact()
	}
	if isExact || !isTextOf(x.left) || x.op == "!=" || x.op == ">" || x.op == ">=" {
		b = b.exact()
	}
	return flat{sql: a.in(ofSum) + " " + x.op + " " + b.in(ofSum), level: ofComparison}.of(a, b)
}

// isTextOf reports whether an expression is a constant text with at least one character.
func isTextOf(x expression) bool {
	constant, ok := x.(*literal)
	return ok && constant.kind == stringKind && constant.text != ""
}

func (w *rewriter) between(x *betweenExpr, v value, not string) flat {
	typ, low, high := w.typeOf(x.x), w.typeOf(x.low), w.typeOf(x.high)
	if c := callOf(v); c != nil && len(c.args) == 2 {
		if from, to := callOf(c.args[0]), callOf(c.args[1]); from != nil && to != nil {
			typ, low, high = from.args[0].typ, from.args[1].typ, to.args[1].typ
		}
	}
	of, from, to := w.as(x.x, typ), w.as(x.low, low), w.as(x.high, high)
	return flat{sql: of.in(ofSum) + " " + not + "BETWEEN " + from.in(ofSum) + " AND " + to.in(ofSum), level: ofComparison}.of(of, from, to)
}

func (w *rewriter) in(x *inExpr, v value, not string, isExact bool) flat {
	if x.query != nil {
		rows := v.node.(*subquery) //nolint:forcetypeassert // IN with a query is one.
		of := w.as(x.x, rows.of.typ)
		text, _ := w.query(x.query, false)
		return flat{sql: of.in(ofSum) + " " + not + "IN (\n" + indented(text) + "\n)", level: ofComparison}.of(of)
	}
	typ := w.typeOf(x.x)
	c := callOf(v)
	if c != nil && len(c.args) > 0 && c.name != "= of any" {
		typ = c.args[0].typ
	}
	if x.unnest != nil {
		if array, ok := x.unnest.(*arrayExpr); ok {
			elem := ifElse(c.elem != nil, c.elem, typ)
			of := w.as(x.x, typ)
			return flat{sql: of.in(ofSum) + " " + not + "IN (" + w.list(array.elements, func(int) *dataType { return elem }) + ")", level: ofComparison}.of(of)
		}
		array, of := w.as(x.unnest, w.typeOf(x.unnest)), w.as(x.x, typ)
		if array.isMap || w.notes.values[x.unnest].typ.is(dynamicKind) {
			fail(x.unnest.offset(), "a list of metadata cannot be searched in the table logs, which has its first element only")
		}
		return flat{sql: not + "has(" + array.sql + ", " + of.sql + ")", level: ifElse(not == "", primary, ofNot)}.of(of)
	}
	of := w.loose(x.x, typ)
	if isExact || slices.ContainsFunc(x.list, func(option expression) bool { return !isTextOf(option) }) {
		of = of.exact()
	}
	list := strings.Join(each(x.list, func(_ int, option expression) string { return w.as(option, typ).sql }), ", ")
	return flat{sql: of.in(ofSum) + " " + not + "IN (" + list + ")", level: ofComparison}.of(of)
}

// like writes LIKE with one pattern, or with one of several.
func (w *rewriter) like(x *likeExpr, isNegated, isExact bool) flat {
	isOr := (x.quantifier != "ALL") != isNegated
	not := x.not != isNegated
	var all []flat
	for _, pattern := range x.patterns {
		of, like := w.loose(x.x, scalar(stringKind)), w.as(pattern, scalar(stringKind))
		if constant, ok := pattern.(*literal); not || isExact || !ok || strings.Trim(constant.text, "%") == "" {
			of = of.exact()
		}
		all = append(all, flat{sql: of.in(ofSum) + ifElse(not, " NOT", "") + " LIKE " + like.in(ofSum), level: ofComparison}.of(of, like))
	}
	if len(all) == 1 {
		return all[0]
	}
	op, level := ifElse(isOr, " OR ", " AND "), ifElse(isOr, ofOr, ofAnd)
	return flat{sql: strings.Join(each(all, func(_ int, one flat) string { return one.sql }), op), level: level}.of(all...)
}

func (w *rewriter) is(x *isExpr, _ value, not string) flat {
	switch x.what {
	case "NULL", "UNKNOWN":
		of := w.loose(x.x, w.typeOf(x.x))
		switch {
		case of.isMap:
			fail(x.place, "log_attributes is never NULL; leave the condition out")
		case of.isBlank:
			return flat{sql: of.in(ofSum) + ifElse(not == "", " = ''", " != ''"), level: ofComparison}
		}
		return flat{sql: of.in(ofSum) + " IS " + not + "NULL", level: ofComparison}
	case "TRUE", "FALSE":
		of := w.condition(x.x, true)
		sql := ifElse(x.what == "TRUE", of.sql, "NOT "+of.in(ofNot))
		return flat{sql: not + "ifNull(" + sql + ", false)", level: ifElse(not == "", primary, ofNot)}
	case "DISTINCT":
		a, b := w.bare(x.x), w.bare(x.y)
		if w.typeOf(x.x).kind != w.typeOf(x.y).kind {
			a, b = w.as(x.x, scalar(stringKind)), w.as(x.y, scalar(stringKind))
		}
		return flat{sql: ifElse(not == "", "NOT ", "") + "(" + a.in(ofSum) + " <=> " + b.in(ofSum) + ")", level: ofNot}
	}
	fail(x.place, "IS %s cannot be written for the table logs", x.what)
	return flat{}
}
