package googlesql

import (
	"slices"
	"strings"
)

// expression reads an expression. The operators bind as in GoogleSQL: OR, AND, NOT, comparisons, |, ^,
// &, shifts, + and -, * and / and ||, and those before an operand.
func (p *parser) expression() expression {
	defer p.enter()()
	begin := p.at
	x := p.binary([]string{"OR"}, func() expression {
		return p.binary([]string{"AND"}, p.not)
	})
	if p.limits.height > 0 {
		p.measure(x)
	}
	return p.ranged(begin, x)
}

// binary reads operands with operators of one level between them.
func (p *parser) binary(ops []string, operand func() expression) expression {
	left := operand()
	for {
		start := p.here()
		op, ok := p.acceptAny(ops...)
		if !ok {
			return left
		}
		left = &binaryExpr{start, op, left, operand()}
	}
}

func (p *parser) not() expression {
	if start := p.here(); p.accept("NOT") {
		defer p.enter()()
		return &unaryExpr{start, "NOT", p.not()}
	}
	return p.comparison()
}

// comparison reads at most one comparison: they do not chain.
func (p *parser) comparison() expression {
	x := p.bits()
	start := p.here()
	if op, ok := p.acceptAny("=", "!=", "<>", "<=", ">=", "<", ">"); ok {
		if op == "<>" {
			op = "!="
		}
		if quantifier, ok := p.acceptAny("ANY", "SOME", "ALL"); ok {
			return p.quantified(start, op, x, quantifier)
		}
		return &binaryExpr{start, op, x, p.bits()}
	}
	if p.accept("IS") {
		return p.is(start, x)
	}
	not := p.accept("NOT")
	switch {
	case p.accept("BETWEEN"):
		low := p.bits()
		p.expect("AND")
		return negated(not, &betweenExpr{start, x, low, p.bits()})
	case p.accept("IN"):
		return negated(not, p.in(start, x))
	case p.accept("LIKE"):
		like := &likeExpr{place: start, not: not, x: x}
		if quantifier, ok := p.acceptAny("ANY", "SOME", "ALL"); ok {
			like.quantifier = quantifier
			list, array := p.patterns()
			if array != nil {
				return like.ofArray(array)
			}
			like.patterns = list
		} else {
			like.patterns = []expression{p.bits()}
		}
		return like
	case not:
		p.unexpected("BETWEEN, IN or LIKE")
	}
	return x
}

// quantified reads what x is compared with, one by one. As of equality with any, or inequality with all, it can be an array or
// the rows of a query.
func (p *parser) quantified(start place, op string, x expression, quantifier string) expression {
	isAll := quantifier == "ALL"
	if p.token().is("UNNEST") || p.token().is("(") && p.startsQuery(1) {
		if op != ifElse(isAll, "!=", "=") {
			fail(start, "%s %s takes a list of values; an array or a query only with = ANY and != ALL", op, quantifier)
		}
		return negated(isAll, p.in(start, x))
	}
	var all expression
	for _, other := range listed(p, p.expression) {
		var one expression = &binaryExpr{start, op, x, other}
		if all != nil {
			one = &binaryExpr{start, ifElse(isAll, "AND", "OR"), all, one}
		}
		all = one
	}
	return all
}

// patterns reads the patterns of LIKE ANY and LIKE ALL: a list of them, or an array, or a query, which is made one.
func (p *parser) patterns() (list []expression, array expression) {
	switch start := p.here(); {
	case p.token().is("(") && p.startsQuery(1):
		return nil, &arrayQueryExpr{start, brackets(p, p.query)}
	case p.token().is("("):
		return listed(p, p.expression), nil
	case p.accept("UNNEST"):
		array := brackets(p, p.expression)
		if constant, isArray := array.(*arrayExpr); isArray && len(constant.elements) > 0 {
			return constant.elements, nil
		}
		return nil, array
	}
	p.unexpected("(")
	return nil, nil
}

