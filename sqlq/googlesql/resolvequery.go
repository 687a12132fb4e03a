package googlesql

import (
	"slices"
	"strconv"
	"strings"
)

// resolver finds what the names of a query stand for, and its types. What it returns is a tree of nodes.
type resolver struct {
	env       Environment
	functions functionTable
	// aliases are the names of tables and subqueries. Each is unique. The value is the number of the
	// last alias that was made of the name.
	aliases map[string]int
	// untypedParams are the parameters without a type, by name in lower case.
	untypedParams map[string]*shape
	// undecided are the values of metadata that need a type.
	undecided []undecided
	// tablesRead are the offsets at which tables are named.
	tablesRead []place
	// guard proves what the tables are filtered by; nil if nothing is to prove.
	guard *guard
	// selects are the SELECTs around what is resolved.
	selects int
	// keys are what each SELECT groups by, if all of its keys are resolved, and groupings the calls of GROUPING.
	keys      map[*selectQuery]*grouping
	groupings []*call
	// expressionsRead counts the expressions that were resolved. Some are resolved as a list first, and then as a query.
	expressionsRead int
	// notes are nil unless the text is rewritten.
	notes *notes
}

type undecided struct {
	shape *shape
	at    place
}

// relation is a resolved query.
type relation struct {
	columns []column
	rows    node
	// sides are the queries of a set operation, whose columns have the same types.
	sides []*relation
}

// resolved is the body of a query, and the names that its ORDER BY can use.
type resolved struct {
	*relation
	scope *scope
	// isSelect means that ORDER BY can hold expressions of the tables.
	isSelect, isDistinct bool
}

// alias returns a name for a table or a subquery that no other one has.
func (r *resolver) alias(name string) string {
	if name == "" {
		name = "q"
	}
	unique := name
	for r.aliases[foldName(unique)] > 0 {
		r.aliases[foldName(name)]++
		unique = name + "_" + itoa(r.aliases[foldName(name)])
	}
	r.aliases[foldName(unique)] = 1
	return unique
}

func (r *resolver) query(q *query, outer *scope) *relation {
	s := &scope{outer: outer}
	rows := &queryRows{isRecursive: q.recursive}
	rows.common = each(q.common, func(_ int, table commonTable) *commonRelation { return r.commonTable(q, table, s) })
	body := r.body(q.body, s)
	rows.body, rows.isSelect, rows.columns = body.rows, body.isSelect && !body.isDistinct, body.columns
	if len(q.order) > 0 {
		if only, ok := q.body.(*selectQuery); ok && only.from == nil {
			fail(q.order[0].x.offset(), "ORDER BY needs a FROM clause")
		}
		rows.order = r.queryOrder(q.order, body)
	}
	if q.limit != nil {
		rows.limit = r.count(q.limit, "LIMIT", s)
	}
	if q.skip != nil {
		rows.skip = r.count(q.skip, "OFFSET", s)
	}
	rel := &relation{body.columns, rows, body.sides}
	r.notes.query(q, rel)
	return rel
}

// rows resolves a query whose result is a table: the fields of SELECT AS STRUCT are its columns.
func (r *resolver) rows(q *query, outer *scope) *relation {
	withoutStruct(q)
	return r.query(q, outer)
}

func withoutStruct(body queryBody) {
	switch body := body.(type) {
	case *query:
		withoutStruct(body.body)
	case *setQuery:
		withoutStruct(body.left)
		withoutStruct(body.right)
	case *selectQuery:
		body.asStruct, body.isTable = false, true
	}
}

// count resolves the number of a LIMIT or an OFFSET.
func (r *resolver) count(x expression, what string, s *scope) value {
	switch x.(type) {
	case *literal, *param, *castExpr:
		v := r.expression(x, &scope{outer: &scope{tables: s.tables}})
		if v.constant != nil && v.constant.kind == nullKind || isNullCast(x) {
			fail(x.offset(), "%s cannot be NULL; leave it out, or write a number", what)
		}
		number := coerce(v, scalar(int64Kind))
		if number.constant != nil {
			if strings.HasPrefix(number.constant.text, "-") {
				fail(x.offset(), "%s must not be negative", what)
			}
		}
		number.at = x.offset()
		return number
	}
	fail(x.offset(), "%s needs a number or a parameter", what)
	return value{}
}

// isNullCast reports whether an expression is a cast of NULL.
func isNullCast(x expression) bool {
	cast, ok := x.(*castExpr)
	if !ok {
		return false
	}
	constant, ok := cast.x.(*literal)
	return ok && constant.kind == nullKind || isNullCast(cast.x)
}

