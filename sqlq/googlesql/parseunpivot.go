package googlesql

import "strings"

// unpivot reads UNPIVOT, and returns the query that it stands for: each row for each of the columns, or groups of columns,
// without those in which all are NULL.
func (p *parser) unpivot(from fromItem) fromItem {
	start := place(p.expect("UNPIVOT").start)
	keepsNulls := false
	if mode, ok := p.acceptAny("INCLUDE", "EXCLUDE"); ok {
		p.expect("NULLS")
		keepsNulls = mode == "INCLUDE"
	}
	p.expect("(")
	several := p.token().is("(")
	names := func() []name {
		if several {
			return listed(p, p.name)
		}
		return []name{p.name()}
	}
	values := names()
	p.expect("FOR")
	label := p.name()
	p.expect("IN")
	const source, row, rowLabel = "#source", "#row", "label"
	path := func(parts ...string) expression {
		steps := each(parts, func(_ int, part string) name { return name{start, part} })
		return &pathExpr{start, steps}
	}
	var used []name
	rows := &arrayExpr{place: start}
	listed(p, func() bool {
		columns := names()
		if len(columns) != len(values) {
			fail(columns[0].place, "UNPIVOT has %d columns here, and %d names for their values", len(columns), len(values))
		}
		used = append(used, columns...)
		option := &structExpr{place: columns[0].place, names: []string{rowLabel}}
		labels := each(columns, func(_ int, column name) string { return column.text })
		option.values = []expression{&literal{columns[0].place, stringKind, strings.Join(labels, "_")}}
		if p.accept("AS") || p.token().kind == stringToken || p.token().kind == integerToken {
			literal, isLiteral := p.primary().(*literal)
			if !isLiteral || literal.kind != stringKind && literal.kind != int64Kind {
				fail(columns[0].place, "the label of a column in UNPIVOT is a STRING or an INT64")
			}
			option.values[0] = literal
		}
		for i, column := range columns {
			option.names = append(option.names, "v"+itoa(i))
			option.values = append(option.values, path(source, column.text))
		}
		rows.elements = append(rows.elements, option)
		return true
	})
	p.expect(")")
	alias := p.alias()
	s := &selectQuery{place: start, items: []selectItem{{place: start, x: path(source), star: true, except: used, mayBeNone: true}}}
	var isNull expression
	for i, value := range values {
		s.items = append(s.items, selectItem{place: value.place, x: path(row, "v"+itoa(i)), alias: value.text})
		var missing expression = &isExpr{place: start, x: path(row, "v"+itoa(i)), what: "NULL"}
		if isNull != nil {
			missing = &binaryExpr{start, "AND", isNull, missing}
		}
		isNull = missing
	}
	s.items = append(s.items, selectItem{place: label.place, x: path(row, rowLabel), alias: label.text})
	if !keepsNulls {
		s.where = &unaryExpr{start, "NOT", isNull}
	}
	read := &query{place: start, body: allRows(from)}
	s.from = &joinItem{place: start, kind: "CROSS", left: &queryItem{start, read, source}, right: &unnestItem{place: start, x: rows, alias: row}}
	limit(&p.queries, p.limits.queries, "SELECTs", start)
	return &queryItem{start, &query{place: start, body: s}, alias}
}
