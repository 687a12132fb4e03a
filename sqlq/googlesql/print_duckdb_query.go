package googlesql

import (
	"maps"
	"slices"
)

// duckdbFrame is a SELECT that is being printed.
type duckdbFrame struct {
	from source
	// columns are the columns of splits that nodes are, where it is printed. See [splitColumns].
	columns map[node]string
	// typed says how fields of metadata are read that are typed columns.
	typed map[fieldKey]typedValue
}

// open begins to print what can name the columns of a SELECT, until the returned function is called.
func (p *printer) open(n *selectRows) (leave func()) {
	p.frames = append(p.frames, &duckdbFrame{from: n.from, columns: p.layout(n.from), typed: p.typedValues(n.from)})
	return func() { p.frames = p.frames[:len(p.frames)-1] }
}

// enter begins to print what reads the rows of a source, until the returned function is called.
func (p *printer) enter(from source) (leave func()) {
	owners := p.owners
	p.selects++
	p.owners = nil
	if from != nil {
		p.owners = from.owners()
	}
	return func() { p.selects, p.owners = p.selects-1, owners }
}

// column returns the column of a split that a node is where it is printed; empty if it is none.
func (p *printer) column(n node) string {
	if _, isText := n.(written); isText {
		return ""
	}
	for _, frame := range slices.Backward(p.frames) {
		if column, ok := frame.columns[n]; ok {
			return column
		}
	}
	return ""
}

// writeReference prints a column.
func (p *printer) writeReference(n *reference) {
	if column := p.column(n); column != "" {
		p.write(column)
		return
	}
	switch owner := n.owner.(type) {
	case *tableSource:
		p.writeName(owner.alias)
	case *commonSource:
		p.writeName(owner.alias)
	case *querySource:
		p.writeName(owner.alias)
	case *arraySource:
		p.writeName(owner.alias)
		if p.isLambda(owner) {
			return
		}
	}
	p.write(".")
	p.writeName(n.name)
}

func (p *printer) writeQuery(n *queryRows) {
	if len(n.common) > 0 {
		p.write("WITH " + ifElse(n.isRecursive, "RECURSIVE ", ""))
		list(",\n", each(n.common, func(_ int, common *commonRelation) fragment {
			return text(quoteName(common.name), " AS (\n", marked{common.relation.rows, common.at}, "\n)")
		})).print(p)
		p.write("\n")
	}
	isWrapped := !n.isSelect && slices.ContainsFunc(n.order, func(key orderKey) bool { return key.value.canBeNaN() })
	if isWrapped { // only an outer query orders by expressions
		p.write("SELECT * FROM (\n")
	}
	n.body.print(p)
	if isWrapped {
		p.write("\n)")
	}
	if len(n.order) > 0 {
		if body, ok := n.body.(*selectRows); ok {
			defer p.open(body)()
		}
		text("\nORDER BY ", list(", ", each(n.order, func(_ int, key orderKey) fragment {
			switch {
			case key.column == 0:
				return key.duckdb()
			case !key.value.canBeNaN():
				return text(itoa(key.column), direction(key.orderItem))
			case n.isSelect:
				return orderBy(key.value.node, key)
			}
			return orderBy(plain(quoteName(fieldName(n.columns[key.column-1].name, key.column-1))), key)
		}))).print(p)
	}
	if n.limit.node != nil {
		text("\nLIMIT ", number(n.limit)).print(p)
	}
	if n.skip.node != nil {
		text(" OFFSET ", number(n.skip)).print(p)
	}
}

// number prints the number of a LIMIT or an OFFSET. DuckDB takes NULL for no limit, and refuses a negative number when it plans.
func number(v value) fragment {
	if v.constant != nil {
		return v.node
	}
	return marked{text("coalesce(", v, ", -1)"), v.at}
}

// duckdb returns an expression of ORDER BY.
func (key orderKey) duckdb() fragment { return orderBy(key.marked(), key) }

func (key orderKey) marked() fragment {
	sql := fragment(key.value.node)
	if key.value.constant != nil { // DuckDB takes no constant, though every row has the same
		sql = text("CASE WHEN true THEN ", sql, " END")
	}
	return marked{sql, key.x.offset()}
}

// orderBy orders by a value. NaN is less than other numbers in GoogleSQL, and more in DuckDB, also if it is negated.
func orderBy(sql fragment, key orderKey) fragment {
	item := key.orderItem
	if !key.value.canBeNaN() {
		return text(sql, direction(item))
	}
	if !item.nullsSet {
		item.nullsSet, item.nullsLast = true, item.desc
	}
	item.desc = !item.desc
	return text("(-", sql, ")", direction(item))
}

