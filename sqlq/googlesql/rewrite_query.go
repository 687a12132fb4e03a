package googlesql

import (
	"slices"
	"strings"
)

// indented returns lines two spaces further to the right.
func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// query writes a query, and returns its columns.
func (w *rewriter) query(q *query, isResult bool) (string, []rewrittenColumn) {
	defer func(before int) { w.common = w.common[:before] }(len(w.common))
	if q.recursive {
		fail(q.place, "WITH RECURSIVE cannot be written for the table logs")
	}
	var common []string
	for _, table := range q.common {
		if equalFold(table.name.text, logsTable) {
			fail(table.name.place, "the query %s hides the table of this name; give it another one", table.name.text)
		}
		text, columns := w.query(table.query, false)
		w.common = append(w.common, rewrittenTable{table.name.text, columns})
		common = append(common, readableName(table.name.text)+" AS (\n"+indented(text)+"\n)")
	}
	out := ""
	if len(common) > 0 {
		out = "WITH " + strings.Join(common, ",\n") + "\n"
	}
	text, columns, s := w.body(q, isResult)
	out += text
	if s != nil {
		w.selects = append(w.selects, s)
		defer func() { w.selects = w.selects[:len(w.selects)-1] }()
	}
	if len(q.order) > 0 {
		rel := w.notes.relations[q]
		out += "\nORDER BY " + strings.Join(each(q.order, func(_ int, item orderItem) string {
			i := named(item.x, rel.columns, "ORDER BY")
			if i < 0 {
				return w.ordered(item, w.loose(item.x, w.typeOf(item.x)))
			}
			if _, isNumber := item.x.(*literal); isNumber {
				return w.ordered(item, columns[i].read(itoa(i+1)))
			}
			return w.ordered(item, columns[i].read(readableName(columns[i].name)))
		}), ", ")
	}
	if q.limit != nil {
		out += "\nLIMIT " + w.number(q.limit)
	}
	if q.skip != nil {
		out += "\nOFFSET " + w.number(q.skip)
	}
	return out, columns
}

// number writes the number of LIMIT or OFFSET.
func (w *rewriter) number(x expression) string {
	if param, ok := x.(*param); ok {
		return "{" + param.name + ":UInt64}"
	}
	return w.natural(x).sql
}

// body writes the body of a query. The select is nil if the query is none.
func (w *rewriter) body(q *query, isResult bool) (string, []rewrittenColumn, *rewrittenSelect) {
	switch body := q.body.(type) {
	case *selectQuery:
		s := w.selectQuery(body, isResult)
		return s.text, s.columns, s
	case *setQuery:
		text, columns := w.set(body, isResult)
		if len(q.order) > 0 || q.limit != nil || q.skip != nil { // which would be about the last SELECT
			text = "SELECT *\nFROM (\n" + indented(text) + "\n)"
		}
		return text, columns, nil
	case *query:
		text, columns := w.query(body, isResult)
		return "SELECT *\nFROM (\n" + indented(text) + "\n)", columns, nil
	}
	panic("no query")
}

// set writes a set operation.
func (w *rewriter) set(set *setQuery, isResult bool) (string, []rewrittenColumn) {
	if set.byName != nil {
		fail(set.place, "BY NAME and CORRESPONDING cannot be written for the table logs; write the columns in the same order")
	}
	left, columns := w.side(set.left, isResult)
	right, others := w.side(set.right, isResult)
	if _, isSet := set.right.(*setQuery); isSet {
		right = "(\n" + indented(right) + "\n)"
	}
	if first, isSet := set.left.(*setQuery); isSet && (first.op != set.op || first.all != set.all) {
		left = "(\n" + indented(left) + "\n)"
	}
	for i := range columns {
		columns[i].of.isBlank = columns[i].of.isBlank || others[i].of.isBlank
		columns[i].of.isNullable = columns[i].of.isNullable || others[i].of.isNullable
		columns[i].of.isMap = columns[i].of.isMap && others[i].of.isMap
	}
	return left + "\n" + set.op + ifElse(set.all, " ALL", " DISTINCT") + "\n" + right, columns
}

func (w *rewriter) side(body queryBody, isResult bool) (string, []rewrittenColumn) {
	switch body := body.(type) {
	case *selectQuery:
		s := w.selectQuery(body, isResult)
		return s.text, s.columns
	case *setQuery:
		return w.set(body, isResult)
	case *query:
		text, columns := w.query(body, isResult)
		return "(\n" + indented(text) + "\n)", columns
	}
	panic("no query")
}

