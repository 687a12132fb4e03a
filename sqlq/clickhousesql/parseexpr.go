package clickhousesql

import (
	"slices"
	"strings"
)

// expression reads an expression, which a name can follow with AS in parentheses and arguments.
func (p *parser) expression() expression {
	defer p.deeper()()
	if names, ok := p.lambdaNames(); ok {
		at := p.tokens[p.at].start
		return &lambda{place: at, names: names, body: p.expression()}
	}
	condition := p.or()
	if t := p.peek(); t.is("?") {
		p.next()
		then := p.expression()
		p.expect(":")
		return &callExpr{place: t.start, name: "if", args: []expression{condition, then, p.expression()}}
	}
	return condition
}

// lambdaNames reads the names of a lambda with its arrow, if there is one.
func (p *parser) lambdaNames() ([]token, bool) {
	if p.peek().isName() && p.peekAt(1).is("->") {
		name := p.next()
		p.next()
		return []token{name}, true
	}
	if !p.peek().is("(") {
		return nil, false
	}
	var names []token
	for i := 1; ; i += 2 {
		name, behind := p.peekAt(i), p.peekAt(i+1)
		if !name.isName() || !behind.is(",") && !behind.is(")") {
			return nil, false
		}
		names = append(names, name)
		if behind.is(")") {
			if !p.peekAt(i + 2).is("->") {
				return nil, false
			}
			p.at += i + 3
			return names, true
		}
	}
}

// chain reads operands with an operator between them, as one call.
func (p *parser) chain(word, name string, operand func() expression) expression {
	first := operand()
	if !p.peek().is(word) {
		return first
	}
	call := &callExpr{place: p.peek().start, name: name, args: []expression{first}}
	for p.takes(word) {
		call.args = append(call.args, operand())
	}
	return call
}

func (p *parser) or() expression { return p.chain("OR", "or", p.and) }

func (p *parser) and() expression { return p.chain("AND", "and", p.not) }

func (p *parser) not() expression {
	if t := p.peek(); t.is("NOT") {
		defer p.deeper()()
		p.next()
		return &callExpr{place: t.start, name: "not", args: []expression{p.not()}}
	}
	return p.comparison()
}

// comparisons are the operators that compare, with their functions.
var comparisons = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"=": "equals", "==": "equals", "!=": "notEquals", "<>": "notEquals", "<": "less", ">": "greater", "<=": "lessOrEquals", ">=": "greaterOrEquals",
}

func (p *parser) comparison() expression {
	left := p.concat()
	for {
		t := p.peek()
		if name := comparisons[t.upper]; name != "" && t.kind == symbolToken {
			p.next()
			left = &callExpr{place: t.start, name: name, args: []expression{left, p.concat()}}
			continue
		}
		next, ok := p.predicate(left)
		if !ok {
			return left
		}
		left = next
	}
}

// predicate reads IS NULL, BETWEEN, LIKE or IN behind an expression.
func (p *parser) predicate(left expression) (expression, bool) {
	t := p.peek()
	if p.takes("IS") {
		isNot := p.takes("NOT")
		if !p.peek().is("NULL") {
			fail(p.peek().start, "expected NULL, found %s", p.peek().describe(p.sql))
		}
		p.next()
		return &callExpr{place: t.start, name: map[bool]string{false: "isNull", true: "isNotNull"}[isNot], args: []expression{left}}, true
	}
	p.refuseGlobal()
	isNot := t.is("NOT") && slices.ContainsFunc([]string{"IN", "LIKE", "ILIKE", "BETWEEN", "REGEXP"}, p.peekAt(1).is)
	if isNot {
		p.next()
	}
	negated := func(x *callExpr) expression {
		if isNot {
			return &callExpr{place: t.start, name: "not", args: []expression{x}}
		}
		return x
	}
	switch {
	case p.takes("BETWEEN"):
		low := p.concat()
		p.expect("AND")
		high := p.concat()
		return negated(&callExpr{place: t.start, name: "and", args: []expression{
			&callExpr{place: t.start, name: "greaterOrEquals", args: []expression{left, low}}, &callExpr{place: t.start, name: "lessOrEquals", args: []expression{left, high}},
		}}), true
	case p.takes("LIKE"):
		return &callExpr{place: t.start, name: map[bool]string{false: "like", true: "notLike"}[isNot], args: []expression{left, p.concat()}}, true
	case p.takes("ILIKE"):
		return &callExpr{place: t.start, name: map[bool]string{false: "ilike", true: "notILike"}[isNot], args: []expression{left, p.concat()}}, true
	case p.takes("REGEXP"):
		return negated(&callExpr{place: t.start, name: "match", args: []expression{left, p.concat()}}), true
	case p.takes("IN"):
		return p.in(left, t.start, isNot), true
	}
	return nil, false
}

