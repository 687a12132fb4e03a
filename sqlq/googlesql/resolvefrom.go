package googlesql

import (
	"slices"
	"strings"
)

func (item *queryItem) from(r *resolver, outer *scope) (source, []*variable) {
	rel := r.rows(item.query, outer)
	return r.aliased(text("(\n", rel.fragment, "\n)"), rel.columns, r.alias(item.alias), item.alias)
}

func (item *unnestItem) from(r *resolver, outer *scope) (source, []*variable) {
	return r.unnest(item, nil, nil, outer, false)
}

// from resolves a common table expression or a table.
func (item *tableItem) from(r *resolver, outer *scope) (source, []*variable) {
	name := tableName(item)
	if len(item.names) == 1 {
		if common := outer.table(name); common != nil {
			alias := r.alias(or(item.alias, name))
			return r.aliased(text(marked{plain(quoteName(name)), item.place}), common.columns, alias, or(item.alias, name))
		}
	}
	table, ok := r.env.table(name)
	names, hint := r.env.tableNames(), ""
	if r.env.isCallers(item.place) {
		ok, names, hint = false, r.env.sandboxed, "; the tables are "+strings.Join(r.env.sandboxed, ", ")
	}
	if !ok {
		names = append(slices.Clone(names), commonNames(outer)...)
		fail(item.place, "there is no table %s%s", name, or(didYouMean(name, names), hint))
	}
	r.tablesRead = append(r.tablesRead, item.place)
	visible := or(item.alias, item.names[len(item.names)-1].text)
	alias := r.alias(visible)
	t := &tableSource{sql: text(marked{plain(quoteName(table.Name)), item.place}, " AS ", quoteName(alias))}
	return t, []*variable{{name: visible, columns: each(table.Columns, func(_ int, c TableColumn) column {
		reference := &reference{owner: t, sql: quoteName(alias) + "." + quoteName(c.Name)}
		if c.IsMetadata {
			return column{c.Name, jsonColumn(&shape{whole: true, usual: table.Fields}, reference, 0)}
		}
		return column{c.Name, value{typ: declared(c.Type, nil), sql: reference}}
	})}}
}

func tableName(item *tableItem) string {
	return strings.Join(each(item.names, func(_ int, n name) string { return n.text }), ".")
}

func commonNames(s *scope) []string {
	var names []string
	for ; s != nil; s = s.outer {
		names = append(names, each(s.tables, func(_ int, table *commonRelation) string { return table.name })...)
	}
	return names
}

