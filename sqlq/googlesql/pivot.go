package googlesql

import (
	"slices"
	"strings"
)

// from resolves PIVOT: each aggregate for each value, grouped by the columns that neither an aggregate nor FOR
// reads.
func (item *pivotItem) from(r *resolver, outer *scope) (source, []*variable) {
	from, variables := item.source.from(r, outer)
	s := &scope{outer: outer, variables: variables}
	var used []*reference
	note := func(v value) { used = append(used, r.references(v.sql)...) }
	note(r.expression(item.by, s))
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
			rel.columns = append(rel.columns, column{pivotName(agg, option, len(item.aggs)), v})
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

// pivotName is the name of a column: the name of the aggregate, if any, and the name of the value.
func pivotName(agg, option selectItem, aggs int) string {
	name := option.alias
	if constant, ok := option.x.(*literal); ok && name == "" {
		name = pivotedName(constant)
	}
	if agg.alias != "" {
		return agg.alias + "_" + name
	}
	if aggs > 1 {
		fail(agg.place, "with several aggregates in PIVOT, each needs an alias")
	}
	return name
}

// pivotedName is the name of the column of a value without an alias, as BigQuery gives it.
func pivotedName(constant *literal) string {
	switch constant.kind { //nolint:exhaustive // The others have no names.
	case nullKind:
		return "NULL"
	case boolKind:
		return strings.ToUpper(constant.text)
	case stringKind:
		return constant.text
	case dateKind:
		return "_" + strings.ReplaceAll(constant.text, "-", "_")
	case int64Kind, numericKind:
		number, isNegative := strings.CutPrefix(constant.text, "-")
		return ifText(isNegative, "minus_", "_") + strings.ReplaceAll(number, ".", "_point_")
	}
	fail(constant.place, "the column of a %s has no name; give the value an alias, as in IN (1.5 AS high)", constant.kind.google())
	return ""
}
