package googlesql

import "slices"

// query reads a query with its WITH clause, order and limit.
func (p *parser) query() *query {
	defer p.enter()()
	q := &query{place: p.here()}
	if p.accept("WITH") {
		q.recursive = p.accept("RECURSIVE")
		q.common = p.commonTables(func() bool { return p.token().is("SELECT") || p.token().is("(") })
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
	return p.pipes(q)
}

// commonTables reads the queries of WITH, until a comma is missing, or is the last before what ends them.
func (p *parser) commonTables(ends func() bool) []commonTable {
	var tables []commonTable
	for {
		table := commonTable{name: p.name()}
		p.expect("AS", "(")
		table.query = p.query()
		table.end = p.expect(")").end
		tables = append(tables, table)
		if !p.accept(",") || ends() {
			return tables
		}
	}
}

func (p *parser) setOperations() queryBody {
	left := p.queryPart()
	for {
		set := p.setOperator()
		if set == nil {
			return left
		}
		if before, ok := left.(*setQuery); ok && !before.isAs(set) {
			fail(set.place, "different set operations need brackets")
		}
		set.left, set.right = left, p.queryPart()
		left = set
	}
}

// isAs reports whether two set operations are the same, so that several of them need no brackets.
func (q *setQuery) isAs(other *setQuery) bool {
	if q.op != other.op || q.all != other.all || (q.byName == nil) != (other.byName == nil) {
		return false
	}
	return q.byName == nil || q.byName.keeps == other.byName.keeps && q.byName.isStrict == other.byName.isStrict &&
		slices.EqualFunc(q.byName.columns, other.byName.columns, func(a, b name) bool { return equalFold(a.text, b.text) })
}

// setOperator reads an operator between two queries; nil if none is next.
func (p *parser) setOperator() *setQuery {
	start, begin := p.here(), p.at
	keeps, hasMode := p.acceptAny("INNER", "LEFT", "FULL")
	if hasMode && keeps != "INNER" {
		p.accept("OUTER")
	}
	op, ok := p.acceptAny("UNION", "INTERSECT", "EXCEPT")
	if !ok {
		p.at = begin
		return nil
	}
	set := &setQuery{place: start, op: op, all: p.accept("ALL")}
	if !set.all && !p.accept("DISTINCT") {
		fail(start, "write %s ALL or %[1]s DISTINCT", op)
	}
	columns := "ON"
	switch {
	case p.accept("BY", "NAME"):
		set.byName = &byName{keeps: keeps, isStrict: !hasMode}
	case p.accept("STRICT", "CORRESPONDING"):
		set.byName, columns = &byName{isStrict: true}, "BY"
	case p.accept("CORRESPONDING"):
		set.byName, columns = &byName{keeps: keeps}, "BY"
	case hasMode:
		fail(start, "%s %s needs BY NAME", keeps, op)
	}
	if set.byName != nil && p.accept(columns) {
		set.byName.columns = listed(p, p.name)
	}
	return set
}

// queryPart reads a SELECT, a FROM clause that pipe operators follow, or a query in brackets.
func (p *parser) queryPart() queryBody {
	if start := p.here(); p.token().is("(") {
		inner := brackets(p, p.query)
		if named := ifElse(p.token().is("AS"), 1, 0); isName(p.ahead(named)) && p.ahead(named+1).is("|>") {
			return allRows(&queryItem{start, inner, p.alias()})
		}
		return inner
	}
	if p.accept("FROM") {
		limit(&p.queries, p.limits.queries, "SELECTs", p.here())
		return allRows(p.from())
	}
	return p.selectQuery()
}

func (p *parser) selectQuery() *selectQuery {
	s := &selectQuery{place: place(p.expect("SELECT").start)}
	limit(&p.queries, p.limits.queries, "SELECTs", s.place)
	threshold := p.threshold()
	if !p.accept("ALL") {
		s.distinct = p.accept("DISTINCT")
	}
	p.asKind(s)
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
	s.having = conjunction(s.having, threshold)
	if p.accept("QUALIFY") {
		s.qualify = p.expression()
	}
	s.windows = p.namedWindows()
	return s
}

// threshold reads WITH AGGREGATION_THRESHOLD, and returns its condition: a group has so many different units of privacy.
func (p *parser) threshold() expression {
	start := p.here()
	if !p.accept("WITH", "AGGREGATION_THRESHOLD") {
		return nil
	}
	p.expect("OPTIONS")
	options := make(map[string]expression)
	listed(p, func() name {
		option := p.name()
		p.expect("=")
		options[foldName(option.text)] = p.bits()
		return option
	})
	least, unit := options["threshold"], options["privacy_unit_column"]
	if least == nil || unit == nil || len(options) > 2 {
		fail(start, "AGGREGATION_THRESHOLD takes the options threshold and privacy_unit_column, and needs both")
	}
	return &binaryExpr{start, ">=", &callExpr{place: start, name: "COUNT", distinct: true, args: []expression{unit}}, least}
}

// conjunction joins two conditions, each of which can be nil.
func conjunction(a, b expression) expression {
	if a == nil || b == nil {
		return or2(a, b)
	}
	return &binaryExpr{b.offset(), "AND", a, b}
}

func (p *parser) namedWindows() []namedWindow {
	if !p.accept("WINDOW") {
		return nil
	}
	return commas(p, func() namedWindow {
		windowName := p.name()
		p.expect("AS")
		return namedWindow{windowName, p.window()}
	})
}

// asKind reads AS STRUCT or AS VALUE.
func (p *parser) asKind(s *selectQuery) {
	if p.accept("AS", "STRUCT") {
		s.asStruct = true
	} else if p.accept("AS") {
		p.expect("VALUE")
		s.asValue = true
	}
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
	p.nulls(&item)
	return item
}

// nulls reads where NULL stands in an order.
func (p *parser) nulls(item *orderItem) {
	if p.accept("NULLS") {
		item.nullsSet = true
		if item.nullsLast = p.accept("LAST"); !item.nullsLast {
			p.expect("FIRST")
		}
	}
}

// from reads what is behind FROM: items with commas and joins between them.
func (p *parser) from() fromItem { return p.joined(p.fromItem()) }

// joined reads what is joined to an item.
func (p *parser) joined(left fromItem) fromItem {
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
			if !p.startsOuterJoin() {
				return left
			}
			join.kind, _ = p.acceptAny("LEFT", "RIGHT", "FULL")
			p.accept("OUTER")
			p.expect("JOIN")
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

// startsOuterJoin reports whether LEFT, RIGHT or FULL is next, and no set operator such as LEFT OUTER UNION.
func (p *parser) startsOuterJoin() bool {
	t, next := p.token(), p.ahead(1)
	if next.is("OUTER") {
		next = p.ahead(2)
	}
	return (t.is("LEFT") || t.is("RIGHT") || t.is("FULL")) && !next.is("UNION") && !next.is("INTERSECT") && !next.is("EXCEPT")
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
	alias := ""
	if !p.startsUnpivot() {
		alias = p.alias()
	}
	if p.token().is("PIVOT") && p.ahead(1).is("(") {
		setAlias(item, alias)
		item = p.pivot(item)
		alias = p.alias()
	}
	if p.startsUnpivot() {
		if alias != "" {
			setAlias(item, alias)
		}
		return p.unpivot(item)
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

// startsUnpivot reports whether UNPIVOT is next, which can also be an alias.
func (p *parser) startsUnpivot() bool {
	next := p.ahead(1)
	return p.token().is("UNPIVOT") && (next.is("(") || next.is("INCLUDE") || next.is("EXCLUDE"))
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
	if t := p.ahead(inner); !t.is("SELECT") && !t.is("FROM") && (!t.is("WITH") || p.ahead(inner+1).is("(")) {
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
	return slices.ContainsFunc([]string{")", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "|>"}, t.is)
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
