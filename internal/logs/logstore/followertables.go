package logstore

import (
	"context"
	"slices"
	"strings"

	"savedq/internal/logs/eventrow"
	"savedq/sqlq"
)

// Declare makes a follower have the log sources of authors among the tables, too, and their fields. What the store does
// not have is empty, or NULL; see [Follower.CheckFilled]. The error is [sqlq.FileErrors] if a field has another type or
// path than the stored values. After an error nothing has changed.
func (f *Follower) Declare(ctx context.Context, declared sqlq.Tables) error {
	return holding(ctx, f.changing, func() error {
		own := slices.DeleteFunc(declared.Sources(), func(table *sqlq.Table) bool { return table.Shipped })
		now := f.current()
		stored, err := tablesOf(&now.manifest)
		if err != nil {
			return err
		}
		var mistakes sqlq.FileErrors
		for _, table := range own {
			if before, found := stored.FindSource(table.Name); found {
				mistakes = append(mistakes, mistaken(before, table)...)
			}
		}
		if len(mistakes) > 0 {
			return mistakes
		}
		before := f.declared
		f.declared, f.content = own, nil
		if _, err := f.refresh(ctx); err != nil {
			f.declared = before
			return err
		}
		return nil
	})
}

// mistaken returns which fields are declared otherwise than in the store.
func mistaken(stored, table *sqlq.Table) (mistakes sqlq.FileErrors) {
	for _, field := range table.Fields {
		at := slices.IndexFunc(stored.Fields, func(other sqlq.Field) bool { return other.Name == field.Name })
		if at < 0 {
			continue
		}
		if other := stored.Fields[at]; other.Type != field.Type || !slices.Equal(other.Path, field.Path) {
			mistakes = append(mistakes, field.Place.Mistakef("the store that is followed has a field %s of the type %s and the path metadata.%s; declare it as the server that writes the store does",
				field.Name, other.Type, strings.Join(other.Path, ".")))
		}
	}
	return mistakes
}

// withDeclared adds declared tables and fields to those of a store.
func withDeclared(stored, declared sqlq.Tables) sqlq.Tables {
	all := slices.Clone(stored)
	for _, table := range declared {
		at := slices.IndexFunc(all, func(other *sqlq.Table) bool { return other.Name == table.Name })
		if at < 0 {
			all = append(all, table)
			continue
		}
		joined := *all[at]
		joined.Fields = slices.Clone(joined.Fields)
		for _, field := range table.Fields {
			if !slices.ContainsFunc(joined.Fields, func(other sqlq.Field) bool { return other.Name == field.Name }) {
				joined.Fields = append(joined.Fields, field)
			}
		}
		all[at] = &joined
	}
	return all
}

// CheckFilled returns an UNAVAILABLE error if a saved query names a field that the store does not have yet: it would read
// NULL in its place.
func (f *Follower) CheckFilled(query *sqlq.SavedQuery) error {
	now := f.current()
	for _, name := range query.Tables {
		table, found := now.sources.FindSource(name.Name)
		if !found {
			continue
		}
		for _, field := range table.Fields {
			column := eventrow.FieldColumn(table, field)
			for i := range now.manifest.Parts {
				if lacks(&now.manifest.Parts[i], column) && names(query, field.Name) {
					return sqlq.Rejectf(sqlq.Unavailable, fillRetry, "the store that is followed does not have the field %s of %s in all of its events yet; the server that writes it fills it once the field is declared there", field.Name, table.Name)
				}
			}
		}
	}
	return nil
}