func (r *resolver) commonTable(q *query, table commonTable, s *scope) *commonRelation {
	if slices.ContainsFunc(s.tables, func(other *commonRelation) bool { return equalFold(other.name, table.name.text) }) {
		hint := ifElse(slices.ContainsFunc(r.env.sandboxed, func(name string) bool { return equalFold(name, table.name.text) }), "; a table has this name here, so give yours another one", "")
		fail(table.name.place, "WITH has two queries named %s%s", table.name.text, hint)
	}
	entry := &commonRelation{name: table.name.text, at: table.query.offset()}
	if set, ok := table.query.body.(*setQuery); q.recursive && ok && len(table.query.common) == 0 {
		left := r.body(set.left, s)
		entry.relation = &relation{columns: left.columns}
		s.tables = append(s.tables, entry)
		body := r.setOperation(set, left, r.body(set.right, s))
		entry.relation = body.relation
	} else {
		entry.relation = r.rows(table.query, s)
		s.tables = append(s.tables, entry)
	}
	return entry
}

func (r *resolver) body(body queryBody, s *scope) *resolved {
	switch body := body.(type) {
	case *selectQuery:
		return r.selectQuery(body, s)
	case *setQuery:
		return r.setOperation(body, r.body(body.left, s), r.body(body.right, s))
	case *query:
		relation := r.query(body, s)
		relation.rows = &bracketRows{relation.rows.(*queryRows)} //nolint:forcetypeassert // A query has such rows.
		return &resolved{relation: relation, scope: &scope{outer: s, aliases: relation.columns}}
	}
	panic("no query")
}

func (r *resolver) setOperation(set *setQuery, left, right *resolved) *resolved {
	if set.byName != nil {
		left, right = r.byName(set, left, right)
	}
	if len(left.columns) != len(right.columns) {
		fail(set.place, "the queries of %s have %d and %d columns", set.op, len(left.columns), len(right.columns))
	}
	columns := make([]column, len(left.columns))
	for i := range columns {
		a, b := &left.columns[i].value, &right.columns[i].value
		typ := withDecimals(supertype(a.typ, b.typ), *a, *b)
		if typ == nil {
			fail(b.at, "column %d has type %s here and %s in the query before; %s", i+1, b.typ, a.typ, howToConvert(*a, *b))
		}
		*a, *b = inType(*a, typ), inType(*b, typ)
		columns[i] = column{left.columns[i].name, *a}
	}
	op := set.op + ifElse(set.all, " ALL", "")
	rows := &setRows{op, left.rows, right.rows}
	return &resolved{relation: &relation{columns, rows, []*relation{left.relation, right.relation}}, scope: &scope{aliases: columns}}
}

// alike returns a value of metadata in a form that all values of its shape have: the scalar, or JSON.
func alike(v value, s *shape) value {
	switch {
	case v.typ.kind == nullKind:
		return newDynamic(&dynamic{shape: s, base: v.node, layout: scalarLayout}, v.at)
	case v.isEmptyArray:
		return jsonColumn(s, &constant{jsonKind, "[]"}, v.at)
	}
	return newDynamic(&dynamic{shape: s, base: &conversion{v, v.typ}, layout: commonLayout}, v.at)
}

