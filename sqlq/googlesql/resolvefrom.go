package googlesql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

func (item *queryItem) from(r *resolver, outer *scope) (source, []*variable) {
	rel := r.rows(item.query, outer)
	of, columns := r.aliased(rel, r.alias(item.alias), item.alias)
	r.notes.source(item, of, item.alias)
	return of, columns
}

func (item *unnestItem) from(r *resolver, outer *scope) (source, []*variable) {
	array, variables := r.unnest(item, &scope{outer: outer})
	return array, variables
}

// from resolves a common table expression or a table.
func (item *tableItem) from(r *resolver, outer *scope) (source, []*variable) {
	name := tableName(item)
	if item.index != "" {
		fail(item.place, "WITH OFFSET is for arrays, and %s is a table", name)
	}
	if len(item.names) == 1 {
		if common := outer.table(name); common != nil {
			of := &commonSource{name: name, alias: r.alias(or(item.alias, name)), at: item.place}
			r.notes.source(item, of, or(item.alias, name))
			return of, columnsOf(of, common.columns, or(item.alias, name))
		}
	}
	table, ok := r.env.table(name)
	if !ok {
		table, ok = r.notes.logSource(item)
	}
	names, hint := r.env.tableNames(), ""
	if r.env.isCallers(item.place) {
		ok, names, hint = false, r.env.sandboxed, "; the tables are "+strings.Join(r.env.sandboxed, ", ")
	}
	if !ok {
		names = append(slices.Clone(names), commonNames(outer)...)
		fail(item.place, "there is no table %s%s", name, or(didYouMean(name, names), hint))
	}
	r.tablesRead = append(r.tablesRead, item.place)
	read := r.guard.read(item.place, table)
	visible := or(item.alias, item.names[len(item.names)-1].text)
	t := &tableSource{table: table, alias: r.alias(visible), at: item.place, read: read}
	r.notes.source(item, t, or(item.alias, table.Name))
	return t, []*variable{{name: visible, columns: each(table.Columns, func(_ int, c TableColumn) column {
		reference := &reference{owner: t, name: c.Name}
		if c.IsMetadata {
			metadata := jsonColumn(&shape{whole: true, usual: table.Fields}, reference, 0)
			metadata.part = read.part(c)
			return column{c.Name, metadata}
		}
		return column{c.Name, value{typ: declared(c.Type, nil), node: reference, part: read.part(c)}}
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

// aliased returns a relation under an alias, and its columns.
func (r *resolver) aliased(rel *relation, alias, name string) (source, []*variable) {
	of := &querySource{rel, alias}
	return of, columnsOf(of, rel.columns, name)
}

// columnsOf returns the columns of a source.
func columnsOf(of source, columns []column, name string) []*variable {
	return []*variable{{name: name, columns: each(columns, func(i int, c column) column {
		return column{c.name, c.value.column(&reference{owner: of, name: fieldName(c.name, i)})}
	})}}
}

// from resolves a join. The right side can be an array that the left side has.
func (item *joinItem) from(r *resolver, outer *scope) (source, []*variable) {
	left, variables := item.left.from(r, outer)
	join := &joinSource{kind: item.kind, left: left}
	array := arrayOfTable(item.right, variables)
	isOuter := item.kind == "RIGHT" || item.kind == "FULL"
	var more []*variable
	switch {
	case array == nil:
		join.right, more = item.right.from(r, outer)
	case (item.isConditional() || isOuter) && !r.dependsOn(array, left, variables, outer):
		join.right, more = array.from(r, outer)
	case isOuter:
		fail(item.place, "%s JOIN does not take an array of the table before it; use CROSS JOIN or LEFT JOIN", item.kind)
	default:
		join.isLateral, join.columns = true, variables
		join.right, more = r.unnest(array, &scope{outer: outer, variables: variables})
	}
	all := item.condition(r, join, variables, more, outer)
	return join, all
}

// isConditional reports whether a join has a condition other than TRUE.
func (item *joinItem) isConditional() bool {
	if constant, ok := item.on.(*literal); ok && constant.kind == boolKind && constant.text == "TRUE" {
		return false
	}
	return item.on != nil || item.using != nil
}

// checkNames fails if both sides have a name. Columns that USING merges can have the same one.
func (item *joinItem) checkNames(left, right []*variable) {
	for _, v := range right {
		other := (&scope{variables: left}).variable(v.name)
		isMerged := slices.ContainsFunc(item.using, func(n name) bool { return equalFold(n.text, v.name) })
		if other != nil && (!isMerged || v.element == nil || other.element == nil) {
			fail(item.right.offset(), "FROM has two tables named %s; give one another alias", v.name)
		}
	}
}

// filtered returns the sources whose rows are there only if they meet the condition of the join.
func (item *joinItem) filtered(left, right source) []source {
	switch item.kind {
	case "INNER":
		return []source{left, right}
	case "LEFT":
		return []source{right}
	case "RIGHT":
		return []source{left}
	}
	return nil
}

// condition resolves the condition of a join, if there is one, and returns the names behind the join.
func (item *joinItem) condition(r *resolver, join *joinSource, left, right []*variable, outer *scope) []*variable {
	item.checkNames(left, right)
	all := append(slices.Clone(left), right...)
	switch {
	case !item.isConditional():
		return all
	case item.on != nil:
		s := &scope{outer: outer, variables: all}
		condition := coerce(r.expression(item.on, s), scalar(boolKind))
		r.guard.prove(r, item.on, s, item.filtered(join.left, join.right)...)
		if condition.isAggregate {
			fail(item.on.offset(), "the condition of a join cannot hold an aggregate")
		}
		condition.notWindow("the condition of a join")
		if item.kind != "INNER" && r.readsOthers(condition.node, left, right) {
			fail(item.on.offset(), "the condition of a %s JOIN in a subquery cannot read a table of the query around it; move that to a WHERE, or join the table first", item.kind)
		}
		join.condition = condition
		return all
	}
	merged := &variable{}
	equal := each(item.using, func(_ int, n name) value { return r.using(n, item.kind, left, right, merged) })
	join.condition = condition("USING", item.place, equal...)
	return append([]*variable{merged}, all...)
}

// readsOthers reports whether a condition reads other tables than those of a join.
func (r *resolver) readsOthers(condition node, sides ...[]*variable) bool {
	if r.selects == 0 {
		return false
	}
	var own []source
	note := func(v value) {
		references(v.node, func(use *reference) bool {
			own = append(own, use.owner)
			return true
		})
	}
	for _, variables := range sides {
		for _, v := range variables {
			for _, c := range v.columns {
				note(c.value)
			}
			if v.element != nil {
				note(*v.element)
			}
		}
	}
	return reads(condition, func(use *reference) bool { return !slices.Contains(own, use.owner) })
}

// dependsOn reports whether an array is one of the rows of a source.
func (r *resolver) dependsOn(item *unnestItem, from source, variables []*variable, outer *scope) bool {
	owners := from.owners()
	array := r.expression(withoutEmpty(item.x), &scope{outer: outer, variables: variables})
	return reads(array.node, func(use *reference) bool { return slices.Contains(owners, use.owner) })
}

// using joins two sources by a column of both, which is one column afterwards.
func (r *resolver) using(n name, kind string, left, right []*variable, merged *variable) value {
	var sides [2]value
	for i, variables := range [][]*variable{left, right} {
		found, _ := (&scope{variables: variables}).candidates(n.text)
		for _, v := range variables { // the elements of an array are a column
			if v.element != nil && !v.element.typ.is(dynamicKind) && equalFold(v.name, n.text) && !v.isMerged(n.text) {
				found = append(found, *v.element)
			}
		}
		if len(found) != 1 {
			fail(n.place, "USING needs one column %s on each side of the join", n.text)
		}
		sides[i] = found[0]
	}
	for _, v := range slices.Concat(left, right) {
		v.merged = append(v.merged, n.text)
	}
	equal := r.compare("=", sides[0], sides[1], n.place)
	both := sides[0]
	switch kind {
	case "RIGHT":
		both = sides[1]
	case "FULL":
		a, b := r.pair(sides[0], sides[1], n.place, "=")
		both = result(a.typ, n.place, &call{function: operator("first of both"), r: r, at: n.place, args: []value{a, b}, typ: a.typ}, a, b)
	}
	merged.columns = append(merged.columns, column{n.text, both})
	return equal
}

// arrayOfTable returns what is unnested if an item is UNNEST, or a path in a table before it; else nil.
func arrayOfTable(item fromItem, variables []*variable) *unnestItem {
	switch item := item.(type) {
	case *unnestItem:
		return item
	case *tableItem:
		s := &scope{variables: variables}
		if len(item.names) > 1 && s.variable(item.names[0].text) != nil {
			return &unnestItem{place: item.place, x: &pathExpr{item.place, item.names}, alias: or(item.alias, item.names[len(item.names)-1].text), index: item.index}
		}
	}
	return nil
}

// withoutEmpty returns the array x of COALESCE(x, []), which has the same elements: NULL has none either. The empty array
// says no type, so that of an array of metadata could not be its own.
func withoutEmpty(array expression) expression {
	call, ok := array.(*callExpr)
	if !ok || call.name != "COALESCE" && call.name != "IFNULL" || len(call.args) != 2 {
		return array
	}
	if empty, ok := call.args[1].(*arrayExpr); !ok || empty.element != nil || len(empty.elements) > 0 {
		return array
	}
	return withoutEmpty(call.args[0])
}

// unnest resolves an array with a row for each of its elements, and returns what the elements and their offsets can be named by.
func (r *resolver) unnest(item *unnestItem, s *scope) (*arraySource, []*variable) {
	array, name := r.expression(withoutEmpty(item.x), s), item.alias
	of := &arraySource{array: elements(array), element: or(name, "element"), alias: r.alias(or(name, "element")), offset: item.index}
	r.notes.source(item, of, name)
	element := elementOf(array, &reference{owner: of, name: of.element}, item.place)
	element.part = array.part.element()
	added := []*variable{{name: name, element: &element}}
	if item.index != "" {
		offset := value{typ: scalar(int64Kind), node: &reference{owner: of, name: of.offset}, at: item.place}
		added = append(added, &variable{columns: []column{{item.index, offset}}})
	}
	return of, added
}

// elements returns an array of any kind as an array: one of metadata has texts.
func elements(array value) value {
	switch array.typ.kind { //nolint:exhaustive // The others have no elements.
	case arrayKind:
		return array
	case nullKind, dynamicKind:
		if array.dyn != nil {
			array.typ.shape.element()
		}
		return newValue(arrayOf(scalar(stringKind)), array.at, &elementsOf{array}, array)
	}
	fail(array.at, "UNNEST needs an array, not a value of type %s", array.typ)
	return value{}
}

// elementOf returns the element of an array that is unnested.
func elementOf(array value, of node, at place) value {
	switch array.typ.kind { //nolint:exhaustive // The others have no elements.
	case dynamicKind:
		return newDynamic(&dynamic{shape: array.typ.shape.element(), base: of, layout: elementLayout}, at)
	case nullKind:
		return value{typ: scalar(stringKind), node: of, at: at}
	}
	return inside(array.typ.elem, of, at)
}

// from resolves PIVOT: each aggregate for each value, grouped by the columns that neither an aggregate nor FOR
// reads.
func (item *pivotItem) from(r *resolver, outer *scope) (source, []*variable) {
	from, variables := item.source.from(r, outer)
	s := &scope{outer: outer, variables: variables}
	var used []*reference
	note := func(v value) {
		references(v.node, func(use *reference) bool {
			used = append(used, use)
			return true
		})
	}
	by := r.expression(item.by, s)
	note(by)
	for _, agg := range item.aggs {
		note(r.expression(agg.x, s))
	}
	rel := &relation{}
	groups := &grouping{}
	for _, v := range variables {
		for _, c := range v.columns {
			if !reads(c.value.node, func(own *reference) bool { return slices.Contains(used, own) }) {
				rel.columns = append(rel.columns, c)
				groups.sets = append(groups.sets, keySet{lists: [][]*key{{{at: c.value.at, value: c.value}}}})
			}
		}
	}
	for _, option := range item.in {
		for _, agg := range item.aggs {
			v := r.expression(pivoted(agg.x, item.by, option.x), s)
			rel.columns = append(rel.columns, column{pivotName(agg, option, by.typ, len(item.aggs)), v})
		}
	}
	rows := &selectRows{of: rel, from: from}
	if len(groups.sets) > 0 {
		rows.group = groups
	}
	rel.rows = rows
	return r.aliased(rel, r.alias(or(item.alias, "pivot")), item.alias)
}

// pivoted returns an aggregate of the rows for which FOR has a value. Aggregates skip NULL.
func pivoted(agg, by, option expression) expression {
	call, ok := agg.(*callExpr)
	if !ok || call.over != nil || !call.star && len(call.args) == 0 || call.name == "ARRAY_AGG" {
		fail(agg.offset(), "PIVOT takes aggregates that skip NULL, such as SUM(x)")
	}
	constant, isConstant := option.(*literal)
	if !isConstant {
		fail(option.offset(), "PIVOT takes constants in IN")
	}
	var matches expression = &binaryExpr{option.offset(), "=", by, option}
	if constant.kind == nullKind {
		matches = &isExpr{place: option.offset(), x: by, what: "NULL"}
	}
	copied := *call
	if call.star {
		copied.name, copied.star, copied.args = "COUNTIF", false, []expression{matches}
		return &copied
	}
	copied.args = slices.Clone(call.args)
	copied.args[0] = &callExpr{place: call.place, name: "IF", args: []expression{matches, call.args[0], &literal{call.place, nullKind, ""}}}
	return &copied
}

// pivotName is the name of a column: the alias of the aggregate, if any, and the name of the value.
func pivotName(agg, option selectItem, by *dataType, aggs int) string {
	if aggs > 1 && agg.alias == "" {
		fail(agg.place, "with several aggregates in PIVOT, each needs an alias")
	}
	prefix := ""
	if agg.alias != "" {
		prefix = agg.alias + "_"
	}
	if constant, ok := option.x.(*literal); ok && option.alias == "" {
		return pivotedName(prefix, constant, by)
	}
	return prefix + option.alias
}

// pivotedName is the name of the column of a value without an alias, as BigQuery gives it. The value is of the type of FOR.
func pivotedName(prefix string, constant *literal, by *dataType) string {
	typ := ifElse(constant.kind == nullKind, nullKind, by.kind)
	if by.kind == dynamicKind {
		typ = constant.kind
	}
	switch typ { //nolint:exhaustive // The others have no names.
	case nullKind:
		return prefix + "NULL"
	case boolKind:
		return prefix + strings.ToLower(constant.text)
	case stringKind:
		if constant.text == "" {
			return prefix + ifElse(prefix == "", "", "_") + "empty_string_value"
		}
		return prefix + constant.text
	case dateKind:
		var parts []any
		for part := range strings.SplitSeq(strings.TrimSpace(constant.text), "-") {
			parts = append(parts, part)
		}
		if len(parts) == 3 {
			return identifier(prefix + fmt.Sprintf("%04s_%02s_%02s", parts...))
		}
	case int64Kind, numericKind:
		number := constant.text
		if n, err := strconv.ParseInt(number, 0, 64); err == nil {
			number = strconv.FormatInt(n, 10)
		} else if decimal, err := sqlq.ParseDecimal(strings.TrimSpace(number)); err == nil {
			number = string(decimal)
		}
		return identifier(prefix + strings.NewReplacer("-", "minus_", ".", "_point_").Replace(number))
	}
	fail(constant.place, "the column of a %s has no name; give the value an alias, as in IN (1.5 AS high)", scalar(typ))
	return ""
}

// identifier returns a name that does not begin with a digit.
func identifier(name string) string {
	if name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

func ifElse[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
