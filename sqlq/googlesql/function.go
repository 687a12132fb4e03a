package googlesql

import (
	"slices"
	"strings"
)

// functionKind is how a function is called.
type functionKind int

const (
	scalarFunction functionKind = iota
	aggregateFunction
	// windowFunction needs OVER. Aggregates can have it.
	windowFunction
	// operatorKind is an operator, which resolves its operands itself.
	operatorKind
)

// function is an entry of the table of functions: one name with one list of parameters. As it is written, it can have
// several names with spaces between them, and several lists of parameters, each with its result, with | between them.
type function struct {
	name string
	// params are the types of the parameters, with commas. Besides the names of types: T is a type that all
	// parameters with it have in common, N is such a type of numbers, ARRAY is any array, ANY anything, and
	// PART a part of a time, FORM a form of Unicode. The last can be repeated if … follows it.
	params string
	// list has the parameters.
	list []string
	// named are the arguments with names that the function takes, each with its type, with commas. They are optional, and
	// constants.
	named string
	// result is the type of the result. T and N are the common type of the parameters.
	result string
	// check is called when a call was resolved. It fails for what the function does not take, and can change the arguments
	// and the type.
	check func(c *call)
	// duckdb is how DuckDB has it. Each target has such a form.
	duckdb form
	// takes are the clauses that a call can have in its parentheses.
	takes clauses
	// size returns the bytes that a call makes of arguments at most; nil if it makes nothing, or little. Without it, they are
	// those of the arguments, if the result takes memory of its own.
	size func(args []value) fragment
	// orders is the parameter whose values are compared with each other, such as T; empty if none is.
	orders string
	// note is what the reference says about the function, if anything.
	note string
	kind functionKind
}

// call is a call of a function, or an operator, whose arguments have been resolved and converted.
type call struct {
	*function
	r    *resolver
	at   place
	args []value
	// typ is the type of the result.
	typ *dataType
	// safe means that NULL stands for errors: SAFE.
	safe bool
	// part is the argument for PART, or the part of EXTRACT and INTERVAL.
	part part
	// zone is the time zone of EXTRACT, if it has any.
	zone value
	// named are the arguments with names, by name in lower case.
	named map[string]*literal
	// written is the call as it is written; nil for operators.
	written *callExpr
	scope   *scope
	// order and over are for aggregates; nil if they are not written. limit is the number of LIMIT, and other what
	// HAVING MAX or MIN compares, or whether both values of NULLIF are equal.
	order *orderKeys
	over  *over
	// where is the condition of the rows that are aggregated.
	where        value
	other, limit value
	// isConjunction means that it is an AND of a WHERE clause, which is a condition on each side.
	isConjunction bool
	// canBeNaN reports for each side of a comparison whether it can be NaN.
	canBeNaN [2]bool
	// elem is the type in which IN UNNEST compares; nil if the array has it.
	elem *dataType
	// like is LIKE with its quantifier.
	like *likeExpr
	// quantiles is set for APPROX_QUANTILES.
	quantiles *quantiles
}

// template is SQL with {0}, {1} … for arguments, {*} for all of them with commas, and {!…} for an error. Aggregates have
// {distinct}, {order} and {over} where these belong. {NAME} is the name, and {name} the name in lower case.
func (c *call) template(sql string) fragment {
	sql = strings.ReplaceAll(sql, "{part}", strings.ToLower(c.part.name))
	sql = strings.ReplaceAll(sql, "{e}", `"#e"`) // the parameter of a lambda, which no argument names
	var parts []any
	for {
		before, rest, found := strings.Cut(sql, "{")
		if !found {
			return text(append(parts, sql)...)
		}
		key, behind, _ := strings.Cut(rest, "}")
		parts, sql = append(parts, before), behind
		switch key {
		case "distinct":
			parts = append(parts, c.distinct())
		case "order":
			parts = append(parts, c.ordered())
		case "over":
			parts = append(parts, c.rows())
		default:
			parts = append(parts, template("{"+key+"}", c.args...))
		}
	}
}

