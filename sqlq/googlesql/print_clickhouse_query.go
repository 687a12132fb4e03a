package googlesql

import (
	"slices"
	"strings"
)

// clickhouseSelect is a SELECT that is being printed.
type clickhouseSelect struct {
	// keys are what it groups by, and names what they are called there.
	keys  []node
	names []string
}

// key returns the name of a key of GROUP BY that a node is.
func (p *clickhousePrinter) key(n node) (string, bool) {
	if len(p.selects) == 0 || n == nil {
		return "", false
	}
	s := p.selects[len(p.selects)-1]
	for i, key := range s.keys {
		if s.names[i] != "" && (n == key || same(n, key)) {
			return s.names[i], true
		}
	}
	return "", false
}

// rows writes a query, with its result in the types that callers get.
func (p *clickhousePrinter) rows(n node) string { return p.query(n, true) }

func (p *clickhousePrinter) query(n node, isResult bool) string {
	defer p.compared(false)()
	aggregated, ofNone := p.aggregated, p.ofNone
	p.aggregated, p.ofNone = nil, false
	defer func() { p.aggregated, p.ofNone = aggregated, ofNone }()
	switch n := n.(type) {
	case *queryRows:
		return p.queryRows(n, isResult)
	case *selectRows:
		return p.selectRows(n, isResult, nil)
	case *setRows:
		op := n.op
		if !strings.HasSuffix(op, "ALL") && !strings.HasSuffix(op, "DISTINCT") {
			op += " DISTINCT"
		}
		return p.side(n.left) + "\n" + op + "\n" + p.side(n.right)
	case *bracketRows:
		return p.queryRows(n.query, isResult)
	}
	panic("no query")
}

