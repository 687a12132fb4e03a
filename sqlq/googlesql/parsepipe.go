package googlesql

import "slices"

// pipes reads the pipe operators behind a query, and returns a query without them: each becomes a clause of the SELECT before
// it, or a SELECT of what is before it.
func (p *parser) pipes(q *query) *query {
	b := &pipeline{parser: p, query: q, recursive: q.recursive, common: q.common}
	q.recursive, q.common = false, nil
	for p.token().is("|>") {
		start := p.here()
		p.next()
		b.operator(start)
	}
	// The outer query has the tables that all parts read.
	b.query.recursive, b.query.common, b.query.behindWith = b.recursive, b.common, q.behindWith
	return b.query
}

// pipeline is the query that pipe operators made so far.
type pipeline struct {
	*parser
	query *query
	// common are the queries of WITH.
	common    []commonTable
	recursive bool
	// withs is how often WITH was an operator.
	withs int
}

// allRows returns SELECT * of what FROM reads.
func allRows(from fromItem) *selectQuery {
	return &selectQuery{place: from.offset(), items: []selectItem{{place: from.offset(), star: true}}, from: from}
}

// isAll reports whether a SELECT returns all columns of its rows, without more than a condition.
func (s *selectQuery) isAll() bool {
	return s.hasAllColumns() && !s.distinct && s.having == nil && s.qualify == nil && s.windows == nil
}

// hasAllColumns reports whether a SELECT returns the columns of what it reads, and no others.
func (s *selectQuery) hasAllColumns() bool {
	return s.from != nil && len(s.items) == 1 && s.items[0].star && s.items[0].x == nil && s.items[0].except == nil && s.items[0].replace == nil && s.items[0].renamed == nil &&
		!s.asStruct && !s.asValue && s.group == nil
}

// alias returns the name of the one table whose columns a query returns; empty if they are others.
func (q *query) alias() string {
	s, isSelect := q.body.(*selectQuery)
	if !isSelect || !s.hasAllColumns() {
		return ""
	}
	switch from := s.from.(type) {
	case *tableItem:
		return or(from.alias, from.names[len(from.names)-1].text)
	case *queryItem:
		return from.alias
	}
	return ""
}

// open returns a SELECT * to which an operator adds its clause: the last one if that is one, and otherwise one of it.
func (b *pipeline) open(at place) *selectQuery {
	last, isSelect := b.query.body.(*selectQuery)
	if isSelect && last.isAll() && b.query.order == nil && b.query.limit == nil && b.query.skip == nil {
		return last
	}
	return b.wrap(at, b.query.alias())
}

// wrap makes SELECT * of the query.
func (b *pipeline) wrap(at place, alias string) *selectQuery {
	limit(&b.queries, b.limits.queries, "SELECTs", at)
	all := allRows(&queryItem{at, b.query, alias})
	b.query = &query{place: b.query.place, body: all}
	return all
}

func (b *pipeline) operator(start place) {
	t := b.next()
	switch t.upper {
	case "WHERE":
		b.where(start)
	case "SELECT":
		s := b.open(start)
		if !b.accept("ALL") {
			s.distinct = b.accept("DISTINCT")
		}
		b.asKind(s)
		s.items = b.pipeItems()
		s.windows = b.namedWindows()
	case "EXTEND":
		s := b.open(start)
		s.items = append(s.items, b.pipeItems()...)
		s.windows = b.namedWindows()
	case "SET":
		b.star(start).replace = commas(b.parser, func() selectItem {
			column := b.name()
			b.expect("=")
			return selectItem{place: column.place, x: b.expression(), alias: column.text}
		})
	case "DROP":
		b.star(start).except = commas(b.parser, b.name)
	case "RENAME":
		b.star(start).renamed = commas(b.parser, func() renamedColumn {
			column := b.name()
			b.accept("AS")
			return renamedColumn{column, b.name()}
		})
	case "AS":
		b.wrap(start, b.name().text)
	case "WITH":
		b.with(start)
	case "DISTINCT":
		b.open(start).distinct = true
	case "AGGREGATE":
		b.aggregate(start)
	case "ORDER":
		b.expect("BY")
		b.open(start)
		b.query.order = b.orderItems()
	case "LIMIT":
		if b.query.limit != nil || b.query.skip != nil {
			b.wrap(start, b.query.alias())
		}
		b.query.limit = b.expression()
		if b.accept("OFFSET") {
			b.query.skip = b.expression()
		}
	case "UNION", "INTERSECT", "EXCEPT":
		b.at--
		b.setOperation()
	case "PIVOT":
		b.at--
		from := b.pivot(&queryItem{start, b.query, ""})
		setAlias(from, b.alias())
		b.from(start, from)
	case "UNPIVOT":
		b.at--
		b.from(start, b.unpivot(&queryItem{start, b.query, ""}))
	case "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS":
		b.at--
		b.join(start)
	default:
		fail(t.start, "the pipe operator %s is not supported; there are WHERE, SELECT, EXTEND, SET, DROP, RENAME, AS, AGGREGATE, DISTINCT, JOIN, WITH, ORDER BY, LIMIT, UNION, INTERSECT, EXCEPT, PIVOT and UNPIVOT", or(t.upper, t.text))
	}
}