// distinct returns DISTINCT, if it is written.
func (c *call) distinct() fragment {
	return plain(ifElse(c.written != nil && c.written.distinct, "DISTINCT ", ""))
}

// ordered returns what is behind the arguments: ORDER BY, or how FIRST_VALUE and its relatives take NULL.
func (c *call) ordered() fragment {
	switch {
	case c.written != nil && c.written.nulls != "" && c.kind == windowFunction:
		return plain(" " + c.written.nulls + " NULLS")
	case c.order != nil:
		return c.order
	}
	return plain("")
}

// rows returns which rows an aggregate has, behind its arguments: a FILTER with its condition and others, and OVER with its
// window, as far as they are written.
func (c *call) rows(conditions ...fragment) fragment {
	if c.where.node != nil {
		conditions = append([]fragment{text("(", c.where, ")")}, conditions...)
	}
	var parts []any
	if len(conditions) > 0 {
		parts = append(parts, " FILTER (", list(" AND ", conditions), ")")
	}
	if c.over != nil {
		parts = append(parts, c.over)
	}
	return text(parts...)
}

// resolve resolves a call as it is written.
func (x *callExpr) resolve(r *resolver, s *scope) value {
	if strings.HasSuffix(x.name, "."+truncArrayName) { // of any dataset
		x.name = truncArrayName
	}
	if x.name == truncArrayName && r.env.isCallers(x.place) {
		fail(x.place, "%s is for the SQL of saved queries; use GENERATE_TIMESTAMP_ARRAY", x.name)
	}
	entries := r.functions[x.name]
	if len(entries) == 0 {
		for _, refused := range RefusedFunctions() {
			if refused.Name == x.name {
				fail(x.place, "%s is not supported: %s", x.name, refused.Why)
			}
		}
		fail(x.place, "function %s is not supported%s", x.name, didYouMean(x.name, keys(r.functions)))
	}
	kind := entries[0].kind
	if kind == scalarFunction && (x.over != nil || x.distinct || x.nulls != "" || x.order != nil || x.limit != nil || x.where != nil || x.having != "") {
		fail(x.place, "%s is no aggregate, so it takes no DISTINCT, WHERE, ORDER BY, LIMIT, NULLS or OVER", x.name)
	}
	if kind == windowFunction && x.over == nil {
		fail(x.place, "%s needs OVER (…)", x.name)
	}
	if kind == aggregateFunction { // its arguments read the tables
		for level := s; level != nil; level = level.outer {
			if level.aliases != nil && !level.hidden {
				level.hidden = true
				defer func() { level.hidden = false }()
			}
		}
	}
	args, parts := r.arguments(x, entries, s)
	checkNesting(x, kind, args)
	checkClauses(x, entries)
	checkExact(x.name, args, x.place)
	c := r.match(x.name, entries, args, x.place)
	c.written, c.scope, c.named = x, s, x.namedArgs(c.function)
	for i, arg := range x.args {
		if interval, ok := arg.(*intervalExpr); ok && c.param(i) == "INTERVAL" {
			interval.from.only(c.name, partsOf(c.name)...)
		}
		if c.orders != "" && c.param(i) == c.orders {
			r.ordered(c.args[i], arg.offset())
		}
	}
	if len(parts) > 0 {
		c.part = parts[0]
	}
	if x.order != nil {
		c.order = &orderKeys{isDistinct: x.distinct, keys: each(x.order, func(_ int, item orderItem) orderKey {
			notLiteral(item.x, "ORDER BY")
			return r.orderItem(item, s)
		})}
	}
	if x.over != nil {
		if (c.typ.is(arrayKind) || c.name == "STRING_AGG") && r.env.isCallers(x.place) {
			fail(x.place, "%s takes no OVER here, because each row would have a copy; use GROUP BY", c.name)
		}
		c.over = r.window(x.over, s)
	}
	if x.safe && kind != scalarFunction {
		fail(x.place, "SAFE. is for scalar functions")
	}
	if x.limit != nil {
		c.limit = r.count(x.limit, "LIMIT", s)
	}
	if x.where != nil {
		c.where = r.aggregateWhere(x, s)
	}
	if x.having != "" {
		c.other = r.expression(x.havingBy, s)
		r.ordered(c.other, c.other.at)
		c.checkHaving()
	}
	c.safe = x.safe
	v := c.result()
	if kind == aggregateFunction && x.over == nil {
		v.isAggregate = true
	}
	v.isWindow = v.isWindow || x.over != nil
	if kind != scalarFunction {
		v = v.opaque()
	}
	return v
}

