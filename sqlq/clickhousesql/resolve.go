package clickhousesql

import (
	"slices"
	"strconv"
	"strings"
)

// resolver finds what the names of a text stand for.
type resolver struct {
	env *Environment
	ids map[string]int
	// unique, values and sources count.
	unique, values, sources, queries int
	params                           []Param
	// ctes are the common table expressions around what is resolved, with the innermost at the end.
	ctes []commonTable
	// logs are the reads of the table logs.
	logs []*logsSource
}

// commonTable is a common table expression, which is resolved where it is read.
type commonTable struct {
	name  string
	query *setQuery
	// before is how many common table expressions it sees.
	before int
}

const mostQueries = 60

// LogsTable is the name of the table of all logs.
const LogsTable = "logs"

// scope is what the names in a SELECT stand for.
type scope struct {
	rel     *selectRelation
	sources []source
	aliases map[string]*namedExpression
	windows map[string]*windowExpr
	// variables are the parameters of the enclosing lambdas.
	variables []*value
	// inAggregate is the name of the aggregate function around.
	inAggregate string
	// clause is where an aggregate cannot be.
	clause string
	// collected are the expressions whose names are found. BETWEEN and CASE have one twice.
	collected map[expression]bool
}

// namedExpression is an expression with a name in a SELECT.
type namedExpression struct {
	x         expression
	at        place
	value     *value
	resolving bool
}

// query resolves SELECTs with UNION between them.
func (r *resolver) query(q *setQuery) *relation {
	if r.queries++; r.queries > mostQueries {
		fail(q.place, "the SQL reads more than %d subqueries", mostQueries)
	}
	rel := &relation{distinct: slices.Contains(q.distinct, true)}
	for i, one := range q.selects {
		resolved, columns := r.selectQuery(one)
		rel.selects = append(rel.selects, resolved)
		if i == 0 {
			rel.columns = columns
			continue
		}
		if len(columns) != len(rel.columns) {
			fail(one.place, "this SELECT has %d columns, and the first of the UNION has %d", len(columns), len(rel.columns))
		}
		for j := range columns {
			typ := common(rel.columns[j].typ, columns[j].typ)
			if typ == nil {
				fail(one.place, "the column %s is a %s here and a %s in the first SELECT of the UNION", columns[j].name, columns[j].typ, rel.columns[j].typ)
			}
			rel.columns[j].typ = typ
			rel.columns[j].attributes = rel.columns[j].attributes && columns[j].attributes
		}
	}
	return rel
}

// selectQuery resolves a SELECT.
func (r *resolver) selectQuery(q *selectQuery) (*selectRelation, []sourceColumn) {
	before := len(r.ctes)
	defer func() { r.ctes = r.ctes[:before] }()
	rel := &selectRelation{place: q.place, distinct: q.distinct}
	s := &scope{rel: rel, aliases: make(map[string]*namedExpression), collected: make(map[expression]bool), windows: q.windows}
	for _, with := range q.with {
		if with.query != nil {
			r.ctes = append(r.ctes, commonTable{name: with.name.text, query: with.query, before: len(r.ctes)})
		} else {
			s.name(with.name.text, with.name.start, with.x)
		}
	}
	for _, one := range q.items {
		if one.alias.isName() {
			s.name(one.alias.text, one.alias.start, one.x)
		}
		s.collect(one.x)
	}
	for _, x := range slices.Concat([]expression{q.where, q.prewhere, q.having}, q.group) {
		s.collect(x)
	}
	if q.from != nil {
		rel.from = r.from(q.from, s)
	}
	r.arrayJoin(q, s)
	r.where(q, s)
	r.items(q, s)
	r.group(q, s)
	if q.having != nil {
		rel.having = r.condition(q.having, s, "")
	}
	r.order(q, s)
	r.limits(q, s)
	r.checkWindows(rel)
	r.checkGrouped(rel, q)
	columns := make([]sourceColumn, len(rel.items))
	for i, v := range rel.items {
		columns[i] = sourceColumn{name: rel.names[i], typ: v.typ, attributes: v.attributes}
	}
	return rel, columns
}

// name notes that an expression has a name.
func (s *scope) name(name string, at place, x expression) {
	if before, found := s.aliases[name]; found && before.x != x {
		if same(before.x, x) {
			return
		}
		fail(at, "the name %s stands for two expressions", name)
	}
	s.aliases[name] = &namedExpression{x: x, at: at}
}

// collect finds the names within an expression.
func (s *scope) collect(x expression) {
	if x == nil || s.collected[x] {
		return
	}
	s.collected[x] = true
	switch x := x.(type) {
	case *aliased:
		s.name(x.name, x.place, x.x)
		s.collect(x.x)
	case *callExpr:
		for _, arg := range x.args {
			s.collect(arg)
		}
		if x.over != nil {
			for _, one := range x.over.partition {
				s.collect(one)
			}
			for _, one := range x.over.order {
				s.collect(one.x)
			}
		}
	case *cast:
		s.collect(x.x)
	case *inExpr:
		s.collect(x.x)
	}
}