func or(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// aliased returns the columns of a relation under an alias.
func (r *resolver) aliased(sql fragment, columns []column, alias, name string) (source, []*variable) {
	t := &tableSource{sql: text(sql, " AS ", quoteName(alias))}
	return t, []*variable{{name: name, columns: each(columns, func(i int, c column) column {
		return column{c.name, c.value.column(&reference{owner: t, sql: quoteName(alias) + "." + quoteName(fieldName(c.name, i))})}
	})}}
}

func (item *joinItem) from(r *resolver, outer *scope) (source, []*variable) {
	left, variables := item.left.from(r, outer)
	var right source
	var more []*variable
	if array := arrayOfTable(item.right, variables); array != nil {
		if item.kind == "RIGHT" || item.kind == "FULL" {
			fail(item.place, "%s JOIN with an array is not supported; use CROSS JOIN or LEFT JOIN", item.kind)
		}
		joined, all := r.unnest(array, left, variables, outer, item.kind == "LEFT")
		if item.on != nil {
			unnestCondition(item, joined.(*split))
		}
		return joined, all
	}
	right, more = item.right.from(r, outer)
	all := append(slices.Clone(variables), more...)
	for i, v := range all {
		if v.name != "" && slices.ContainsFunc(all[:i], func(other *variable) bool { return equalFold(other.name, v.name) }) {
			fail(item.right.offset(), "FROM has two tables named %s; give one another alias", v.name)
		}
	}
	join := &joinSource{kind: item.kind, left: left, right: right}
	switch {
	case item.on != nil:
		join.condition = coerce(r.expression(item.on, &scope{outer: outer, variables: all}), scalar(boolKind)).sql
	case item.using != nil:
		merged := &variable{}
		join.condition = list(" AND ", each(item.using, func(_ int, n name) fragment { return r.using(n, item.kind, variables, more, merged) }))
		all = append([]*variable{merged}, all...)
	}
	return join, all
}

// using joins two sources by a column of both, which is one column afterwards.
func (r *resolver) using(n name, kind string, left, right []*variable, merged *variable) fragment {
	var sides [2]value
	for i, variables := range [][]*variable{left, right} {
		s := &scope{variables: variables}
		found, _ := s.candidates(n.text)
		if len(found) != 1 {
			fail(n.place, "USING needs one column %s on each side of the join", n.text)
		}
		sides[i] = found[0]
		for _, v := range variables {
			v.merged = append(v.merged, n.text)
		}
	}
	a, b := r.pair(sides[0], sides[1], n.place, "=")
	both := a
	switch kind {
	case "RIGHT":
		both = b
	case "FULL":
		both.sql = text("coalesce(", a, ", ", b, ")")
	}
	merged.columns = append(merged.columns, column{n.text, both})
	return text("(", a, " = ", b, ")")
}

// arrayOfTable returns what is unnested if an item is UNNEST, or a path in a table before it; else nil.
func arrayOfTable(item fromItem, variables []*variable) *unnestItem {
	switch item := item.(type) {
	case *unnestItem:
		return item
	case *tableItem:
		s := &scope{variables: variables}
		if len(item.names) > 1 && s.variable(item.names[0].text) != nil {
			return &unnestItem{place: item.place, x: &pathExpr{item.place, item.names}, alias: or(item.alias, item.names[len(item.names)-1].text)}
		}
	}
	return nil
}

// unnest splits a source by an array, which can be a column of the source. The source can be nil.
func (r *resolver) unnest(item *unnestItem, from source, variables []*variable, outer *scope, keeps bool) (source, []*variable) {
	array := r.expression(item.x, &scope{outer: outer, variables: variables})
	name := item.alias
	s := &split{resolver: r, source: from, keeps: keeps, element: or(name, "element"), alias: r.alias(or(name, "element")), array: elements(array), offset: item.index}
	var all []*variable
	for _, v := range variables {
		outside := &variable{name: v.name, merged: v.merged, columns: each(v.columns, func(_ int, c column) column { return s.add(c) })}
		if v.element != nil {
			element := s.add(column{v.name, *v.element}).value
			outside.element = &element
		}
		all = append(all, outside)
	}
	sql := &reference{owner: s, sql: quoteName(s.alias) + "." + quoteName(s.element)}
	element := elementOf(array, sql, item.place)
	if slices.ContainsFunc(all, func(v *variable) bool { return v.name != "" && equalFold(v.name, name) }) {
		fail(item.place, "FROM has two tables named %s; give one another alias", name)
	}
	all = append(all, &variable{name: name, element: &element})
	if item.index != "" {
		offset := value{typ: scalar(int64Kind), sql: &reference{owner: s, sql: quoteName(s.alias) + "." + quoteName(s.offset)}, at: item.place}
		all = append(all, &variable{columns: []column{{item.index, offset}}})
	}
	return s, all
}

// elements returns an array as a list of DuckDB.
func elements(array value) fragment {
	switch array.typ.kind { //nolint:exhaustive // The others have no elements.
	case arrayKind:
		return array.sql
	case nullKind:
		return text("CAST([] AS VARCHAR[])")
	case dynamicKind:
		array.typ.shape.element()
		return deferred(array.dyn.asList)
	}
	fail(array.at, "UNNEST needs an array, not a value of type %s", array.typ)
	return nil
}

// elementOf returns the element of an array that is in a column of a split.
func elementOf(array value, sql fragment, at place) value {
	switch array.typ.kind { //nolint:exhaustive // The others have no elements.
	case dynamicKind:
		return newDynamic(&dynamic{shape: array.typ.shape.element(), base: sql, isJSON: never, isConverted: never}, at)
	case nullKind:
		return value{typ: scalar(stringKind), sql: sql, at: at}
	}
	return element(array.typ.elem, sql, at)
}

// unnestCondition fails if a join with an array has a condition other than TRUE.
func unnestCondition(item *joinItem, s *split) {
	if constant, ok := item.on.(*literal); ok && constant.text == "TRUE" {
		return
	}
	if s.keeps {
		fail(item.on.offset(), "LEFT JOIN UNNEST takes ON TRUE only; put the condition into a subquery: LEFT JOIN UNNEST(ARRAY(SELECT x FROM UNNEST(…) AS x WHERE …))")
	}
	fail(item.on.offset(), "a join with UNNEST takes ON TRUE only; write CROSS JOIN UNNEST(…), with the condition in WHERE")
}
