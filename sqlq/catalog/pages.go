package catalog

import (
	"slices"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// readPages reads how a saved query goes on after a row, after its parameters, columns and series.
func readPages(m *strictyaml.Mapping, query *sqlq.SavedQuery, places *queryPlaces) {
	if !m.Has("pages") {
		return
	}
	p := m.At("pages").Mapping("limit", "after")
	if p == nil {
		return
	}
	p.Require("limit", "after")
	pages := &sqlq.Pages{Limit: p.Text("limit")}
	limit := query.Param(pages.Limit)
	switch {
	case pages.Limit == "": // reported already
	case limit == nil:
		p.At("limit").Mistakef("parameter %q is not declared", pages.Limit)
	case limit.Type != sqlq.Int64 || limit.Default == nil:
		p.At("limit").Mistakef("parameter %q must be an INT64 with a default, to be the most rows of a page", pages.Limit)
	}
	if p.Has("after") {
		entries, isMapping := p.At("after").Entries()
		if !isMapping || len(entries) == 0 {
			p.At("after").Mistakef("after must be a mapping of parameters to the columns whose last values they take")
		}
		for _, entry := range entries {
			pages.After = append(pages.After, readPageKey(entry, query))
		}
	}
	if place, declared := places.params[sqlq.AfterParam]; declared {
		p.Start.Mistakef("callers send the cursor of a page as %s, so no parameter of a query with pages has that name (line %d)", sqlq.AfterParam, place.Line)
	}
	if query.Series != nil {
		p.Start.Mistakef("a saved query has pages or a series, not both")
	}
	query.Pages = pages
}

// readPageKey reads a parameter that takes a column of the last row.
func readPageKey(entry strictyaml.Entry, query *sqlq.SavedQuery) sqlq.PageKey {
	name, _ := entry.Value.Scalar()
	param, column := query.Param(entry.Name), slices.IndexFunc(query.Columns, func(column sqlq.Column) bool { return column.Name == name })
	switch {
	case param == nil:
		entry.Key.Mistakef("parameter %q is not declared", entry.Name)
	case param.Required || param.Default != nil:
		entry.Key.Mistakef("parameter %q must be optional and without a default: it is absent for the first page", entry.Name)
	case column < 0:
		entry.Value.Mistakef("column %q is not among the columns", name)
	case query.Columns[column].Type != param.Type:
		entry.Value.Mistakef("column %q has the type %s, and parameter %q %s", name, query.Columns[column].Type, entry.Name, param.Type)
	case len(param.Allowed) > 0 || param.Pattern != "" || param.Regex || param.Min != nil || param.Max != nil || param.MaxLength != defaultMaxLength:
		entry.Key.Mistakef("parameter %q must have no limits, such as allowed, pattern, max_length or min: it takes every value of the column", entry.Name)
	case query.Columns[column].Nullable:
		entry.Value.Mistakef("column %q must be declared with nullable: false: rows with NULL cannot be found again", name)
	}
	if param != nil {
		param.MaxLength = highestMaxLength
	}
	return sqlq.PageKey{Param: entry.Name, Column: max(column, 0)}
}
