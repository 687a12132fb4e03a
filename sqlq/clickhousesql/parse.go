package clickhousesql

import (
	"slices"
	"strings"
)

// Limits of a text. A text within them needs little memory and no deep stack.
const (
	// MostBytes is the most that a text may have.
	MostBytes  = 64 << 10
	mostTokens = 12_000
	mostDepth  = 100
)

// Parse reads a text. The error is an [*Error] with the place of what is wrong, or not supported.
func Parse(text string) (_ *Query, err error) {
	defer recoverError(&err)
	return parse(text, false), nil
}

// parse reads a text. A client of ClickHouse also writes SHOW and DESCRIBE.
func parse(text string, isClient bool) *Query {
	if len(text) > MostBytes {
		fail(0, "the SQL is longer than %d bytes", MostBytes)
	}
	p := &parser{sql: text, tokens: scan(text)}
	if len(p.tokens) > mostTokens {
		fail(p.tokens[mostTokens].start, "the SQL has more than %d words", mostTokens)
	}
	var body *setQuery
	if isClient {
		body = p.described()
	}
	if body == nil {
		p.checkStatement()
		body = p.query()
	}
	for p.takes(";") {
	}
	p.refuseEnd()
	if p.peek().kind != endToken {
		fail(p.peek().start, "expected the end of the text, found %s", p.peek().describe(text))
	}
	return &Query{body: body, text: text}
}

type parser struct {
	sql    string
	tokens []token
	at     int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) peekAt(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// takes reports whether the next tokens are the words, and reads them.
func (p *parser) takes(words ...string) bool {
	for i, word := range words {
		if !p.peekAt(i).is(word) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(word string) token {
	t := p.next()
	if !t.is(word) {
		fail(t.start, "expected %s, found %s", word, t.describe(p.sql))
	}
	return t
}

// name reads a name.
func (p *parser) name(what string) token {
	t := p.next()
	if !t.isName() {
		fail(t.start, "expected %s, found %s", what, t.describe(p.sql))
	}
	return t
}

// deeper counts how deep the tree is.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > mostDepth {
		fail(p.peek().start, "the SQL is nested more than %d levels deep", mostDepth)
	}
	return func() { p.depth-- }
}

// checkStatement fails for statements that are no SELECT.
func (p *parser) checkStatement() {
	t := p.peek()
	if t.kind == endToken {
		fail(0, "the SQL is empty; write a SELECT")
	}
	if !t.is("SELECT") && !t.is("WITH") && !t.is("(") {
		if t.is("FROM") {
			fail(t.start, "FROM before SELECT is not supported; begin with SELECT")
		}
		fail(t.start, "only SELECT is supported, not %s", t.describe(p.sql))
	}
}

// refused are the clauses behind a SELECT that are not supported, with what works.
var refused = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"SETTINGS":  "SETTINGS are not supported; leave them out",
	"FORMAT":    "FORMAT is not supported: the caller of the endpoint chooses the format; leave it out",
	"INTO":      "INTO OUTFILE is not supported; leave it out",
	"INTERSECT": "INTERSECT is not supported; use IN with a subquery",
	"EXCEPT":    "EXCEPT is not supported; use NOT IN with a subquery",
	"QUALIFY":   "QUALIFY is not supported",
	"SAMPLE":    "SAMPLE is not supported; leave it out",
	"FINAL":     "FINAL is not supported; leave it out",
	"OVER":      "OVER is right behind the arguments of a window function",
	"GLOBAL":    "GLOBAL is not supported; leave it out",
	"ASOF":      "ASOF JOIN is not supported",
	"ANY":       "ANY JOIN is not supported; use LIMIT 1 BY in a subquery",
	"SEMI":      "SEMI JOIN is not supported; use IN with a subquery",
	"ANTI":      "ANTI JOIN is not supported; use NOT IN with a subquery",
	"FILL":      "WITH FILL is not supported",
}

func (p *parser) refuseEnd() {
	if t := p.peek(); t.kind == nameToken && refused[t.upper] != "" {
		fail(t.start, "%s", refused[t.upper])
	}
}

// query reads SELECTs with UNION between them.
func (p *parser) query() *setQuery {
	defer p.deeper()()
	q := &setQuery{place: p.peek().start}
	p.operand(q)
	for p.peek().is("UNION") {
		p.next()
		switch {
		case p.takes("ALL"):
			q.distinct = append(q.distinct, false)
		case p.takes("DISTINCT"):
			q.distinct = append(q.distinct, true)
		default:
			fail(p.peek().start, "write UNION ALL or UNION DISTINCT")
		}
		p.operand(q)
	}
	if len(q.distinct) > 1 && slices.Contains(q.distinct, true) && slices.Contains(q.distinct, false) {
		fail(q.place, "UNION ALL and UNION DISTINCT together need parentheses in a subquery")
	}
	return q
}