// ofArray is a comparison with each pattern of an array: with ANY, true if it is of one, and with ALL, false if it is not of one.
// Else it is NULL if it is of one.
func (x *likeExpr) ofArray(array expression) expression {
	const pattern = "#pattern" // which no name of a query is
	compared := func() expression {
		return &likeExpr{place: x.place, not: x.not, x: x.x, patterns: []expression{&pathExpr{x.place, []name{{x.place, pattern}}}}}
	}
	exists := func(where expression) expression {
		body := &selectQuery{place: x.place, items: []selectItem{{place: x.place, x: &literal{x.place, int64Kind, "1"}}}}
		body.from, body.where = &unnestItem{place: x.place, x: array, alias: pattern}, where
		return &existsExpr{x.place, &query{place: x.place, body: body}}
	}
	constant := func(isTrue bool) expression { return &literal{x.place, boolKind, ifElse(isTrue, "TRUE", "FALSE")} }
	isAll := x.quantifier == "ALL"
	return &caseExpr{place: x.place, whens: []whenExpr{
		{exists(negated(isAll, compared())), constant(!isAll)},
		{exists(&isExpr{place: x.place, x: compared(), what: "NULL"}), &literal{place: x.place, kind: nullKind}},
	}, other: constant(isAll)}
}

func negated(not bool, x expression) expression {
	if not {
		return &unaryExpr{x.offset(), "NOT", x}
	}
	return x
}

func (p *parser) is(start place, x expression) expression {
	not := p.accept("NOT")
	is := &isExpr{place: start, x: x}
	is.what = p.expectAny("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM", "NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT")
	if is.what == "DISTINCT" {
		p.expect("FROM")
		is.y = p.bits()
	}
	return negated(not, is)
}

func (p *parser) in(start place, x expression) expression {
	in := &inExpr{place: start, x: x}
	switch t := p.token(); {
	case p.accept("UNNEST"):
		in.unnest = brackets(p, p.expression)
	case t.kind == paramToken:
		fail(t.start, "a parameter with a list stands in UNNEST: IN UNNEST(@%s)", t.text)
	case t.is("(") && p.startsQuery(1):
		in.query = brackets(p, p.query)
	default:
		in.list = listed(p, p.expression)
	}
	return in
}

func (p *parser) bits() expression {
	shift := func() expression {
		left := p.sum()
		for {
			start := p.here()
			switch {
			case p.accept("<<"):
				left = &binaryExpr{start, "<<", left, p.sum()}
			case p.token().is(">") && p.ahead(1).start == p.token().end && p.accept(">", ">"):
				left = &binaryExpr{start, ">>", left, p.sum()}
			default:
				return left
			}
		}
	}
	begin := p.at
	return p.ranged(begin, p.binary([]string{"|"}, func() expression {
		return p.binary([]string{"^"}, func() expression {
			return p.binary([]string{"&"}, shift)
		})
	}))
}

func (p *parser) sum() expression {
	return p.binary([]string{"+", "-"}, func() expression {
		return p.binary([]string{"*", "/", "||"}, p.unary)
	})
}

func (p *parser) unary() expression {
	start := p.here()
	if op, ok := p.acceptAny("-", "+", "~"); ok {
		defer p.enter()()
		x := p.unary()
		if number, ok := x.(*literal); ok && op == "-" && (number.kind == int64Kind || number.kind == float64Kind) && number.text[0] != '-' {
			return &literal{start, number.kind, "-" + number.text}
		}
		return &unaryExpr{start, op, x}
	}
	return p.postfix(p.primary())
}

// postfix reads fields, indexes and casts behind an operand.
func (p *parser) postfix(x expression) expression {
	for {
		start := p.here()
		switch {
		case p.token().is(".") && !p.ahead(1).is("*"):
			p.next()
			x = &fieldExpr{start, x, p.nameAfterDot()}
		case p.accept("["):
			index := &indexExpr{place: start, of: x}
			if word := p.token(); p.ahead(1).is("(") && slices.Contains([]string{"OFFSET", "ORDINAL", "SAFE_OFFSET", "SAFE_ORDINAL"}, word.upper) {
				p.next()
				index.kind, index.index = word.upper, brackets(p, p.expression)
			} else {
				index.index = p.expression()
			}
			p.expect("]")
			x = index
		case p.accept("::"):
			x = &castExpr{place: start, x: x, to: p.typeName()}
		default:
			return x
		}
	}
}

