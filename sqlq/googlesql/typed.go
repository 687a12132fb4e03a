package googlesql

import (
	"slices"

	"savedq/sqlq"
)

// typedRows are the rows of a log source with the elements of its metadata, of which a text reads nothing but fields that are typed columns
// (D48). An engine with such columns need not read the metadata of the events for which they say all.
type typedRows struct {
	table *tableSource
	// lists are the arrays that are unnested: the metadata, and a list in its elements, if the text reads one.
	lists []*arraySource
	// columns are the references to columns of the table, by name, and fields the fields that the text reads.
	columns map[string][]*reference
	fields  map[fieldKey]*typedField
	// where are the conditions on the rows that their SELECT has.
	where []value
}

// fieldKey is a member of the elements of an unnested array.
type fieldKey struct {
	list source
	name string
}

// typedField is a field that is a typed column.
type typedField struct {
	sqlq.RecordField

	key fieldKey
	// value is the field where it is read first.
	value *dynamic
}

// isNumber reports whether the field is read as a FLOAT64 only. Otherwise its text is read.
func (f *typedField) isNumber() bool {
	kinds := f.value.shape.root().kinds
	return f.Type != sqlq.String && f.value.shape.scalarType().kind == numberKind && kinds&(1<<int64Kind|1<<numericKind) == 0
}

// fits reports whether the column has what the text reads. The text of a FLOAT64 is not the one that the sender wrote.
func (f *typedField) fits() bool {
	return f.value.shape.isScalar() && (f.Type != sqlq.Float64 || f.isNumber())
}

// typedRowsOf returns the joins of a query whose rows are typed rows.
func typedRowsOf(query node) map[*joinSource]*typedRows {
	found, owners := make(map[*joinSource]*typedRows), make(map[source]*typedRows)
	within := make(map[source]bool)
	walk(query, func(n node) bool {
		join, ok := n.(*joinSource)
		if !ok {
			return true
		}
		if join.isLateral {
			within[join.left] = true
		}
		if rows := join.typed(); rows != nil && !within[join] && found[join] == nil {
			found[join], owners[rows.table] = rows, rows
			for _, list := range rows.lists {
				owners[list] = rows
			}
		}
		return true
	})
	if len(found) == 0 {
		return nil
	}
	others := make(map[*typedRows]bool)
	walk(query, func(n node) bool {
		switch n := n.(type) {
		case *arraySource:
			return owners[n] == nil
		case *dynamic:
			return !n.isTypedField(owners)
		case *reference:
			if rows := owners[n.owner]; rows != nil && !rows.reads(n) {
				others[rows] = true
			}
		}
		return true
	})
	for join, rows := range found {
		if others[rows] || len(rows.fields) == 0 {
			delete(found, join)
		}
	}
	return found
}

// typed returns a join of a log source with the elements of its metadata, and of a list in them, as typed rows; nil for others.
func (n *joinSource) typed() *typedRows {
	rows := &typedRows{columns: make(map[string][]*reference), fields: make(map[fieldKey]*typedField)}
	from := source(n)
	for join, ok := from.(*joinSource); ok; join, ok = from.(*joinSource) {
		list, isList := join.right.(*arraySource)
		if !isList || !join.isLateral || join.isFiltered() || join.kind != "CROSS" && join.kind != "INNER" || list.offset != "" {
			return nil
		}
		rows.lists, from = append(rows.lists, list), join.left
	}
	slices.Reverse(rows.lists)
	table, ok := from.(*tableSource)
	if !ok || table.table.Records == nil || len(rows.lists) > 2 {
		return nil
	}
	rows.table = table
	owner := source(table)
	for i, list := range rows.lists {
		array, ok := list.array.node.(*elementsOf)
		if !ok || array.of.dyn == nil {
			return nil
		}
		of := array.of.dyn
		if i > 0 {
			if of.step != table.table.Records.List || of.parent == nil || of.index.node != nil {
				return nil
			}
			of = of.parent
		}
		if base, ok := of.base.(*reference); !ok || of.parent != nil || base.owner != owner || of.layout != ifElse(i == 0, jsonLayout, elementLayout) {
			return nil
		}
		owner = list
	}
	return rows
}

// reads notes that a column of the table is read, and reports false for all else.
func (t *typedRows) reads(n *reference) bool {
	if n.owner != source(t.table) || slices.ContainsFunc(t.table.table.Columns, func(c TableColumn) bool { return c.IsMetadata && c.Name == n.name }) {
		return false
	}
	if !slices.Contains(t.columns[n.name], n) {
		t.columns[n.name] = append(t.columns[n.name], n)
	}
	return true
}

// isTypedField notes that a value is read, and reports false if it is no field that is a typed column.
func (d *dynamic) isTypedField(owners map[source]*typedRows) bool {
	key, ok := d.fieldKey()
	rows := owners[key.list]
	if !ok || rows == nil {
		return false
	}
	inList := len(rows.lists) > 1 && key.list == source(rows.lists[1])
	for _, field := range rows.table.table.Records.Fields {
		if typed := (&typedField{field, key, d}); field.Name == key.name && field.InList == inList && typed.fits() {
			if rows.fields[key] == nil {
				rows.fields[key] = typed
			}
			return true
		}
	}
	return false
}

// fieldKey returns what a value is a field of, if that is an element of an unnested array.
func (d *dynamic) fieldKey() (fieldKey, bool) {
	if d.parent == nil || d.parent.parent != nil || d.index.node != nil {
		return fieldKey{}, false
	}
	base, ok := d.parent.base.(*reference)
	if !ok {
		return fieldKey{}, false
	}
	return fieldKey{base.owner, d.step}, true
}

// projectIn returns the value that a condition compares the project of an event with, if it is a parameter or a constant; else nil.
func (t *typedRows) projectIn(condition value) node {
	equal, ok := condition.node.(*call)
	if !ok || equal.name != "=" {
		return nil
	}
	for i, side := range equal.args {
		if !t.isProject(plainNode(side)) {
			continue
		}
		switch other := plainNode(equal.args[1-i]).(type) {
		case *parameter:
			return other
		case *constant:
			if other.kind == stringKind {
				return other
			}
		}
	}
	return nil
}

// isProject reports whether a node is the project of an event.
func (t *typedRows) isProject(n node) bool {
	member := t.table.table.ProjectMember
	switch n := n.(type) {
	case *reference:
		return member == "" && n.owner == source(t.table) && n.name == "project"
	case *dynamic:
		key, ok := n.fieldKey()
		return ok && member != "" && key == fieldKey{t.lists[0], member}
	}
	return false
}

// plainNode returns the node of a value without conversions to a text.
func plainNode(v value) node {
	for {
		converted, ok := v.node.(*conversion)
		if !ok || !converted.to.is(stringKind) {
			return v.node
		}
		v = converted.of
	}
}