// aggregateWhere resolves the condition of the rows that are aggregated.
func (r *resolver) aggregateWhere(x *callExpr, s *scope) value {
	condition := coerce(r.expression(x.where, s), scalar(boolKind))
	if condition.isAggregate || condition.isWindow {
		fail(condition.at, "the WHERE of %s cannot hold an aggregate or a window function; compute that in a subquery", x.name)
	}
	return condition
}

// checkHaving fails for what cannot stand beside HAVING MAX and HAVING MIN. ANY_VALUE is on its own.
func (c *call) checkHaving() {
	dynamic := slices.IndexFunc(c.args, func(arg value) bool { return arg.dyn != nil })
	switch {
	case c.name == "ANY_VALUE":
	case c.written.over != nil || c.written.order != nil:
		fail(c.at, "%s takes no ORDER BY and no OVER beside HAVING %s", c.name, c.written.having)
	case dynamic >= 0:
		fail(c.args[dynamic].at, "%s with HAVING %s needs a type; write CAST(… AS STRING)", c.name, c.written.having)
	case c.other.isAggregate || c.other.isWindow:
		fail(c.other.at, "HAVING %s cannot hold an aggregate or a window function; compute that in a subquery", c.written.having)
	}
}

// namedArgs returns the arguments with names, which must be constants of the types that the function takes.
func (x *callExpr) namedArgs(f *function) map[string]*literal {
	types := make(map[string]string)
	for param := range strings.SplitSeq(f.named, ", ") {
		if paramName, typ, found := strings.Cut(param, " "); found {
			types[paramName] = typ
		}
	}
	args := make(map[string]*literal)
	for _, arg := range x.named {
		argName := foldName(arg.name.text)
		constant, isConstant := arg.x.(*literal)
		switch typ, isKnown := types[argName]; {
		case !isKnown && len(types) == 0:
			fail(arg.name.place, "%s takes no arguments with names; give them in their order", x.name)
		case !isKnown:
			fail(arg.name.place, "%s has no argument named %s%s", x.name, arg.name.text, didYouMean(argName, keys(types)))
		case args[argName] != nil:
			fail(arg.name.place, "%s has the argument %s twice", x.name, arg.name.text)
		case !isConstant || constant.kind != nullKind && scalar(constant.kind).String() != typ:
			fail(arg.x.offset(), "the argument %s of %s must be a constant %s", arg.name.text, x.name, typ)
		}
		args[argName] = constant
	}
	return args
}

// flag returns the value of an argument with a name that is a BOOL, and whether it is NULL.
func (c *call) flag(name string, otherwise bool) (isTrue, isNull bool) {
	constant := c.named[name]
	if constant == nil {
		return otherwise, false
	}
	return constant.text == "TRUE", constant.kind == nullKind
}

// mode returns the value of an argument with a name that is one of several texts.
func (c *call) mode(name string, modes ...string) string {
	constant := c.named[name]
	if constant == nil {
		return modes[0]
	}
	if !slices.Contains(modes, constant.text) || constant.kind == nullKind {
		fail(constant.place, "%s of %s is one of '%s'", name, c.name, strings.Join(modes, "', '"))
	}
	return constant.text
}

// checkNesting fails for arguments that are computed later than the call.
func checkNesting(x *callExpr, kind functionKind, args []value) {
	for _, arg := range args {
		switch {
		case arg.isWindow && (kind != scalarFunction || x.over != nil):
			fail(arg.at, "%s cannot hold a window function; compute that in a subquery", x.name)
		case arg.isAggregate && kind == aggregateFunction && x.over == nil:
			fail(arg.at, "%s cannot hold another aggregate; compute that in a subquery", x.name)
		}
	}
}

// with returns the call with other arguments.
func (c *call) with(args []value) *call {
	other := *c
	other.args = args
	return &other
}

