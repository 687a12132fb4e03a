package sqlq

import "strings"

// ClickHouseTable says where and how ClickHouse has the rows of a table. Without one, they are in a table or view of the
// table's name, which has its columns, with metadata as JSON text.
type ClickHouseTable struct {
	// Table names the table on ClickHouse, with its database unless that is the server's; empty means the name of the table.
	Table string
	// Where is a condition in ClickHouse's SQL for the rows; empty means all of them.
	Where string
	// Columns are expressions in ClickHouse's SQL, on the columns of Table, by the names of columns. All other columns
	// have their own names.
	Columns map[string]string
	// Metadata says how the column metadata of a log source is stored; empty means [MetadataJSON].
	Metadata MetadataForm
	// Place is where it is declared, for messages.
	Place Place
}

// MetadataForm says how ClickHouse stores the metadata of an event.
type MetadataForm string

const (
	// MetadataJSON is a String with the object as JSON text.
	MetadataJSON MetadataForm = "json"
	// MetadataMap is a Map(String, String), whose keys are the paths of values, such as request.method.
	MetadataMap MetadataForm = "map"
)

// Name returns the name of the table on ClickHouse, where SQL names it logically.
func (c *ClickHouseTable) Name(logical string) string {
	if c == nil || c.Table == "" {
		return logical
	}
	return c.Table
}

// Expression returns the expression of a column, and whether there is one.
func (c *ClickHouseTable) Expression(column string) (expression string, found bool) {
	if c == nil {
		return "", false
	}
	expression, found = c.Columns[column]
	return expression, found
}

// HasMap reports whether metadata is a map of paths to values.
func (c *ClickHouseTable) HasMap() bool { return c != nil && c.Metadata == MetadataMap }

// InOTelLogs returns where the events of a log source are in a table with the events of all sources, as Logflare makes them: a
// column source_name has one of the names of the source, and log_attributes is a map of paths to values.
func (t *Table) InOTelLogs(table string) *ClickHouseTable {
	names := make([]string, 0, 1+len(t.Aliases))
	for _, name := range t.Names() {
		names = append(names, "'"+name+"'") // names have no quotes
	}
	return &ClickHouseTable{
		Table: table,
		Where: "source_name IN (" + strings.Join(names, ", ") + ")",
		Columns: map[string]string{
			"id":        "toString(id)",
			"timestamp": "toDateTime64(timestamp, 6, 'UTC')",
			"metadata":  "log_attributes",
		},
		Metadata: MetadataMap,
		Place:    t.Place,
	}
}