// direction returns what stands behind an expression of ORDER BY. NULL is less than any value in GoogleSQL.
func direction(item orderItem) string {
	first := !item.desc
	if item.nullsSet {
		first = !item.nullsLast
	}
	return ifElse(item.desc, " DESC", "") + ifElse(first, " NULLS FIRST", " NULLS LAST")
}

// duckdb returns the ORDER BY of an aggregate.
func (n *orderKeys) duckdb() fragment {
	return text(" ORDER BY ", list(", ", each(n.keys, func(_ int, key orderKey) fragment {
		if n.isDistinct { // DuckDB takes only the argument itself
			return text(key.marked(), direction(key.orderItem))
		}
		return key.duckdb()
	})))
}

// duckdb returns what is behind OVER.
func (n *over) duckdb() fragment {
	before := ifElse(n.isDeclared, "", " OVER ")
	if n.base != "" && len(n.partition) == 0 && n.order == nil && n.frame == nil {
		return text(before, quoteName(n.base))
	}
	var parts []fragment
	if n.base != "" {
		parts = append(parts, plain(quoteName(n.base)))
	}
	if len(n.partition) > 0 {
		parts = append(parts, text("PARTITION BY ", list(", ", fragments(n.partition))))
	}
	if n.order != nil {
		parts = append(parts, text("ORDER BY ", list(", ", each(n.order, func(_ int, key orderKey) fragment { return key.duckdb() }))))
	}
	if n.frame != nil {
		bound := func(b frameBound, distance value) fragment {
			if distance.node == nil {
				return plain(b.what)
			}
			return text(distance, " "+b.what)
		}
		parts = append(parts, text(n.frame.unit, " BETWEEN ", bound(n.frame.start, n.start), " AND ", bound(n.frame.end, n.end)))
	}
	return text(before, "(", list(" ", parts), ")")
}

// writeRight prints the second query of a set operation.
func (p *printer) writeRight(n node) {
	if _, isSet := n.(*setRows); isSet {
		text("(", n, ")").print(p)
		return
	}
	n.print(p)
}

// writeBracket prints a query in brackets. DuckDB takes no WITH behind a bracket that another WITH is before.
func (p *printer) writeBracket(n *bracketRows) {
	if len(n.query.common) > 0 {
		text("(SELECT * FROM (", n.query, "))").print(p)
		return
	}
	text("(", n.query, ")").print(p)
}

func (p *printer) writeSelect(n *selectRows) {
	p.forget(n.from)
	defer p.open(n)()
	leave := p.enter(n.from)
	p.write("SELECT " + ifElse(n.isDistinct, "DISTINCT ", ""))
	for i, c := range n.of.columns {
		if i > 0 {
			p.write(",\n  ")
		}
		marked{c.value.node, c.value.at}.print(p)
		p.write(" AS ")
		p.writeName(fieldName(c.name, i))
	}
	leave()
	var where []fragment
	if n.where.node != nil {
		where = p.pushed(n)
	}
	if n.from != nil {
		p.write("\nFROM ")
		n.from.print(p)
	}
	defer p.enter(n.from)()
	if len(where) > 0 {
		text("\nWHERE ", list(" AND ", where)).print(p)
	}
	if n.group != nil {
		text("\nGROUP BY ", n.group.duckdb()).print(p)
	}
	if n.having.node != nil {
		text("\nHAVING ", n.having).print(p)
	}
	if len(n.windows) > 0 {
		text("\nWINDOW ", list(", ", each(n.windows, func(_ int, w declaredWindow) fragment { return text(quoteName(w.name), " AS ", w.over) }))).print(p)
	}
	if n.qualify.node != nil {
		text("\nQUALIFY ", n.qualify).print(p)
	}
}

// duckdb returns what is behind GROUP BY.
func (g *grouping) duckdb() fragment {
	if len(g.sets) == 0 {
		return plain("()")
	}
	return keySets(g.sets)
}

func keySets(sets []keySet) fragment {
	return list(", ", each(sets, func(_ int, set keySet) fragment {
		lists := each(set.lists, func(_ int, group []*key) fragment {
			items := each(group, func(_ int, k *key) fragment { return marked{k.current().node, k.at} })
			if len(items) == 1 {
				return items[0]
			}
			return text("(", list(", ", items), ")")
		})
		switch set.kind {
		case "":
			return list(", ", lists)
		case "GROUPING SETS":
			return text(set.kind, " (", keySets(set.sets), ")")
		}
		return text(set.kind, " (", list(", ", lists), ")")
	}))
}

