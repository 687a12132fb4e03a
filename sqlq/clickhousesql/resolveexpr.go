package clickhousesql

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// value resolves an expression.
func (r *resolver) value(x expression, s *scope) *value {
	switch x := x.(type) {
	case *identifier:
		return r.identifier(x, s)
	case *aliased:
		return r.named(x.name, s)
	case *constant:
		return r.constant(x)
	case *parameter:
		return r.parameter(x)
	case *callExpr:
		return r.call(x, s)
	case *cast:
		return r.convert(x.place, r.value(x.x, s), parseType(x.typ, x.typeAt))
	case *inExpr:
		return r.inQuery(x, s)
	case *interval:
		n := r.plain(r.value(x.n, s))
		if n.typ.kind != intKind {
			fail(x.n.offset(), "the length of an INTERVAL is a whole number, and this is a %s", n.typ)
		}
		return r.intern(&value{place: x.place, kind: intervalValue, typ: &dataType{kind: intervalKind}, text: x.unit, args: []*value{n}, isConstant: n.isConstant, hasAggregate: n.hasAggregate})
	case *subquery:
		return r.scalar(x)
	case *exists:
		rel := r.query(x.query)
		return r.intern(&value{place: x.place, kind: queryValue, text: "EXISTS", typ: flagType(), query: rel, isFlag: true, isConstant: true})
	case *lambda:
		fail(x.place, "a lambda is an argument of a function such as arrayMap")
	case *star:
		fail(x.place, "* can be in the list of a SELECT, and in count(*)")
	}
	fail(x.offset(), "this is not supported")
	return nil
}

// scalar resolves a subquery with one value.
func (r *resolver) scalar(x *subquery) *value {
	rel := r.query(x.query)
	if len(rel.columns) != 1 {
		fail(x.place, "a subquery in an expression has one column, and this has %d", len(rel.columns))
	}
	typ := rel.columns[0].typ
	if rel.columns[0].attributes {
		fail(x.place, "a subquery in an expression cannot return log_attributes; return a value of it")
	}
	if !r.hasOneRow(rel) {
		typ = typ.orNull(true)
	}
	return r.intern(&value{place: x.place, kind: queryValue, typ: typ, query: rel, isConstant: true})
}

// hasOneRow reports whether a query always has a row.
func (r *resolver) hasOneRow(rel *relation) bool {
	return len(rel.selects) == 1 && rel.selects[0].grouped && len(rel.selects[0].keys) == 0 && rel.selects[0].having == nil && rel.selects[0].limit == nil && rel.selects[0].offset == nil
}

// identifier resolves a name.
func (r *resolver) identifier(x *identifier, s *scope) *value {
	name := strings.Join(x.parts, ".")
	for _, variable := range slices.Backward(s.variables) {
		if variable.text == name {
			return variable
		}
	}
	alias, isAlias := s.aliases[name]
	if isAlias && !alias.resolving {
		return r.named(name, s)
	}
	if v := r.find(x, name, s); v != nil {
		return v
	}
	if isAlias {
		fail(x.place, "the name %s stands for an expression that reads itself", name)
	}
	if len(x.parts) > 1 {
		for i := len(x.parts) - 1; i > 0; i-- { // a member of a tuple, or of the map
			if v := r.find(x, strings.Join(x.parts[:i], "."), s); v != nil && v.typ.kind == mapKind {
				fail(x.place, "write %s['%s']", strings.Join(x.parts[:i], "."), strings.Join(x.parts[i:], "."))
			}
		}
	}
	r.failUnknown(x, name, s)
	return nil
}

// find returns a column; nil if there is none.
func (r *resolver) find(x *identifier, name string, s *scope) *value {
	var found *value
	for _, from := range s.sources {
		column, ok := from.find(name)
		for i := 1; !ok && i < min(len(x.parts), 3); i++ { // a table, or a database and a table
			if slices.Contains(from.names(), strings.Join(x.parts[:i], ".")) {
				column, ok = from.find(strings.Join(x.parts[i:], "."))
			}
		}
		if !ok {
			continue
		}
		if found != nil {
			if paired := s.paired(name); paired != nil {
				return paired
			}
			fail(x.place, "%s is a column of two tables; write the table before it", name)
		}
		found = r.column(x.place, from, column)
		if _, isArray := from.(*arraySource); isArray {
			return found
		}
	}
	return found
}