// selectQuery writes a SELECT.
func (w *rewriter) selectQuery(q *selectQuery, isResult bool) *rewrittenSelect {
	rel := w.notes.bodies[q]
	if q.asStruct || q.asValue {
		fail(q.place, "SELECT AS STRUCT and AS VALUE cannot be written for the table logs")
	}
	if len(q.windows) > 0 {
		fail(q.windows[0].name.place, "WINDOW cannot be written for the table logs; write the window behind OVER")
	}
	s := &rewrittenSelect{hasGroups: q.group != nil && (q.group.all || len(q.group.sets) > 0)}
	w.selects = append(w.selects, s)
	defer func() { w.selects = w.selects[:len(w.selects)-1] }()
	from := ""
	if q.from != nil {
		from = "\nFROM " + w.from(q.from, s)
	}
	s.aliases = aliasesOf(rel)
	var items []string
	for _, item := range q.items {
		items = append(items, w.item(item, s, rel, isResult)...)
	}
	s.own = ""
	s.text = "SELECT" + ifElse(q.distinct, " DISTINCT", "") + "\n" + indented(strings.Join(items, ",\n")) + from
	conditions := slices.Clone(s.conditions)
	for i, of := range s.logs {
		if name := s.whereOf[i]; name != "" {
			column := ifElse(slices.Contains(s.aliases, "source"), readableName(w.sourceName(s, of))+".source", "source")
			conditions = append([]string{column + " = " + clickhouseText(name)}, conditions...)
		}
	}
	if q.where != nil {
		conditions = append(conditions, w.conjuncts(q.where)...)
	}
	if len(conditions) > 0 {
		s.text += "\nWHERE " + strings.Join(conditions, "\n  AND ")
	}
	if q.group != nil {
		s.text += w.group(q.group, s, rel)
	}
	if q.having != nil {
		s.text += "\nHAVING " + w.condition(q.having, false).sql
	}
	if q.qualify != nil {
		s.text += "\nQUALIFY " + w.condition(q.qualify, false).sql
	}
	return s
}

// conjuncts writes the conditions of a WHERE clause that all must be true.
func (w *rewriter) conjuncts(x expression) []string {
	if both, ok := x.(*binaryExpr); ok && both.op == "AND" {
		return append(w.conjuncts(both.left), w.conjuncts(both.right)...)
	}
	return []string{w.condition(x, false).in(ofAnd)}
}

// aliasesOf returns the names of the columns of a SELECT that are not columns of its sources under their own names.
func aliasesOf(rel *relation) []string {
	var aliases []string
	for i, c := range rel.columns {
		if of, ok := c.value.node.(*reference); ok && equalFold(of.name, c.name) {
			continue
		}
		if c.value.dyn != nil && c.value.dyn.layout == carriedLayout && c.value.dyn.parent == nil {
			if of, ok := c.value.dyn.base.(*reference); ok && equalFold(of.name, c.name) {
				continue
			}
		}
		aliases = append(aliases, fieldName(rel.columns[i].name, i))
	}
	return aliases
}

// item writes an item of a SELECT list: one column, or those that a star stands for.
func (w *rewriter) item(item selectItem, s *rewrittenSelect, rel *relation, isResult bool) []string {
	if item.star {
		return w.star(item, s)
	}
	c := rel.columns[len(s.columns)]
	s.own = c.name
	of := w.loose(item.x, c.value.typ)
	if _, isConstant := item.x.(*literal); isResult && plainType(c.value.typ).is(boolKind) && !isConstant {
		of = flat{sql: "toBool(" + of.sql + ")", level: primary, isNullable: of.isNullable}
	}
	s.columns = append(s.columns, rewrittenColumn{c.name, of})
	return []string{w.named(of.sql, c.name, s)}
}

// named returns a column of a SELECT list with its name.
func (w *rewriter) named(sql, name string, s *rewrittenSelect) string {
	quoted := readableName(name)
	if sql == quoted || len(s.sources) == 1 && strings.HasSuffix(sql, "."+quoted) && strings.Count(sql, ".") == 1 && !strings.ContainsAny(sql, "'( ") {
		return sql
	}
	return sql + " AS " + quoted
}

