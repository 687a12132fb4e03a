package googlesql

import "slices"

// hasSets reports whether rows are grouped by several sets of keys.
func (g *groupBy) hasSets() bool {
	return slices.ContainsFunc(g.sets, func(set groupSet) bool { return set.kind != "" })
}

// group resolves GROUP BY.
func (r *resolver) group(group *groupBy, s *scope, columns []column, from source) *grouping {
	if group.all {
		return r.groupAll(columns, from)
	}
	return &grouping{r.groupSets(group.sets, s, columns)}
}

// groupAll groups by the columns that read the rows and hold no aggregate. Without such columns, all rows are one group, even
// if there are none.
func (r *resolver) groupAll(columns []column, from source) *grouping {
	var owners []source
	if from != nil {
		owners = from.owners()
	}
	all := &grouping{}
	for i := range columns {
		v := columns[i].value
		readsRow := reads(v.node, func(use *reference) bool { return slices.Contains(owners, use.owner) })
		if readsRow && !v.isAggregate && !v.isWindow {
			v.grouped()
			all.sets = append(all.sets, keySet{lists: [][]*key{{{at: v.at, column: &columns[i]}}}})
		}
	}
	return all
}

func (r *resolver) groupSets(sets []groupSet, s *scope, columns []column) []keySet {
	return each(sets, func(_ int, set groupSet) keySet {
		return keySet{
			kind: set.kind,
			lists: each(set.lists, func(_ int, group []expression) []*key {
				return each(group, func(_ int, x expression) *key { return r.groupItem(x, s, columns) })
			}),
			sets: r.groupSets(set.sets, s, columns),
		}
	})
}

// groupItem resolves an expression of GROUP BY: the number or the alias of a column, or an expression.
func (r *resolver) groupItem(x expression, s *scope, columns []column) *key {
	index := named(x, columns, "GROUP BY")
	if index < 0 {
		notLiteral(x, "GROUP BY")
		v := r.expression(x, s)
		if v.isAggregate {
			fail(x.offset(), "rows cannot be grouped by an aggregate; compute that in a subquery")
		}
		v.notWindow("GROUP BY")
		v.grouped()
		v.node = s.keys.add(v)
		return &key{at: x.offset(), value: v}
	}
	c := &columns[index]
	c.value.grouped()
	if c.value.isAggregate {
		fail(x.offset(), "%s is an aggregate, so rows cannot be grouped by it", c.name)
	}
	c.value.notWindow("GROUP BY")
	c.value.node = s.keys.add(c.value)
	return &key{at: x.offset(), column: c}
}

// groupKeys are the keys of a query that groups by several sets of them. An expression of other keys, such as UPPER(k) beside
// k, is such a key where GROUP BY names its column. Elsewhere it is computed from the other keys, of which some may not be in
// the set.
type groupKeys struct {
	// paths are the keys that are columns or fields.
	paths []node
}

// groupKeys returns the keys of the query that an expression is in.
func (s *scope) groupKeys() *groupKeys {
	for ; s != nil; s = s.outer {
		if s.keys != nil {
			return s.keys
		}
	}
	return nil
}

// add adds a key.
func (k *groupKeys) add(v value) node {
	if k == nil {
		return v.node
	}
	if _, isColumn := v.node.(*reference); isColumn || v.dyn != nil && v.dyn.parent != nil {
		k.paths = append(k.paths, v.node)
		return v.node
	}
	return k.key(v.node)
}

// key returns a key that GROUP BY or GROUPING names.
func (k *groupKeys) key(of node) node {
	if _, isKey := of.(*groupKey); isKey || k == nil {
		return of
	}
	return &groupKey{of, k}
}

// isPath reports whether a node is a key that is a column or a field.
func (k *groupKeys) isPath(of node) bool {
	return slices.ContainsFunc(k.paths, func(path node) bool { return same(path, of) })
}