// hold reports whether an expression reads keys only, and is none itself. DuckDB takes equal expressions for a key, so such a
// key is printed as another expression.
func (k *groupKeys) hold(of node) bool {
	if len(k.paths) == 0 || k.isPath(of) {
		return false
	}
	uses, others := 0, 0
	walk(of, func(n node) bool {
		_, isColumn := n.(*reference)
		switch {
		case k.isPath(n):
			uses++
			return false
		case isColumn:
			others++
		}
		return true
	})
	return uses > 0 && others == 0
}

// splitColumns are the columns of a split: a subquery with a row for each element of an array, and with the columns of what the
// array is read from. DuckDB splits much faster there than in a lateral join.
type splitColumns struct {
	outputs []splitOutput
	// names are the columns behind the split.
	names map[node]string
	// where are the conditions of the SELECT that only read the source.
	where []value
}

type splitOutput struct {
	name string
	node node
}

// split returns the columns of the split that a lateral join becomes.
func (p *printer) split(n *joinSource) *splitColumns {
	if s := p.splits[n]; s != nil {
		return s
	}
	array := n.right.(*arraySource) //nolint:forcetypeassert // The right side of a lateral join is one.
	alias, element, offset := array.alias, array.element, array.offset
	if n.isFiltered() && n.kind == "LEFT" {
		alias, element, offset = listAlias(array), listElement, ""
	}
	s := &splitColumns{names: make(map[node]string)}
	has := func(name string) bool {
		return equalFold(name, element) || equalFold(name, offset) ||
			slices.ContainsFunc(s.outputs, func(out splitOutput) bool { return equalFold(out.name, name) })
	}
	add := func(c column) {
		name := c.name
		for n := 2; has(name); n++ {
			name = c.name + "_" + itoa(n)
		}
		s.outputs = append(s.outputs, splitOutput{name, c.value.node})
		if _, isNamed := s.names[c.value.node]; !isNamed {
			s.names[c.value.node] = quoteName(alias) + "." + quoteName(name)
		}
	}
	for _, v := range n.columns {
		for _, c := range v.columns {
			add(c)
		}
		if v.element != nil {
			add(column{v.name, *v.element})
		}
	}
	if p.splits == nil {
		p.splits = make(map[*joinSource]*splitColumns)
	}
	p.splits[n] = s
	return s
}

// listElement is the column of a list that a lateral join splits. listAlias is the alias of its subquery.
const listElement = "#list"

func listAlias(array *arraySource) string { return "#" + array.alias }

// isFiltered reports whether a join has a condition.
func (n *joinSource) isFiltered() bool { return n.condition.node != nil }

// forget forgets the splits of a source, which is printed again where its expression is there several times.
func (p *printer) forget(of source) {
	if join, ok := of.(*joinSource); ok {
		delete(p.splits, join)
		if rows := p.typed[join]; rows != nil {
			rows.where = nil
			return
		}
		p.forget(join.left)
		p.forget(join.right)
	}
}

// layout returns the columns of splits that nodes are behind a source.
func (p *printer) layout(of source) map[node]string {
	join, ok := of.(*joinSource)
	switch {
	case !ok:
		return nil
	case p.typed[join] != nil:
		return p.typed[join].layout()
	case join.isLateral:
		return p.split(join).names
	}
	left, right := p.layout(join.left), p.layout(join.right)
	if len(left) == 0 || len(right) == 0 {
		return ifElse(len(left) == 0, right, left)
	}
	both := maps.Clone(left)
	maps.Copy(both, right)
	return both
}

// pushed moves each condition of WHERE as near to the rows as it can, and returns the others: DuckDB does not move conditions
// through the splitting of an array.
func (p *printer) pushed(n *selectRows) []fragment {
	owners := n.from.owners()
	var others []fragment
	var conjuncts func(v value)
	conjuncts = func(v value) {
		if both, ok := v.node.(*call); ok && both.isConjunction {
			conjuncts(both.args[0])
			conjuncts(both.args[1])
			return
		}
		var uses []source
		references(v.node, func(r *reference) bool {
			if slices.Contains(owners, r.owner) {
				uses = append(uses, r.owner)
			}
			return true
		})
		if !p.push(n.from, v, uses) {
			others = append(others, marked{v.node, v.at})
		}
	}
	conjuncts(n.where)
	return others
}

