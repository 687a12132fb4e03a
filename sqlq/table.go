package sqlq

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Table is a table that saved queries read (D22, D43): a log source, whose events the store keeps,
// files that stay where they are, or a table that savedq fills. It is immutable after its folder is read.
type Table struct {
	// Name is the logical name in SQL.
	Name        string
	Description string
	// Aliases are the names under which senders know a log source.
	Aliases []string
	// ProjectMember is the member of metadata in which events of a log source say their project; empty
	// means the column project (D23).
	ProjectMember string
	// Retention is how long events of a log source are kept, [KeptForEver], or 0 for what the server says.
	Retention time.Duration
	// Fields are typed columns of a log source, read from metadata when an event is stored.
	Fields []Field
	// Members are the members that senders usually set in metadata.
	Members Members
	// Files is nil for a log source.
	Files *Files
	// Own are the columns of a table that savedq fills itself; nil for all others.
	Own []Column
	// Warehouse names the table on BigQuery; empty means Name in the server's dataset.
	Warehouse string
	// ClickHouse says where the rows are on ClickHouse; nil means a table of that name.
	ClickHouse *ClickHouseTable
	// Shipped is true for a table that comes with savedq.
	Shipped bool
	// Place is where the name is declared, for messages.
	Place Place
}

// KeptForEver is the retention of events that are never deleted.
const KeptForEver time.Duration = -1

// Field is a typed column of a log source.
type Field struct {
	Name        string
	Type        Type
	Description string
	// Path leads to the value in metadata. Each list on the way counts with its first element.
	Path []string
	// Place is where the field is declared, for messages.
	Place Place
}

// FieldTypes returns the types that a field can have.
func FieldTypes() []Type { return []Type{String, Int64, Float64, Numeric, Bool, Timestamp, Date} }

// Files are the files of a table.
type Files struct {
	// Pattern is the absolute path of a file, in which *, ? and [ ] stand for names, and ** for any
	// directories.
	Pattern string
	// Format is csv, ndjson, json or parquet.
	Format string
	// Separator is what stands between the values of a CSV file; empty means a comma.
	Separator string
	// Columns are the declared columns. Without any, Parquet files say theirs.
	Columns []Column
	// Place is where the pattern is declared, for messages.
	Place Place
}

// Members are the members that senders usually set in an object of metadata, and in those in it. There
// can be others.
type Members map[string]Members

// IsSource reports whether the table is a log source.
func (t *Table) IsSource() bool { return t.Files == nil && t.Own == nil }

// TakesRows reports whether an event can be a row: an object whose unknown members are stored as metadata.
func (t *Table) TakesRows() bool { return t.Fields != nil }

// HasName reports whether the table has the name, or it is one of the aliases (D22).
func (t *Table) HasName(name string) bool { return t.Name == name || slices.Contains(t.Aliases, name) }

// Names returns the name and the aliases.
func (t *Table) Names() []string { return append([]string{t.Name}, t.Aliases...) }

// TableColumn is a column of a table, as SQL sees it.
type TableColumn struct {
	Column

	// IsMetadata means that the column is an array of structs, whose members senders decide.
	IsMetadata bool
}

// Columns returns the columns of a log source (D23) followed by its fields, or the columns of another table.
func (t *Table) Columns() []TableColumn {
	var columns []TableColumn
	if !t.IsSource() {
		declared := t.Own
		if t.Files != nil {
			declared = t.Files.Columns
		}
		for _, column := range declared {
			columns = append(columns, TableColumn{Column: column})
		}
		return columns
	}
	columns = []TableColumn{
		{Column: Column{Name: "id", Type: String, Description: "Id of the event."}},
		{Column: Column{Name: "timestamp", Type: Timestamp, Description: "Time of the event."}},
		{Column: Column{Name: "event_message", Type: String, Nullable: true, Description: "Message of the event."}},
		{Column: Column{Name: "project", Type: String, Nullable: true, Description: "Project of the event."}},
		{Column: Column{Name: "metadata", Type: JSON, Nullable: true, Description: "Details of the event."}, IsMetadata: true},
	}
	for _, field := range t.Fields {
		columns = append(columns, TableColumn{Column: Column{Name: field.Name, Type: field.Type, Nullable: true, Description: field.Description, Place: field.Place}})
	}
	return columns
}