// result checks the call, and returns what it returns.
func (c *call) result() value {
	if c.check != nil {
		c.check(c)
	}
	v := result(c.typ, c.at, c, c.args...)
	v.quantiles = c.quantiles
	return v
}

// function resolves a call that an operator stands for.
func (r *resolver) function(name string, args []value, at place) value {
	return r.match(name, r.functions[name], args, at).result()
}

// arguments resolves the arguments. A part of a time is none of them, but is returned on its own.
func (r *resolver) arguments(x *callExpr, entries []*function, s *scope) (args []value, parts []part) {
	for i, arg := range x.args {
		if slices.ContainsFunc(entries, func(f *function) bool { return f.param(i) == "PART" }) {
			if named, ok := asPart(arg); ok {
				parts = append(parts, named)
				args = append(args, value{typ: scalar(nullKind), at: arg.offset(), constant: &literal{kind: nullKind}})
				continue
			}
		}
		if slices.ContainsFunc(entries, func(f *function) bool { return f.param(i) == "FORM" }) {
			if form, isForm := asForm(x.name, arg); isForm {
				args = append(args, form)
				continue
			}
		}
		args = append(args, r.expression(arg, s))
	}
	if x.star {
		if x.name != "COUNT" {
			fail(x.place, "only COUNT takes *")
		}
	}
	return args, parts
}

// asPart returns an argument such as HOUR or WEEK(MONDAY) as a part.
func asPart(x expression) (part, bool) {
	switch x := x.(type) {
	case *pathExpr:
		if len(x.names) == 1 && isDatePart(x.names[0].text) {
			return part{place: x.place, name: strings.ToUpper(x.names[0].text)}, true
		}
	case *callExpr:
		if x.name == "WEEK" && len(x.args) == 1 {
			if day, ok := x.args[0].(*pathExpr); ok {
				return part{place: x.place, name: "WEEK", weekday: strings.ToUpper(day.names[0].text)}, true
			}
		}
	}
	return part{}, false
}

// param is the i-th parameter; empty if there is none.
func (f *function) param(i int) string {
	switch {
	case i < len(f.list):
		return f.list[i]
	case strings.HasSuffix(f.params, "…"):
		return f.list[len(f.list)-1]
	}
	return ""
}

// match returns the call of the entry that fits the arguments best.
func (r *resolver) match(name string, entries []*function, args []value, at place) *call {
	var best *call
	least := -1
	for _, entry := range entries {
		if c, distance := entry.fit(r, args, at); c != nil && (best == nil || distance < least) {
			best, least = c, distance
		}
	}
	if best == nil {
		forms := each(entries, func(_ int, entry *function) string { return name + "(" + entry.params + ")" })
		types := each(args, func(_ int, arg value) string { return arg.typ.String() })
		fail(at, "%s does not take (%s); it is %s", name, strings.Join(types, ", "), strings.Join(slices.Compact(forms), " or "))
	}
	for i := range best.args {
		_, convert := best.accept(i, args[i])
		best.args[i] = convert()
	}
	best.typ = best.resultType()
	return best
}