// star writes the columns that a star stands for.
func (w *rewriter) star(item selectItem, s *rewrittenSelect) []string {
	of := s.sources
	if item.x != nil {
		path, ok := item.x.(*pathExpr)
		of = slices.DeleteFunc(slices.Clone(s.sources), func(one source) bool {
			return !ok || len(path.names) != 1 || !equalFold(w.notes.names[one], path.names[0].text)
		})
		if len(of) == 0 {
			fail(item.place, "the fields of a value cannot be written as *; name them")
		}
	}
	var out []string
	for _, one := range of {
		for _, column := range w.columnsOf(one, item.place) {
			if slices.ContainsFunc(item.except, func(n name) bool { return equalFold(n.text, column.name) }) {
				continue
			}
			name := column.name
			written := w.column(&reference{owner: one, name: column.name}, item.place, len(s.sources) > 1)
			for _, replaced := range item.replace {
				if equalFold(replaced.alias, column.name) {
					written = w.loose(replaced.x, w.typeOf(replaced.x))
				}
			}
			for _, renamed := range item.renamed {
				if equalFold(renamed.from.text, column.name) {
					name = renamed.to.text
				}
			}
			s.columns = append(s.columns, rewrittenColumn{name, written})
			out = append(out, w.named(written.sql, name, s))
		}
	}
	return out
}

// columnsOf returns the columns of a source under the names that the text has for them.
func (w *rewriter) columnsOf(of source, at place) []rewrittenColumn {
	switch of := of.(type) {
	case *tableSource:
		return each(of.table.Columns, func(_ int, c TableColumn) rewrittenColumn {
			w.logColumn(c.Name, at)
			return rewrittenColumn{name: c.Name}
		})
	case *commonSource:
		for _, table := range slices.Backward(w.common) {
			if equalFold(table.name, of.name) {
				return table.columns
			}
		}
	}
	return w.columns[of]
}

// group writes GROUP BY.
func (w *rewriter) group(g *groupBy, s *rewrittenSelect, rel *relation) string {
	if g.all {
		return "\nGROUP BY ALL"
	}
	keys := each(g.sets, func(_ int, set groupSet) string {
		if set.kind != "" || len(set.lists) != 1 || len(set.lists[0]) != 1 {
			fail(g.place, "ROLLUP, CUBE and GROUPING SETS cannot be written for the table logs; join several queries with UNION ALL")
		}
		x := set.lists[0][0]
		if i := named(x, rel.columns, "GROUP BY"); i >= 0 {
			if _, isNumber := x.(*literal); isNumber {
				return itoa(i + 1)
			}
			return readableName(s.columns[i].name)
		}
		key := w.loose(x, w.typeOf(x)).sql
		for _, c := range s.columns {
			if c.of.sql == key {
				return readableName(c.name)
			}
		}
		return key
	})
	if len(keys) == 0 {
		return ""
	}
	return "\nGROUP BY " + strings.Join(keys, ", ")
}

// from writes a FROM clause.
func (w *rewriter) from(item fromItem, s *rewrittenSelect) string {
	tables := 0
	isPlain := true
	var count func(item fromItem)
	count = func(item fromItem) {
		switch item := item.(type) {
		case *joinItem:
			count(item.left)
			count(item.right)
			if (item.kind == "RIGHT" || item.kind == "FULL") && !w.isDropped(item.right) {
				isPlain = false
			}
		case *tableItem:
			if _, ok := w.notes.items[item.place].(*tableSource); ok {
				tables++
			}
		}
	}
	count(item)
	text := w.fromItem(item, s, tables == 1 && isPlain, false)
	if text == "" {
		fail(item.offset(), "a FROM clause with nothing but metadata cannot be written for the table logs")
	}
	return text
}

// isDropped reports whether an item is an array of metadata, which the table logs has no rows of.
func (w *rewriter) isDropped(item fromItem) bool {
	array, ok := w.notes.items[item.offset()].(*arraySource)
	return ok && w.isMetadataArray(array)
}

// fromItem writes an item of a FROM clause; nothing for an array of metadata. Where inWhere is true, the WHERE clause can choose the
// rows of a log source, and where isOuter is true, an outer join can have no row for the item.
func (w *rewriter) fromItem(item fromItem, s *rewrittenSelect, inWhere, isOuter bool) string {
	of := w.notes.items[item.offset()]
	switch item := item.(type) {
	case *joinItem:
		return w.join(item, s, inWhere, isOuter)
	case *queryItem:
		text, columns := w.query(item.query, false)
		w.columns[of] = columns
		s.add(of, isOuter)
		if isOuter {
			text = "SELECT " + nullables(columns) + "\nFROM (\n" + indented(text) + "\n)"
		}
		return "(\n" + indented(text) + "\n)" + aliased(item.alias)
	case *tableItem, *unnestItem:
		switch of := of.(type) {
		case *tableSource:
			return w.logs(of, s, inWhere && !isOuter, isOuter)
		case *commonSource:
			name := w.notes.names[of]
			declared := name
			var columns []rewrittenColumn
			for _, table := range w.common {
				if equalFold(table.name, of.name) {
					declared, columns = table.name, table.columns
				}
			}
			s.add(of, isOuter)
			if isOuter {
				return "(SELECT " + nullables(columns) + " FROM " + readableName(declared) + ")" + aliased(name)
			}
			return readableName(declared) + ifElse(name == declared, "", aliased(name))
		case *arraySource:
			return w.array(of, item, s)
		}
	}
	fail(item.offset(), "PIVOT and UNPIVOT cannot be written for the table logs; write an aggregate with a condition for each column")
	return ""
}

