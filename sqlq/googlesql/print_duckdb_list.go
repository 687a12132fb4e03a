package googlesql

import "slices"

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
		if body.isDistinct {
			sql = text("list_concat(list_distinct(", sql, "), list_filter(", sql, ", lambda e: e IS NULL)[1:1])")
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

// onList returns the parts of a query that is a function on a list; nil if it is none.
func (p *printer) onList(n *subquery) (*selectRows, *arraySource) {
	body, array := onlyArray(n.query.rows)
	if array == nil || n.kind == existsSubquery && body.where.node == nil {
		return nil, nil
	}
	p.lambdas = append(p.lambdas, array)
	defer func() { p.lambdas = p.lambdas[:len(p.lambdas)-1] }()
	takes := func(v value) bool { return !p.isOpaque(v) && !p.isFromOutside(v.node) }
	if body.where.node != nil && !takes(body.where) {
		return nil, nil
	}
	if n.kind == arraySubquery {
		// All elements of some thousand rows are there at a time. A caller must not make each a text.
		v := body.of.columns[0].value
		if !takes(v) || v.typ.isMade() && p.env.isCallers(n.at) && !isPartOf(v.node, array) {
			return nil, nil
		}
	}
	return body, array
}

// onlyArray returns the parts of a query that reads one array, row by row.
func onlyArray(rows node) (*selectRows, *arraySource) {
	q, ok := rows.(*queryRows)
	if !ok || len(q.common) > 0 || q.order != nil || q.limit.node != nil {
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
	var walk func(n node)
	walk = func(n node) {
		if found {
			return
		}
		if q, ok := n.(*subquery); ok && (q.kind == existsSubquery || q.kind == arraySubquery) {
			_, array := p.onList(q)
			found = array == nil
			return
		}
		n.parts(walk)
	}
	walk(v.node)
	return found
}