// paired returns the column that USING leaves of two with the name.
func (s *scope) paired(name string) *value {
	var look func(from source) *value
	look = func(from source) *value {
		join, ok := from.(*joinSource)
		if !ok {
			return nil
		}
		if i := slices.Index(join.using, name); i >= 0 {
			if join.kind == "RIGHT" {
				return join.pairs[i][1]
			}
			return join.pairs[i][0]
		}
		if found := look(join.left); found != nil {
			return found
		}
		return look(join.right)
	}
	return look(s.rel.from)
}

func (r *resolver) failUnknown(x *identifier, name string, s *scope) {
	known := slices.Collect(maps.Keys(s.aliases))
	readsLogs := false
	for _, from := range s.sources {
		_, isLogs := from.(*logsSource)
		readsLogs = readsLogs || isLogs
		for _, column := range from.columns() {
			known = append(known, column.name)
		}
	}
	if closest := didYouMean(name, known); closest != "" {
		fail(x.place, "there is no column %s%s", name, closest)
	}
	if f := functionNamed(name); f != nil {
		fail(x.place, "there is no column %s; the function is %s(…)", name, f.name)
	}
	if readsLogs {
		fail(x.place, "there is no column %s; the columns of logs are id, timestamp, event_message, severity_text, source and log_attributes, with values such as log_attributes['%[1]s']", name)
	}
	fail(x.place, "there is no column %s", name)
}

// named resolves the expression that has a name.
func (r *resolver) named(name string, s *scope) *value {
	alias := s.aliases[name]
	if alias.value != nil {
		return alias.value
	}
	if alias.resolving {
		fail(alias.at, "the name %s stands for an expression that reads itself", name)
	}
	alias.resolving = true
	variables, clause := s.variables, s.clause
	s.variables, s.clause = nil, ""
	v := r.value(alias.x, s)
	s.variables, s.clause = variables, clause
	alias.resolving = false
	alias.value = v
	return v
}

// constant resolves a literal.
func (r *resolver) constant(x *constant) *value {
	v := &value{place: x.place, kind: constantValue, text: x.text, isConstant: true}
	switch {
	case x.kind == stringToken:
		v.typ = stringType()
	case x.text == "NULL":
		return r.nullValue(x.place)
	case x.kind == nameToken:
		v.typ = &dataType{kind: boolKind}
	default:
		v.typ, v.text = numberOf(x)
	}
	return r.intern(v)
}