// add adds a source.
func (s *rewrittenSelect) add(of source, isOuter bool) {
	s.sources = append(s.sources, of)
	if isOuter {
		s.outer = append(s.outer, of)
	}
}

func aliased(name string) string {
	if name == "" {
		return ""
	}
	return " AS " + readableName(name)
}

// nullables lists columns so that an outer join makes NULL of them, and not 0 or another value.
func nullables(columns []rewrittenColumn) string {
	return strings.Join(each(columns, func(_ int, c rewrittenColumn) string {
		name := readableName(c.name)
		if c.of.isNullable || c.of.isBlank || c.of.isMap {
			return name
		}
		return "toNullable(" + name + ") AS " + name
	}), ", ")
}

// logs writes a log source.
func (w *rewriter) logs(of *tableSource, s *rewrittenSelect, inWhere, isOuter bool) string {
	s.add(of, isOuter)
	name := w.notes.names[of]
	alias := ifElse(equalFold(name, of.table.Name), "", aliased(name))
	s.logs = append(s.logs, of)
	if inWhere {
		s.whereOf = append(s.whereOf, of.table.Name)
		return logsTable + alias
	}
	s.whereOf = append(s.whereOf, "")
	columns := ifElse(isOuter, "toNullable(id) AS id, toNullable(timestamp) AS timestamp, toNullable(event_message) AS event_message, log_attributes", "*")
	return "(SELECT " + columns + " FROM " + logsTable + " WHERE source = " + clickhouseText(of.table.Name) + ")" + aliased(name)
}

// array writes an array whose elements are rows.
func (w *rewriter) array(of *arraySource, item fromItem, s *rewrittenSelect) string {
	if of.offset != "" {
		fail(item.offset(), "WITH OFFSET cannot be written for the table logs")
	}
	if w.isMetadataArray(of) {
		d := of.array.node.(*elementsOf).of.dyn //nolint:forcetypeassert // It is one.
		base, steps := w.root(d)
		if _, isColumn := base.(*reference); isColumn && len(steps) > 0 {
			w.remark(item.offset(), "events without "+strings.Join(steps, ".")+" are rows, too, which CROSS JOIN UNNEST leaves out; where it is a list of several, only the first element is there")
		}
		return ""
	}
	array, ok := item.(*unnestItem)
	if !ok {
		fail(item.offset(), "this array cannot be written for the table logs; write UNNEST(…)")
	}
	elements := w.natural(array.x)
	s.add(of, false)
	w.columns[of] = []rewrittenColumn{{of.element, flat{isNullable: true}}}
	if len(s.sources) > 1 {
		return "ARRAY JOIN " + elements.sql + " AS " + readableName(of.element)
	}
	w.notes.names[of] = of.element + "_rows"
	return "(SELECT arrayJoin(" + elements.sql + ") AS " + readableName(of.element) + ")" + aliased(w.notes.names[of])
}

// join writes a join.
func (w *rewriter) join(item *joinItem, s *rewrittenSelect, inWhere, isOuter bool) string {
	left := w.fromItem(item.left, s, inWhere, isOuter || item.kind == "RIGHT" || item.kind == "FULL")
	if w.isDropped(item.right) {
		w.fromItem(item.right, s, inWhere, isOuter)
		if item.on != nil && item.kind != "LEFT" {
			if constant, ok := item.on.(*literal); !ok || constant.text != "TRUE" {
				s.conditions = append(s.conditions, w.condition(item.on, false).in(ofAnd))
			}
		}
		return left
	}
	right := w.fromItem(item.right, s, inWhere, isOuter || item.kind == "LEFT" || item.kind == "FULL")
	if left == "" {
		return right
	}
	if rest, isArray := strings.CutPrefix(right, "ARRAY JOIN "); isArray {
		if item.kind == "LEFT" {
			return left + "\nLEFT ARRAY JOIN " + rest
		}
		return left + "\nARRAY JOIN " + rest
	}
	kind := ifElse(item.kind == "INNER", "", item.kind+" ")
	out := left + "\n" + kind + "JOIN " + right
	switch {
	case item.on != nil:
		out += " ON " + w.condition(item.on, false).sql
	case item.using != nil:
		out += " USING (" + strings.Join(each(item.using, func(_ int, n name) string { return readableName(n.text) }), ", ") + ")"
	}
	return out
}