// same reports whether two expressions are the same name or literal.
func same(a, b expression) bool {
	switch a := a.(type) {
	case *identifier:
		b, ok := b.(*identifier)
		return ok && slices.Equal(a.parts, b.parts)
	case *constant:
		b, ok := b.(*constant)
		return ok && a.kind == b.kind && a.text == b.text
	}
	return false
}

// where resolves WHERE and PREWHERE, which may read the elements of arrays.
func (r *resolver) where(q *selectQuery, s *scope) {
	for _, x := range []expression{q.prewhere, q.where} {
		if x == nil {
			continue
		}
		condition := r.condition(x, s, "WHERE")
		if s.rel.where != nil {
			condition = r.newCall(condition.place, row("and"), flagType().orNull(condition.typ.nullable || s.rel.where.typ.nullable), s.rel.where, condition)
		}
		s.rel.where = condition
	}
}

// condition resolves a condition. clause is where an aggregate cannot be.
func (r *resolver) condition(x expression, s *scope, clause string) *value {
	before := s.clause
	s.clause = clause
	v := r.value(x, s)
	s.clause = before
	if !v.typ.isNumber() && !v.isNull() {
		fail(x.offset(), "a condition is a number or a Bool, and this is a %s; compare it with something", v.typ)
	}
	if clause != "" && firstWindow(v) != nil { // by its alias
		fail(x.offset(), "a window function cannot be in %s; compute it in a subquery", clause)
	}
	if clause != "" && v.hasAggregate {
		at := v.place
		if found := firstAggregate(v); found != nil {
			at = found.place
		}
		fail(at, "an aggregate function cannot be in %s; an alias of the SELECT hides the column of the same name there, so use another alias, or HAVING", clause)
	}
	return v
}

// firstAggregate finds an aggregate in a value.
func firstAggregate(v *value) *value {
	return firstOf(v, func(v *value) bool { return v.kind == callValue && v.function.aggregate }, make(map[int]bool))
}

// items resolves the list of the SELECT.
func (r *resolver) items(q *selectQuery, s *scope) {
	for _, one := range q.items {
		if all, ok := one.x.(*star); ok {
			r.star(all, s)
			continue
		}
		if one.alias.isName() {
			s.add(one.alias.text, one.alias.start, r.named(one.alias.text, s))
			continue
		}
		name := nameOf(one.x)
		s.add(name, one.x.offset(), r.value(one.x, s))
	}
	if len(s.rel.items) == 0 {
		fail(q.place, "the SELECT has no columns")
	}
}

func (s *scope) add(name string, at place, v *value) {
	if v.typ.is(lambdaKind, intervalKind) {
		fail(at, "%s cannot be a column", v.typ)
	}
	if i := slices.Index(s.rel.names, name); i >= 0 {
		if s.rel.items[i].id == v.id { // the same column again
			return
		}
		fail(at, "the result has two columns named %s; give one another alias", name)
	}
	s.rel.names, s.rel.items = append(s.rel.names, name), append(s.rel.items, v)
}

// star adds the columns of the sources.
func (r *resolver) star(all *star, s *scope) {
	if len(s.sources) == 0 {
		fail(all.place, "* needs a FROM")
	}
	found := all.of == ""
	except := make(map[string]bool)
	for _, name := range all.except {
		except[name.text] = true
	}
	for _, from := range s.sources {
		if all.of != "" && !slices.Contains(from.names(), all.of) {
			continue
		}
		found = true
		for _, column := range from.columns() {
			if except[column.name] {
				continue
			}
			if i := slices.Index(s.rel.names, column.name); i >= 0 {
				continue // as the first one
			}
			s.add(column.name, all.place, r.column(all.place, from, column))
		}
	}
	if !found {
		fail(all.place, "there is no table %s here", all.of)
	}
}

// column is a column of a source.
func (r *resolver) column(at place, from source, column sourceColumn) *value {
	switch from := from.(type) {
	case *logsSource:
		from.used[column.name] = true
	case *querySource:
		from.used[column.name] = true
	}
	return r.intern(&value{place: at, kind: columnValue, typ: column.typ, text: column.name, from: from, attributes: column.attributes})
}

