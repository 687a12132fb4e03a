package sqlq

// DeclareColumn returns the declared type for a column of the SQL. scalarOf returns the
// declared type for a type that is neither an array nor a struct; holds is the same as for
// [Plan.Compare]. A nested type that cannot be declared as it is, because of the types or the
// names in it, is JSON as a whole.
func DeclareColumn(column PlannedColumn, scalarOf func(actual string) Type, holds func(declared Type, actual PlannedColumn, nested bool) bool) Column {
	d := declaration{scalarOf: scalarOf, holds: holds}
	declared, ok := d.column(column, 0)
	if !ok {
		declared = Column{Type: JSON, Nullable: true}
	}
	declared.Name = column.Name
	return declared
}

type declaration struct {
	scalarOf func(actual string) Type
	holds    func(declared Type, actual PlannedColumn, nested bool) bool
}

// maxDeclaredDepth is how deeply declared types nest.
const maxDeclaredDepth = 15

// column returns the declaration of a column that is nested in depth arrays and structs. It
// reports whether there is one that holds the column.
func (d declaration) column(column PlannedColumn, depth int) (Column, bool) {
	switch {
	case depth >= maxDeclaredDepth:
		return Column{}, false
	case column.Element != nil:
		declared, ok := d.column(*column.Element, depth+1)
		declared.Name, declared.Type, declared.Nullable = column.Name, ArrayOf(declared.Type), false
		return declared, ok
	case column.Fields != nil:
		return d.structColumn(column, depth)
	}
	declared := Column{Name: column.Name, Type: d.scalarOf(column.Type), Nullable: true}
	return declared, d.holds(declared.Type, column, depth > 0)
}

func (d declaration) structColumn(column PlannedColumn, depth int) (Column, bool) {
	declared := Column{Name: column.Name, Type: Struct, Nullable: true}
	seen := make(ColumnSet)
	for _, field := range column.Fields {
		inner, ok := d.column(field, depth+1)
		if _, taken := seen.Add(field.Name); !ok || taken || CheckColumnName(field.Name) != nil {
			return Column{}, false
		}
		declared.Fields = append(declared.Fields, inner)
	}
	return declared, len(declared.Fields) > 0
}
