package googlesql

import "slices"

// query reads a query with its WITH clause, order and limit.
func (p *parser) query() *query {
	defer p.enter()()
	q := &query{place: p.here()}
	if p.accept("WITH") {
		q.recursive = p.accept("RECURSIVE")
		for {
			table := commonTable{name: p.name()}
			p.expect("AS", "(")
			table.query = p.query()
			table.end = p.expect(")").end
			q.common = append(q.common, table)
			if !p.accept(",") || p.token().is("SELECT") || p.token().is("(") {
				break
			}
		}
	}
	q.behindWith = p.token().start
	q.body = p.setOperations()
	if p.accept("ORDER", "BY") {
		q.order = p.orderItems()
	}
	if p.accept("LIMIT") {
		q.limit = p.expression()
		if p.accept("OFFSET") {
			q.skip = p.expression()
		}
	}
	if p.token().is("|>") {
		fail(p.token().start, "the pipe syntax is not supported; write SELECT … FROM")
	}
	return q
}

func (p *parser) setOperations() queryBody {
	left := p.queryPart()
	for {
		start := p.token().start
		op, ok := p.acceptAny("UNION", "INTERSECT", "EXCEPT")
		if !ok {
			return left
		}
		all := p.accept("ALL")
		if !all && !p.accept("DISTINCT") {
			fail(start, "write %s ALL or %[1]s DISTINCT", op)
		}
		if before, ok := left.(*setQuery); ok && (before.op != op || before.all != all) {
			fail(start, "different set operations need brackets")
		}
		left = &setQuery{place(start), op, all, left, p.queryPart()}
	}
}

// queryPart reads a SELECT, or a query in brackets.
func (p *parser) queryPart() queryBody {
	if p.token().is("(") {
		return brackets(p, p.query)
	}
	return p.selectQuery()
}

func (p *parser) selectQuery() *selectQuery {
	if p.token().is("FROM") {
		fail(p.token().start, "a query begins with SELECT")
	}
	s := &selectQuery{place: place(p.expect("SELECT").start)}
	limit(&p.queries, p.limits.queries, "SELECTs", s.place)
	if !p.accept("ALL") {
		s.distinct = p.accept("DISTINCT")
	}
	if p.accept("AS", "STRUCT") {
		s.asStruct = true
	} else if p.token().is("AS") {
		fail(p.token().start, "SELECT AS VALUE is not supported; select the columns")
	}
	for {
		s.items = append(s.items, p.selectItem())
		if !p.accept(",") || p.endsSelect() { // a trailing comma is allowed
			break
		}
	}
	if p.accept("FROM") {
		s.from = p.from()
	}
	if p.accept("WHERE") {
		s.where = p.expression()
	}
	if p.token().is("GROUP") {
		s.group = p.groupBy()
	}
	if p.accept("HAVING") {
		s.having = p.expression()
	}
	if p.accept("QUALIFY") {
		s.qualify = p.expression()
	}
	if p.accept("WINDOW") {
		s.windows = commas(p, func() namedWindow {
			windowName := p.name()
			p.expect("AS")
			return namedWindow{windowName, p.window()}
		})
	}
	return s
}

// endsSelect reports whether the list of a SELECT is over.
func (p *parser) endsSelect() bool {
	t := p.token()
	return t.kind == endToken || t.is("FROM") || t.is(")") || t.is(";") || t.is("ORDER") || t.is("LIMIT") || t.is("UNION")
}

func (p *parser) selectItem() selectItem {
	item := selectItem{place: p.here()}
	if item.star = p.accept("*"); !item.star {
		item.x = p.expression()
		item.star = p.accept(".", "*")
	}
	if !item.star {
		item.alias = p.alias()
		return item
	}
	if p.accept("EXCEPT") {
		item.except = listed(p, p.name)
	}
	if p.accept("REPLACE") {
		item.replace = listed(p, func() selectItem {
			replaced := selectItem{place: p.here(), x: p.expression()}
			p.expect("AS")
			replaced.alias = p.name().text
			return replaced
		})
	}
	return item
}

func (p *parser) groupBy() *groupBy {
	group := &groupBy{place: place(p.expect("GROUP", "BY").start)}
	if p.accept("ALL") {
		group.all = true
		return group
	}
	group.sets = commas(p, p.groupSet)
	return group
}

func (p *parser) groupSet() groupSet {
	if p.accept("GROUPING", "SETS") {
		return groupSet{kind: "GROUPING SETS", sets: listed(p, p.groupSet)}
	}
	if kind, ok := p.acceptAny("ROLLUP", "CUBE"); ok {
		return groupSet{kind: kind, lists: listed(p, p.groupList)}
	}
	return groupSet{lists: [][]expression{p.groupList()}}
}

// groupList reads one expression, or several in brackets.
func (p *parser) groupList() []expression {
	if p.accept("(", ")") {
		return []expression{}
	}
	x := p.expression()
	if tuple, ok := x.(*structExpr); ok && tuple.names == nil {
		return tuple.values
	}
	return []expression{x}
}

func (p *parser) orderItems() []orderItem { return commas(p, p.orderItem) }

func (p *parser) orderItem() orderItem {
	item := orderItem{x: p.expression()}
	if !p.accept("ASC") {
		item.desc = p.accept("DESC")
	}
	if p.accept("NULLS") {
		item.nullsSet = true
		if item.nullsLast = p.accept("LAST"); !item.nullsLast {
			p.expect("FIRST")
		}
	}
	return item
}