// numberOf returns the type of a number, and its text.
func numberOf(x *constant) (*dataType, string) {
	text := strings.ReplaceAll(x.text, "_", "")
	if whole, ok := new(big.Int).SetString(text, 0); ok && !strings.Contains(strings.ToLower(text), "o") && !isOctal(text) {
		for _, signed := range []bool{false, true} {
			for bits := 8; bits <= 64; bits *= 2 {
				if fits(whole, bits, signed) && (signed || whole.Sign() >= 0) {
					return intType(bits, signed), whole.String()
				}
			}
		}
	} else if isOctal(text) {
		return numberOf(&constant{place: x.place, text: trimZeros(text)})
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(number, 0) {
		fail(x.place, "%s is no number", x.text)
	}
	return floatType(), floatText(number)
}

// isOctal reports whether a whole number has zeros before it, which mean nothing to ClickHouse.
func isOctal(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == ""
}

func trimZeros(text string) string {
	digits, isNegative := strings.CutPrefix(text, "-")
	digits = strings.TrimLeft(digits[:len(digits)-1], "0") + digits[len(digits)-1:]
	if isNegative {
		return "-" + digits
	}
	return digits
}

func fits(whole *big.Int, bits int, signed bool) bool {
	if !signed {
		return whole.Sign() >= 0 && whole.BitLen() <= bits
	}
	if whole.Sign() < 0 {
		return new(big.Int).Add(whole, big.NewInt(1)).BitLen() < bits
	}
	return whole.BitLen() < bits
}

// floatText is the text of a Float64: nan, inf, -inf, or a number with an exponent.
func floatText(number float64) string {
	switch {
	case math.IsNaN(number):
		return "nan"
	case math.IsInf(number, 0):
		return map[bool]string{true: "inf", false: "-inf"}[number > 0]
	}
	return strconv.FormatFloat(number, 'e', -1, 64)
}

// parameter resolves a parameter. One that the environment does not have is found by its use.
func (r *resolver) parameter(x *parameter) *value {
	typ := parseType(x.typ, x.place)
	at := slices.IndexFunc(r.env.Params, func(p Param) bool { return p.Name == x.name })
	if at >= 0 {
		declared := r.env.Params[at].Type
		if typ.declared() != declared && (typ.kind != stringKind || declared.IsArray()) {
			fail(x.place, "the parameter %s is declared as %s, which is no %s here", x.name, declared, x.typ)
		}
	} else if known := slices.IndexFunc(r.params, func(p Param) bool { return p.Name == x.name }); known < 0 {
		if !slices.Contains(sqlq.AllParamTypes(), typ.declared()) {
			fail(x.place, "a parameter cannot be a %s", x.typ)
		}
		r.params = append(r.params, Param{Name: x.name, Type: typ.declared(), Nullable: typ.nullable, Written: x.typ})
	} else if r.params[known].Type != typ.declared() {
		fail(x.place, "the parameter %s is a %s before", x.name, r.params[known].Written)
	}
	return r.intern(&value{place: x.place, kind: parameterValue, typ: typ, text: x.name, isConstant: true})
}

// call resolves a call.
func (r *resolver) call(x *callExpr, s *scope) *value {
	if v := r.ofServer(x); v != nil {
		return v
	}
	f, suffix := r.function(x)
	c := &call{callExpr: x, f: f, suffix: suffix, s: s}
	if x.distinct && !f.aggregate {
		fail(x.place, "DISTINCT is for aggregate functions")
	}
	if x.star && f.name != "count" {
		fail(x.place, "%s(*) is not supported; name a column", x.name)
	}
	if len(x.params) > 0 && f.params == "" {
		fail(x.place, "%s has no parameters before its arguments", x.name)
	}
	if x.over != nil || f.window {
		return r.window(c)
	}
	if f.aggregate {
		if s.inAggregate != "" {
			fail(x.place, "an aggregate function cannot be in another one, %s", s.inAggregate)
		}
		s.inAggregate = x.name
		defer func() { s.inAggregate = "" }()
	}
	if f.build != nil {
		return f.build(r, c)
	}
	c.values = r.arguments(c)
	return r.checked(c)
}

// function finds the row of a call, with the suffix of an aggregate function.
func (r *resolver) function(x *callExpr) (f *function, suffix string) {
	if f = functionNamed(x.name); f != nil {
		return f, ""
	}
	for _, suffix := range []string{"IfOrNull", "OrNullIf", "If", "OrNull", "OrDefault", "Distinct"} {
		base, found := strings.CutSuffix(x.name, suffix)
		if f := functionNamed(base); found && f != nil && f.aggregate {
			return f, suffix
		}
	}
	if message := refusedFunctions[strings.ToLower(x.name)]; message != "" {
		fail(x.place, "%s is not allowed; %s", x.name, message)
	}
	fail(x.place, "there is no function %s here%s", x.name, didYouMean(x.name, functionNames()))
	return nil, ""
}

// arguments resolves the arguments of a call, but for lambdas.
func (r *resolver) arguments(c *call) []*value {
	values := make([]*value, len(c.args))
	for i, arg := range c.args {
		if _, isLambda := arg.(*lambda); isLambda {
			fail(arg.offset(), "%s takes no lambda", c.name)
		}
		values[i] = r.value(arg, c.s)
		if c.f.aggregate && values[i].hasAggregate {
			fail(arg.offset(), "an aggregate function cannot be in another one; compute it in a subquery")
		}
		if c.f.aggregate && firstWindow(values[i]) != nil { // by its alias
			fail(arg.offset(), "a window function cannot be in the aggregate function %s; compute it in a subquery", c.name)
		}
	}
	return values
}

// plain returns a value without a representation of its own: log_attributes as a map, and comparisons as they are.
func (r *resolver) plain(v *value) *value {
	if !v.attributes {
		return v
	}
	return r.newCall(v.place, row("savedqFlatten"), attributesType(), v)
}

// convert casts a value.
func (r *resolver) convert(at place, v *value, to *dataType) *value {
	v = r.plain(v)
	if v.typ.nullable && !to.nullable && v.typ.kind != nothingKind {
		to = to.orNull(true)
	}
	if v.isString() && to.isTime() {
		return r.timeConstant(v, to)
	}
	if !castable(v.typ, to) {
		fail(at, "a %s cannot be cast to %s", v.typ, to)
	}
	c := r.newCall(at, row("CAST"), to, v)
	c.to = to
	return r.intern(c)
}

func castable(from, to *dataType) bool {
	scalar := func(t *dataType) bool { return t.is(stringKind, intKind, floatKind, boolKind, dateKind, timeKind) }
	switch {
	case from.kind == nothingKind:
		return true
	case from.isTime() && to.kind == boolKind, from.kind == boolKind && to.isTime():
		return false
	case scalar(from) && scalar(to):
		return true
	case from.kind == arrayKind && to.kind == arrayKind:
		return castable(from.elem(), to.elem())
	case from.is(arrayKind, mapKind, tupleKind) && to.kind == stringKind:
		return true
	}
	return from.kind == to.kind && common(from, to) != nil
}

// inQuery resolves IN with a subquery.
func (r *resolver) inQuery(x *inExpr, s *scope) *value {
	v := r.plain(r.value(x.x, s))
	rel := r.query(x.query)
	of := v.typ
	if of.kind == tupleKind {
		if len(of.inner) != len(rel.columns) {
			fail(x.place, "the subquery has %d columns, and the tuple %d values", len(rel.columns), len(of.inner))
		}
	} else if len(rel.columns) != 1 {
		fail(x.place, "the subquery of IN has one column, and this has %d", len(rel.columns))
	}
	for i, column := range rel.columns {
		typ := of
		if of.kind == tupleKind {
			typ = of.inner[i]
		}
		if common(typ, column.typ) == nil || column.typ.kind == mapKind {
			fail(x.place, "the subquery of IN has a %s, which cannot be compared with a %s", column.typ, typ)
		}
	}
	found := r.intern(&value{place: x.place, kind: queryValue, text: "IN", typ: flagType().orNull(v.typ.nullable), args: []*value{v}, query: rel, isFlag: true, hasAggregate: v.hasAggregate})
	if x.not {
		return r.newCall(x.place, row("not"), found.typ, found)
	}
	return found
}

// compare resolves a comparison of two values.
func (r *resolver) compare(at place, name string, a, b *value) *value {
	a, b = r.plain(a), r.plain(b)
	a, b = r.adapted(a, b.typ), r.adapted(b, a.typ)
	typ := common(a.typ, b.typ)
	if typ == nil || typ.kind == mapKind {
		hint := ""
		switch {
		case a.typ.kind == stringKind && b.typ.isNumber() || b.typ.kind == stringKind && a.typ.isNumber():
			hint = "; convert the text with toInt64OrZero(…) or toFloat64OrZero(…)"
		case a.typ.isTime() != b.typ.isTime() && (a.typ.isNumber() || b.typ.isNumber()):
			hint = "; convert the time with toUnixTimestamp(…)"
		case a.typ.isTime() != b.typ.isTime():
			hint = "; convert the text with parseDateTimeBestEffort(…)"
		}
		fail(at, "a %s cannot be compared with a %s%s", a.typ, b.typ, hint)
	}
	return r.newCall(at, row(name), flagType().orNull(a.typ.nullable || b.typ.nullable || a.isNull() || b.isNull()), a, b)
}

// adapted returns a constant string as a value of the type that it is compared with.
func (r *resolver) adapted(v *value, with *dataType) *value {
	if !v.isString() {
		return v
	}
	switch {
	case with.isTime():
		return r.timeConstant(v, with.notNull())
	case with.isNumber():
		number := r.constant(&constant{place: v.place, kind: numberToken, text: checkedNumber(v)})
		return number
	}
	return v
}

// checkedNumber returns the text of a constant string that is a number.
func checkedNumber(v *value) string {
	if _, err := strconv.ParseFloat(v.text, 64); err != nil {
		fail(v.place, "'%s' is no number, and is compared with one", v.text)
	}
	return v.text
}
