package googlesql

import (
	"slices"
	"strconv"
	"strings"
)

// clickhouseList are the rows of a query that reads arrays only, as an array. ClickHouse's correlated subqueries do not find the
// rows of NULLs around them, so that a query of arrays is made of functions on arrays.
type clickhouseList struct {
	// rows is the array, and row what stands for one of them in a lambda.
	rows, row string
}

// onArrays returns the body of a query that can be made of functions on arrays; nil if it cannot.
func (p *clickhousePrinter) onArrays(rows node) (*queryRows, *selectRows) {
	query, ok := rows.(*queryRows)
	if !ok || len(query.common) > 0 {
		return nil, nil
	}
	body, ok := query.body.(*selectRows)
	if !ok || body.from == nil || body.having.node != nil || body.qualify.node != nil || len(body.windows) > 0 || body.group != nil && len(body.group.sets) > 0 {
		return nil, nil
	}
	if slices.ContainsFunc(body.of.columns, func(c column) bool { return c.value.isWindow }) || !isOfArrays(body.from) {
		return nil, nil
	}
	isAggregate := slices.ContainsFunc(body.of.columns, func(c column) bool { return c.value.isAggregate })
	if (isAggregate || body.group != nil) && (query.limit.node != nil || query.skip.node != nil || len(query.order) > 0 || body.isDistinct) {
		return nil, nil
	}
	if body.isDistinct && len(query.order) > 0 {
		return nil, nil
	}
	return query, body
}

// isOfArrays reports whether a source consists of arrays.
func isOfArrays(of source) bool {
	switch of := of.(type) {
	case *arraySource:
		return true
	case *joinSource:
		return (of.kind == "CROSS" || of.kind == "INNER") && isOfArrays(of.left) && isOfArrays(of.right)
	}
	return false
}

// arraysOf returns the arrays of a source in their order, and the conditions that join them.
func arraysOf(of source) (arrays []*arraySource, conditions []value) {
	switch of := of.(type) {
	case *arraySource:
		return []*arraySource{of}, nil
	case *joinSource:
		left, leftConditions := arraysOf(of.left)
		right, rightConditions := arraysOf(of.right)
		conditions = slices.Concat(leftConditions, rightConditions)
		if of.condition.node != nil {
			conditions = append(conditions, of.condition)
		}
		return slices.Concat(left, right), conditions
	}
	return nil, nil
}

// list makes the rows of a body. What stands for its columns is an expression of a row.
func (p *clickhousePrinter) rowsOf(body *selectRows) clickhouseList {
	arrays, conditions := arraysOf(body.from)
	if p.names == nil {
		p.names = make(map[*arraySource]clickhouseElement)
	}
	row := p.alias()
	var list string
	if len(arrays) == 1 && arrays[0].offset == "" {
		list = p.typedList(arrays[0])
		p.names[arrays[0]] = clickhouseElement{element: row}
	} else {
		list = p.product(arrays, nil)
		for i, array := range arrays {
			p.names[array] = clickhouseElement{
				element: "tupleElement(" + row + ", " + strconv.Itoa(2*i+1) + ")",
				offset:  "tupleElement(" + row + ", " + strconv.Itoa(2*i+2) + ")",
			}
		}
	}
	if body.where.node != nil {
		conditions = append(conditions, body.where)
	}
	for _, condition := range conditions {
		list = "arrayFilter(" + row + " -> ifNull(" + p.condition(condition) + ", false), " + list + ")"
	}
	return clickhouseList{rows: list, row: row}
}

// typedList is the array of a source with elements that can be NULL. One of metadata in a map has one element.
func (p *clickhousePrinter) typedList(array *arraySource) string {
	if p.isMapped(array) {
		return "CAST([''] AS Array(Nullable(String)))"
	}
	return "CAST(" + p.list(array) + " AS Array(" + p.elementType(array) + "))"
}

// product are the tuples of the elements of arrays, and of their indexes.
func (p *clickhousePrinter) product(arrays []*arraySource, before []string) string {
	e, i := p.alias(), p.alias()
	array := arrays[0]
	elements := p.typedList(array)
	p.names[array] = clickhouseElement{e, "toNullable(toInt64(" + i + ") - 1)"}
	parts := append(slices.Clone(before), e, "toNullable(toInt64("+i+") - 1)")
	inner := "tuple(" + strings.Join(parts, ", ") + ")"
	flat := func(sql string) string { return sql }
	if len(arrays) > 1 {
		inner = p.product(arrays[1:], parts)
		flat = func(sql string) string { return "arrayFlatten(" + sql + ")" }
	}
	return flat(p.let(elements, func(list string) string {
		return "arrayMap((" + e + ", " + i + ") -> " + inner + ", " + list + ", arrayEnumerate(" + list + "))"
	}))
}

// oneRow returns the condition on the one row of a body whose arrays have one element each; it reports false for other bodies.
func (p *clickhousePrinter) oneRow(query *queryRows, body *selectRows) (condition string, ok bool) {
	arrays, conditions := arraysOf(body.from)
	if query.limit.node != nil || query.skip.node != nil || slices.ContainsFunc(arrays, func(array *arraySource) bool { return !p.isMapped(array) }) {
		return "", false
	}
	if p.names == nil {
		p.names = make(map[*arraySource]clickhouseElement)
	}
	for _, array := range arrays {
		p.names[array] = oneElement
	}
	if body.where.node != nil {
		conditions = append(conditions, body.where)
	}
	if conditions == nil {
		return "true", true
	}
	return "ifNull(" + strings.Join(each(conditions, func(_ int, v value) string { return p.condition(v) }), " AND ") + ", false)", true
}

