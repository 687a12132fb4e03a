package googlesql

import "slices"

// source is what a FROM clause reads: a table, a subquery, a join, or a source split by an array.
type source interface {
	fragment
	// owners are what the columns of the source belong to.
	owners() []any
	// push puts a condition of the WHERE clause as near to the rows as it can, and reports whether it did:
	// DuckDB does not move conditions through the splitting of an array.
	push(condition fragment, uses []*reference) bool
}

// reference is a column of a table, of a subquery or of a split, in SQL of DuckDB.
type reference struct {
	owner any
	sql   string
	// origin is the column in the source of a split; nil for an element and for other owners.
	origin fragment
}

func (r *reference) print(p *printer) {
	if s, ok := r.owner.(*split); ok && r.origin != nil && p.inside[s] {
		r.origin.print(p)
		return
	}
	if p.used != nil {
		*p.used = append(*p.used, r)
	}
	p.write(r.sql)
}

// references returns the columns that a fragment reads.
func (r *resolver) references(of fragment) []*reference {
	var used []*reference
	p := r.newPrinter()
	p.used = &used
	of.print(p)
	return used
}

// tableSource is a table or a subquery under an alias.
type tableSource struct{ sql fragment }

func (t *tableSource) print(p *printer)                 { t.sql.print(p) }
func (t *tableSource) owners() []any                    { return []any{t} }
func (t *tableSource) push(fragment, []*reference) bool { return false }

// joinSource joins two sources.
type joinSource struct {
	kind        string
	left, right source
	condition   fragment // nil for a cross join
}

func (j *joinSource) print(p *printer) {
	j.left.print(p)
	p.write("\n" + j.kind + " JOIN ")
	if _, nested := j.right.(*joinSource); nested {
		p.write("(")
		defer p.write(")")
	}
	j.right.print(p)
	if j.condition != nil {
		text(" ON ", j.condition).print(p)
	}
}

func (j *joinSource) owners() []any { return append(j.left.owners(), j.right.owners()...) }

func (j *joinSource) push(condition fragment, uses []*reference) bool {
	for _, side := range []struct {
		source
		outer string // the join that adds rows to the other side
	}{{j.left, "RIGHT"}, {j.right, "LEFT"}} {
		owners := side.owners()
		if j.kind == side.outer || j.kind == "FULL" {
			continue
		}
		if !slices.ContainsFunc(uses, func(r *reference) bool { return !slices.Contains(owners, r.owner) }) {
			return side.push(condition, uses)
		}
	}
	return false
}

// split is a subquery with a row for each element of an array. DuckDB splits much faster there than in a
// lateral join.
type split struct {
	resolver *resolver
	alias    string
	source   source // nil if the array depends on no row
	array    fragment
	// keeps means that a row whose array is empty stays, with a NULL element (LEFT JOIN).
	keeps   bool
	element string
	offset  string // empty without offset
	outputs []output
	where   []fragment
}

type output struct {
	name string
	sql  fragment
}

func (s *split) owners() []any { return []any{s} }

func (s *split) print(p *printer) {
	if p.inside == nil {
		p.inside = make(map[*split]bool)
	}
	p.inside[s] = true
	defer delete(p.inside, s)
	array := s.array
	if s.keeps {
		array = text("CASE WHEN len(", array, ") > 0 THEN ", array, " ELSE [NULL] END")
	}
	parts := []fragment{text("unnest(", array, ") AS ", quoteName(s.element))}
	if s.offset != "" {
		parts = append(parts, text("unnest(CASE WHEN len(", s.array, ") > 0 THEN range(len(", s.array, ")) ELSE [", ifText(s.keeps, "NULL", ""), "]::BIGINT[] END) AS ", quoteName(s.offset)))
	}
	parts = append(parts, each(s.outputs, func(_ int, out output) fragment { return text(out.sql, " AS ", quoteName(out.name)) })...)
	p.write("(SELECT ")
	list(", ", parts).print(p)
	if s.source != nil {
		text("\nFROM ", s.source).print(p)
	}
	if len(s.where) > 0 {
		text("\nWHERE ", list(" AND ", s.where)).print(p)
	}
	p.write(") AS " + quoteName(s.alias))
}

func ifText(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

func (s *split) push(condition fragment, uses []*reference) bool {
	if s.source == nil {
		return false
	}
	var within []*reference
	for _, use := range uses {
		if use.owner == any(s) && use.origin == nil {
			return false
		}
		within = append(within, s.resolver.references(use.origin)...)
	}
	if !s.source.push(condition, within) {
		s.where = append(s.where, condition)
	}
	return true
}

// add adds a column of the source to the subquery, and returns it as a column of the split.
func (s *split) add(c column) column {
	name := c.name
	for n := 2; s.has(name); n++ {
		name = c.name + "_" + itoa(n)
	}
	s.outputs = append(s.outputs, output{name, c.value.sql})
	return column{c.name, c.value.column(&reference{owner: s, sql: quoteName(s.alias) + "." + quoteName(name), origin: c.value.sql})}
}

func (s *split) has(name string) bool {
	return equalFold(name, s.element) || equalFold(name, s.offset) ||
		slices.ContainsFunc(s.outputs, func(out output) bool { return equalFold(out.name, name) })
}