func (r *resolver) selectQuery(q *selectQuery, outer *scope) *resolved {
	s := &scope{outer: outer}
	var from source
	if q.from == nil {
		withoutFrom(q)
	} else {
		from, s.variables = q.from.from(r, outer)
	}
	r.selects++
	defer func() { r.selects-- }()
	rel := &relation{}
	rows := &selectRows{isDistinct: q.distinct, of: rel, from: from}
	rel.rows = rows
	if q.where != nil {
		rows.where = r.where(q.where, s)
		r.guard.prove(r, q.where, s, from)
	}
	if q.group != nil && q.group.hasSets() {
		s.keys = &groupKeys{}
	}
	s.body = q
	rows.windows = each(q.windows, func(_ int, w namedWindow) declaredWindow {
		window := r.window(w.window, s)
		window.isDeclared = true
		return declaredWindow{w.name.text, window}
	})
	for _, item := range q.items {
		rows.isStar = rows.isStar || item.star
		rel.columns = append(rel.columns, r.selectItem(item, s, len(rel.columns))...)
	}
	named := &scope{outer: outer, variables: s.variables, aliases: rel.columns, keys: s.keys, body: q}
	columns := rel.columns // which GROUP BY names, also those that become fields
	if q.asValue && len(columns) != 1 {
		fail(q.place, "SELECT AS VALUE has one value, not %d columns", len(columns))
	}
	if q.asValue && q.isTable && columns[0].value.typ.is(structKind) {
		rel.columns = fieldsOf(columns[0].value, q.place)
		columns = rel.columns
	}
	if q.asStruct {
		row := (&variable{columns: rel.columns}).value(q.place)
		rel.columns = []column{{"", row}}
	}
	if q.group != nil {
		rows.group = r.group(q.group, s, columns, from)
		r.keys[q] = rows.group
	}
	if q.having != nil {
		rows.having = coerce(r.expression(q.having, named), scalar(boolKind))
		if rows.having.isWindow {
			fail(q.having.offset(), "HAVING cannot hold a window function; use QUALIFY")
		}
	}
	if q.qualify != nil {
		rows.qualify = coerce(r.expression(q.qualify, named), scalar(boolKind))
		if !rows.qualify.isWindow && !slices.ContainsFunc(columns, func(c column) bool { return c.value.isWindow }) {
			fail(q.qualify.offset(), "QUALIFY needs a window function, here or in a column; use WHERE or HAVING")
		}
	}
	r.notes.selected(q, rel)
	return &resolved{relation: rel, scope: named, isSelect: true, isDistinct: q.distinct}
}

// withoutFrom fails if a query without FROM has a clause that needs rows.
func withoutFrom(q *selectQuery) {
	for _, clause := range []struct {
		name string
		x    expression
	}{{"WHERE", q.where}, {"HAVING", q.having}, {"QUALIFY", q.qualify}} {
		if clause.x != nil {
			fail(clause.x.offset(), "%s needs a FROM clause", clause.name)
		}
	}
	if q.group != nil {
		fail(q.group.place, "GROUP BY needs a FROM clause")
	}
	if q.distinct {
		fail(q.place, "SELECT DISTINCT needs a FROM clause")
	}
}

// where resolves a WHERE clause. Of its conjuncts, each has the place at which it is written.
func (r *resolver) where(x expression, s *scope) value {
	if both, ok := x.(*binaryExpr); ok && both.op == "AND" {
		left, right := r.where(both.left, s), r.where(both.right, s)
		and := &call{function: operator("AND"), at: x.offset(), args: []value{left, right}, typ: scalar(boolKind), isConjunction: true}
		return newValue(and.typ, x.offset(), and, left, right)
	}
	condition := coerce(r.expression(x, s), scalar(boolKind))
	if condition.isAggregate {
		fail(x.offset(), "WHERE cannot hold an aggregate; use HAVING")
	}
	if condition.isWindow {
		fail(x.offset(), "WHERE cannot hold a window function; use QUALIFY")
	}
	condition.at = x.offset()
	return condition
}

// selectItem returns the columns of an item: one, or all that a star stands for.
func (r *resolver) selectItem(item selectItem, s *scope, before int) []column {
	if !item.star {
		name := item.alias
		if name == "" {
			name = impliedName(item.x)
		}
		v := r.boundedColumn(item.x, r.expression(item.x, s))
		v.at = item.x.offset()
		return []column{{or(name, unnamed(before)), v}}
	}
	columns := r.star(item, s)
	for _, c := range columns {
		if c.value.quantiles != nil {
			c.value.quantiles.reads++
		}
	}
	if len(columns) == 0 {
		fail(item.place, "SELECT * needs a FROM clause")
	}
	for _, n := range item.except {
		index := indexOf(columns, n.text)
		if index < 0 {
			fail(n.place, "* has no column %s to leave out", n.text)
		}
		columns = slices.Delete(columns, index, index+1)
	}
	if len(columns) == 0 && !item.mayBeNone {
		fail(item.place, "* has no column that EXCEPT does not leave out")
	}
	for i := range columns {
		columns[i].name = or(columns[i].name, unnamed(before+i))
	}
	for _, replaced := range item.replace {
		index := indexOf(columns, replaced.alias)
		if index < 0 {
			fail(replaced.place, "* has no column %s to replace", replaced.alias)
		}
		columns[index].value = r.expression(replaced.x, s)
	}
	for _, renamed := range item.renamed {
		index := indexOf(columns, renamed.from.text)
		if index < 0 {
			fail(renamed.from.place, "there is no column %s to rename", renamed.from.text)
		}
		columns[index].name = renamed.to.text
	}
	return columns
}

