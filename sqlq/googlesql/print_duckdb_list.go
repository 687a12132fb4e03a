package googlesql

// subquery returns a query in an expression. One that reads an array only can be a function on a list, which needs no join.
func (p *printer) subquery(n *subquery) fragment {
	switch n.kind {
	case existsSubquery:
		if body, array := p.onList(n); array != nil {
			return text("(len(", filteredList(body, array), ") > 0)")
		}
		return text("EXISTS (\n", n.query.rows, "\n)")
	case arraySubquery:
		body, array := p.onList(n)
		if array == nil {
			return text("ARRAY(\n", n.query.rows, "\n)")
		}
		sql := text("list_transform(", filteredList(body, array), ", lambda ", quoteName(array.alias), ": ", lambdaBody{array, body.of.columns[0].value.node}, ")")
		if body.isDistinct { // list_distinct leaves out NULL
			all := writtenValue(arrayOf(body.of.columns[0].value.typ), n.at, sql)
			return p.hoisted([]value{all}, func(args []value) fragment {
				return template("list_concat(list_distinct({0}), list_filter({0}, lambda e: e IS NULL)[1:1])", args...)
			})
		}
		return sql
	case inSubquery:
		return text("(", n.of, " IN (\n", n.query.rows, "\n))")
	case scalarSubquery:
	}
	return text("(\n", n.query.rows, "\n)")
}

// lambdaBody is an expression of the element of an array in a lambda.
type lambdaBody struct {
	array *arraySource
	node
}

func (b lambdaBody) print(p *printer) {
	p.lambdas = append(p.lambdas, b.array)
	b.node.print(p)
	p.lambdas = p.lambdas[:len(p.lambdas)-1]
}

// filteredList returns the elements of an array for which the WHERE clause is true.
func filteredList(body *selectRows, array *arraySource) fragment {
	all := text("coalesce(", array.array, ", [])")
	if body.where.node == nil {
		return all
	}
	return text("list_filter(", all, ", lambda ", quoteName(array.alias), ": ", lambdaBody{array, body.where.node}, ")")
}

// listPlace is a subquery where it is printed.
type listPlace struct {
	query   *subquery
	frame   *duckdbFrame
	selects int
}

// onList returns the parts of a query that is a function on a list; nil if it is none.
func (p *printer) onList(n *subquery) (*selectRows, *arraySource) {
	at := listPlace{query: n, selects: p.selects}
	if len(p.frames) > 0 {
		at.frame = p.frames[len(p.frames)-1]
	}
	body, array := n.onArray()
	isList, isKnown := p.lists[at]
	if !isKnown {
		isList = array != nil && p.takesList(n, body, array)
		if p.lists == nil {
			p.lists = make(map[listPlace]bool)
		}
		p.lists[at] = isList
	}
	if !isList {
		return nil, nil
	}
	return body, array
}

// takesList reports whether lambdas take what a query computes of the elements of an array.
func (p *printer) takesList(n *subquery, body *selectRows, array *arraySource) bool {
	p.lambdas = append(p.lambdas, array)
	defer func() { p.lambdas = p.lambdas[:len(p.lambdas)-1] }()
	takes := func(v value) bool { return !p.isOpaque(v) && !p.isFromOutside(v.node) }
	if n.kind == existsSubquery {
		return body.where.node != nil && takes(body.where)
	}
	// All elements of some thousand rows are there at a time. A caller must not make each a text.
	v := body.of.columns[0].value
	return (body.where.node == nil || takes(body.where)) && takes(v) && (!v.typ.isMade() || !p.env.isCallers(n.at) || isPartOf(v.node, array))
}

// isPartOf reports whether a node is the element of an array, or a part of it.
func isPartOf(n node, array *arraySource) bool {
	switch n := n.(type) {
	case *reference:
		return n.owner == source(array)
	case *member:
		return isPartOf(n.of.node, array)
	case *dynamic:
		if n.parent != nil {
			return isPartOf(n.parent, array)
		}
		return isPartOf(n.base, array)
	}
	return false
}

// isOpaque reports whether an aggregate, a window function or a subquery is in a value, which no lambda takes.
func (p *printer) isOpaque(v value) bool {
	if v.isOpaque || !v.mayBeOpaque {
		return v.isOpaque
	}
	found := false
	walk(v.node, func(n node) bool {
		if q, ok := n.(*subquery); ok && (q.kind == existsSubquery || q.kind == arraySubquery) {
			_, array := p.onList(q)
			found = found || array == nil
			return false
		}
		return !found
	})
	return found
}