// push puts a condition as near to the rows of a source as it can, and reports whether it did.
func (p *printer) push(to source, condition value, uses []source) bool {
	join, ok := to.(*joinSource)
	if !ok {
		return false
	}
	if rows := p.typed[join]; rows != nil {
		if condition.isOpaque || condition.mayBeOpaque { // it has a query, which would be printed twice
			return false
		}
		rows.where = append(rows.where, condition)
		return true
	}
	if join.isLateral {
		if slices.Contains(uses, join.right) {
			return false
		}
		if !p.push(join.left, condition, uses) {
			s := p.split(join)
			s.where = append(s.where, condition)
		}
		return true
	}
	for _, side := range []struct {
		source
		outer string // the join that adds rows to the other side
	}{{join.left, "RIGHT"}, {join.right, "LEFT"}} {
		owners := side.owners()
		if join.kind == side.outer || join.kind == "FULL" {
			continue
		}
		if !slices.ContainsFunc(uses, func(of source) bool { return !slices.Contains(owners, of) }) {
			return p.push(side.source, condition, uses)
		}
	}
	return false
}

func (p *printer) writeSource(n source) {
	switch n := n.(type) {
	case *tableSource:
		text(marked{plain(quoteName(or(p.views[n], n.table.Name))), n.at}, " AS ", quoteName(n.alias)).print(p)
	case *commonSource:
		text(marked{plain(quoteName(n.name)), n.at}, " AS ", quoteName(n.alias)).print(p)
	case *querySource:
		text("(\n", n.query.rows, "\n) AS ", quoteName(n.alias)).print(p)
	case *arraySource:
		p.writeSplit(n, n.array.node, nil, false)
	case *joinSource:
		if rows := p.typed[n]; rows != nil {
			p.writeTyped(n, rows)
		} else {
			p.writeJoin(n)
		}
	}
}

func (p *printer) writeJoin(n *joinSource) {
	array, _ := n.right.(*arraySource)
	switch {
	case !n.isLateral:
		n.left.print(p)
		p.write("\n" + n.kind + " JOIN ")
		if right, ok := n.right.(*joinSource); ok && (!right.isLateral || right.isFiltered() && right.kind == "LEFT") {
			text("(", right, ")").print(p)
		} else {
			n.right.print(p)
		}
		switch {
		case n.isFiltered():
			text(" ON ", n.condition).print(p)
		case n.kind != "CROSS":
			p.write(" ON true")
		}
	case !n.isFiltered():
		p.writeSplit(array, array.array.node, n, n.kind == "LEFT")
	case n.kind == "LEFT": // a row stays if no element meets the condition
		// The list is computed before, because DuckDB takes no lambda with columns of the left side on the right.
		p.writeList(array, n)
		p.write("\nLEFT JOIN LATERAL (SELECT * FROM ")
		p.writeSplit(array, written{plain(quoteName(listAlias(array)) + "." + quoteName(listElement))}, nil, false)
		text("\nWHERE ", n.condition, ") AS ", quoteName(array.alias), " ON true").print(p)
	default:
		p.write("(SELECT * FROM ")
		p.writeSplit(array, array.array.node, n, false)
		text("\nWHERE ", n.condition, ") AS ", quoteName(array.alias)).print(p)
	}
}

// writeSplit prints a split of an array, of the left side of a join if that is not nil. keeps means that a row whose array is empty
// stays, with a NULL element.
func (p *printer) writeSplit(array *arraySource, list node, of *joinSource, keeps bool) {
	elements := fragment(list)
	if keeps {
		elements = text("CASE WHEN len(", list, ") > 0 THEN ", list, " ELSE [NULL] END")
	}
	parts := []fragment{text("unnest(", elements, ") AS ", quoteName(array.element))}
	if array.offset != "" {
		parts = append(parts, text("unnest(CASE WHEN len(", list, ") > 0 THEN range(len(", list, ")) ELSE [", ifElse(keeps, "NULL", ""), "]::BIGINT[] END) AS ", quoteName(array.offset)))
	}
	p.writeSplitOf(of, parts, array.alias)
}

// writeList prints a list that the left side of a join has.
func (p *printer) writeList(array *arraySource, of *joinSource) {
	p.writeSplitOf(of, []fragment{text("(", array.array, ") AS ", quoteName(listElement))}, listAlias(array))
}

func (p *printer) writeSplitOf(of *joinSource, parts []fragment, alias string) {
	if of == nil {
		text("(SELECT ", list(", ", parts), ") AS ", quoteName(alias)).print(p)
		return
	}
	s := p.split(of)
	frame := p.frames[len(p.frames)-1]
	behind := frame.columns
	frame.columns = p.layout(of.left)
	for _, out := range s.outputs {
		parts = append(parts, text(out.node, " AS ", quoteName(out.name)))
	}
	text("(SELECT ", list(", ", parts), "\nFROM ", of.left).print(p)
	if len(s.where) > 0 {
		leave := p.enter(frame.from)
		text("\nWHERE ", list(" AND ", each(s.where, func(_ int, v value) fragment { return marked{v.node, v.at} }))).print(p)
		leave()
	}
	frame.columns = behind
	text(") AS ", quoteName(alias)).print(p)
}
