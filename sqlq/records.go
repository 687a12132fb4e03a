package sqlq

import (
	"math/bits"
	"slices"
	"strings"
)

// Records are the typed columns that the embedded engine keeps of the metadata of a log source (D4, D48). They are the fields of a pair:
// of an element of metadata, and of an element of a list in it.
type Records struct {
	// List is the member of an element of metadata with the list.
	List   string
	Fields []RecordField
}

// RecordField is a field of a pair.
type RecordField struct {
	Name string
	// InList is true for a field of an element of the list.
	InList bool
	// Column is the name of the typed column. Type is STRING, FLOAT64, or INT64 for a number that is stored rounded down.
	Column string
	Type   Type
}

// RecordsOf returns the typed columns of a shipped log source; nil if it has none.
func RecordsOf(source string) *Records {
	switch source {
	case "function_edge_logs":
		return &Records{List: "response", Fields: []RecordField{
			{Name: "project_ref", Column: "project_ref", Type: String},
			{Name: "function_id", Column: "function_id", Type: String},
			{Name: "execution_time_ms", Column: "execution_time_ms", Type: Float64},
			{Name: "status_code", InList: true, Column: "status_code", Type: Int64},
		}}
	case "edge_logs":
		return &Records{List: "request", Fields: []RecordField{
			{Name: "url", InList: true, Column: "url", Type: String},
			{Name: "path", InList: true, Column: "request_path", Type: String},
		}}
	}
	return nil
}

// SearchField is a typed column that the embedded engine keeps of the metadata of all log sources: the text of the first of
// its paths that has anything but null, an object or a list. An event is placed if each of these columns has all that its
// metadata has at their paths: at most one of the paths has a value, and it is a text, a number or a BOOL, with the column's
// text.
type SearchField struct {
	Column string
	Paths  [][]string
	// shift is the number of the first bit in [PlacesColumn].
	shift int
}

// PlacesColumn is the column with the places of the paths that the values of a placed event are at. It is NULL in other events.
const PlacesColumn = "places"

// SearchFields returns the typed columns of all log sources: those of logs.search.
func SearchFields() []SearchField {
	return []SearchField{
		{"status", [][]string{{"response", "status_code"}, {"status"}}, 0},
		{"method", [][]string{{"request", "method"}, {"method"}}, 1},
		{"path", [][]string{{"request", "path"}, {"request", "pathname"}, {"path"}}, 2},
		{"level", [][]string{{"level"}, {"parsed", "error_severity"}}, 4},
	}
}

// Place returns the bits in [PlacesColumn] that mean that the value is at a path, by its place.
func (f *SearchField) Place(path int) uint64 { return uint64(path) << f.shift } //nolint:gosec // It is not negative.

// Mask returns the bits of the field.
func (f *SearchField) Mask() uint64 {
	return (1<<bits.Len(uint(len(f.Paths)-1)) - 1) << f.shift
}

// SearchFieldAt returns the field that has a path of metadata, and the place of the path in it; nil if there is none.
func SearchFieldAt(path []string) (field *SearchField, at int) {
	for _, field := range SearchFields() {
		if at := slices.IndexFunc(field.Paths, func(other []string) bool { return slices.Equal(other, path) }); at >= 0 {
			return &field, at
		}
	}
	return nil, 0
}

// TypedRows is the view of the events of a log source with [Records] whose typed columns have all that their metadata has
// there: one pair, and values of the columns' types. That of [AllLogs] has the placed events of all sources. UntypedRows is
// the view of its other events. No table of an author has a # in its name.
func TypedRows(source string) string { return source + "#typed" }

// UntypedRows is described at [TypedRows].
func UntypedRows(source string) string { return source + "#untyped" }

// MetadataColumn is a typed column of a table on ClickHouse: what a path in metadata has, in the rows that [MetadataTyped] marks.
type MetadataColumn struct {
	// Path is a member of the element of metadata, or two: a list there, and a member of its element.
	Path []string
	// Name is the column's name. Type is STRING, FLOAT64 or INT64.
	Name string
	Type Type
}

// MetadataTyped is the column that is not 0 in the rows whose [MetadataColumn] columns have all that the metadata has there: one element in
// each list, and values of the columns' types.
const MetadataTyped = "metadata_typed"

// UntypedRowsMessage is in the error of SQL that reads typed columns of a table with other rows in the range that it reads.
const UntypedRowsMessage = "savedq: rows that are not typed"

// MetadataColumns returns the typed columns that a log source has on ClickHouse: the project, if metadata has it, and those of
// [RecordsOf].
func (t *Table) MetadataColumns() []MetadataColumn {
	var columns []MetadataColumn
	add := func(of Type, path ...string) {
		name := "metadata_" + strings.Join(path, "_")
		if !slices.ContainsFunc(columns, func(c MetadataColumn) bool { return c.Name == name }) {
			columns = append(columns, MetadataColumn{path, name, of})
		}
	}
	if t.ProjectMember != "" {
		add(String, t.ProjectMember)
	}
	if records := RecordsOf(t.Name); records != nil && t.Shipped {
		for _, field := range records.Fields {
			if field.InList {
				add(field.Type, records.List, field.Name)
			} else {
				add(field.Type, field.Name)
			}
		}
	}
	return columns
}
