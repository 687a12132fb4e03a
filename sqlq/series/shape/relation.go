package shape

import "slices"

// kind is what a column determines about the bucket of its row.
type kind int

const (
	// other columns determine nothing.
	other kind = iota
	// moment columns hold a time in the bucket.
	moment
	// bucket columns hold the start of the bucket. Where they are NULL, the row is in no bucket, and
	// no row of the result.
	bucket
)

// column is a column of a relation. If table is not empty, it stands for all other columns of a table.
type column struct {
	name  string
	kind  kind
	table string
}

// relation is something with rows.
type relation struct {
	name string
	// timed reports whether each row belongs to a bucket. The rows of others are the same in each run.
	timed   bool
	columns []column
	// isMerged means that these are the columns of USING, of which only a name without a relation can be one.
	isMerged bool
}

// column returns the kind of the columns of a name.
func (r *relation) column(name string) kind {
	found, seen := other, false
	for _, column := range r.columns {
		if column.table == "" && column.name == name {
			if seen && column.kind != found {
				return other
			}
			found, seen = column.kind, true
		}
	}
	return found
}

// has reports whether the relation is known to have a column of a name.
func (r *relation) has(name string) bool {
	return slices.ContainsFunc(r.columns, func(column column) bool { return column.table == "" && column.name == name })
}

// named returns the relation under an alias.
func (r *relation) named(alias string) *relation {
	if alias == "" {
		return r
	}
	return &relation{name: alias, timed: r.timed, columns: r.columns}
}

// renamed returns the relation with other names of its first columns.
func (r *relation) renamed(names []string) *relation {
	if len(names) == 0 {
		return r
	}
	columns := slices.Clone(r.columns)
	for i, name := range names {
		if i == len(columns) || columns[i].table != "" || r.columns[0].name == timestamp && len(columns) == 2 && columns[1].table != "" {
			return &relation{name: r.name, timed: r.timed}
		}
		columns[i].name = name
	}
	return &relation{name: r.name, timed: r.timed, columns: columns}
}

// arranged returns the relation with its columns in the order of another one's, by their names.
func (r *relation) arranged(like *relation) *relation {
	arranged := &relation{name: r.name, timed: r.timed}
	for _, column := range like.columns {
		if column.table != "" {
			return &relation{name: r.name, timed: r.timed}
		}
		column.kind = r.column(column.name)
		arranged.columns = append(arranged.columns, column)
	}
	return arranged
}

// union returns the relation with the rows of another one. Columns correspond by position.
func (r *relation) union(with *relation) *relation {
	union := &relation{timed: r.timed || with.timed}
	switch isOpen := func(column column) bool { return column.table != "" }; {
	case r.timed != with.timed, len(r.columns) != len(with.columns):
	case slices.Equal(r.columns, with.columns):
		union.columns = r.columns
	case slices.ContainsFunc(r.columns, isOpen) || slices.ContainsFunc(with.columns, isOpen):
	default:
		for i, column := range r.columns {
			if column.kind != with.columns[i].kind {
				column.kind = other
			}
			union.columns = append(union.columns, column)
		}
	}
	return union
}

// scope is what the expressions of a SELECT can use.
type scope struct {
	from []*relation
	// items are the columns of the SELECT list so far.
	items   []column
	visible map[string]*relation
}

// has reports whether a relation is known to have a column of a name. If another one has it,
// too, the SQL is only right where GROUP BY means the item of that name.
func (s *scope) has(name string) bool {
	return slices.ContainsFunc(s.from, func(source *relation) bool { return source.has(name) })
}

// column returns the kind of the column of a path: its name, with or without the name of its relation.
func (s *scope) column(path []string) kind {
	found, seen := other, false
	for _, source := range s.from {
		name := path[len(path)-1]
		if source.isMerged && len(path) == 1 && source.has(name) {
			return source.column(name)
		}
		switch {
		case source.isMerged, len(path) > 2, len(path) == 2 && path[0] != source.name, !source.has(name):
			continue
		case seen && source.column(name) != found:
			return other
		}
		found, seen = source.column(name), true
	}
	return found
}

// star returns the columns that a star stands for.
func (s *scope) star(star *Star) []column {
	if star.IsOpaque {
		return nil
	}
	changed := slices.Clone(star.Except)
	for _, replaced := range star.Replaced {
		changed = append(changed, replaced.Name)
	}
	var columns []column
	for _, source := range s.from {
		if !source.isMerged && (star.Relation == "" || star.Relation == source.name) {
			columns = append(columns, source.columns...)
		}
	}
	columns = slices.DeleteFunc(columns, func(column column) bool { return slices.Contains(changed, column.name) && column.table == "" })
	for i, column := range columns {
		if to, isRenamed := star.Renamed[column.name]; isRenamed && column.table == "" {
			columns[i].name = to
		}
	}
	return columns
}
