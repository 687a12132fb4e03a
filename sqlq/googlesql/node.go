package googlesql

import "slices"

// node is a part of a resolved query: of an expression, or of what its rows are made of. It says what is meant, and
// nothing of how an engine writes that: each [target] does.
type node interface {
	fragment
	// parts calls visit with the nodes that it is made of.
	parts(visit func(node))
}

// written is text of a target that stands for a node. Only printers make it.
type written struct{ fragment }

func (written) parts(func(node)) {}

// The nodes of expressions, besides [call] and [dynamic].
type (
	// reference is a column of a table or a subquery, or the element or the offset of an unnested array.
	reference struct {
		owner source
		name  string
	}
	// constant is a constant of a type. Its text is in the one form that its type has: a time is in UTC, for one.
	constant struct {
		kind kind
		text string
	}
	// parameter has a declared type, or that of its uses if shape is not nil.
	parameter struct {
		name  string
		typ   *dataType
		shape *shape
	}
	// conversion is a value in a type that it converts to without a cast.
	conversion struct {
		of value
		to *dataType
	}
	// cast is CAST or SAFE_CAST.
	cast struct {
		at   place
		of   value
		to   *dataType
		safe bool
		// format is nil without FORMAT. zone is the zone of AT TIME ZONE; it has no node without one.
		format *literal
		zone   value
	}
	// caseOf is a CASE without an operand. With one result more than conditions, the last belongs to ELSE.
	caseOf struct{ conditions, results []value }
	// member is a field of a struct, by its index, or a member of JSON, by its name.
	member struct {
		of    value
		index int
		name  string
	}
	// element is an element of an array, or of JSON.
	element struct {
		of, index value
		// kind is as in [indexExpr].
		kind string
	}
	// arrayOfValues has the elements of an array of a type.
	arrayOfValues struct {
		at     place
		typ    *dataType
		values []value
	}
	// structOfValues has the fields of a struct.
	structOfValues struct {
		at     place
		fields []field
		values []value
		// isRow means that it is a row of a table, which takes no memory that the row has not.
		isRow bool
	}
	// elementsOf is an array of metadata, or NULL, as an array.
	elementsOf struct{ of value }
	// subquery is a query in an expression.
	subquery struct {
		at    place
		kind  subqueryKind
		query *relation
		// of is what is looked for in the rows, with IN.
		of value
	}
	// groupKey is an expression that GROUP BY or GROUPING names as a key, in a query with several sets of them.
	groupKey struct {
		of   node
		keys *groupKeys
	}
	// bounded is an aggregate or a subquery that a SELECT of a caller has as a column.
	bounded struct {
		at place
		of value
	}
	// quantile is one of the boundaries that APPROX_QUANTILES returns.
	quantile struct {
		array value
		index int
	}
)

type subqueryKind int

const (
	scalarSubquery subqueryKind = iota
	existsSubquery
	inSubquery
	arraySubquery
)

// orderKey is an expression of ORDER BY.
type orderKey struct {
	orderItem
	value value
	// column is the number of the column that ORDER BY of a query names; zero for an expression.
	column int
}

// orderKeys is the ORDER BY of an aggregate. isDistinct means that it has DISTINCT.
type orderKeys struct {
	keys       []orderKey
	isDistinct bool
}

// over is what is behind OVER, or what a WINDOW clause names.
type over struct {
	base      string
	partition []value
	order     []orderKey
	frame     *frame
	// start and end are the distances of the frame, if it has any.
	start, end value
	// isDeclared means that it is declared in a WINDOW clause.
	isDeclared bool
}

func (n *reference) parts(func(node))        {}
func (n *constant) parts(func(node))         {}
func (n *parameter) parts(func(node))        {}
func (n *conversion) parts(v func(node))     { visitValues(v, n.of) }
func (n *cast) parts(v func(node))           { visitValues(v, n.of, n.zone) }
func (n *caseOf) parts(v func(node))         { visitValues(v, n.conditions...); visitValues(v, n.results...) }
func (n *member) parts(v func(node))         { visitValues(v, n.of) }
func (n *element) parts(v func(node))        { visitValues(v, n.of, n.index) }
func (n *arrayOfValues) parts(v func(node))  { visitValues(v, n.values...) }
func (n *structOfValues) parts(v func(node)) { visitValues(v, n.values...) }
func (n *elementsOf) parts(v func(node))     { visitValues(v, n.of) }
func (n *subquery) parts(v func(node))       { visitValues(v, n.of); v(n.query.rows) }
func (n *groupKey) parts(v func(node))       { v(n.of) }
func (n *bounded) parts(v func(node))        { visitValues(v, n.of) }
func (n *quantile) parts(v func(node))       { visitValues(v, n.array) }
func (n *orderKeys) parts(v func(node))      { visitOrder(v, n.keys) }
func (n *over) parts(v func(node)) {
	visitValues(v, n.partition...)
	visitOrder(v, n.order)
	visitValues(v, n.start, n.end)
}

