package googlesql

// measure counts what an expression adds to the query, and limits how high its tree is. DuckDB takes time with the square of
// the height, while it binds and cannot be interrupted. Parts that were measured before cost nothing.
func (p *parser) measure(x expression) (height int) {
	if known, measured := p.heights[x]; measured {
		return known
	}
	parts := operands(x)
	if parts == nil {
		return 0
	}
	limit(&p.operators, p.limits.operators, "operators and functions", x.offset())
	for i, part := range parts {
		of := p.measure(part)
		if i > 0 || !continues(x, part) {
			of++
		}
		height = max(height, of)
	}
	if height > p.limits.height {
		fail(x.offset(), "the SQL has too many operators in a row: at most %d", p.limits.height)
	}
	p.heights[x] = height
	return height
}

// continues reports whether a part goes on with the same AND or OR, of which DuckDB makes one expression.
func continues(x, part expression) bool {
	outer, isOperator := x.(*binaryExpr)
	inner, isInner := part.(*binaryExpr)
	return isOperator && isInner && outer.op == inner.op && (outer.op == "AND" || outer.op == "OR")
}

// operands returns the expressions that an expression is made of, without those of its queries; nil for a literal, a parameter or a
// path.
func operands(x expression) []expression {
	var parts []expression
	add := func(more ...expression) {
		for _, part := range more {
			if part != nil {
				parts = append(parts, part)
			}
		}
	}
	addOrder := func(items []orderItem) {
		for _, item := range items {
			add(item.x)
		}
	}
	switch x := x.(type) {
	case *literal, *param, *pathExpr:
		return nil
	case *unaryExpr:
		add(x.x)
	case *binaryExpr:
		add(x.left, x.right)
	case *fieldExpr:
		add(x.of)
	case *indexExpr:
		add(x.of, x.index)
	case *betweenExpr:
		add(x.x, x.low, x.high)
	case *inExpr:
		add(x.x, x.unnest)
		add(x.list...)
	case *likeExpr:
		add(x.x)
		add(x.patterns...)
	case *isExpr:
		add(x.x, x.y)
	case *caseExpr:
		add(x.operand, x.other)
		for _, when := range x.whens {
			add(when.condition, when.result)
		}
	case *castExpr:
		add(x.x, x.format, x.zone)
	case *extractExpr:
		add(x.x, x.zone)
	case *intervalExpr:
		add(x.x)
	case *arrayExpr:
		add(x.elements...)
	case *structExpr:
		add(x.values...)
	case *withExpr:
		add(x.values...)
		add(x.result)
	case *callExpr:
		add(x.args...)
		for _, arg := range x.named {
			add(arg.x)
		}
		add(x.where, x.havingBy, x.limit)
		addOrder(x.order)
		if x.over != nil {
			add(x.over.partition...)
			addOrder(x.over.order)
		}
	}
	if parts == nil {
		parts = []expression{}
	}
	return parts
}