func (p *parser) primary() expression {
	t, start := p.token(), p.here()
	switch t.kind { //nolint:exhaustive // The others follow.
	case integerToken, floatToken, stringToken, bytesToken:
		return &literal{start, [...]kind{integerToken: int64Kind, floatToken: float64Kind, stringToken: stringKind, bytesToken: bytesKind}[t.kind], p.strings()}
	case paramToken:
		p.next()
		return &param{start, t.text}
	case quotedToken:
		return p.path()
	case nameToken:
		return p.word()
	}
	switch {
	case t.is("(") && p.startsQuery(1):
		return &queryExpr{start, brackets(p, p.query)}
	case t.is("("):
		list := listed(p, p.expression)
		if len(list) == 1 {
			return list[0]
		}
		return &structExpr{place: start, values: list}
	case p.accept("["):
		return p.arrayElements(start, nil)
	case t.is("?"):
		fail(t.start, "parameters have names, such as @project")
	case t.is("@@"):
		fail(t.start, "system variables are not supported")
	}
	p.unexpected("an expression")
	return nil
}

// strings reads the next token, with the strings behind a string, which are one with it.
func (p *parser) strings() string {
	t := p.next()
	var content strings.Builder
	content.WriteString(t.text)
	for end := t.end; p.token().kind == t.kind && (t.kind == stringToken || t.kind == bytesToken); end = p.next().end {
		if p.token().start == end {
			fail(end, "strings beside each other need a space between them")
		}
		content.WriteString(p.token().text)
	}
	return content.String()
}

// word reads an expression that begins with a name or a keyword.
func (p *parser) word() expression {
	t, start := p.token(), p.here()
	typed := []string{"DATE", "DATETIME", "TIME", "TIMESTAMP", "JSON", "NUMERIC", "DECIMAL", "BIGNUMERIC", "BIGDECIMAL"}
	if p.ahead(1).kind == stringToken && slices.Contains(typed, t.upper) {
		p.next()
		return &literal{start, (&typeExpr{place: start, name: t.upper}).of().kind, p.strings()}
	}
	switch t.upper {
	case "NULL":
		p.next()
		return &literal{start, nullKind, ""}
	case "TRUE", "FALSE":
		p.next()
		return &literal{start, boolKind, t.upper}
	case "CASE":
		return p.caseWhen()
	case "CAST", "SAFE_CAST":
		if p.ahead(1).is("(") {
			return p.cast(t.upper == "SAFE_CAST")
		}
	case "EXTRACT":
		return p.extract()
	case "INTERVAL":
		return p.interval()
	case "WITH":
		if p.ahead(1).is("(") {
			return p.withExpression()
		}
	case "EXISTS":
		p.next()
		return &existsExpr{start, brackets(p, p.query)}
	case "ARRAY":
		return p.array()
	case "STRUCT":
		return p.structure()
	case "IF", "LEFT", "RIGHT", "GROUPING": // functions with the names of keywords
		if p.ahead(1).is("(") {
			return p.call()
		}
	}
	if IsReserved(t.upper) {
		p.unexpected("an expression")
	}
	if _, isClock := clockFunction(t.upper); isClock && !p.ahead(1).is("(") && !p.ahead(1).is(".") {
		p.next()
		return &callExpr{place: start, name: t.upper} // it needs no brackets
	}
	return p.path()
}

// path reads a path, or a call if a bracket follows.
func (p *parser) path() expression {
	begin := p.at
	path := &pathExpr{place: p.here(), names: []name{p.name()}}
	for p.token().is(".") && (p.ahead(1).kind == nameToken || p.ahead(1).kind == quotedToken) {
		p.next()
		path.names = append(path.names, p.nameAfterDot())
	}
	if p.token().is("(") {
		p.at = begin
		return p.call()
	}
	return p.ranged(begin, path)
}