func (p *parser) refuseGlobal() {
	if t := p.peek(); t.is("GLOBAL") {
		fail(t.start, "%s", refused["GLOBAL"])
	}
}

func (p *parser) in(left expression, at place, isNot bool) expression {
	name := map[bool]string{false: "in", true: "notIn"}[isNot]
	if !p.peek().is("(") {
		if t := p.peek(); t.isName() && !p.peekAt(1).is("(") && !p.peekAt(1).is("[") && !p.peekAt(1).is(".") { // a common table expression
			p.next()
			query := &setQuery{place: t.start, selects: []*selectQuery{{place: t.start, items: []item{{x: &star{place: t.start}}}, from: &tableItem{place: t.start, name: t.text}, end: t.end}}}
			return &inExpr{place: at, x: left, query: query, not: isNot}
		}
		return &callExpr{place: at, name: name, args: []expression{left, p.concat()}}
	}
	if t := p.peekAt(1); t.is("SELECT") || t.is("WITH") {
		p.next()
		query := p.query()
		p.expect(")")
		return &inExpr{place: at, x: left, query: query, not: isNot}
	}
	list := p.expect("(")
	var elements []expression
	for !p.peek().is(")") {
		elements = append(elements, p.expression())
		if !p.takes(",") {
			break
		}
	}
	p.expect(")")
	return &callExpr{place: at, name: name, args: []expression{left, &callExpr{place: list.start, name: "tuple", args: elements}}}
}

func (p *parser) concat() expression { return p.chain("||", "concat", p.sum) }

// infix reads operands with operators of one precedence between them.
func (p *parser) infix(names map[string]string, operand func() expression) expression {
	left := operand()
	for {
		t := p.peek()
		name := names[t.upper]
		if name == "" || t.kind != symbolToken && t.kind != nameToken {
			return left
		}
		p.next()
		left = &callExpr{place: t.start, name: name, args: []expression{left, operand()}}
	}
}

func (p *parser) sum() expression {
	return p.infix(map[string]string{"+": "plus", "-": "minus"}, p.product)
}

func (p *parser) product() expression {
	return p.infix(map[string]string{"*": "multiply", "/": "divide", "%": "modulo", "DIV": "intDiv", "MOD": "modulo"}, p.unary)
}

func (p *parser) unary() expression {
	t := p.peek()
	switch {
	case t.is("-"):
		defer p.deeper()()
		p.next()
		if n := p.peek(); n.kind == numberToken && n.start == t.end {
			x := p.unary()
			if number, ok := x.(*constant); ok && number.kind == numberToken {
				return &constant{place: t.start, kind: numberToken, text: "-" + number.text}
			}
			return &callExpr{place: t.start, name: "negate", args: []expression{x}}
		}
		return &callExpr{place: t.start, name: "negate", args: []expression{p.unary()}}
	case t.is("+"):
		p.next()
		return p.unary()
	}
	return p.postfix()
}