// fit returns the call of an entry with the type that its parameters have in common, and how far the
// arguments are from it; nil if they do not fit.
func (f *function) fit(r *resolver, args []value, at place) (*call, int) {
	if len(args) < len(f.list) || len(args) > len(f.list) && !strings.HasSuffix(f.params, "…") {
		return nil, 0
	}
	c := &call{function: f, r: r, at: at, args: make([]value, len(args)), typ: scalar(nullKind)}
	distance := 0
	for i, arg := range args { // what T and N are
		elem := arg.typ
		switch param := f.param(i); {
		case arg.isEmptyArray && (param == "T" || param == "ARRAY<T>"):
			continue
		case param == "ARRAY<T>" && elem.kind == arrayKind:
			elem = elem.elem
		case param == "ARRAY<T>" && elem.kind == dynamicKind:
			elem = scalar(stringKind)
		case param == "T" || param == "N" && (elem.isNumeric() || elem.is(nullKind)):
		case param == "N" && elem.kind == dynamicKind:
			elem = scalar(numberKind)
		case param == "ARRAY<T>" || param == "N":
			if elem.kind != nullKind {
				return nil, 0
			}
		default:
			continue
		}
		typ := supertype(c.typ, elem)
		if typ == nil && coercible(arg, c.typ) >= 0 {
			typ = c.typ
		}
		if typ == nil && i > 0 && coercible(args[0], elem) >= 0 {
			typ = elem
		}
		if typ == nil {
			return nil, 0
		}
		c.typ = typ
	}
	if slices.Contains(f.list, "T") || slices.Contains(f.list, "N") {
		c.typ = withDecimals(c.typ, args...)
	}
	switch {
	case c.typ.kind == nullKind && (slices.Contains(f.list, "N") || slices.Contains(f.list, "ARRAY<T>") && slices.ContainsFunc(args, func(v value) bool { return v.isEmptyArray })):
		c.typ = scalar(int64Kind)
	case slices.Contains(f.list, "T"):
		c.typ = besideEmpty(c.typ, args)
	}
	for i, arg := range args {
		far, _ := c.accept(i, arg)
		if far < 0 {
			return nil, 0
		}
		distance += far
	}
	return c, distance
}

// paramType is the type that a parameter names.
func paramType(name string) *dataType {
	if elem, ok := strings.CutPrefix(name, "ARRAY<"); ok {
		return arrayOf(paramType(strings.TrimSuffix(elem, ">")))
	}
	return scalar(typeNames()[name])
}

// accept returns an argument as its parameter takes it, and how far it is from that; negative if it does not convert.
func (c *call) accept(i int, arg value) (distance int, convert func() value) {
	to := c.typ
	switch param := c.param(i); param {
	case "ANY":
		return 0, func() value { return arg }
	case "PART":
		return ifElse(arg.constant != nil && arg.constant.kind == nullKind, 0, -1), func() value { return arg }
	case "FORM":
		return ifElse(arg.constant != nil && slices.Contains(unicodeForms(), arg.constant.text), 0, -1), func() value { return arg }
	case "ARRAY":
		if arg.typ.kind == dynamicKind {
			return 0, func() value { return elements(arg) }
		}
		return ifElse(arg.typ.is(arrayKind, nullKind), 0, -1), func() value { return arg }
	case "T", "N":
		if to.kind == dynamicKind {
			return 0, func() value { return alike(arg, to.shape).from(arg) }
		}
	case "ARRAY<T>":
		to = arrayOf(to)
		if arg.typ.kind == dynamicKind {
			return 1, func() value {
				arg.typ.shape.element().use(scalar(stringKind))
				return coerce(elements(arg), to)
			}
		}
	default:
		to = paramType(param)
	}
	return coercible(arg, to), func() value { return coerce(arg, to) }
}

func (c *call) resultType() *dataType {
	switch c.function.result {
	case "T", "N":
		return c.typ
	case "ARRAY<T>":
		return arrayOf(c.typ)
	case "":
		return scalar(nullKind)
	}
	return paramType(c.function.result)
}

// window resolves what is behind OVER.
func (r *resolver) window(w *window, s *scope) *over {
	if w.base != "" && !s.hasWindow(w.base) {
		fail(w.place, "there is no window %s; declare it, as in WINDOW %[1]s AS (…), at the end of the SELECT", w.base)
	}
	window := &over{base: w.base, frame: w.frame}
	window.partition = r.expressions(w.partition, s)
	for _, key := range window.partition {
		key.notWindow("PARTITION BY")
	}
	for _, item := range w.order {
		key := r.orderItem(item, s)
		key.value.notWindow("ORDER BY of a window")
		window.order = append(window.order, key)
	}
	if w.frame != nil {
		r.checkFrame(w, s)
		if isAfter(w.frame.start.what, w.frame.end.what) {
			fail(w.place, "a frame that starts at %s cannot end at %s", w.frame.start.what, w.frame.end.what)
		}
		window.start, window.end = r.frameBound(w.frame, w.frame.start, s), r.frameBound(w.frame, w.frame.end, s)
	}
	return window
}

