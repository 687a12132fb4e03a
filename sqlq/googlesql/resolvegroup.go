package googlesql

import (
	"slices"
	"strings"
)

// hasSets reports whether rows are grouped by several sets of keys.
func (g *groupBy) hasSets() bool {
	return slices.ContainsFunc(g.sets, func(set groupSet) bool { return set.kind != "" })
}

// group returns what is behind GROUP BY.
func (r *resolver) group(group *groupBy, s *scope, columns []column, from source) fragment {
	if group.all {
		return r.groupAll(columns, s, from)
	}
	return r.groupSets(group.sets, s, columns)
}

// groupAll groups by the columns that read the rows and hold no aggregate. Without such columns, all rows are one group, even
// if there are none.
func (r *resolver) groupAll(columns []column, s *scope, from source) fragment {
	var owners []any
	if from != nil {
		owners = from.owners()
	}
	var keys []fragment
	for i, c := range columns {
		readsRow := slices.ContainsFunc(r.references(c.value.sql), func(use *reference) bool { return slices.Contains(owners, use.owner) })
		if readsRow && !c.value.isAggregate && !c.value.isWindow {
			c.value.grouped()
			keys = append(keys, marked{deferred(func() fragment { return columns[i].value.sql }), c.value.at})
		}
	}
	s.groupedBy = keys
	if keys == nil {
		return text("()")
	}
	return list(", ", keys)
}

func (r *resolver) groupSets(sets []groupSet, s *scope, columns []column) fragment {
	return list(", ", each(sets, func(_ int, set groupSet) fragment {
		lists := each(set.lists, func(_ int, group []expression) fragment {
			items := each(group, func(_ int, x expression) fragment { return r.groupItem(x, s, columns) })
			if len(items) == 1 {
				return items[0]
			}
			return text("(", list(", ", items), ")")
		})
		switch set.kind {
		case "":
			return list(", ", lists)
		case "GROUPING SETS":
			return text(set.kind, " (", r.groupSets(set.sets, s, columns), ")")
		}
		return text(set.kind, " (", list(", ", lists), ")")
	}))
}

// groupItem resolves an expression of GROUP BY: the number or the alias of a column, or an expression.
func (r *resolver) groupItem(x expression, s *scope, columns []column) fragment {
	index := named(x, columns, "GROUP BY")
	if index < 0 {
		notLiteral(x, "GROUP BY")
		v := r.expression(x, s)
		if v.isAggregate {
			fail(x.offset(), "rows cannot be grouped by an aggregate; compute that in a subquery")
		}
		v.notWindow("GROUP BY")
		v.grouped()
		key := marked{s.keys.add(v), x.offset()}
		s.groupedBy = append(s.groupedBy, key)
		return key
	}
	c := &columns[index]
	c.value.grouped()
	if c.value.isAggregate {
		fail(x.offset(), "%s is an aggregate, so rows cannot be grouped by it", c.name)
	}
	c.value.notWindow("GROUP BY")
	c.value.sql = s.keys.add(c.value)
	key := marked{deferred(func() fragment { return c.value.sql }), x.offset()}
	s.groupedBy = append(s.groupedBy, key)
	return key
}

// groupKeys are the keys of a query that groups by several sets of them. An expression of other keys, such as UPPER(k) beside
// k, is such a key where GROUP BY names its column. Elsewhere it is computed from the other keys, of which some may not be in
// the set. DuckDB takes equal expressions for the key, so the key is printed as another expression.
type groupKeys struct {
	resolver *resolver
	// paths are the keys that are columns or fields.
	paths []fragment
}

// groupKey is a key as it is printed.
type groupKey struct {
	fragment
	keys *groupKeys
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
func (k *groupKeys) add(v value) fragment {
	if k == nil {
		return v.sql
	}
	if _, isColumn := v.sql.(*reference); isColumn || v.dyn != nil && v.dyn.parent != nil {
		k.paths = append(k.paths, v.sql)
		return v.sql
	}
	return k.key(v.sql)
}

// key returns a key that GROUP BY or GROUPING names.
func (k *groupKeys) key(sql fragment) fragment {
	if _, isKey := sql.(*groupKey); isKey || k == nil {
		return sql
	}
	return &groupKey{sql, k}
}

func (g *groupKey) print(p *printer) {
	if !g.keys.hold(g.fragment) {
		g.fragment.print(p)
		return
	}
	text("CASE WHEN true THEN ", g.fragment, " END").print(p)
}

// hold reports whether a fragment reads keys only, and is none itself.
func (k *groupKeys) hold(of fragment) bool {
	rest := k.resolver.printed(of)
	paths := each(k.paths, func(_ int, path fragment) string { return k.resolver.printed(path) })
	if len(paths) == 0 || slices.Contains(paths, rest) {
		return false
	}
	for _, path := range paths {
		rest = strings.ReplaceAll(rest, path, "")
	}
	uses := k.resolver.references(of)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(use *reference) bool { return strings.Contains(rest, use.sql) })
}

// printed returns the SQL of a fragment.
func (r *resolver) printed(of fragment) string {
	p := r.newPrinter()
	of.print(p)
	return string(p.out)
}