// from reads what is behind FROM: items with commas and joins between them.
func (p *parser) from() fromItem {
	left := p.fromItem()
	for {
		start := p.here()
		join := &joinItem{place: start, left: left}
		switch {
		case p.accept(","), p.accept("CROSS", "JOIN"):
			limit(&p.joins, p.limits.joins, "joins", start)
			join.kind, join.right = "CROSS", p.fromItem()
			left = join
			continue
		case p.accept("INNER", "JOIN"), p.accept("JOIN"):
			join.kind = "INNER"
		case p.token().is("NATURAL"):
			fail(start, "NATURAL JOIN is not supported; write USING with the columns")
		default:
			kind, ok := p.acceptAny("LEFT", "RIGHT", "FULL")
			if !ok {
				return left
			}
			p.accept("OUTER")
			p.expect("JOIN")
			join.kind = kind
		}
		limit(&p.joins, p.limits.joins, "joins", start)
		join.right = p.fromItem()
		switch {
		case p.accept("ON"):
			join.on = p.expression()
		case p.accept("USING"):
			join.using = listed(p, p.name)
		default:
			if !mayBeArray(join.right) || join.kind == "RIGHT" || join.kind == "FULL" {
				p.unexpected("ON or USING")
			}
		}
		left = join
	}
}

// mayBeArray reports whether an item is UNNEST, or a path that can be one of an array.
func mayBeArray(item fromItem) bool {
	table, isTable := item.(*tableItem)
	_, isUnnest := item.(*unnestItem)
	return isUnnest || isTable && len(table.names) > 1
}

// fromItem reads a table, UNNEST, a subquery, or joins in brackets; and what may follow it.
func (p *parser) fromItem() fromItem {
	defer p.enter()()
	start := p.here()
	var item fromItem
	switch {
	case p.token().is("UNNEST") && p.ahead(1).is("("):
		p.next()
		unnest := &unnestItem{place: start, x: brackets(p, p.expression), alias: p.alias()}
		if p.accept("WITH", "OFFSET") {
			unnest.index = or(p.alias(), "offset")
		}
		return unnest
	case p.token().is("(") && p.startsQuery(1):
		item = &queryItem{start, brackets(p, p.query), ""}
	case p.token().is("("):
		return brackets(p, p.from)
	default:
		item = p.table()
	}
	if p.token().is("PIVOT") && p.ahead(1).is("(") {
		item = p.pivot(item)
	}
	p.noUnpivot()
	alias := p.alias()
	p.noUnpivot()
	if p.token().is("PIVOT") && p.ahead(1).is("(") {
		setAlias(item, alias)
		item = p.pivot(item)
		alias = p.alias()
	}
	if t := p.token(); t.is("TABLESAMPLE") || t.is("FOR") {
		fail(t.start, "%s is not supported", t.upper)
	}
	if alias != "" {
		setAlias(item, alias)
	}
	if table, ok := item.(*tableItem); ok && len(table.names) > 1 && p.accept("WITH", "OFFSET") {
		table.index = or(p.alias(), "offset")
	}
	return item
}

// noUnpivot fails at UNPIVOT, which is no word that aliases cannot be.
func (p *parser) noUnpivot() {
	if t, next := p.token(), p.ahead(1); t.is("UNPIVOT") && (next.is("(") || next.is("INCLUDE") || next.is("EXCLUDE")) {
		fail(t.start, "UNPIVOT is not supported; write CROSS JOIN UNNEST([STRUCT('a' AS name, a AS value), ('b', b)]) for the columns a and b")
	}
}

func setAlias(item fromItem, alias string) {
	switch item := item.(type) {
	case *tableItem:
		item.alias = alias
	case *queryItem:
		item.alias = alias
	case *pivotItem:
		item.alias = alias
	}
}

// startsQuery reports whether a query begins at the n-th token behind the next, in brackets or not. A query in brackets
// can also be the operand that an expression begins with, as in (SELECT 1) + 1.
func (p *parser) startsQuery(n int) bool {
	inner := n
	for p.ahead(inner).is("(") && inner-n <= p.limits.depth {
		inner++
	}
	if !p.ahead(inner).is("SELECT") && !p.ahead(inner).is("WITH") {
		return false
	}
	for ; inner > n; inner-- {
		if behind := p.ahead(p.closing(inner-1) + 1); behind.kind == endToken || !isBehindQuery(behind) {
			return false
		}
	}
	return true
}

// isBehindQuery reports whether a token can follow a query in brackets that is part of another query.
func isBehindQuery(t token) bool {
	return slices.ContainsFunc([]string{")", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT"}, t.is)
}

// closing returns where the bracket closes that is the n-th token behind the next.
func (p *parser) closing(n int) int {
	for depth := 0; ; n++ {
		switch t := p.ahead(n); {
		case t.kind == endToken:
			return n
		case t.is("("):
			depth++
		case t.is(")"):
			if depth--; depth == 0 {
				return n
			}
		}
	}
}

// table reads the path of a table. A name in it can have dashes, as in my-project.
func (p *parser) table() fromItem {
	item := &tableItem{place: p.here()}
	for {
		read := p.name
		if len(item.names) > 0 {
			read = p.nameAfterDot
		}
		part := read()
		for p.token().is("-") && p.token().start == p.tokens[p.at-1].end && p.ahead(1).start == p.token().end &&
			(p.ahead(1).kind == nameToken || p.ahead(1).kind == integerToken) {
			p.next()
			part.text += "-" + p.next().text
		}
		item.names = append(item.names, part)
		if !p.accept(".") {
			return item
		}
	}
}

func (p *parser) pivot(from fromItem) fromItem {
	item := &pivotItem{place: place(p.expect("PIVOT", "(").start), source: from}
	aliased := func() selectItem { return selectItem{place: p.here(), x: p.expression(), alias: p.alias()} }
	item.aggs = commas(p, aliased)
	p.expect("FOR")
	item.by = p.sum() // not a comparison, which IN would be
	p.expect("IN")
	item.in = listed(p, aliased)
	p.expect(")")
	return item
}