// hasWindow reports whether a window is declared in the query that an expression is in.
func (s *scope) hasWindow(name string) bool {
	body := s.query()
	return body != nil && slices.ContainsFunc(body.windows, func(w namedWindow) bool { return equalFold(w.name.text, name) })
}

// query returns the query that an expression is in; nil if it is in none.
func (s *scope) query() *selectQuery {
	for ; s != nil; s = s.outer {
		if s.body != nil {
			return s.body
		}
	}
	return nil
}

// notWindow fails if a window function is in a value.
func (v value) notWindow(clause string) {
	if v.isWindow {
		fail(v.at, "%s cannot hold a window function; compute that in a subquery", clause)
	}
}

// checkFrame fails for a frame of a distance from values that have none.
func (r *resolver) checkFrame(w *window, s *scope) {
	distance := or2(w.frame.start.n, w.frame.end.n)
	if w.frame.unit != "RANGE" || distance == nil || w.base != "" && w.order == nil {
		return
	}
	if len(w.order) != 1 {
		fail(distance.offset(), "RANGE with a distance needs ORDER BY one number")
	}
	if by := r.expression(w.order[0].x, s); !by.typ.isNumeric() && !by.typ.is(dynamicKind) {
		fail(w.order[0].x.offset(), "RANGE with a distance needs ORDER BY a number, not a value of type %s; convert a time with UNIX_SECONDS or UNIX_DATE", by.typ)
	}
}

// or2 returns the first expression that is there.
func or2(a, b expression) expression {
	if a != nil {
		return a
	}
	return b
}

// isAfter reports whether no row at a bound is before one at another bound.
func isAfter(start, end string) bool {
	order := []string{"UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"}
	return slices.Index(order, start) > slices.Index(order, end) || start == order[4] || end == order[0]
}

// frameBound resolves the distance of a bound, if it has any.
func (r *resolver) frameBound(f *frame, b frameBound, s *scope) value {
	if b.n == nil {
		return value{}
	}
	switch b.n.(type) {
	case *literal, *param, *castExpr:
	default:
		fail(b.n.offset(), "the distance of %s must be a number or a parameter", b.what)
	}
	distance := numeric(r.expression(b.n, s), b.n.offset())
	if f.unit == "ROWS" {
		distance = coerce(distance, scalar(int64Kind))
	}
	if distance.constant != nil && strings.HasPrefix(distance.constant.text, "-") {
		fail(b.n.offset(), "the distance of %s must not be negative", b.what)
	}
	return distance
}

// clauses are what can stand behind or before the arguments of an aggregate or a window function.
type clauses int

const (
	takesDistinct clauses = 1 << iota
	takesIgnore
	takesRespect
	takesOrder
	takesLimit
	takesHaving
	takesWhere

	takesNulls = takesIgnore | takesRespect
)

// clauses are those that calls of a function can have. All aggregates but GROUPING take WHERE and HAVING.
func (f *function) clauses() clauses {
	if f.kind == aggregateFunction && f.name != "GROUPING" {
		return f.takes | takesWhere | takesHaving
	}
	return f.takes
}

// checkClauses fails if a call has a clause that no entry takes: without it, the call would return another value.
func checkClauses(x *callExpr, entries []*function) {
	for _, clause := range []struct {
		written bool
		clauses clauses
		name    string
	}{
		{x.distinct, takesDistinct, "DISTINCT"},
		{x.nulls == "IGNORE", takesIgnore, "IGNORE NULLS"},
		{x.nulls == "RESPECT", takesRespect, "RESPECT NULLS"},
		{x.where != nil, takesWhere, "WHERE"},
		{x.order != nil, takesOrder, "ORDER BY"},
		{x.limit != nil, takesLimit, "LIMIT"},
		{x.having != "", takesHaving, "HAVING " + x.having},
	} {
		if clause.written && (x.star && clause.clauses&(takesWhere|takesHaving) == 0 || !slices.ContainsFunc(entries, func(f *function) bool { return f.clauses()&clause.clauses != 0 })) {
			fail(x.place, "%s does not take %s here", x.name, clause.name)
		}
	}
}