// operand reads a SELECT, perhaps in parentheses.
func (p *parser) operand(q *setQuery) {
	if !p.peek().is("(") {
		q.selects = append(q.selects, p.selectQuery())
		return
	}
	at := p.next().start
	inner := p.query()
	p.expect(")")
	if len(inner.selects) == 1 {
		q.selects = append(q.selects, inner.selects[0])
		return
	}
	q.selects = append(q.selects, &selectQuery{place: at, items: []item{{x: &star{place: at}}}, from: &subqueryItem{place: at, query: inner}, end: p.peek().start})
}

func (p *parser) selectQuery() *selectQuery {
	q := &selectQuery{}
	if p.takes("WITH") {
		q.with = p.withItems()
	}
	q.place = p.expect("SELECT").start
	q.distinct = p.takes("DISTINCT")
	if q.distinct && p.peek().is("ON") {
		fail(p.peek().start, "DISTINCT ON is not supported; use LIMIT 1 BY")
	}
	if p.peek().is("TOP") && p.peekAt(1).kind == numberToken {
		fail(p.peek().start, "TOP is not supported; use LIMIT")
	}
	q.items = p.items()
	if p.takes("FROM") {
		q.from = p.from()
	}
	for {
		isLeft := p.peek().is("LEFT") && p.peekAt(1).is("ARRAY")
		if !isLeft && (!p.peek().is("ARRAY") || !p.peekAt(1).is("JOIN")) {
			break
		}
		if q.arrays != nil {
			fail(p.peek().start, "one ARRAY JOIN can be in a SELECT; name several arrays in it, with commas")
		}
		if isLeft {
			p.next()
		}
		p.next()
		p.expect("JOIN")
		q.arrays, q.leftArrays = p.items(), isLeft
	}
	if p.takes("PREWHERE") {
		q.prewhere = p.expression()
	}
	if p.takes("WHERE") {
		q.where = p.expression()
	}
	if p.takes("GROUP", "BY") {
		p.groupBy(q)
	}
	if p.takes("HAVING") {
		q.having = p.expression()
	}
	if p.takes("WINDOW") {
		p.windows(q)
	}
	if p.takes("ORDER", "BY") {
		q.order = p.orderBy()
	}
	p.limits(q)
	p.refuseEnd()
	q.end = p.peek().start
	return q
}

func (p *parser) groupBy(q *selectQuery) {
	if p.takes("ALL") {
		q.groupAll = true
	} else {
		q.group = p.expressions()
	}
	if t := p.peek(); t.is("WITH") {
		fail(t.start, "WITH %s is not supported; use UNION ALL with another GROUP BY", p.peekAt(1).upper)
	}
	for _, x := range q.group {
		if call, ok := x.(*callExpr); ok && slices.Contains([]string{"ROLLUP", "CUBE"}, strings.ToUpper(call.name)) {
			fail(call.place, "%s is not supported; use UNION ALL with another GROUP BY", strings.ToUpper(call.name))
		}
	}
}

func (p *parser) withItems() []withItem {
	var items []withItem
	if p.peek().is("RECURSIVE") {
		fail(p.peek().start, "WITH RECURSIVE is not supported")
	}
	for {
		switch {
		case p.peek().isName() && p.peekAt(1).is("AS") && p.peekAt(2).is("("):
			name := p.next()
			p.next()
			p.next()
			if t := p.peek(); !t.is("SELECT") && !t.is("WITH") && !t.is("(") {
				fail(t.start, "a common table expression is name AS (SELECT …); an expression with a name is expression AS name")
			}
			query := p.query()
			p.expect(")")
			items = append(items, withItem{name: name, query: query})
		default:
			x := p.expression()
			if named, ok := x.(*aliased); ok { // (x AS name)
				x = named.x
				items = append(items, withItem{name: token{kind: nameToken, text: named.name, start: named.place}, x: x})
				break
			}
			p.expect("AS")
			items = append(items, withItem{x: x, name: p.name("a name")})
		}
		if !p.takes(",") {
			return items
		}
	}
}

// reservedWords cannot be an alias without AS.
const reservedWords = " FROM WHERE PREWHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT SETTINGS FORMAT INTO ON USING JOIN LEFT RIGHT FULL INNER CROSS OUTER " +
	"ARRAY ANY ALL ASOF SEMI ANTI GLOBAL AS AND OR NOT IN IS LIKE ILIKE BETWEEN CASE WHEN THEN ELSE END ASC DESC ASCENDING DESCENDING NULLS BY WITH FINAL SAMPLE QUALIFY WINDOW OVER " +
	"SELECT DISTINCT INTERVAL DIV MOD REGEXP FETCH FILL COLLATE FILTER IGNORE RESPECT EXISTS STEP "

func isReserved(t token) bool {
	return t.kind == nameToken && strings.Contains(reservedWords, " "+t.upper+" ")
}

// items reads expressions with names.
func (p *parser) items() []item {
	var items []item
	for {
		one := item{x: p.expression()}
		one.alias = p.alias()
		items = append(items, one)
		if !p.takes(",") {
			return items
		}
		if isClause(p.peek()) { // a comma behind the last one
			return items
		}
	}
}

// isClause reports whether a token ends the list of a SELECT.
func isClause(t token) bool { return t.is("FROM") || t.kind == endToken }

