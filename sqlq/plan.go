package sqlq

import "strings"

// Plan is what an engine says of a saved query without running it.
type Plan struct {
	// Columns are those that the SQL gives, in order.
	Columns []PlannedColumn
	// EstimatedBytes is what a run would read of the tables; nil where the engine
	// does not estimate.
	EstimatedBytes *int64
}

// PlannedColumn is a column that the SQL gives, its type in the engine's words.
type PlannedColumn struct {
	Name, Type string
}

// Compare reports each column that the SQL gives in another place, under another
// name or in another type than the saved query declares. Whether a declared type
// can hold one of the engine's, without loss, is for the engine to say.
func (p *Plan) Compare(query *SavedQuery, holds func(declared Type, actual string) bool) FileErrors {
	var mistakes FileErrors
	names := make([]string, len(p.Columns))
	for i, column := range p.Columns {
		names[i] = column.Name
	}
	declared := make([]string, len(query.Columns))
	for i, column := range query.Columns {
		declared[i] = column.Name
	}
	for i, column := range query.Columns {
		if i >= len(names) || names[i] != declared[i] || i == len(declared)-1 && len(names) > len(declared) {
			return append(mistakes, column.Place.Mistakef("declares the columns %s, but %s returns %s", strings.Join(declared, ", "), query.SQLFile, strings.Join(names, ", ")))
		}
	}
	for i, column := range query.Columns {
		if got := p.Columns[i].Type; !holds(column.Type, got) {
			mistakes = append(mistakes, column.Place.Mistakef("declares column %s as %s, but %s returns it as %s", column.Name, column.Type, query.SQLFile, got))
		}
	}
	return mistakes
}