// oneElement stands for the element of an array that has one.
var oneElement = clickhouseElement{"''", "toInt64(0)"} //nolint:gochecknoglobals // It is constant.

// listed are the values of the column of a query of arrays.
func (p *clickhousePrinter) listed(query *queryRows, body *selectRows) string {
	if condition, ok := p.oneRow(query, body); ok {
		column := body.of.columns[0].value
		return "CAST(if(" + condition + ", [" + p.item(p.expression(column), false) + "], []) AS Array(" + column.typ.clickhouse() + "))"
	}
	list := p.rowsOf(body)
	rows := list.rows
	if len(query.order) > 0 {
		var keys []string
		for _, key := range query.order {
			if key.column > 0 {
				key.value = body.of.columns[key.column-1].value
			}
			keys = append(keys, p.sortKey(key))
		}
		rows = "arraySort(" + list.row + " -> tuple(" + strings.Join(keys, ", ") + "), " + rows + ")"
	}
	column := body.of.columns[0].value
	values := "CAST(arrayMap(" + list.row + " -> " + p.item(p.expression(column), false) + ", " + rows + ") AS Array(" + column.typ.clickhouse() + "))"
	if body.isDistinct {
		values = "arrayDistinct(" + values + ")"
		if !column.typ.isWrapped() { // arrayDistinct leaves NULL out
			values = p.let(values, func(all string) string {
				return "arrayConcat(arrayDistinct(" + all + "), if(has(" + all + ", NULL), [NULL], []))"
			})
		}
	}
	if query.limit.node != nil || query.skip.node != nil {
		skip, most := "0", "9223372036854775807"
		if query.skip.node != nil {
			skip = p.number(query.skip)
		}
		if query.limit.node != nil {
			most = p.number(query.limit)
		}
		values = "arraySlice(" + values + ", " + skip + " + 1, " + most + ")"
	}
	return values
}

// listQuery writes a subquery of arrays; it reports false for others.
func (p *clickhousePrinter) listQuery(n *subquery, typ *dataType) (v clickhouseValue, ok bool) {
	query, body := p.onArrays(n.query.rows)
	if query == nil {
		return v, false
	}
	isAggregate := body.group != nil || slices.ContainsFunc(body.of.columns, func(c column) bool { return c.value.isAggregate })
	if isAggregate && n.kind != scalarSubquery {
		return v, false
	}
	v = clickhouseValue{typ: typ}
	switch n.kind {
	case existsSubquery:
		if condition, ok := p.oneRow(query, body); ok {
			v.sql = condition
		} else if len(query.order) > 0 || query.limit.node != nil || query.skip.node != nil {
			v.sql = "notEmpty(" + p.listed(query, body) + ")"
		} else {
			v.sql = "notEmpty(" + p.rowsOf(body).rows + ")"
		}
	case arraySubquery:
		v.sql, v.isBare = p.listed(query, body), true
	case inSubquery:
		of := p.expression(n.of)
		values := clickhouseValue{sql: p.listed(query, body), typ: arrayOf(body.of.columns[0].value.typ), isBare: true}
		v.sql = p.inList(of, values)
	case scalarSubquery:
		if isAggregate {
			list := p.rowsOf(body)
			v.sql = p.let(list.rows, func(rows string) string {
				before := p.aggregated
				defer func() { p.aggregated = before }()
				p.aggregated = &clickhouseList{rows: rows, row: list.row}
				return p.item(p.expression(body.of.columns[0].value), false)
			})
			return v, true
		}
		v.sql = p.let(p.listed(query, body), func(values string) string {
			return p.raisedOf("length("+values+") > 1", "a subquery has more than one row", values+"[1]", typ)
		})
	}
	return v, true
}

// isSafelyCorrelated reports whether a query reads columns of a query around it only where NULL makes a condition not true.
// ClickHouse does not find the rows of others.
func (p *clickhousePrinter) isSafelyCorrelated(rows node) bool {
	var inside []source
	var walk func(n node)
	walk = func(n node) {
		if of, ok := n.(source); ok {
			inside = append(inside, of)
		}
		n.parts(walk)
	}
	walk(rows)
	isOutside := func(r *reference) bool { return !slices.Contains(inside, r.owner) }
	if !reads(rows, isOutside) {
		return true
	}
	isSafe := true
	strict := []string{"=", "<", ">", "<=", ">=", "!=", "AND", "BETWEEN", "LIKE", "STARTS_WITH", "ENDS_WITH", "REGEXP_CONTAINS"}
	var where func(n node)
	where = func(n node) {
		switch of := n.(type) {
		case *call:
			if !slices.Contains(strict, of.name) || of.like != nil && of.like.not {
				isSafe = isSafe && !reads(n, isOutside)
				return
			}
			n.parts(where)
		case *conversion, *cast:
			n.parts(where)
		case *reference, *constant, *parameter, *dynamic:
		default:
			isSafe = isSafe && !reads(n, isOutside)
		}
	}
	var rest func(n node)
	rest = func(n node) {
		if body, ok := n.(*selectRows); ok {
			if body.where.node != nil {
				where(body.where.node)
			}
			n.parts(func(part node) {
				if part != body.where.node {
					rest(part)
				}
			})
			return
		}
		if r, ok := n.(*reference); ok && isOutside(r) {
			isSafe = false
			return
		}
		n.parts(rest)
	}
	rest(rows)
	return isSafe
}