// postfix reads what follows a value: an element, a member, or a cast.
func (p *parser) postfix() expression {
	x := p.primary()
	for n := 0; ; n++ {
		if n > mostDepth {
			fail(p.peek().start, "the SQL is nested more than %d levels deep", mostDepth)
		}
		t := p.peek()
		switch {
		case p.takes("["):
			index := p.expression()
			p.expect("]")
			x = &callExpr{place: t.start, name: "arrayElement", args: []expression{x, index}}
		case p.takes("::"):
			at := p.peek().start
			x = &cast{place: t.start, x: x, typ: p.typeName(), typeAt: at}
		case t.is(".") && p.peekAt(1).kind == numberToken:
			p.next()
			index := p.next()
			x = &callExpr{place: t.start, name: "tupleElement", args: []expression{x, &constant{place: index.start, kind: numberToken, text: index.text}}}
		case t.kind == numberToken && strings.HasPrefix(t.text, ".") && t.start == p.tokens[p.at-1].end: // t.1
			p.next()
			x = &callExpr{place: t.start, name: "tupleElement", args: []expression{x, &constant{place: t.start, kind: numberToken, text: t.text[1:]}}}
		case t.is("OVER"):
			fail(t.start, "%s", refused["OVER"])
		case t.is("FILTER") && p.peekAt(1).is("("):
			fail(t.start, "FILTER is not supported; use a function with If, such as countIf")
		default:
			return x
		}
	}
}

// typeName reads a type as it is written.
func (p *parser) typeName() string {
	start := p.name("a type")
	end := start.end
	if p.peek().is("(") {
		depth := 0
		for {
			t := p.next()
			switch {
			case t.is("("):
				depth++
			case t.is(")"):
				depth--
			case t.kind == endToken:
				fail(start.start, "the type has no end; write )")
			}
			if end = t.end; depth == 0 {
				break
			}
		}
	}
	return p.sql[start.start:end]
}

func (p *parser) primary() expression {
	defer p.deeper()()
	t := p.peek()
	switch t.kind { //nolint:exhaustive // The others are symbols.
	case numberToken, stringToken:
		p.next()
		return &constant{place: t.start, kind: t.kind, text: t.text}
	case paramToken:
		p.next()
		return &parameter{place: t.start, name: t.text, typ: t.typ}
	case quotedToken:
		return p.named()
	case nameToken:
		return p.word()
	}
	switch {
	case p.takes("("):
		return p.parenthesized(t)
	case p.takes("["):
		call := &callExpr{place: t.start, name: "array"}
		if !p.peek().is("]") {
			call.args = p.arguments()
		}
		p.expect("]")
		return call
	case p.takes("*"):
		return p.star(&star{place: t.start})
	}
	fail(t.start, "expected an expression, found %s", t.describe(p.sql))
	return nil
}

// star reads what follows a star.
func (p *parser) star(s *star) expression {
	if p.takes("EXCEPT") {
		isList := p.takes("(")
		s.except = append(s.except, p.name("a column"))
		for isList && p.takes(",") {
			s.except = append(s.except, p.name("a column"))
		}
		if isList {
			p.expect(")")
		}
	}
	if t := p.peek(); t.is("REPLACE") || t.is("APPLY") {
		fail(t.start, "%s is not supported; name the columns", t.upper)
	}
	return s
}

// parenthesized reads what is in parentheses: an expression, a tuple or a subquery.
func (p *parser) parenthesized(open token) expression {
	if t := p.peek(); t.is("SELECT") || t.is("WITH") {
		q := p.query()
		p.expect(")")
		return &subquery{place: open.start, query: q}
	}
	if p.takes(")") {
		return &callExpr{place: open.start, name: "tuple"}
	}
	args := p.arguments()
	isTuple := p.tokens[p.at-1].is(",")
	p.expect(")")
	if len(args) == 1 && !isTuple {
		return args[0]
	}
	return &callExpr{place: open.start, name: "tuple", args: args}
}

