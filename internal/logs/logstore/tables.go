package logstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// Tables returns the log sources that the store has: the shipped ones, and those that were declared, also before this
// process.
func (s *Store) Tables() sqlq.Tables { return *s.tables.Load() }

// ownTable is a declared log source, as the manifest has it. Its JSON must stay readable.
type ownTable struct {
	Name          string     `json:"name"`
	Aliases       []string   `json:"aliases,omitempty"`
	ProjectMember string     `json:"project_member,omitempty"`
	Fields        []ownField `json:"fields,omitempty"`
}

type ownField struct {
	Name string    `json:"name"`
	Type sqlq.Type `json:"type"`
	Path []string  `json:"path"`
}

func newOwnTable(table *sqlq.Table) ownTable {
	own := ownTable{Name: table.Name, Aliases: table.Aliases, ProjectMember: table.ProjectMember}
	for _, field := range table.Fields {
		own.Fields = append(own.Fields, ownField{field.Name, field.Type, field.Path})
	}
	return own
}

func (o *ownTable) table() *sqlq.Table {
	table := &sqlq.Table{Name: o.Name, Aliases: o.Aliases, ProjectMember: o.ProjectMember}
	for _, field := range o.Fields {
		table.Fields = append(table.Fields, sqlq.Field{Name: field.Name, Type: field.Type, Path: field.Path})
	}
	return table
}

// definitionsOf returns the log sources that are not shipped, as the manifest has them.
func definitionsOf(all sqlq.Tables) (json.RawMessage, error) {
	var own []ownTable
	for _, table := range all {
		if !table.Shipped {
			own = append(own, newOwnTable(table))
		}
	}
	return json.Marshal(own)
}

// readTables reads from the manifest which log sources were declared before.
func (s *Store) readTables() error {
	known, err := tablesOf(&s.manifest)
	if err == nil {
		s.tables.Store(&known)
	}
	return err
}

// tablesOf returns the log sources of a store: the shipped ones, and those that were declared.
func tablesOf(manifest *parts.Manifest) (sqlq.Tables, error) {
	known := tables.Shipped()
	if len(manifest.Tables) == 0 {
		return known, nil
	}
	var own []ownTable
	if err := json.Unmarshal(manifest.Tables, &own); err != nil {
		return nil, fmt.Errorf("read what was declared about tables: %w", err)
	}
	for i := range own {
		known = append(known, own[i].table())
	}
	return known, nil
}

// Declare gives the store the log sources of authors among the tables: it adds those that are new, and the fields that
// are new. Events that were stored before have NULL there until [Store.Fill] has read them. A source that is not declared
// any more stays, with its events. The error is [sqlq.FileErrors] if a field was removed, or has another type or path
// than its stored values. After an error nothing has changed.
func (s *Store) Declare(ctx context.Context, declared sqlq.Tables) error {
	return holding(ctx, s.merging, func() error { return s.declare(ctx, declared) })
}

func (s *Store) declare(ctx context.Context, declared sqlq.Tables) error {
	known := s.Tables()
	changed := slices.DeleteFunc(declared.Sources(), func(table *sqlq.Table) bool {
		before, found := known.FindSource(table.Name)
		return table.Shipped || found && reflect.DeepEqual(before, table)
	})
	if len(changed) == 0 {
		return nil
	}
	var mistakes sqlq.FileErrors
	for _, table := range changed {
		if before, found := known.FindSource(table.Name); found && s.hasEvents(table.Name) {
			mistakes = append(mistakes, incompatible(before, table)...)
		}
	}
	if len(mistakes) > 0 {
		return mistakes
	}
	next := slices.DeleteFunc(slices.Clone(known), func(table *sqlq.Table) bool {
		_, replaced := changed.Find(table.Name)
		return replaced
	})
	return s.useTables(ctx, append(next, changed...))
}