// unnamed returns the name of a column of a result that has none, as BigQuery gives it.
func unnamed(index int) string { return "f" + itoa(index) + "_" }

// star returns the columns that a star stands for.
func (r *resolver) star(item selectItem, s *scope) []column {
	if item.x != nil {
		if path, ok := item.x.(*pathExpr); ok && len(path.names) == 1 {
			if v := s.variable(path.names[0].text); v != nil {
				return starOf(v, item.place, true)
			}
		}
		return fieldsOf(r.expression(item.x, s), item.place)
	}
	var columns []column
	for _, v := range s.variables {
		columns = append(columns, starOf(v, item.place, false)...)
	}
	return columns
}

func starOf(v *variable, at place, qualified bool) []column {
	switch {
	case v.element == nil && qualified:
		return slices.Clone(v.columns)
	case v.element == nil:
		return slices.DeleteFunc(slices.Clone(v.columns), func(c column) bool { return v.isMerged(c.name) })
	case v.element.typ.is(structKind, dynamicKind):
		return slices.DeleteFunc(fieldsOf(*v.element, at), func(c column) bool { return !qualified && v.isMerged(c.name) })
	case !qualified && v.isMerged(v.name):
		return nil
	}
	return []column{{v.name, *v.element}}
}

// fieldsOf returns the fields of a struct as columns.
func fieldsOf(v value, at place) []column {
	if v.typ.kind == dynamicKind {
		fail(at, "the fields of metadata are not known, so * cannot stand for them; write the fields that you need")
	}
	if v.typ.kind != structKind {
		fail(at, "only a table or a struct has columns that * can stand for")
	}
	return each(v.typ.fields, func(i int, f field) column { return column{f.name, v.fieldAt(i, at)} })
}

// named returns the index of the column whose number or name an expression is; -1 if it is neither.
func named(x expression, columns []column, clause string) int {
	switch x := x.(type) {
	case *literal:
		if x.kind != int64Kind {
			break
		}
		number, err := strconv.Atoi(x.text)
		if err != nil || number < 1 || number > len(columns) {
			fail(x.place, "%s %s: the query has columns 1 to %d", clause, x.text, len(columns))
		}
		return number - 1
	case *pathExpr:
		if len(x.names) == 1 {
			return indexOf(columns, x.names[0].text)
		}
	}
	return -1
}

// indexOf returns the index of the first column of a name; -1 if there is none.
func indexOf(columns []column, name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return equalFold(c.name, name) })
}

// queryOrder resolves the ORDER BY of a query: columns of its result, or expressions of its tables.
func (r *resolver) queryOrder(items []orderItem, body *resolved) []orderKey {
	return each(items, func(_ int, item orderItem) orderKey {
		index := named(item.x, body.columns, "ORDER BY")
		switch {
		case index >= 0:
			c := body.columns[index]
			r.ordered(c.value, item.x.offset())
			return orderKey{orderItem: item, value: c.value, column: index + 1}
		case !body.isSelect || body.isDistinct:
			fail(item.x.offset(), "this query can be ordered by its columns only, by name or number")
		}
		notLiteral(item.x, "ORDER BY")
		return r.orderItem(item, body.scope)
	})
}

// notLiteral fails for a literal, as BigQuery does.
func notLiteral(x expression, clause string) {
	if constant, ok := x.(*literal); ok {
		fail(constant.place, "%s takes no constant here; write an expression of columns", clause)
	}
}

func (r *resolver) orderItem(item orderItem, s *scope) orderKey {
	v := r.expression(item.x, s)
	r.ordered(v, item.x.offset())
	return orderKey{orderItem: item, value: v}
}

// ordered fails if values have no order. Values of metadata have one if something determines their type.
func (r *resolver) ordered(v value, at place) {
	if v.typ.kind == dynamicKind {
		r.undecided = append(r.undecided, undecided{v.typ.shape, at})
	}
	if v.typ.is(arrayKind, structKind, jsonKind) {
		fail(at, "values of type %s have no order", v.typ)
	}
}

// boundedColumn returns an aggregate or a subquery that a caller selects as one with a limit: the next query could multiply it.
func (r *resolver) boundedColumn(x expression, v value) value {
	if !v.isOpaque && !v.mayBeOpaque || v.quantiles != nil || !v.typ.isMade() || !r.env.isCallers(x.offset()) {
		return v
	}
	return newValue(v.typ, x.offset(), &bounded{x.offset(), v}, v)
}