// call reads a call of a function.
func (p *parser) call() expression {
	call := &callExpr{place: p.here()}
	parts := strings.Split(strings.ToUpper(p.next().text), ".") // all of a path can be in one pair of backticks
	for p.accept(".") {
		parts = append(parts, strings.ToUpper(p.next().text))
	}
	if parts[0] == "SAFE" && len(parts) > 1 {
		call.safe, parts = true, parts[1:]
	}
	call.name = strings.Join(parts, ".")
	if last := parts[len(parts)-1]; last == "GENERATE_TIMESTAMP_TRUNC_ARRAY" { // in any dataset
		call.name = last
	}
	p.expect("(")
	call.distinct = p.accept("DISTINCT")
	if call.star = p.accept("*"); !call.star && !p.token().is(")") {
		p.arguments(call)
	}
	if nulls, ok := p.acceptAny("IGNORE", "RESPECT"); ok {
		p.expect("NULLS")
		call.nulls = nulls
	}
	if p.accept("WHERE") {
		call.where = p.expression()
	}
	if p.accept("HAVING") {
		call.having, call.havingBy = p.expectAny("MAX or MIN", "MAX", "MIN"), p.expression()
	}
	if p.accept("ORDER", "BY") {
		call.order = p.orderItems()
	}
	if p.accept("LIMIT") {
		call.limit = p.expression()
	}
	p.expect(")")
	if p.accept("OVER") {
		if isName(p.token()) {
			call.over = &window{place: p.here(), base: p.name().text}
		} else {
			call.over = p.window()
		}
	}
	return call
}

// arguments reads the arguments of a call, of which those with names are the last.
func (p *parser) arguments(call *callExpr) {
	for {
		if isNamed := isName(p.token()) && p.ahead(1).is("=>"); isNamed {
			argName := p.name()
			p.expect("=>")
			call.named = append(call.named, namedArg{argName, p.expression()})
		} else if len(call.named) > 0 {
			fail(p.here(), "an argument without a name cannot stand behind one with a name")
		} else {
			call.args = append(call.args, p.argument())
		}
		if !p.accept(",") {
			return
		}
	}
}

// argument reads an argument: an expression, or a word that some functions take, such as HOUR,
// WEEK(MONDAY) or ISOWEEK, which is read as a path or a call.
func (p *parser) argument() expression {
	if p.startsQuery(0) && !p.token().is("(") {
		return &queryExpr{p.here(), p.query()}
	}
	return p.expression()
}

// withExpression reads WITH(name AS x, …, result).
func (p *parser) withExpression() expression {
	x := &withExpr{place: place(p.expect("WITH", "(").start)}
	for isName(p.token()) && p.ahead(1).is("AS") {
		x.names = append(x.names, p.name())
		p.expect("AS")
		x.values = append(x.values, p.expression())
		p.expect(",")
	}
	if len(x.names) == 0 {
		p.unexpected("a name and AS")
	}
	x.result = p.expression()
	p.expect(")")
	return x
}

func (p *parser) caseWhen() expression {
	c := &caseExpr{place: place(p.expect("CASE").start)}
	if !p.token().is("WHEN") {
		c.operand = p.expression()
	}
	for p.accept("WHEN") {
		when := whenExpr{condition: p.expression()}
		p.expect("THEN")
		when.result = p.expression()
		c.whens = append(c.whens, when)
	}
	if len(c.whens) == 0 {
		p.unexpected("WHEN")
	}
	if p.accept("ELSE") {
		c.other = p.expression()
	}
	p.expect("END")
	return c
}

func (p *parser) cast(safe bool) expression {
	c := &castExpr{place: place(p.next().start), safe: safe}
	p.expect("(")
	c.x = p.expression()
	p.expect("AS")
	c.to = p.typeName()
	if p.accept("FORMAT") {
		c.format = p.expression()
		if p.accept("AT", "TIME", "ZONE") {
			c.zone = p.expression()
		}
	}
	p.expect(")")
	return c
}

func (p *parser) extract() expression {
	e := &extractExpr{place: place(p.expect("EXTRACT").start)}
	p.expect("(")
	e.part = p.datePart()
	p.expect("FROM")
	e.x = p.expression()
	if p.accept("AT", "TIME", "ZONE") {
		e.zone = p.expression()
	}
	p.expect(")")
	return e
}

// datePart reads a part such as HOUR or WEEK(MONDAY).
func (p *parser) datePart() part {
	t := p.next()
	if t.kind != nameToken {
		p.at--
		p.unexpected("a part of a time, such as HOUR")
	}
	part := part{place: place(t.start), name: t.upper}
	if p.accept("(") {
		part.weekday = p.next().upper
		p.expect(")")
	}
	return part
}