// arguments reads expressions that can have names.
func (p *parser) arguments() []expression {
	var args []expression
	for {
		x := p.expression()
		if t := p.peek(); t.is("AS") && p.peekAt(1).isName() {
			p.next()
			x = &aliased{place: t.start, x: x, name: p.next().text}
		}
		args = append(args, x)
		if !p.takes(",") || p.peek().is(")") || p.peek().is("]") {
			return args
		}
	}
}

// word reads an expression that begins with a word.
func (p *parser) word() expression {
	t, next := p.peek(), p.peekAt(1)
	switch t.upper {
	case "NULL":
		p.next()
		return &constant{place: t.start, kind: nameToken, text: "NULL"}
	case "TRUE", "FALSE":
		p.next()
		return &constant{place: t.start, kind: nameToken, text: t.upper}
	case "INF", "INFINITY", "NAN":
		if !next.is("(") && !next.is(".") {
			p.next()
			return &constant{place: t.start, kind: numberToken, text: strings.ToLower(t.text)}
		}
	case "CASE":
		return p.caseExpr()
	case "INTERVAL":
		return p.interval()
	case "CAST":
		if next.is("(") {
			return p.cast()
		}
	case "EXISTS":
		if next.is("(") && (p.peekAt(2).is("SELECT") || p.peekAt(2).is("WITH")) {
			p.at += 2
			q := p.query()
			p.expect(")")
			return &exists{place: t.start, query: q}
		}
	case "EXTRACT":
		if next.is("(") && p.peekAt(2).isName() && p.peekAt(3).is("FROM") {
			p.at += 2
			unit := p.next()
			p.next()
			x := p.expression()
			p.expect(")")
			return &callExpr{place: t.start, name: partFunction(unit), args: []expression{x}}
		}
	case "DATE", "TIMESTAMP":
		if next.kind == stringToken {
			p.next()
			p.next()
			name := map[string]string{"DATE": "toDate", "TIMESTAMP": "toDateTime"}[t.upper]
			return &callExpr{place: t.start, name: name, args: []expression{&constant{place: next.start, kind: stringToken, text: next.text}}}
		}
	}
	isName := next.is(",") || next.is(")") || next.kind == endToken || next.is("ORDER") || next.is("LIMIT") || next.is("HAVING") // GROUP BY from, where
	if isReserved(t) && !next.is("(") && !next.is(".") && !isName {
		fail(t.start, "expected an expression, found %s", t.describe(p.sql))
	}
	return p.named()
}

// partFunction returns the function that reads a part of a time.
func partFunction(unit token) string {
	functions := map[string]string{
		"YEAR": "toYear", "MONTH": "toMonth", "DAY": "toDayOfMonth", "HOUR": "toHour", "MINUTE": "toMinute", "SECOND": "toSecond", "QUARTER": "toQuarter",
	}
	name := functions[unit.upper]
	if name == "" {
		fail(unit.start, "%s is no part of a time; use YEAR, QUARTER, MONTH, DAY, HOUR, MINUTE or SECOND", unit.text)
	}
	return name
}

// named reads a column, or a call.
func (p *parser) named() expression {
	t := p.next()
	if t.kind == nameToken && p.peek().is("(") {
		return p.call(t)
	}
	x := &identifier{place: t.start, parts: []string{t.text}}
	for p.peek().is(".") {
		if p.peekAt(1).is("*") {
			p.at += 2
			return p.star(&star{place: t.start, of: strings.Join(x.parts, ".")})
		}
		if !p.peekAt(1).isName() {
			break
		}
		p.next()
		x.parts = append(x.parts, p.next().text)
	}
	return x
}

// call reads the arguments of a function, of which those of an aggregate function can have parameters before them.
func (p *parser) call(name token) expression {
	call := &callExpr{place: name.start, name: name.text}
	p.expect("(")
	p.callArguments(call)
	p.expect(")")
	if p.peek().is("(") {
		p.next()
		if call.star || call.distinct {
			fail(call.place, "%s has no such parameters", call.name)
		}
		call.params, call.args = call.args, nil
		p.callArguments(call)
		p.expect(")")
	}
	if t := p.peek(); (t.is("IGNORE") || t.is("RESPECT")) && p.peekAt(1).is("NULLS") {
		fail(t.start, "%s NULLS is not supported", t.upper)
	}
	if t := p.peek(); p.takes("OVER") {
		call.over = p.over(t.start)
	}
	return call
}