// group resolves the keys of GROUP BY, and finds the aggregates.
func (r *resolver) group(q *selectQuery, s *scope) {
	rel := s.rel
	for _, x := range q.group {
		key := r.positional(x, s, "GROUP BY")
		if key.hasAggregate {
			fail(x.offset(), "an aggregate function cannot be in GROUP BY")
		}
		if key.isConstant {
			continue
		}
		if key.kind == callValue && key.function.name == "tuple" {
			rel.keys = append(rel.keys, key.args...)
		}
		rel.keys = append(rel.keys, key)
	}
	rel.grouped = q.group != nil || q.groupAll
	if q.groupAll {
		for _, v := range rel.items {
			if !v.hasAggregate && !v.isConstant {
				rel.keys = append(rel.keys, v)
			}
		}
	}
	if slices.ContainsFunc(rel.items, func(v *value) bool { return v.hasAggregate }) {
		rel.grouped = true
	}
}

// positional resolves an expression of GROUP BY or ORDER BY, in which a number is the place of a column.
func (r *resolver) positional(x expression, s *scope, clause string) *value {
	if number, ok := x.(*constant); ok && number.kind == numberToken {
		n, err := strconv.Atoi(number.text)
		if err != nil || n < 1 || n > len(s.rel.items) {
			fail(number.place, "%s is no place of a column; the SELECT has %d", number.text, len(s.rel.items))
		}
		return s.rel.items[n-1]
	}
	before := s.clause
	if clause == "GROUP BY" {
		s.clause = clause
	}
	defer func() { s.clause = before }()
	return r.value(x, s)
}

func (r *resolver) order(q *selectQuery, s *scope) {
	for _, one := range q.order {
		if name, ok := one.x.(*identifier); ok && len(name.parts) == 1 && strings.EqualFold(name.parts[0], "ALL") && s.aliases[name.parts[0]] == nil {
			for _, v := range s.rel.items {
				s.rel.order = append(s.rel.order, orderValue{v, one.descending, one.nullsFirst})
			}
			continue
		}
		v := r.positional(one.x, s, "ORDER BY")
		if v.isConstant {
			continue
		}
		if v.typ.kind == mapKind {
			fail(one.place, "a map has no order; order by a value of it")
		}
		if v.hasAggregate {
			s.rel.grouped = true
		}
		s.rel.order = append(s.rel.order, orderValue{v, one.descending, one.nullsFirst})
	}
	if !q.distinct {
		return
	}
	for _, one := range s.rel.order {
		if !slices.ContainsFunc(s.rel.items, func(v *value) bool { return v.id == one.id }) {
			fail(one.place, "with DISTINCT, ORDER BY takes columns of the SELECT only")
		}
	}
}

func (r *resolver) limits(q *selectQuery, s *scope) {
	if q.limitBy != nil {
		for _, x := range q.limitBy.by {
			s.rel.limitBy = append(s.rel.limitBy, r.positional(x, s, "LIMIT BY"))
		}
		s.rel.byLimit = [2]*value{r.count(q.limitBy.limit, s), r.count(q.limitBy.offset, s)}
	}
	s.rel.limit, s.rel.offset = r.count(q.limit, s), r.count(q.offset, s)
}

// count resolves a number of rows; nil stays nil.
func (r *resolver) count(x expression, s *scope) *value {
	if x == nil {
		return nil
	}
	v := r.value(x, s)
	if !v.isConstant || v.typ.kind != intKind || v.kind == constantValue && strings.HasPrefix(v.text, "-") {
		fail(x.offset(), "a number of rows is a whole number or a parameter")
	}
	return v
}

// checkGrouped fails for columns that are neither keys nor in aggregates.
func (r *resolver) checkGrouped(rel *selectRelation, q *selectQuery) {
	if q.having != nil && !rel.grouped {
		if !rel.having.hasAggregate {
			if rel.where != nil { // without groups, HAVING is another WHERE
				rel.having = r.newCall(rel.having.place, row("and"), flagType().orNull(rel.having.typ.nullable || rel.where.typ.nullable), rel.where, rel.having)
			}
			rel.where, rel.having = rel.having, nil
			return
		}
		rel.grouped = true
	}
	if !rel.grouped {
		return
	}
	keys := make(map[int]bool)
	for _, key := range rel.keys {
		keys[key.id] = true
	}
	seen := make(map[int]bool)
	var check func(v *value)
	check = func(v *value) {
		switch {
		case keys[v.id] || seen[v.id]:
			return
		case v.kind == columnValue:
			fail(v.place, "%s is neither in GROUP BY nor in an aggregate function; add it to GROUP BY, or write any(%[1]s)", v.text)
		case v.kind == callValue && v.function.aggregate:
			rel.calls = append(rel.calls, v)
			seen[v.id] = true
			return
		}
		seen[v.id] = true
		for _, arg := range v.args {
			check(arg)
		}
	}
	for _, v := range rel.items {
		check(v)
	}
	for _, one := range rel.order {
		check(one.value)
	}
	for _, v := range rel.limitBy {
		check(v)
	}
	if rel.having != nil {
		check(rel.having)
	}
}