func (p *parser) interval() expression {
	i := &intervalExpr{place: place(p.expect("INTERVAL").start), x: p.bits()}
	i.from = p.datePart()
	if p.accept("TO") {
		i.isBetween, i.to = true, p.datePart()
	}
	return i
}

// array reads ARRAY[…], ARRAY<type>[…] or ARRAY(query).
func (p *parser) array() expression {
	start := place(p.expect("ARRAY").start)
	if p.token().is("(") {
		return &arrayQueryExpr{start, brackets(p, p.query)}
	}
	var element *typeExpr
	if p.accept("<") {
		of := p.typeName()
		p.expect(">")
		element = &of
	}
	p.expect("[")
	return p.arrayElements(start, element)
}

func (p *parser) arrayElements(start place, element *typeExpr) expression {
	array := &arrayExpr{place: start, element: element}
	if !p.accept("]") {
		array.elements = p.expressions()
		p.expect("]")
	}
	return array
}

// structure reads STRUCT(x AS name, …) or STRUCT<name type, …>(…).
func (p *parser) structure() expression {
	s := &structExpr{place: p.here(), names: []string{}}
	if p.ahead(1).is("<") {
		declared := p.typeName()
		s.declared = &declared
	} else {
		p.next()
	}
	p.expect("(")
	if p.accept(")") {
		return s
	}
	s.values = commas(p, func() expression {
		x, fieldName := p.expression(), ""
		switch {
		case p.accept("AS"):
			fieldName = p.name().text
		case s.declared == nil:
			fieldName = impliedName(x)
		}
		s.names = append(s.names, fieldName)
		return x
	})
	p.expect(")")
	return s
}

// impliedName is the name of a column without an alias; empty if it has none.
func impliedName(x expression) string {
	switch x := x.(type) {
	case *pathExpr:
		return x.names[len(x.names)-1].text
	case *fieldExpr:
		return x.name.text
	}
	return ""
}

// typeName reads a type, such as STRING(10), NUMERIC(10, 2), ARRAY<INT64> or STRUCT<a INT64, b STRING>.
func (p *parser) typeName() typeExpr {
	defer p.enter()()
	t := p.next()
	if t.kind != nameToken {
		p.at--
		p.unexpected("a type")
	}
	typ := typeExpr{place: place(t.start), name: t.upper}
	if (typ.name == "ARRAY" || typ.name == "STRUCT") && p.accept("<") {
		for {
			fieldName := ""
			if next := p.ahead(1); typ.name == "STRUCT" && next.kind == nameToken {
				fieldName = p.nameAfterDot().text
			}
			typ.args, typ.names = append(typ.args, p.typeName()), append(typ.names, fieldName)
			if typ.name == "ARRAY" || !p.accept(",") {
				break
			}
		}
		p.expect(">")
	} else if p.token().is("(") {
		typ.params = listed(p, func() string { return p.next().text })
	}
	return typ
}

// window reads a window in brackets.
func (p *parser) window() *window {
	w := &window{place: place(p.expect("(").start)}
	if isName(p.token()) {
		w.base = p.name().text
	}
	if p.accept("PARTITION", "BY") {
		w.partition = p.expressions()
	}
	if p.accept("ORDER", "BY") {
		w.order = p.orderItems()
	}
	if unit, ok := p.acceptAny("ROWS", "RANGE"); ok {
		w.frame = &frame{unit: unit, end: frameBound{what: "CURRENT ROW"}}
		if p.accept("BETWEEN") {
			w.frame.start = p.frameBound()
			p.expect("AND")
			w.frame.end = p.frameBound()
		} else {
			w.frame.start = p.frameBound()
		}
	}
	p.expect(")")
	return w
}

func (p *parser) frameBound() frameBound {
	if p.accept("CURRENT", "ROW") {
		return frameBound{what: "CURRENT ROW"}
	}
	bound := frameBound{}
	if !p.accept("UNBOUNDED") {
		bound.n = p.bits()
	}
	bound.what = p.expectAny("PRECEDING or FOLLOWING", "PRECEDING", "FOLLOWING")
	if bound.n == nil {
		bound.what = "UNBOUNDED " + bound.what
	}
	return bound
}