// readCommon returns the queries of the WITH clause that the query reads. ClickHouse's analyzer takes its time also with others.
func (n *queryRows) readCommon() []*commonRelation {
	names := make(map[string]bool)
	note := func(of node) {
		walk(of, func(n node) bool {
			if common, ok := n.(*commonSource); ok {
				names[foldName(common.name)] = true
			}
			return true
		})
	}
	own := *n
	own.common = nil
	note(&own)
	read := make(map[*commonRelation]bool)
	for before := -1; before < len(read); {
		before = len(read)
		for _, common := range n.common {
			if names[foldName(common.name)] && !read[common] {
				read[common] = true
				note(common.relation.rows)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(n.common), func(common *commonRelation) bool { return !read[common] })
}

// side is a query of a set operation.
func (p *clickhousePrinter) side(n node) string { return "(" + p.query(n, false) + ")" }

func (p *clickhousePrinter) queryRows(n *queryRows, isResult bool) string {
	var out strings.Builder
	if read := n.readCommon(); len(read) > 0 {
		out.WriteString("WITH " + ifElse(n.isRecursive, "RECURSIVE ", ""))
		for i, common := range read {
			if i > 0 {
				out.WriteString(",\n")
			}
			out.WriteString(clickhouseCommon(common.name) + " AS (\n" + mark(common.at) + p.query(common.relation.rows, false) + "\n)")
		}
		out.WriteString("\n")
	}
	body, isSelect := n.body.(*selectRows)
	// ClickHouse orders by no correlated subquery, also if it is a column.
	isWrapped := isSelect && slices.ContainsFunc(n.order, func(key orderKey) bool { return key.column > 0 && hasSubquery(key.value.node) }) &&
		!slices.ContainsFunc(n.order, func(key orderKey) bool { return key.column == 0 && key.value.constant == nil })
	if isSelect && !isWrapped {
		out.WriteString(p.selectRows(body, isResult, n))
		return out.String()
	}
	if bracket, ok := n.body.(*bracketRows); ok && len(n.order) == 0 && n.limit.node == nil && n.skip.node == nil && len(n.common) == 0 {
		out.WriteString(p.query(bracket, isResult))
		return out.String()
	}
	if !isSelect && !isResult && len(n.order) == 0 && n.limit.node == nil && n.skip.node == nil {
		out.WriteString(p.query(n.body, false))
		return out.String()
	}
	// Behind UNION, ClickHouse's ORDER BY is of the last query only.
	alias := p.alias()
	items := each(n.columns, func(i int, c column) string {
		name := clickhouseName(fieldName(c.name, i))
		v := clickhouseValue{sql: alias + "." + name, typ: c.value.typ}
		return p.item(v, isResult) + " AS " + name
	})
	out.WriteString("SELECT " + strings.Join(items, ", ") + "\nFROM (\n" + p.query(n.body, false) + "\n) AS " + alias)
	out.WriteString(p.ending(n, func(i int) string { return alias + "." + clickhouseName(fieldName(n.columns[i].name, i)) }))
	return out.String()
}

// ending is ORDER BY, LIMIT and OFFSET.
func (p *clickhousePrinter) ending(n *queryRows, column func(i int) string) string {
	var keys []string
	for _, key := range n.order {
		switch {
		case key.column > 0:
			keys = append(keys, p.orderKey(column(key.column-1), key))
		case key.value.constant == nil:
			keys = append(keys, p.orderKey(p.wrapped(p.expression(key.value)).sql, key))
		}
	}
	out := ""
	if keys != nil {
		out = "\nORDER BY " + strings.Join(keys, ", ")
	}
	if n.limit.node != nil {
		out += "\nLIMIT " + p.number(n.limit)
	} else if n.skip.node != nil {
		out += "\nLIMIT 9223372036854775807"
	}
	if n.skip.node != nil {
		out += " OFFSET " + p.number(n.skip)
	}
	return out
}

// number is the number of LIMIT or OFFSET.
func (p *clickhousePrinter) number(v value) string {
	of := p.expression(v)
	if n, ok := of.integer(); ok {
		return itoa64(n)
	}
	return mark(v.at) + "accurateCast(assumeNotNull(" + of.sql + "), 'UInt64')"
}

// item is a column of a SELECT.
func (p *clickhousePrinter) item(v clickhouseValue, isResult bool) string {
	if isResult {
		return p.output(v)
	}
	if v.isNull() {
		return p.null(v.typ).sql
	}
	return p.wrapped(v).sql
}

// output is a value as callers get it: of its type, and with arrays that are empty for NULL.
func (p *clickhousePrinter) output(v clickhouseValue) string {
	return "CAST(" + p.unwrapped(v) + " AS " + v.typ.clickhouseOutput() + ")"
}

// unwrapped is a value without the arrays that stand for NULL, but for a struct that is a column.
func (p *clickhousePrinter) unwrapped(v clickhouseValue) string {
	switch {
	case v.isNull():
		return p.null(v.typ).sql + ifElse(v.typ.is(arrayKind, structKind), "[1]", "")
	case v.typ.is(arrayKind):
		if !v.typ.elem.isWrapped() {
			return p.bare(v)
		}
		e := p.alias()
		return "arrayMap(" + e + " -> " + p.unwrapped(clickhouseValue{sql: e, typ: v.typ.elem}) + ", " + p.bare(v) + ")"
	case v.typ.is(structKind):
		return p.let(v.sql, func(of string) string {
			v.sql = of
			fields := each(v.typ.fields, func(i int, _ field) string { return p.unwrapped(p.field(v, i)) })
			return "tuple(" + strings.Join(fields, ", ") + ")"
		})
	}
	return v.sql
}

// clickhouseOutput is the type of a column that callers get.
func (t *dataType) clickhouseOutput() string {
	switch t.kind { //nolint:exhaustive // The others are the same.
	case arrayKind:
		return "Array(" + t.elem.clickhouseOutput() + ")"
	case structKind:
		fields := each(t.fields, func(i int, f field) string {
			return clickhouseName(fieldName(f.name, i)) + " " + f.typ.clickhouseOutput()
		})
		return "Tuple(" + strings.Join(fields, ", ") + ")"
	}
	return t.clickhouse()
}

// selectRows writes a SELECT, with the end of the query that it is the body of.
func (p *clickhousePrinter) selectRows(n *selectRows, isResult bool, of *queryRows) string {
	s := &clickhouseSelect{}
	from := ""
	if n.from != nil {
		from = "\nFROM " + p.source(n.from)
	}
	where := ""
	if n.where.node != nil {
		where = "\nWHERE " + mark(n.where.at) + p.condition(n.where)
	}
	if proof := p.proof(n); proof != "" {
		if n.where.node != nil {
			proof += " AND (" + p.condition(n.where) + ")"
		}
		where = "\nWHERE " + proof
	}
	groups := ""
	if n.group != nil && len(n.group.sets) > 0 {
		n.group.each(func(k *key) {
			v := k.current()
			for _, known := range s.keys {
				if known == v.node || same(known, v.node) {
					return
				}
			}
			s.keys = append(s.keys, v.node)
		})
		s.names = make([]string, len(s.keys))
		groups = "\nGROUP BY " + p.keySets(n.group.sets, s)
	}
	p.selects = append(p.selects, s)
	defer func() { p.selects = p.selects[:len(p.selects)-1] }()
	names := make(map[string]bool)
	var columns []string
	items := each(n.of.columns, func(i int, c column) string {
		name := fieldName(c.name, i)
		for names[name] {
			name += "#"
		}
		names[name] = true
		columns = append(columns, clickhouseName(name))
		item := p.item(p.expression(c.value), isResult)
		if p.boxed == n {
			item = "[CAST(" + item + " AS " + c.value.typ.clickhouse() + ")]"
		}
		return mark(c.value.at) + item + " AS " + clickhouseName(name)
	})
	var out strings.Builder
	out.WriteString("SELECT " + ifElse(n.isDistinct, "DISTINCT ", "") + strings.Join(items, ",\n  ") + from + where + groups)
	having := ""
	if n.having.node != nil {
		having = mark(n.having.at) + p.condition(n.having)
	}
	if n.group != nil && len(n.group.sets) == 0 { // one group, even without an aggregate
		having = "count() >= 0" + ifElse(having == "", "", " AND "+having)
	}
	if having != "" {
		out.WriteString("\nHAVING " + having)
	}
	if len(n.windows) > 0 {
		out.WriteString("\nWINDOW " + strings.Join(each(n.windows, func(_ int, w declaredWindow) string { return clickhouseName(w.name) + " AS " + p.over(w.over) }), ", "))
	}
	if n.qualify.node != nil {
		out.WriteString("\nQUALIFY " + mark(n.qualify.at) + p.condition(n.qualify))
	}
	if of != nil {
		out.WriteString(p.ending(of, func(i int) string { return columns[i] }))
	}
	return out.String()
}

// keySets writes what is behind GROUP BY, and gives the keys their names.
func (p *clickhousePrinter) keySets(sets []keySet, s *clickhouseSelect) string {
	write := func(k *key) string {
		v := k.current()
		for i, known := range s.keys {
			if known != v.node && !same(known, v.node) {
				continue
			}
			if s.names[i] == "" {
				sql := p.grouped(v)
				if v.constant != nil || !reads(v.node, func(*reference) bool { return true }) {
					sql = "materialize(" + sql + ")"
				}
				s.names[i] = p.alias()
				return mark(k.at) + sql + " AS " + s.names[i]
			}
			return s.names[i]
		}
		panic("no key")
	}
	return strings.Join(each(sets, func(_ int, set keySet) string {
		lists := each(set.lists, func(_ int, group []*key) string {
			items := each(group, func(_ int, k *key) string { return write(k) })
			if len(items) == 1 {
				return items[0]
			}
			return "(" + strings.Join(items, ", ") + ")"
		})
		switch set.kind {
		case "":
			return strings.Join(lists, ", ")
		case "GROUPING SETS":
			return set.kind + " (" + strings.Join(each(set.sets, func(_ int, inner keySet) string {
				sql := p.keySets([]keySet{inner}, s)
				if inner.kind == "" && !strings.HasPrefix(sql, "(") {
					return "(" + sql + ")"
				}
				return sql
			}), ", ") + ")"
		}
		return set.kind + " (" + strings.Join(lists, ", ") + ")"
	}), ", ")
}

// reference writes a column.
func (p *clickhousePrinter) reference(n *reference) string {
	switch owner := n.owner.(type) {
	case *tableSource:
		return clickhouseTable(owner.alias) + "." + clickhouseName(n.name)
	case *commonSource:
		return clickhouseTable(owner.alias) + "." + clickhouseName(n.name)
	case *querySource:
		return clickhouseTable(owner.alias) + "." + clickhouseName(n.name)
	case *arraySource:
		names, ok := p.names[owner]
		if !ok {
			return clickhouseTable(owner.alias) + "." + clickhouseName(n.name)
		}
		if owner.offset != "" && equalFold(n.name, owner.offset) && !equalFold(n.name, owner.element) {
			return names.offset
		}
		return names.element
	}
	panic("no source")
}

// source writes what a FROM clause reads.
func (p *clickhousePrinter) source(n source) string {
	switch n := n.(type) {
	case *tableSource:
		return p.table(n)
	case *commonSource:
		return mark(n.at) + clickhouseCommon(n.name) + " AS " + clickhouseTable(n.alias)
	case *querySource:
		return "(\n" + p.query(n.query.rows, false) + "\n) AS " + clickhouseTable(n.alias)
	case *arraySource:
		if p.isMapped(n) {
			return "(SELECT 1) AS " + clickhouseTable(n.alias)
		}
		list := p.elements(n, "")
		alias := p.alias()
		element := "arrayJoin(" + list.element + ") AS " + clickhouseName(n.element)
		if n.offset == "" {
			return "(SELECT " + element + ") AS " + clickhouseTable(n.alias)
		}
		e := p.alias()
		return "(SELECT tupleElement(" + e + ", 1) AS " + clickhouseName(n.element) + ", tupleElement(" + e + ", 2) AS " + clickhouseName(n.offset) +
			" FROM (SELECT arrayJoin(arrayMap((x, i) -> tuple(x, toInt64(i) - 1), " + list.element + " AS " + alias + ", arrayEnumerate(" + alias + "))) AS " + e + ")) AS " + clickhouseTable(n.alias)
	case *joinSource:
		return p.join(n)
	}
	panic("no source")
}

// elements are the array of a source, and the numbers of its elements if it has WITH OFFSET.
func (p *clickhousePrinter) elements(n *arraySource, where string) clickhouseElement {
	list := p.list(n)
	if where != "" {
		list = "arrayFilter(" + where + ", " + list + ")"
	}
	return clickhouseElement{element: list}
}

// list is the array of a source. The elements of an array of metadata are JSON.
func (p *clickhousePrinter) list(n *arraySource) string {
	if of := mappedArray(n); of != nil {
		return p.dynamicElements(of)
	}
	return p.bare(p.expression(n.array))
}

// join writes a join. An array of the rows of the left side is joined with ARRAY JOIN.
func (p *clickhousePrinter) join(n *joinSource) string {
	left := p.source(n.left)
	if array, ok := n.right.(*arraySource); ok && n.isLateral {
		return left + p.arrayJoin(n, array)
	}
	right := p.source(n.right)
	if _, isJoin := n.right.(*joinSource); isJoin {
		fail(placeOf(n.right), "a join in brackets on the right side of a join is not supported on ClickHouse; write it as a subquery")
	}
	if n.kind == "CROSS" || n.condition.node == nil && n.kind == "INNER" {
		return left + "\nCROSS JOIN " + right
	}
	condition := "true"
	if n.condition.node != nil {
		condition = mark(n.condition.at) + p.condition(n.condition)
	}
	if n.kind == "INNER" && !p.hasEquality(n.condition.node, n) {
		inner := "\nINNER JOIN "
		return left + inner + right + " ON " + condition
	}
	if n.kind != "INNER" && !p.hasEquality(n.condition.node, n) {
		fail(n.condition.at, "a %s JOIN without = between columns of both sides is not supported on ClickHouse", n.kind)
	}
	return left + "\n" + n.kind + " JOIN " + right + " ON " + condition
}

// placeOf is where a source is written; zero if that is not known.
func placeOf(of source) place {
	switch of := of.(type) {
	case *tableSource:
		return of.at
	case *commonSource:
		return of.at
	case *joinSource:
		return max(placeOf(of.left), placeOf(of.right))
	}
	return 0
}

// hasEquality reports whether a condition has an equality of the sides of a join that is always needed.
func (p *clickhousePrinter) hasEquality(n node, of *joinSource) bool {
	c, ok := n.(*call)
	if !ok {
		return false
	}
	switch c.name {
	case "AND":
		return p.hasEquality(c.args[0].node, of) || p.hasEquality(c.args[1].node, of)
	case "=":
		side := func(v value, owners []source) bool {
			isOf, isRead := true, false
			references(v.node, func(r *reference) bool {
				isRead = true
				found := false
				for _, owner := range owners {
					found = found || owner == r.owner
				}
				isOf = isOf && found
				return true
			})
			return isOf && isRead
		}
		left, right := of.left.owners(), of.right.owners()
		return side(c.args[0], left) && side(c.args[1], right) || side(c.args[0], right) && side(c.args[1], left)
	}
	return false
}

// arrayJoin writes the join with an array of the left side.
func (p *clickhousePrinter) arrayJoin(n *joinSource, array *arraySource) string {
	if p.names == nil {
		p.names = make(map[*arraySource]clickhouseElement)
	}
	element, offset := clickhouseName("#"+array.alias), ""
	if p.isMapped(array) {
		if n.condition.node != nil {
			fail(n.condition.at, "a condition of a join with metadata that is a map is not supported on ClickHouse; write it in WHERE")
		}
		p.names[array] = oneElement
		return ""
	}
	list := p.list(array)
	typ := p.elementType(array)
	e, i, all := p.alias(), p.alias(), p.alias()
	if array.offset != "" {
		offset = clickhouseName("#" + array.alias + "#")
	}
	filter := ""
	if n.condition.node != nil {
		p.names[array] = clickhouseElement{e, i}
		filter = p.condition(n.condition)
	}
	p.names[array] = clickhouseElement{element, offset}
	kind := ifElse(n.kind == "LEFT", "\nLEFT ARRAY JOIN ", "\nARRAY JOIN ")
	values := "CAST(" + list + " AS Array(" + typ + "))"
	if offset == "" && filter == "" {
		return kind + values + " AS " + element
	}
	if offset == "" {
		return kind + "arrayFilter(" + e + " -> ifNull(" + filter + ", false), " + values + ") AS " + element
	}
	pairs := "arrayZip((" + values + " AS " + all + "), arrayMap(" + i + " -> toNullable(toInt64(" + i + ") - 1), arrayEnumerate(" + all + ")))"
	if filter != "" {
		pair := p.alias()
		pairs = "arrayFilter(" + pair + " -> ifNull(" + strings.NewReplacer(e, "tupleElement("+pair+", 1)", i, "tupleElement("+pair+", 2)").Replace(filter) + ", false), " + pairs + ")"
	}
	zipped := p.alias()
	return kind + "tupleElement(" + pairs + " AS " + zipped + ", 1) AS " + element + ", tupleElement(" + zipped + ", 2) AS " + offset
}

// elementType is the type of the elements of an array that is joined.
func (p *clickhousePrinter) elementType(array *arraySource) string {
	if array.array.typ.is(arrayKind) && mappedArray(array) == nil {
		return array.array.typ.elem.clickhouse()
	}
	return "Nullable(String)"
}

// subquery writes a query in an expression.
func (p *clickhousePrinter) subquery(n *subquery, typ *dataType) clickhouseValue {
	if v, ok := p.listQuery(n, typ); ok {
		return v
	}
	if !p.isSafelyCorrelated(n.query.rows) {
		fail(n.at, "a subquery that reads columns of the query around it in this way is not supported on ClickHouse; join the tables")
	}
	v := clickhouseValue{typ: typ}
	switch n.kind {
	case existsSubquery:
		v.sql = "EXISTS (\n" + p.query(n.query.rows, false) + "\n)"
	case arraySubquery:
		c, q := p.alias(), p.alias()
		name := clickhouseName(fieldName(n.query.columns[0].name, 0))
		v.sql = "assumeNotNull((SELECT arrayMap(" + c + " -> tupleElement(" + c + ", 1), groupArray(tuple(" + q + "." + name + "))) FROM (\n" + p.query(n.query.rows, false) + "\n) AS " + q + "))"
		v.sql = "CAST(" + v.sql + " AS " + typ.clickhouseBare() + ")"
		v.isBare = true
	case inSubquery:
		return p.inQuery(n)
	case scalarSubquery:
		if body := p.correlatedAggregate(n); body != nil && !typ.isWrapped() {
			return p.aggregateOfNone(n, body, typ)
		}
		if typ.isWrapped() || typ.is(dynamicKind) && !typ.shape.isScalar() {
			q := p.alias()
			name := clickhouseName(fieldName(n.query.columns[0].name, 0))
			v.sql = "(SELECT if(throwIf(count() > 1, 'savedq: a subquery has more than one row'), [], any(" + q + "." + name + ")) FROM (\n" + p.query(n.query.rows, false) + "\n) AS " + q + ")"
			return v
		}
		v.sql = "(\n" + p.query(n.query.rows, false) + "\n)"
	}
	return v
}

// hasSubquery reports whether a subquery is in a node.
func hasSubquery(n node) bool {
	found := false
	var walk func(n node)
	walk = func(n node) {
		if _, ok := n.(*subquery); ok {
			found = true
			return
		}
		n.parts(walk)
	}
	if n != nil {
		walk(n)
	}
	return found
}

// correlatedAggregate returns the body of a query of an aggregate of all rows that reads a query around it; nil for others.
func (p *clickhousePrinter) correlatedAggregate(n *subquery) *selectRows {
	query, ok := n.query.rows.(*queryRows)
	if !ok || query.limit.node != nil || query.skip.node != nil {
		return nil
	}
	body, ok := query.body.(*selectRows)
	if !ok || body.having.node != nil || body.qualify.node != nil || body.group != nil && len(body.group.sets) > 0 || !body.of.columns[0].value.isAggregate {
		return nil
	}
	var inside []source
	var walk func(n node)
	walk = func(n node) {
		if of, ok := n.(source); ok {
			inside = append(inside, of)
		}
		n.parts(walk)
	}
	walk(query)
	if !reads(query, func(r *reference) bool { return !slices.Contains(inside, r.owner) }) {
		return nil
	}
	return body
}

// aggregateOfNone is a correlated aggregate. Where it has no rows, ClickHouse has NULL for what an aggregate of none is, such as
// 0 of COUNT, so that it is an array.
func (p *clickhousePrinter) aggregateOfNone(n *subquery, body *selectRows, typ *dataType) clickhouseValue {
	boxed := p.boxed
	p.boxed = body
	rows := p.query(n.query.rows, false)
	p.boxed = boxed
	none := p.ofNone
	p.ofNone = true
	otherwise := p.typed(p.expression(body.of.columns[0].value), typ)
	p.ofNone = none
	alias := p.alias()
	return clickhouseValue{sql: "if(empty((\n" + rows + "\n) AS " + alias + "), " + otherwise + ", " + alias + "[1])", typ: typ}
}

// inQuery writes IN with a subquery, with the NULLs that ClickHouse leaves out of its sets.
func (p *clickhousePrinter) inQuery(n *subquery) clickhouseValue {
	of := p.expression(n.of)
	rows := p.query(n.query.rows, false)
	q := p.alias()
	name := clickhouseName(fieldName(n.query.columns[0].name, 0))
	x := p.alias()
	count := func(condition string) string {
		return "assumeNotNull((SELECT countIf(" + condition + ") FROM (\n" + rows + "\n) AS " + q + "))"
	}
	column := q + "." + name
	return clickhouseValue{typ: scalar(boolKind), sql: "multiIf(" + count("true") + " = 0, false, (" + of.sql + " AS " + x + ") IS NULL, NULL, " + x + " IN (SELECT assumeNotNull(" + column + ") FROM (\n" + rows + "\n) AS " + q + " WHERE " + column + " IS NOT NULL), true, " +
		count(column+" IS NULL") + " > 0, NULL, false)"}
}
