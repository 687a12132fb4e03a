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
)

// function is an entry of the table of functions: one name with one list of parameters. As it is written, it can have
// several names with spaces between them, and several lists of parameters, each with its result, with | between them.
type function struct {
	name string
	// params are the types of the parameters, with commas. Besides the names of types: T is a type that all
	// parameters with it have in common, N is such a type of numbers, ARRAY is any array, ANY anything, and
	// PART a part of a time. The last can be repeated if … follows it.
	params string
	// list has the parameters.
	list []string
	// named are the arguments with names that the function takes, each with its type, with commas. They are optional, and
	// constants.
	named string
	// result is the type of the result. T and N are the common type of the parameters.
	result string
	// sql is DuckDB's expression, a template; see [template]. Aggregates have {distinct}, {order} and {over}
	// where these belong. {NAME} is the name, and {name} the name in lower case.
	sql string
	// emit is used instead of sql, and can choose the type.
	emit func(c *call) value
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

// call is a call of a function whose arguments have been resolved and converted.
type call struct {
	*function
	r    *resolver
	at   place
	args []value
	// typ is the type of the result, as far as the entry says it.
	typ *dataType
	// part is the argument for PART.
	part part
	// named are the arguments with names, by name in lower case.
	named map[string]*literal
	// node is the call as it is written; nil for operators.
	node  *callExpr
	scope *scope
	// distinct, order and over are for aggregates.
	distinct, order, over fragment
}

// value returns a result with the type of the entry.
func (c *call) value(parts ...any) value {
	return result(c.typ, c.at, c.args, parts...)
}

// template returns the entry's template with the arguments.
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
			parts = append(parts, c.distinct)
		case "order":
			parts = append(parts, c.order)
		case "over":
			parts = append(parts, c.over)
		default:
			parts = append(parts, template("{"+key+"}", c.args...))
		}
	}
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
	if kind == scalarFunction && (x.over != nil || x.distinct || x.nulls != "" || x.order != nil || x.limit != nil || x.having != "") {
		fail(x.place, "%s is no aggregate, so it takes no DISTINCT, ORDER BY, LIMIT, NULLS or OVER", x.name)
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
	c.node, c.scope, c.named = x, s, x.namedArgs(c.function)
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
	c.distinct, c.order, c.over = text(ifElse(x.distinct, "DISTINCT ", "")), text(""), text("")
	if x.order != nil {
		c.order = text(" ORDER BY ", list(", ", each(x.order, func(_ int, item orderItem) fragment {
			notLiteral(item.x, "ORDER BY")
			v := r.orderItem(item, s)
			if x.distinct { // DuckDB takes only the argument itself
				return text(v, direction(item))
			}
			return orderBy(v, item)
		})))
	}
	if x.over != nil {
		if (c.typ.is(arrayKind) || c.name == "STRING_AGG") && r.env.isCallers(x.place) {
			fail(x.place, "%s takes no OVER here, because each row would have a copy; use GROUP BY", c.name)
		}
		c.over = text(" OVER ", r.window(x.over, s))
	}
	if x.nulls != "" && kind == windowFunction { // of FIRST_VALUE and its relatives
		c.order = text(" " + x.nulls + " NULLS")
	}
	if x.safe && kind != scalarFunction {
		fail(x.place, "SAFE. is for scalar functions")
	}
	v := c.result()
	if kind == aggregateFunction && x.over == nil {
		v.isAggregate = true
	}
	v.isWindow = v.isWindow || x.over != nil
	if kind != scalarFunction {
		v = v.opaque()
	}
	if x.safe {
		v = result(v.typ, v.at, []value{v}, r.tried(c.args, func(args []value) fragment { return c.with(args).result().sql }))
	}
	return v
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

func (c *call) result() value {
	switch {
	case c.kind != scalarFunction:
		return c.made()
	case strings.HasPrefix(c.name, "GENERATE_") && !c.r.env.isCallers(c.at):
		return c.generated(mostElements)
	case strings.HasPrefix(c.name, "GENERATE_") && c.isConstant():
		return c.generated(mostCallersElements)
	}
	return c.r.limited(c.at, c.name, c.args, c.bytes, func(args []value) value { return c.with(args).made() })
}

// made returns the result without a limit.
func (c *call) made() value {
	if c.emit != nil {
		return c.emit(c)
	}
	if strings.Contains(c.sql, "lambda") {
		return c.value(c.inLambda(func(args []value) fragment { return c.with(args).template(c.sql) }))
	}
	return c.value(c.template(c.sql))
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
				args = append(args, value{typ: scalar(nullKind), sql: text(""), at: arg.offset(), constant: &literal{kind: nullKind}})
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
	case "ARRAY":
		if arg.typ.kind == dynamicKind {
			return 0, func() value { return newValue(arrayOf(scalar(stringKind)), arg.at, elements(arg)).from(arg) }
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
				return coerce(newValue(arrayOf(scalar(stringKind)), arg.at, elements(arg)).from(arg), to)
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

// window returns what is behind OVER.
func (r *resolver) window(w *window, s *scope) fragment {
	if w.base != "" && !s.hasWindow(w.base) {
		fail(w.place, "there is no window %s; declare it, as in WINDOW %[1]s AS (…), at the end of the SELECT", w.base)
	}
	if w.base != "" && len(w.partition) == 0 && w.order == nil && w.frame == nil {
		return text(quoteName(w.base))
	}
	var parts []fragment
	if w.base != "" {
		parts = append(parts, text(quoteName(w.base)))
	}
	if len(w.partition) > 0 {
		keys := r.expressions(w.partition, s)
		for _, key := range keys {
			key.notWindow("PARTITION BY")
		}
		parts = append(parts, text("PARTITION BY ", list(", ", fragments(keys))))
	}
	if w.order != nil {
		items := each(w.order, func(_ int, item orderItem) fragment {
			v := r.orderItem(item, s)
			v.notWindow("ORDER BY of a window")
			return orderBy(v, item)
		})
		parts = append(parts, text("ORDER BY ", list(", ", items)))
	}
	if w.frame != nil {
		r.checkFrame(w, s)
		if isAfter(w.frame.start.what, w.frame.end.what) {
			fail(w.place, "a frame that starts at %s cannot end at %s", w.frame.start.what, w.frame.end.what)
		}
		parts = append(parts, text(w.frame.unit, " BETWEEN ", r.frameBound(w.frame, w.frame.start, s), " AND ", r.frameBound(w.frame, w.frame.end, s)))
	}
	return text("(", list(" ", parts), ")")
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

func (r *resolver) frameBound(f *frame, b frameBound, s *scope) fragment {
	if b.n == nil {
		return text(b.what)
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
	return text(distance, " "+b.what)
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

	takesNulls = takesIgnore | takesRespect
)

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
		{x.order != nil, takesOrder, "ORDER BY"},
		{x.limit != nil, takesLimit, "LIMIT"},
		{x.having != "", takesHaving, "HAVING " + x.having},
	} {
		if clause.written && (x.star || !slices.ContainsFunc(entries, func(f *function) bool { return f.takes&clause.clauses != 0 })) {
			fail(x.place, "%s does not take %s here", x.name, clause.name)
		}
	}
}

// tried returns a fragment that is made of arguments, with NULL for the errors that it raises itself. Errors of its
// arguments stay errors, so they are computed first. DuckDB's TRY takes no subquery, and raises what reading the field of
// a struct raises.
func (r *resolver) tried(args []value, body func(args []value) fragment) fragment {
	return r.hoisted(args, func(args []value) fragment { return text("TRY(", safe{body(args)}, ")") })
}

// inLambda returns a fragment that has arguments in the body of a lambda. What no lambda takes is computed first.
func (c *call) inLambda(body func(args []value) fragment) fragment {
	if slices.ContainsFunc(c.args, func(arg value) bool { return arg.isOpaque || c.r.isFromOutside(arg.sql) }) {
		return c.r.hoisted(c.args, body)
	}
	return body(c.args)
}

// hoisted returns a fragment that is made of arguments. Those that are computed are computed first, and stand for
// themselves as the fields of a struct.
func (r *resolver) hoisted(args []value, body func(args []value) fragment) fragment {
	param := quoteName("#args") // which no name of a query is, and equal calls have the same SQL
	var fields []fragment
	inner := slices.Clone(args)
	for i, arg := range args {
		if arg.isComputed() || r.isFromOutside(arg.sql) {
			fields = append(fields, text("a"+itoa(i)+" := ", arg))
			inner[i] = element(arg.typ, text("struct_extract("+param+", 'a"+itoa(i)+"')"), arg.at)
		}
	}
	if fields == nil {
		return body(args)
	}
	return text("list_extract(list_transform([struct_pack(", list(", ", fields), ")], lambda "+param+": ", body(inner), "), 1)")
}

// isComputed reports whether a value is not only read.
func (v value) isComputed() bool {
	_, isColumn := v.sql.(*reference)
	return !isColumn && v.constant == nil && !v.isParam && v.dyn == nil
}
