package googlesql

import "slices"

// byName returns the queries of a set operation with the columns that correspond by their names, in the same order.
func (r *resolver) byName(set *setQuery, left, right *resolved) (*resolved, *resolved) {
	with := set.byName
	var names []string
	for _, side := range []*resolved{left, right} {
		for i, c := range side.columns {
			if indexOf(side.columns[:i], c.name) >= 0 {
				fail(set.place, "a query of %s has two columns named %s, so BY NAME cannot tell them apart", set.op, c.name)
			}
		}
	}
	for _, c := range left.columns {
		isCommon := indexOf(right.columns, c.name) >= 0
		if !isCommon && with.isStrict && len(with.columns) == 0 {
			fail(set.place, "the second query of %s has no column %s; write FULL, LEFT or INNER %[1]s to match queries with other columns", set.op, c.name)
		}
		if isCommon || with.keeps == "LEFT" || with.keeps == "FULL" {
			names = append(names, c.name)
		}
	}
	for _, c := range right.columns {
		if indexOf(left.columns, c.name) >= 0 {
			continue
		}
		if with.isStrict && len(with.columns) == 0 {
			fail(set.place, "the first query of %s has no column %s; write FULL, LEFT or INNER %[1]s to match queries with other columns", set.op, c.name)
		}
		if with.keeps == "FULL" {
			names = append(names, c.name)
		}
	}
	if len(with.columns) > 0 {
		for _, n := range with.columns {
			if !slices.ContainsFunc(names, func(other string) bool { return equalFold(other, n.text) }) {
				fail(n.place, "not every query of %s has a column %s", set.op, n.text)
			}
		}
		names = each(with.columns, func(_ int, n name) string { return n.text })
	}
	if len(names) == 0 {
		fail(set.place, "the queries of %s have no column with the same name", set.op)
	}
	return r.reordered(left, names, set.place), r.reordered(right, names, set.place)
}

// reordered returns a query with some of its columns, and NULL for those that it has not.
func (r *resolver) reordered(of *resolved, names []string, at place) *resolved {
	from, variables := r.aliased(of.relation, r.alias(""), "")
	rel := &relation{}
	for _, wanted := range names {
		if i := indexOf(of.columns, wanted); i >= 0 {
			rel.columns = append(rel.columns, variables[0].columns[i])
		} else {
			rel.columns = append(rel.columns, column{wanted, value{typ: scalar(nullKind), node: &constant{kind: nullKind}, at: at}})
		}
	}
	rel.rows = &selectRows{of: rel, from: from}
	return &resolved{relation: rel, scope: &scope{aliases: rel.columns}}
}
