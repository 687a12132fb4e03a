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
	return r.aliased(text("(\n", rel.fragment, "\n)"), rel.columns, r.alias(item.alias), item.alias)
}

func (item *unnestItem) from(r *resolver, outer *scope) (source, []*variable) {
	return r.unnestWith(item, &scope{outer: outer})
}

// from resolves a common table expression or a table.
func (item *tableItem) from(r *resolver, outer *scope) (source, []*variable) {
	name := tableName(item)
	if item.index != "" {
		fail(item.place, "WITH OFFSET is for arrays, and %s is a table", name)
	}
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
	read := r.guard.read(item.place, table)
	visible := or(item.alias, item.names[len(item.names)-1].text)
	alias := r.alias(visible)
	t := &tableSource{sql: text(marked{plain(quoteName(table.Name)), item.place}, " AS ", quoteName(alias)), read: read}
	return t, []*variable{{name: visible, columns: each(table.Columns, func(_ int, c TableColumn) column {
		reference := &reference{owner: t, sql: quoteName(alias) + "." + quoteName(c.Name)}
		if c.IsMetadata {
			metadata := jsonColumn(&shape{whole: true, usual: table.Fields}, reference, 0)
			metadata.part = read.part(c)
			return column{c.Name, metadata}
		}
		return column{c.Name, value{typ: declared(c.Type, nil), sql: reference, part: read.part(c)}}
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

// from resolves a join. An array that the left side has is split there; any other one is a source of its own.
func (item *joinItem) from(r *resolver, outer *scope) (source, []*variable) {
	left, variables := item.left.from(r, outer)
	var right source
	var more []*variable
	isOuter := item.kind == "RIGHT" || item.kind == "FULL"
	switch array := arrayOfTable(item.right, variables); {
	case array == nil:
		right, more = item.right.from(r, outer)
	case !item.isConditional() && !isOuter:
		joined, all := r.unnest(array, left, variables, outer, item.kind == "LEFT")
		item.checkNames(all[:len(variables)], all[len(variables):])
		return joined, all
	case !r.dependsOn(array, left, variables, outer):
		right, more = array.from(r, outer)
	case isOuter:
		fail(item.place, "%s JOIN does not take an array of the table before it; use CROSS JOIN or LEFT JOIN", item.kind)
	case item.kind == "LEFT": // a row stays if no element meets the condition
		of := r.expression(array.x, &scope{outer: outer, variables: variables})
		// The list is computed before, because DuckDB takes no lambda with columns of the left side on the right.
		lists := &split{resolver: r, source: left, isList: true, element: "#list", alias: r.alias("list"), array: elements(of)}
		outside := lists.addAll(variables)
		part, added := r.splitOf(array, of, &reference{owner: lists, sql: quoteName(lists.alias) + "." + quoteName(lists.element)})
		condition, all := item.condition(r, outside, added, outer)
		return &joinSource{kind: "LEFT", left: lists, right: &lateralSource{&filteredSource{part, condition}}, condition: plain("true")}, all
	default:
		joined, all := r.unnest(array, left, variables, outer, false)
		condition, all := item.condition(r, all[:len(variables)], all[len(variables):], outer, joined)
		return &filteredSource{joined, condition}, all
	}
	condition, all := item.condition(r, variables, more, outer, item.filtered(left, right)...)
	if condition == nil && item.kind != "CROSS" {
		condition = plain("true")
	}
	return &joinSource{kind: item.kind, left: left, right: right, condition: condition}, all
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

// condition returns the condition of a join, nil if there is none, and the names behind the join. Rows of the filtered
// sources are there only if they meet it.
func (item *joinItem) condition(r *resolver, left, right []*variable, outer *scope, filtered ...source) (fragment, []*variable) {
	item.checkNames(left, right)
	all := append(slices.Clone(left), right...)
	switch {
	case !item.isConditional():
		return nil, all
	case item.on != nil:
		s := &scope{outer: outer, variables: all}
		condition := coerce(r.expression(item.on, s), scalar(boolKind))
		r.guard.prove(r, item.on, s, filtered...)
		if condition.isAggregate {
			fail(item.on.offset(), "the condition of a join cannot hold an aggregate")
		}
		condition.notWindow("the condition of a join")
		if item.kind != "INNER" && r.readsOthers(condition.sql, left, right) {
			fail(item.on.offset(), "the condition of a %s JOIN in a subquery cannot read a table of the query around it; move that to a WHERE, or join the table first", item.kind)
		}
		return condition.sql, all
	}
	merged := &variable{}
	condition := list(" AND ", each(item.using, func(_ int, n name) fragment { return r.using(n, item.kind, left, right, merged) }))
	return condition, append([]*variable{merged}, all...)
}

// readsOthers reports whether a condition reads other tables than those of a join.
func (r *resolver) readsOthers(condition fragment, sides ...[]*variable) bool {
	if r.selects == 0 {
		return false
	}
	var own []*reference
	for _, variables := range sides {
		for _, v := range variables {
			for _, c := range v.columns {
				own = append(own, r.references(c.value.sql)...)
			}
			if v.element != nil {
				own = append(own, r.references(v.element.sql)...)
			}
		}
	}
	return slices.ContainsFunc(r.references(condition), func(use *reference) bool {
		return !slices.ContainsFunc(own, func(other *reference) bool { return other.owner == use.owner })
	})
}

// dependsOn reports whether an array is one of the rows of a source.
func (r *resolver) dependsOn(item *unnestItem, from source, variables []*variable, outer *scope) bool {
	owners := from.owners()
	array := r.expression(withoutEmpty(item.x), &scope{outer: outer, variables: variables})
	return slices.ContainsFunc(r.references(array.sql), func(use *reference) bool { return slices.Contains(owners, use.owner) })
}

// using joins two sources by a column of both, which is one column afterwards.
func (r *resolver) using(n name, kind string, left, right []*variable, merged *variable) fragment {
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
		both = result(a.typ, n.place, []value{a, b}, "coalesce(", a, ", ", b, ")")
	}
	merged.columns = append(merged.columns, column{n.text, both})
	return equal.sql
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

// unnest splits a source by an array, which can be a column of the source. The source can be nil.
func (r *resolver) unnest(item *unnestItem, from source, variables []*variable, outer *scope, keeps bool) (*split, []*variable) {
	s, added := r.unnestWith(item, &scope{outer: outer, variables: variables})
	s.source, s.keeps = from, keeps
	return s, append(s.addAll(variables), added...)
}

// addAll adds the columns of the source to the subquery, and returns their names behind it.
func (s *split) addAll(variables []*variable) []*variable {
	return each(variables, func(_ int, v *variable) *variable {
		outside := &variable{name: v.name, merged: v.merged, columns: each(v.columns, func(_ int, c column) column { return s.add(c) })}
		if v.element != nil {
			element := s.add(column{v.name, *v.element}).value
			outside.element = &element
		}
		return outside
	})
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

// unnestWith splits an array, and returns what the elements and their offsets can be named by.
func (r *resolver) unnestWith(item *unnestItem, s *scope) (*split, []*variable) {
	array := r.expression(withoutEmpty(item.x), s)
	return r.splitOf(item, array, elements(array))
}

// splitOf splits an array that is a list of DuckDB.
func (r *resolver) splitOf(item *unnestItem, array value, list fragment) (*split, []*variable) {
	name := item.alias
	of := &split{resolver: r, element: or(name, "element"), alias: r.alias(or(name, "element")), array: list, offset: item.index}
	element := elementOf(array, &reference{owner: of, sql: quoteName(of.alias) + "." + quoteName(of.element)}, item.place)
	element.part = array.part.element()
	added := []*variable{{name: name, element: &element}}
	if item.index != "" {
		offset := value{typ: scalar(int64Kind), sql: &reference{owner: of, sql: quoteName(of.alias) + "." + quoteName(of.offset)}, at: item.place}
		added = append(added, &variable{columns: []column{{item.index, offset}}})
	}
	return of, added
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

// from resolves PIVOT: each aggregate for each value, grouped by the columns that neither an aggregate nor FOR
// reads.
func (item *pivotItem) from(r *resolver, outer *scope) (source, []*variable) {
	from, variables := item.source.from(r, outer)
	s := &scope{outer: outer, variables: variables}
	var used []*reference
	note := func(v value) { used = append(used, r.references(v.sql)...) }
	by := r.expression(item.by, s)
	note(by)
	for _, agg := range item.aggs {
		note(r.expression(agg.x, s))
	}
	rel := &relation{}
	var groups []fragment
	for _, v := range variables {
		for _, c := range v.columns {
			isUsed := slices.ContainsFunc(r.references(c.value.sql), func(own *reference) bool { return slices.Contains(used, own) })
			if !isUsed {
				rel.columns = append(rel.columns, c)
				groups = append(groups, c.value.sql)
			}
		}
	}
	for _, option := range item.in {
		for _, agg := range item.aggs {
			v := r.expression(pivoted(agg.x, item.by, option.x), s)
			rel.columns = append(rel.columns, column{pivotName(agg, option, by.typ, len(item.aggs)), v})
		}
	}
	sql := []any{"(SELECT ", deferred(func() fragment { return selectList(rel.columns) }), "\nFROM ", from}
	if len(groups) > 0 {
		sql = append(sql, "\nGROUP BY ", list(", ", groups))
	}
	return r.aliased(text(append(sql, ")")...), rel.columns, r.alias(or(item.alias, "pivot")), item.alias)
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

// source is what a FROM clause reads: a table, a subquery, a join, or a source split by an array.
type source interface {
	fragment
	// owners are what the columns of the source belong to.
	owners() []any
	// push puts a condition of the WHERE clause as near to the rows as it can, and reports whether it did:
	// DuckDB does not move conditions through the splitting of an array.
	push(condition fragment, uses []*reference) bool
}

// reference is a column of a table, of a subquery or of a split, in SQL of DuckDB.
type reference struct {
	owner any
	sql   string
	// origin is the column in the source of a split; nil for an element and for other owners.
	origin fragment
}

// isSplit reports whether the column is of a split.
func (r *reference) isSplit() bool {
	_, ok := r.owner.(*split)
	return ok
}

func (r *reference) print(p *printer) {
	if s, ok := r.owner.(*split); ok && r.origin != nil && p.inside[s] {
		r.origin.print(p)
		return
	}
	if p.used != nil {
		*p.used = append(*p.used, r)
	}
	p.write(r.sql)
}

// references returns the columns that a fragment reads.
func (r *resolver) references(of fragment) []*reference {
	var used []*reference
	p := r.newPrinter()
	p.used = &used
	of.print(p)
	return used
}

// tableSource is a table or a subquery under an alias.
type tableSource struct {
	sql fragment
	// read is nil for a subquery, and without a guard.
	read *tableRead
}

func (t *tableSource) print(p *printer)                 { t.sql.print(p) }
func (t *tableSource) owners() []any                    { return []any{t} }
func (t *tableSource) push(fragment, []*reference) bool { return false }

// joinSource joins two sources.
type joinSource struct {
	kind        string
	left, right source
	condition   fragment // nil for a cross join
}

func (j *joinSource) print(p *printer) {
	j.left.print(p)
	p.write("\n" + j.kind + " JOIN ")
	if _, nested := j.right.(*joinSource); nested {
		p.write("(")
		defer p.write(")")
	}
	j.right.print(p)
	if j.condition != nil {
		text(" ON ", j.condition).print(p)
	}
}

func (j *joinSource) owners() []any { return append(j.left.owners(), j.right.owners()...) }

func (j *joinSource) push(condition fragment, uses []*reference) bool {
	for _, side := range []struct {
		source
		outer string // the join that adds rows to the other side
	}{{j.left, "RIGHT"}, {j.right, "LEFT"}} {
		owners := side.owners()
		if j.kind == side.outer || j.kind == "FULL" {
			continue
		}
		if !slices.ContainsFunc(uses, func(r *reference) bool { return !slices.Contains(owners, r.owner) }) {
			return side.push(condition, uses)
		}
	}
	return false
}

// filteredSource is the rows of a source that meet a condition.
type filteredSource struct {
	*split
	condition fragment
}

func (f *filteredSource) print(p *printer) {
	text("(SELECT * FROM ", f.split, "\nWHERE ", f.condition, ") AS ", quoteName(f.alias)).print(p)
}

// lateralSource reads the rows of the source before it.
type lateralSource struct{ *filteredSource }

func (l *lateralSource) print(p *printer) { text("LATERAL ", l.filteredSource).print(p) }

func (*lateralSource) push(fragment, []*reference) bool { return false }

// split is a subquery with a row for each element of an array. DuckDB splits much faster there than in a
// lateral join.
type split struct {
	resolver *resolver
	alias    string
	source   source // nil if the array depends on no row
	array    fragment
	// keeps means that a row whose array is empty stays, with a NULL element (LEFT JOIN).
	keeps bool
	// isList means that the list stays one.
	isList  bool
	element string
	offset  string // empty without offset
	outputs []output
	where   []fragment
}

type output struct {
	name string
	sql  fragment
}

func (s *split) owners() []any { return []any{s} }

func (s *split) print(p *printer) {
	if p.inside == nil {
		p.inside = make(map[*split]bool)
	}
	p.inside[s] = true
	defer delete(p.inside, s)
	array := s.array
	if s.keeps {
		array = text("CASE WHEN len(", array, ") > 0 THEN ", array, " ELSE [NULL] END")
	}
	parts := []fragment{text(ifElse(s.isList, "(", "unnest("), array, ") AS ", quoteName(s.element))}
	if s.offset != "" {
		parts = append(parts, text("unnest(CASE WHEN len(", s.array, ") > 0 THEN range(len(", s.array, ")) ELSE [", ifElse(s.keeps, "NULL", ""), "]::BIGINT[] END) AS ", quoteName(s.offset)))
	}
	parts = append(parts, each(s.outputs, func(_ int, out output) fragment { return text(out.sql, " AS ", quoteName(out.name)) })...)
	p.write("(SELECT ")
	list(", ", parts).print(p)
	if s.source != nil {
		text("\nFROM ", s.source).print(p)
	}
	if len(s.where) > 0 {
		text("\nWHERE ", list(" AND ", s.where)).print(p)
	}
	p.write(") AS " + quoteName(s.alias))
}

func ifElse[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

func (s *split) push(condition fragment, uses []*reference) bool {
	if s.source == nil {
		return false
	}
	var within []*reference
	for _, use := range uses {
		if use.owner == any(s) && use.origin == nil {
			return false
		}
		within = append(within, s.resolver.references(use.origin)...)
	}
	if !s.source.push(condition, within) {
		s.where = append(s.where, condition)
	}
	return true
}

// add adds a column of the source to the subquery, and returns it as a column of the split.
func (s *split) add(c column) column {
	name := c.name
	for n := 2; s.has(name); n++ {
		name = c.name + "_" + itoa(n)
	}
	s.outputs = append(s.outputs, output{name, c.value.sql})
	outside := c.value.column(&reference{owner: s, sql: quoteName(s.alias) + "." + quoteName(name), origin: c.value.sql})
	outside.part = c.value.part
	return column{c.name, outside}
}

func (s *split) has(name string) bool {
	return equalFold(name, s.element) || equalFold(name, s.offset) ||
		slices.ContainsFunc(s.outputs, func(out output) bool { return equalFold(out.name, name) })
}