// alias reads AS and a name, or a name alone; the token has no kind if there is none.
func (p *parser) alias() token {
	if p.takes("AS") {
		return p.name("a name")
	}
	if t := p.peek(); t.isName() && !isReserved(t) {
		return p.next()
	}
	return token{}
}

func (p *parser) expressions() []expression {
	all := []expression{p.expression()}
	for p.takes(",") {
		all = append(all, p.expression())
	}
	return all
}

func (p *parser) orderBy() (items []orderItem) {
	for {
		one := orderItem{place: p.peek().start, x: p.expression()}
		switch {
		case p.takes("DESC") || p.takes("DESCENDING"):
			one.descending = true
		case p.takes("ASC") || p.takes("ASCENDING"):
		}
		switch {
		case p.takes("NULLS", "FIRST"):
			one.nullsFirst = true
		case p.takes("NULLS", "LAST"):
		}
		switch t := p.peek(); {
		case t.is("COLLATE"):
			fail(t.start, "COLLATE is not supported; order by lower(…)")
		case t.is("WITH"):
			fail(t.start, "WITH FILL is not supported")
		}
		items = append(items, one)
		if !p.takes(",") {
			return items
		}
	}
}

// limits reads LIMIT … BY, LIMIT and OFFSET.
func (p *parser) limits(q *selectQuery) {
	for p.peek().is("LIMIT") {
		at := p.next().start
		limit := p.expression()
		var offset expression
		switch {
		case p.takes(","):
			offset, limit = limit, p.expression()
		case p.takes("OFFSET"):
			offset = p.expression()
		}
		if p.takes("BY") {
			if q.limitBy != nil || q.limit != nil {
				fail(at, "LIMIT … BY is before LIMIT, and there once")
			}
			q.limitBy = &limitBy{place: at, limit: limit, offset: offset, by: p.expressions()}
			continue
		}
		if q.limit != nil {
			fail(at, "there is a LIMIT already")
		}
		if p.peek().is("WITH") {
			fail(p.peek().start, "WITH TIES is not supported")
		}
		q.limit, q.offset = limit, offset
	}
	if p.takes("OFFSET") {
		if q.offset != nil {
			fail(p.peek().start, "there is an OFFSET already")
		}
		q.offset = p.expression()
		_ = p.takes("ROWS") || p.takes("ROW")
	}
	if t := p.peek(); t.is("FETCH") {
		fail(t.start, "FETCH is not supported; use LIMIT")
	}
}

// from reads tables and joins.
func (p *parser) from() fromItem {
	left := p.table()
	for {
		t := p.peek()
		switch {
		case t.is(","):
			p.next()
			left = &joinItem{place: t.start, left: left, right: p.table(), kind: "CROSS"}
			continue
		case t.is("LEFT") && p.peekAt(1).is("ARRAY"):
			return left
		}
		kind, found := p.joinKind()
		if !found {
			return left
		}
		join := &joinItem{place: t.start, left: left, right: p.table(), kind: kind}
		switch {
		case kind == "CROSS":
		case p.takes("ON"):
			join.on = p.expression()
		case p.takes("USING"):
			isList := p.takes("(")
			join.using = append(join.using, p.name("a column"))
			for isList && p.takes(",") {
				join.using = append(join.using, p.name("a column"))
			}
			if isList {
				p.expect(")")
			}
		default:
			fail(p.peek().start, "expected ON or USING, found %s", p.peek().describe(p.sql))
		}
		left = join
	}
}

func (p *parser) joinKind() (kind string, found bool) {
	start := p.at
	p.takes("ALL")
	p.refuseEnd()
	for _, one := range []string{"LEFT", "RIGHT", "FULL", "INNER", "CROSS"} {
		if p.takes(one) {
			kind = one
		}
	}
	if kind != "" && kind != "INNER" && kind != "CROSS" {
		p.takes("OUTER")
	}
	p.refuseEnd()
	if p.takes("JOIN") {
		if kind == "" {
			kind = "INNER"
		}
		return kind, true
	}
	p.at = start
	return "", false
}

func (p *parser) table() fromItem {
	defer p.deeper()()
	at := p.peek().start
	if p.takes("(") {
		if t := p.peek(); t.is("SELECT") || t.is("WITH") || t.is("(") {
			q := p.query()
			p.expect(")")
			return &subqueryItem{place: at, query: q, alias: p.alias().text}
		}
		inner := p.from()
		p.expect(")")
		return inner
	}
	item := p.qualified()
	if p.peek().is("(") {
		fail(item.place, "the table function %s is not allowed; the only table is logs", item.called())
	}
	p.refuseEnd()
	item.alias = p.alias().text
	p.refuseEnd()
	return item
}

// qualified reads the name of a table, perhaps with its database before it.
func (p *parser) qualified() *tableItem {
	name := p.name("a table or a subquery")
	item := &tableItem{place: name.start, name: name.text}
	if p.takes(".") {
		item.database, item.name = name.text, p.name("a table").text
	}
	return item
}