func (n *call) parts(v func(node)) {
	visitValues(v, n.args...)
	visitValues(v, n.zone, n.where, n.other, n.limit)
	if n.order != nil {
		v(n.order)
	}
	if n.over != nil {
		v(n.over)
	}
}

func (d *dynamic) parts(v func(node)) {
	visitValues(v, d.index)
	if d.parent != nil {
		v(d.parent)
	}
	if d.base != nil {
		v(d.base)
	}
}

func visitValues(visit func(node), values ...value) {
	for _, v := range values {
		if v.node != nil {
			visit(v.node)
		}
	}
}

func visitOrder(visit func(node), keys []orderKey) {
	for _, key := range keys {
		visitValues(visit, key.value)
	}
}

// The nodes of relations, besides the sources of a FROM clause.
type (
	// queryRows is a query with its WITH, ORDER BY, LIMIT and OFFSET.
	queryRows struct {
		isRecursive bool
		common      []*commonRelation
		body        node
		order       []orderKey
		// limit and skip have no node without LIMIT and OFFSET.
		limit, skip value
		// isSelect means that ORDER BY can hold expressions of the tables.
		isSelect bool
		columns  []column
	}
	// selectRows is a SELECT. Values without a node are clauses that it does not have.
	selectRows struct {
		isDistinct bool
		// of has the columns, which declared columns can still convert.
		of      *relation
		from    source // nil if there is none
		where   value
		group   *grouping
		having  value
		windows []declaredWindow
		qualify value
		// isStar means that a star stands for its columns.
		isStar bool
	}
	declaredWindow struct {
		name string
		over *over
	}
	// setRows are UNION, INTERSECT or EXCEPT, with ALL or DISTINCT.
	setRows struct {
		op          string
		left, right node
	}
	// bracketRows is a query in brackets.
	bracketRows struct{ query *queryRows }
	// grouping is GROUP BY: keys and sets of keys in their order. Without keys, all rows are one group.
	grouping struct{ sets []keySet }
	// keySet is one key, or a ROLLUP, a CUBE or GROUPING SETS of lists.
	keySet struct {
		kind  string // empty for one key
		lists [][]*key
		sets  []keySet // in GROUPING SETS
	}
	// key is a key of GROUP BY, and where it is written.
	key struct {
		at    place
		value value
		// column is set if the key is a column of the SELECT, which can still be converted.
		column *column
	}
)

func (n *queryRows) parts(v func(node)) {
	for _, common := range n.common {
		if common.relation.rows != nil {
			v(common.relation.rows)
		}
	}
	v(n.body)
	visitOrder(v, n.order)
	visitValues(v, n.limit, n.skip)
}

func (n *selectRows) parts(v func(node)) {
	for _, c := range n.of.columns {
		visitValues(v, c.value)
	}
	if n.from != nil {
		v(n.from)
	}
	visitValues(v, n.where, n.having, n.qualify)
	if n.group != nil {
		n.group.each(func(k *key) { visitValues(v, k.current()) })
	}
	for _, window := range n.windows {
		v(window.over)
	}
}

func (n *setRows) parts(v func(node))     { v(n.left); v(n.right) }
func (n *bracketRows) parts(v func(node)) { v(n.query) }

// each calls visit with all keys.
func (g *grouping) each(visit func(*key)) {
	var all func(sets []keySet)
	all = func(sets []keySet) {
		for _, set := range sets {
			for _, list := range set.lists {
				for _, k := range list {
					visit(k)
				}
			}
			all(set.sets)
		}
	}
	all(g.sets)
}

// current is the key as it is now.
func (k *key) current() value {
	if k.column != nil {
		return k.column.value
	}
	return k.value
}

// source is what a FROM clause reads: a table, a subquery, an array or a join.
type source interface {
	node
	// owners are what its columns are references to.
	owners() []source
}

type (
	// tableSource is a table under an alias that nothing else in the text has.
	tableSource struct {
		table Table
		alias string
		at    place
		// read is nil without a guard.
		read *tableRead
	}
	// commonSource is a query of a WITH clause under an alias.
	commonSource struct {
		name, alias string
		at          place
	}
	// querySource is a subquery under an alias.
	querySource struct {
		query *relation
		alias string
	}
	// arraySource has a row for each element of an array.
	arraySource struct {
		array value
		alias string
		// element and offset are the names of its columns. Without WITH OFFSET, offset is empty.
		element, offset string
	}
	// joinSource joins two sources.
	joinSource struct {
		kind        string // CROSS, INNER, LEFT, RIGHT or FULL
		left, right source
		// condition has no node if all pairs of rows are joined.
		condition value
		// isLateral means that the right side is an array of the rows of the left one.
		isLateral bool
		// columns are what the left side of a lateral join can be read by.
		columns []*variable
	}
)