func (p *parser) callArguments(call *callExpr) {
	if p.peek().is("*") && p.peekAt(1).is(")") {
		p.next()
		call.star = true
		return
	}
	if p.peek().is(")") {
		return
	}
	if t := p.peek(); t.is("SELECT") || t.is("WITH") {
		call.args = []expression{&subquery{place: t.start, query: p.query()}}
		return
	}
	call.distinct = p.takes("DISTINCT")
	call.args = p.arguments()
	// substring(x FROM 1 FOR 2)
	for _, word := range []string{"FROM", "FOR"} {
		if p.takes(word) {
			call.args = append(call.args, p.expression())
		}
	}
}

func (p *parser) caseExpr() expression {
	at := p.next().start
	var of expression
	if !p.peek().is("WHEN") {
		of = p.expression()
	}
	call := &callExpr{place: at, name: "multiIf"}
	for p.takes("WHEN") {
		condition := p.expression()
		if of != nil {
			condition = &callExpr{place: condition.offset(), name: "equals", args: []expression{of, condition}}
		}
		p.expect("THEN")
		call.args = append(call.args, condition, p.expression())
	}
	if len(call.args) == 0 {
		fail(p.peek().start, "expected WHEN, found %s", p.peek().describe(p.sql))
	}
	if p.takes("ELSE") {
		call.args = append(call.args, p.expression())
	} else {
		call.args = append(call.args, &constant{place: p.peek().start, kind: nameToken, text: "NULL"})
	}
	p.expect("END")
	return call
}

func (p *parser) cast() expression {
	at := p.next().start
	p.expect("(")
	x := p.expression()
	c := &cast{place: at, x: x, typeAt: p.peekAt(1).start}
	switch {
	case p.takes("AS"):
		c.typ = p.typeName()
	case p.takes(","):
		name := p.next()
		if name.kind != stringToken {
			fail(name.start, "expected a type as a string, found %s", name.describe(p.sql))
		}
		c.typ = name.text
	default:
		fail(p.peek().start, "expected AS and a type, found %s", p.peek().describe(p.sql))
	}
	p.expect(")")
	return c
}

// interval reads INTERVAL 5 MINUTE, INTERVAL '5' MINUTE or INTERVAL '5 minutes'.
func (p *parser) interval() expression {
	at := p.next().start
	if t := p.peek(); t.kind == stringToken {
		number, unit, found := strings.Cut(strings.TrimSpace(t.text), " ")
		p.next()
		n := &constant{place: t.start, kind: numberToken, text: number}
		if strings.Trim(strings.TrimPrefix(number, "-"), "0123456789") != "" || strings.Trim(number, "-") == "" {
			fail(t.start, "%s is no whole number", number)
		}
		if found {
			return &interval{place: at, n: n, unit: intervalUnit(token{text: strings.TrimSpace(unit), upper: strings.ToUpper(strings.TrimSpace(unit)), start: t.start})}
		}
		return &interval{place: at, n: n, unit: intervalUnit(p.name("a unit"))}
	}
	n := p.sum()
	return &interval{place: at, n: n, unit: intervalUnit(p.name("a unit"))}
}

// intervalUnit returns a unit in small letters.
func intervalUnit(t token) string {
	unit := strings.ToLower(strings.TrimSuffix(t.upper, "S"))
	if !slices.Contains(timeUnits(), unit) {
		fail(t.start, "%s is no unit of an interval; use %s", t.text, strings.ToUpper(strings.Join(timeUnits(), ", ")))
	}
	return unit
}

func timeUnits() []string {
	return []string{"microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"}
}
