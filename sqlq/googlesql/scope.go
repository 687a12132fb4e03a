package googlesql

import (
	"slices"
	"strings"
)

// equalFold reports whether two names are equal. Like the engines, it ignores the case of ASCII letters only: if it
// matched ſ with s, a name could be a WITH clause here and a table in the engine.
func equalFold(a, b string) bool { return foldName(a) == foldName(b) }

func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// column is a column that a name can stand for.
type column struct {
	name  string
	value value
}

// variable is what a FROM clause gives a name to: a table, a subquery, or the elements of an array.
type variable struct {
	name    string
	columns []column
	// element is the element of an array; nil for a table.
	element *value
	// merged are the columns that USING has merged with columns of another table.
	merged []string
}

func (v *variable) isMerged(name string) bool {
	return slices.ContainsFunc(v.merged, func(merged string) bool { return equalFold(merged, name) })
}

// value returns the variable as one value: the element, or a row as a struct.
func (v *variable) value(at place) value {
	if v.element != nil {
		return *v.element
	}
	typ := &dataType{kind: structKind, fields: each(v.columns, func(_ int, c column) field { return field{c.name, c.value.typ} })}
	values := each(v.columns, func(_ int, c column) value { return c.value })
	typ.checkFields(at)
	return newValue(typ, at, &structOfValues{at: at, fields: typ.fields, values: values, isRow: true}, values...)
}

// find returns the columns of a name.
func (v *variable) find(name string) []value {
	var found []value
	for _, c := range v.columns {
		if equalFold(c.name, name) {
			found = append(found, c.value)
		}
	}
	return found
}

// scope holds what names stand for in one query. An expression finds those of its own query first, and
// then those around it.
type scope struct {
	outer     *scope
	variables []*variable
	// aliases are the columns of the SELECT, where they can be named: they hide columns of the tables.
	aliases []column
	// hidden are aliases that do not count for now, inside of an aggregate.
	hidden bool
	tables []*commonRelation
	// keys are those that the query groups by sets of; nil if it does not.
	keys *groupKeys
	// body is the query whose names these are; nil for others.
	body *selectQuery
}

// commonRelation is a common table expression that can be read.
type commonRelation struct {
	name     string
	at       place
	relation *relation
}

// table returns the common table expression of a name.
func (s *scope) table(name string) *relation {
	for ; s != nil; s = s.outer {
		for _, table := range slices.Backward(s.tables) {
			if equalFold(table.name, name) {
				return table.relation
			}
		}
	}
	return nil
}

// path resolves a path: a column or a variable, and fields in it.
func (s *scope) path(path *pathExpr) value {
	head := path.names[0]
	found, used := s.resolve(path)
	if found == nil {
		at := head.place
		if s.isTable(head.text) {
			fail(at, "%s is a table that this query does not read", head.text)
		}
		fail(at, "there is no column %s here%s", head.text, didYouMean(head.text, s.names()))
	}
	v := *found
	v.at = path.place
	if v.quantiles != nil {
		v.quantiles.reads++
	}
	for _, n := range path.names[used:] {
		v = v.field(n)
	}
	return v
}

// resolve finds what a path begins with, and how many of its names that took.
func (s *scope) resolve(path *pathExpr) (*value, int) {
	head := path.names[0]
	// dynamics are elements of metadata, which can have a field of any name.
	var dynamics []*variable
	for level := s; level != nil; level = level.outer {
		if !level.hidden {
			for _, alias := range level.aliases {
				if equalFold(alias.name, head.text) && (len(path.names) == 1 || alias.value.typ.is(structKind, dynamicKind, jsonKind)) {
					return &alias.value, 1
				}
			}
		}
		if v := level.variable(head.text); v != nil && (v.element == nil && len(path.names) > 1 || v.element != nil && !v.isMerged(head.text)) {
			if v.element != nil {
				return v.element, 1
			}
			columns := v.find(path.names[1].text)
			switch len(columns) {
			case 1:
				return &columns[0], 2
			case 0:
				fail(path.names[1].place, "%s has no column %s%s", v.name, path.names[1].text, didYouMean(path.names[1].text, columnNames(v)))
			}
			fail(path.names[1].place, "the column %s of %s is ambiguous: there are several", path.names[1].text, v.name)
		}
		candidates, owners := level.candidates(head.text)
		if len(candidates) > 1 {
			fail(head.place, "%s is ambiguous: write %s", head.text, either(owners, head.text))
		}
		if len(candidates) == 1 {
			if len(dynamics) > 0 { // the element, in a query inside, may have a field of this name
				fail(head.place, "%s is ambiguous: write %s", head.text, either(append(variableNames(dynamics), owners...), head.text))
			}
			return &candidates[0], 1
		}
		if v := level.variable(head.text); v != nil {
			row := v.value(head.place)
			return &row, 1
		}
		for _, v := range level.variables {
			if v.element != nil && v.element.typ.kind == dynamicKind {
				dynamics = append(dynamics, v)
			}
		}
	}
	usual := slices.DeleteFunc(slices.Clone(dynamics), func(v *variable) bool {
		_, has := v.element.typ.shape.root().usual[head.text]
		return !has
	})
	if len(usual) == 1 {
		dynamics = usual
	}
	switch len(dynamics) {
	case 0:
		return nil, 0
	case 1:
		v := dynamics[0].element.field(head)
		return &v, 1
	}
	fail(head.place, "%s is ambiguous: write %s", head.text, either(variableNames(dynamics), head.text))
	return nil, 0
}

// candidates returns the columns of a name in this query, and the fields of structs that were unnested,
// with the names of what they are in.
func (s *scope) candidates(name string) (found []value, owners []string) {
	for _, v := range s.variables {
		if v.isMerged(name) {
			continue
		}
		for _, column := range v.find(name) {
			found, owners = append(found, column), append(owners, v.name)
		}
		if v.element != nil && v.element.typ.kind == structKind && slices.ContainsFunc(v.element.typ.fields, func(f field) bool { return equalFold(f.name, name) }) {
			found, owners = append(found, v.element.field(nameOf(name, v.element.at))), append(owners, v.name)
		}
	}
	return found, owners
}

func nameOf(text string, at place) name { return name{at, text} }

func (s *scope) variable(name string) *variable {
	for _, v := range s.variables {
		if v.name != "" && equalFold(v.name, name) {
			return v
		}
	}
	return nil
}

// names are all names that can be written, for messages.
func (s *scope) names() []string {
	var names []string
	for ; s != nil; s = s.outer {
		for _, v := range s.variables {
			names = append(append(names, v.name), columnNames(v)...)
			if v.element != nil {
				names = append(names, fieldNames(v.element.typ)...)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func (s *scope) isTable(name string) bool { return s.table(name) != nil }

func columnNames(v *variable) []string {
	return each(v.columns, func(_ int, c column) string { return c.name })
}

func variableNames(variables []*variable) []string {
	return each(variables, func(_ int, v *variable) string { return v.name })
}

// either lists qualified names, for messages.
func either(owners []string, name string) string {
	named := slices.DeleteFunc(owners, func(owner string) bool { return owner == "" })
	qualified := each(named, func(_ int, owner string) string { return owner + "." + name })
	return or(strings.Join(slices.Compact(qualified), " or "), "another alias")
}