func (*tableSource) parts(func(node))     {}
func (*commonSource) parts(func(node))    {}
func (n *querySource) parts(v func(node)) { v(n.query.rows) }
func (n *arraySource) parts(v func(node)) { visitValues(v, n.array) }
func (n *joinSource) parts(v func(node)) {
	v(n.left)
	v(n.right)
	visitValues(v, n.condition)
}

func (n *tableSource) owners() []source  { return []source{n} }
func (n *commonSource) owners() []source { return []source{n} }
func (n *querySource) owners() []source  { return []source{n} }
func (n *arraySource) owners() []source  { return []source{n} }
func (n *joinSource) owners() []source   { return append(n.left.owners(), n.right.owners()...) }

func (n *reference) print(p *printer)      { p.writeNode(n) }
func (n *constant) print(p *printer)       { p.writeNode(n) }
func (n *parameter) print(p *printer)      { p.writeNode(n) }
func (n *call) print(p *printer)           { p.writeNode(n) }
func (d *dynamic) print(p *printer)        { p.writeNode(d) }
func (n *conversion) print(p *printer)     { p.writeNode(n) }
func (n *cast) print(p *printer)           { p.writeNode(n) }
func (n *caseOf) print(p *printer)         { p.writeNode(n) }
func (n *member) print(p *printer)         { p.writeNode(n) }
func (n *element) print(p *printer)        { p.writeNode(n) }
func (n *arrayOfValues) print(p *printer)  { p.writeNode(n) }
func (n *structOfValues) print(p *printer) { p.writeNode(n) }
func (n *elementsOf) print(p *printer)     { p.writeNode(n) }
func (n *subquery) print(p *printer)       { p.writeNode(n) }
func (n *groupKey) print(p *printer)       { p.writeNode(n) }
func (n *bounded) print(p *printer)        { p.writeNode(n) }
func (n *quantile) print(p *printer)       { p.writeNode(n) }
func (n *orderKeys) print(p *printer)      { p.writeNode(n) }
func (n *over) print(p *printer)           { p.writeNode(n) }
func (n *queryRows) print(p *printer)      { p.writeNode(n) }
func (n *selectRows) print(p *printer)     { p.writeNode(n) }
func (n *setRows) print(p *printer)        { p.writeNode(n) }
func (n *bracketRows) print(p *printer)    { p.writeNode(n) }
func (n *tableSource) print(p *printer)    { p.writeNode(n) }
func (n *commonSource) print(p *printer)   { p.writeNode(n) }
func (n *querySource) print(p *printer)    { p.writeNode(n) }
func (n *arraySource) print(p *printer)    { p.writeNode(n) }
func (n *joinSource) print(p *printer)     { p.writeNode(n) }

// mostRepeated is how many nodes are looked at before those that are in several places are looked at once.
const mostRepeated = 1 << 10

// walk calls visit with a node and all that it is made of, without the parts of those for which visit returns false. A text can
// have a node in so many places that a walk to all of them would not end.
func walk(of node, visit func(node) bool) {
	visited, seen := 0, map[node]bool(nil)
	var step func(n node)
	step = func(n node) {
		if _, isText := n.(written); isText {
			return
		}
		if visited++; visited > mostRepeated {
			if seen == nil {
				seen = make(map[node]bool)
			}
			if seen[n] {
				return
			}
			seen[n] = true
		}
		if visit(n) {
			n.parts(step)
		}
	}
	if of != nil {
		step(of)
	}
}

// references calls visit with the columns that a node reads, until it returns false. The elements of an array that is read within
// the node alone are none.
func references(of node, visit func(*reference) bool) {
	proceed, lists := true, []source(nil)
	walk(of, func(n node) bool {
		switch n := n.(type) {
		case *reference:
			proceed = proceed && (slices.Contains(lists, n.owner) || visit(n))
		case *subquery:
			if _, array := n.onArray(); array != nil {
				lists = append(lists, array)
			}
		}
		return proceed
	})
}

// reads reports whether a node reads a column for which is reports true.
func reads(of node, is func(*reference) bool) bool {
	found := false
	references(of, func(r *reference) bool {
		found = is(r)
		return !found
	})
	return found
}

// onArray returns the parts of an EXISTS or ARRAY subquery that reads one array, row by row; nil of others.
func (n *subquery) onArray() (*selectRows, *arraySource) {
	q, ok := n.query.rows.(*queryRows)
	if !ok || n.kind != existsSubquery && n.kind != arraySubquery || len(q.common) > 0 || q.order != nil || q.limit.node != nil {
		return nil, nil
	}
	body, ok := q.body.(*selectRows)
	if !ok || body.isStar || body.group != nil || body.having.node != nil || body.qualify.node != nil {
		return nil, nil
	}
	array, ok := body.from.(*arraySource)
	if !ok || array.offset != "" || slices.ContainsFunc(body.of.columns, func(c column) bool { return c.value.isAggregate }) {
		return nil, nil
	}
	if row, ok := body.of.columns[0].value.node.(*structOfValues); ok && row.isRow {
		return nil, nil
	}
	return body, array
}