// from makes SELECT * of an item that reads the query.
func (b *pipeline) from(at place, from fromItem) {
	limit(&b.queries, b.limits.queries, "SELECTs", at)
	b.query = &query{place: b.query.place, body: allRows(from)}
}

func (b *pipeline) where(start place) {
	s := b.open(start)
	s.where = conjunction(s.where, b.expression())
}

// with reads the operator WITH. What is before it becomes a query of WITH itself, which does not see those that follow it.
func (b *pipeline) with(start place) {
	limit(&b.queries, b.limits.queries, "SELECTs", start)
	b.withs++
	before := name{start, "#piped" + itoa(b.withs)} // which no name of a query is
	from := &tableItem{place: start, names: []name{before}, alias: b.query.alias()}
	b.common = append(b.common, commonTable{name: before, query: b.query, isPiped: true})
	b.recursive = b.accept("RECURSIVE") || b.recursive
	for _, table := range b.commonTables(func() bool { return b.token().is("|>") }) {
		table.isPiped = true
		b.common = append(b.common, table)
	}
	b.query = &query{place: b.query.place, body: allRows(from)}
}

// star returns the * of the SELECT that an operator changes.
func (b *pipeline) star(start place) *selectItem { return &b.open(start).items[0] }

// pipeItems reads the items of SELECT or EXTEND. A comma can be behind the last.
func (b *pipeline) pipeItems() []selectItem {
	items := []selectItem{b.selectItem()}
	for b.accept(",") && !b.endsSelect() && !b.token().is("|>") {
		items = append(items, b.selectItem())
	}
	return items
}

// aggregate reads AGGREGATE with its groups, whose columns are before the aggregates.
func (b *pipeline) aggregate(start place) {
	s := b.open(start)
	s.items = nil
	var aggregates []selectItem
	var directions []pipeDirection
	var order []orderItem
	for !b.token().is("GROUP") && !b.endsSelect() && !b.token().is("|>") {
		aggregates = append(aggregates, b.selectItem())
		directions = append(directions, b.direction())
		if !b.accept(",") {
			break
		}
	}
	if b.accept("GROUP") {
		isOrdered := b.accept("AND", "ORDER")
		b.expect("BY")
		if t := b.token(); slices.ContainsFunc([]string{"ROLLUP", "CUBE", "GROUPING", "ALL"}, t.is) {
			fail(t.start, "GROUP BY %s is not supported in a pipe; write SELECT … GROUP BY", t.upper)
		}
		s.group = &groupBy{place: start}
		for {
			key := selectItem{place: b.here(), x: b.expression()}
			if number, isLiteral := key.x.(*literal); isLiteral {
				fail(number.place, "GROUP BY of a pipe takes expressions, not numbers of columns")
			}
			key.alias = b.alias()
			s.items = append(s.items, key)
			s.group.sets = append(s.group.sets, groupSet{lists: [][]expression{{numberOf(len(s.items), key.place)}}})
			if item := b.direction(); isOrdered || item.isSet {
				item.x = numberOf(len(s.items), key.place)
				order = append(order, item.orderItem)
			}
			if !b.accept(",") {
				break
			}
		}
	}
	for i, item := range directions {
		if item.isSet {
			item.x = numberOf(len(s.items)+i+1, start)
			order = append(order, item.orderItem)
		}
	}
	s.items = append(s.items, aggregates...)
	b.query.order = order
}

func (b *pipeline) setOperation() {
	op, start := b.setOperator(), b.here()
	for {
		limit(&b.queries, b.limits.queries, "SELECTs", start)
		set := *op
		set.left, set.right = b.query, b.queryPart()
		b.query = &query{place: b.query.place, body: &set}
		if !b.accept(",") {
			return
		}
	}
}

// join joins what is before it. The tables of a SELECT * stay what they are named.
func (b *pipeline) join(start place) {
	s, isSelect := b.query.body.(*selectQuery)
	if !isSelect || !s.isAll() || s.where != nil || b.query.order != nil || b.query.limit != nil || b.query.skip != nil {
		s = b.wrap(start, b.query.alias())
	}
	s.from = b.joined(s.from)
}

// pipeDirection is ASC or DESC behind a column of AGGREGATE.
type pipeDirection struct {
	orderItem
	isSet bool
}

func (b *pipeline) direction() pipeDirection {
	var item pipeDirection
	_, isAscending := b.acceptAny("ASC")
	item.desc = !isAscending && b.accept("DESC")
	b.nulls(&item.orderItem)
	item.isSet = isAscending || item.desc || item.nullsSet
	return item
}

// numberOf is the number of a column, as GROUP BY and ORDER BY take it.
func numberOf(column int, at place) expression { return &literal{at, int64Kind, itoa(column)} }