// useTables makes the store have other tables. The caller holds merging.
func (s *Store) useTables(ctx context.Context, next sqlq.Tables) error {
	definitions, err := definitionsOf(next)
	if err != nil {
		return err
	}
	known := s.Tables()
	gone, restore := goneFields(known, next), func() {}
	err = s.changeManifest(ctx, func(manifest *parts.Manifest) error {
		manifest.Tables = definitions
		for i := range manifest.Parts { // the next merge drops the columns, which no view reads any more
			manifest.Parts[i].Fields = without(manifest.Parts[i].Fields, gone)
		}
		return holding(ctx, s.appending, func() error {
			s.tables.Store(&next)
			restore = s.dropColumns(gone)
			return s.startRecent(ctx) // the next events have the new fields
		})
	})
	if err != nil {
		restore()
		s.tables.Store(&known)
		return errors.Join(err, s.publish(ctx))
	}
	return nil
}

// dropColumns makes what is in memory lack columns, and returns a function that undoes it. The caller holds changing and
// appending.
func (s *Store) dropColumns(gone []string) (restore func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before := make(map[*recent][]string)
	for _, table := range s.recent {
		before[table] = table.fields
		table.fields = without(table.fields, gone)
	}
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		for table, fields := range before {
			table.fields = fields
		}
	}
}

// goneFields returns the columns of fields that other tables do not have, or with another type or path.
func goneFields(known, next sqlq.Tables) (gone []string) {
	for _, table := range known {
		other, found := next.FindSource(table.Name)
		for _, field := range table.Fields {
			same := func(one sqlq.Field) bool {
				return one.Name == field.Name && one.Type == field.Type && slices.Equal(one.Path, field.Path)
			}
			if !found || !slices.ContainsFunc(other.Fields, same) {
				gone = append(gone, eventrow.FieldColumn(table, field))
			}
		}
	}
	return gone
}

func without(fields, gone []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return slices.Contains(gone, field) })
}

// hasEvents reports whether the store may have events of a source.
func (s *Store) hasEvents(source string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.ContainsFunc(s.recent, func(table *recent) bool { return !table.oldest[source].IsZero() }) ||
		slices.ContainsFunc(s.manifest.Parts, func(part parts.Part) bool {
			_, found := part.Source(source)
			return found
		})
}

// incompatible returns what of a declaration does not fit the stored values.
func incompatible(before, table *sqlq.Table) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	for _, stored := range before.Fields {
		at := slices.IndexFunc(table.Fields, func(field sqlq.Field) bool { return field.Name == stored.Name })
		path := strings.Join(stored.Path, ".")
		remove := fmt.Sprintf("remove the stored values with \"savedq store drop-field %s.%s\"", table.Name, stored.Name)
		switch {
		case at < 0:
			mistakes = append(mistakes, table.Place.Mistakef("the store has values of a field %s (%s, path metadata.%s) that is not declared any more; declare it again, or %s", stored.Name, stored.Type, path, remove))
		case table.Fields[at].Type != stored.Type:
			mistakes = append(mistakes, table.Fields[at].Place.Mistakef("the stored values of the field %s have the type %s, not %s; give the field of the new type another name, or %s", stored.Name, stored.Type, table.Fields[at].Type, remove))
		case !slices.Equal(table.Fields[at].Path, stored.Path):
			mistakes = append(mistakes, table.Fields[at].Place.Mistakef("the stored values of the field %s were read from metadata.%s; give the field of the new path another name, or %s", stored.Name, path, remove))
		}
	}
	return mistakes
}

// DropField removes a field of a declared log source with its values. Metadata keeps what they were read from.
func (s *Store) DropField(ctx context.Context, name, field string) error {
	return holding(ctx, s.merging, func() error { return s.dropField(ctx, name, field) })
}

func (s *Store) dropField(ctx context.Context, name, field string) error {
	known := s.Tables()
	table, found := known.FindSource(name)
	isField := func(stored sqlq.Field) bool { return stored.Name == field }
	if !found || !slices.ContainsFunc(table.Fields, isField) {
		return fmt.Errorf("the store has no field %s.%s", name, field)
	}
	rest := *table
	rest.Fields = slices.DeleteFunc(slices.Clone(table.Fields), isField)
	next := slices.Clone(known)
	next[slices.Index(next, table)] = &rest
	if err := s.useTables(ctx, next); err != nil {
		return fmt.Errorf("drop the field %s.%s: %w", name, field, err)
	}
	return nil
}