// ProjectColumns returns the columns that hold the project of a row (D23). Where none is called project, those of
// files are the one that is called like the parameter with the project, or else all that can hold one: only the
// author knows.
func (t *Table) ProjectColumns(param string) []string {
	if t.IsSource() {
		if t.ProjectMember == "" {
			return []string{"project"}
		}
		var names []string
		for _, field := range t.Fields {
			if field.Type == String && len(field.Path) == 1 && field.Path[0] == t.ProjectMember {
				names = append(names, field.Name)
			}
		}
		return names
	}
	var names []string
	for _, column := range t.Columns() {
		if column.Type == String {
			names = append(names, column.Name)
		}
	}
	for _, name := range []string{"project", param} {
		if slices.Contains(names, name) {
			return []string{name}
		}
	}
	if t.Own != nil {
		return nil
	}
	return names
}

// Tables are tables, in order: first the shipped ones.
type Tables []*Table

// Find returns the table that has the name or the alias.
func (t Tables) Find(name string) (*Table, bool) {
	at := slices.IndexFunc(t, func(table *Table) bool { return table.HasName(name) })
	if at < 0 {
		return nil, false
	}
	return t[at], true
}

// FindSource is Find among the log sources.
func (t Tables) FindSource(name string) (*Table, bool) {
	table, found := t.Find(name)
	if !found || !table.IsSource() {
		return nil, false
	}
	return table, true
}

// Source is FindSource with an error that names the log sources, or the one that was most likely meant.
func (t Tables) Source(name string) (*Table, error) {
	if source, found := t.FindSource(name); found {
		return source, nil
	}
	var names []string
	for _, source := range t.Sources() {
		names = append(names, source.Names()...)
	}
	return nil, fmt.Errorf("%s is not a log source; %s", Quote(name), DidYouMean(name, names, "the log sources are "+t.SourceList()))
}

// SourceList returns the log sources with their aliases (D22), for messages.
func (t Tables) SourceList() string {
	return strings.Join(namesOf(t.Sources(), func(source **Table) string {
		if len((*source).Aliases) == 0 {
			return (*source).Name
		}
		return (*source).Name + " (" + strings.Join((*source).Aliases, ", ") + ")"
	}), ", ")
}

// Sources returns the log sources.
func (t Tables) Sources() Tables {
	return slices.DeleteFunc(slices.Clone(t), func(table *Table) bool { return !table.IsSource() })
}

// Names returns the names of the tables, without aliases.
func (t Tables) Names() []string {
	return namesOf(t, func(table **Table) string { return (*table).Name })
}

const (
	// AllLogs is the view of the events of all log sources on the embedded engine.
	AllLogs = "all_logs"
	// SharedLogs is the view of those that belong to several projects.
	SharedLogs = AllLogs + "_shared"
)

// IsAllLogs reports whether a view has the events of all log sources.
func IsAllLogs(name string) bool {
	name, _, _ = strings.Cut(name, "#")
	return name == AllLogs || name == SharedLogs
}

// Mentioned returns the tables whose names or aliases a text has, in any letter case: those that SQL
// reads, and perhaps others.
func (t Tables) Mentioned(sql string) Tables {
	lower := strings.ToLower(sql)
	all := strings.Contains(lower, AllLogs)
	return slices.DeleteFunc(slices.Clone(t), func(table *Table) bool {
		return (!all || !table.IsSource()) && !slices.ContainsFunc(table.Names(), func(name string) bool { return strings.Contains(lower, strings.ToLower(name)) })
	})
}

// Add returns the members of a member, which it adds if necessary.
func (m Members) Add(name string) Members {
	if m[name] == nil {
		m[name] = make(Members)
	}
	return m[name]
}
