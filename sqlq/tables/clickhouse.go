package tables

import (
	"slices"
	"strings"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// clickHousePattern is how a table on ClickHouse is named.
const clickHousePattern = `^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)?$`

// readClickHouse reads where the rows are on ClickHouse. The columns of the table are read before.
func (f *file) readClickHouse(m *strictyaml.Mapping) {
	if !m.Has("clickhouse") {
		return
	}
	inner := m.At("clickhouse").Mapping("table", "where", "columns", "metadata")
	if inner == nil {
		return
	}
	inner.Require("table")
	f.table.ClickHouse = &sqlq.ClickHouseTable{
		Table:    text(inner, "table", clickHousePattern, "must name a table, such as orders or my_database.orders"),
		Where:    inner.Text("where"),
		Columns:  f.readExpressions(inner),
		Metadata: sqlq.MetadataForm(inner.OneOf("metadata", string(sqlq.MetadataJSON), string(sqlq.MetadataMap))),
		Place:    f.at(inner.At("table")),
	}
	if inner.Has("metadata") && !f.table.IsSource() {
		inner.At("metadata").Mistakef("metadata is for log sources, and this table has files")
	}
}

// readExpressions reads the expressions of columns.
func (f *file) readExpressions(m *strictyaml.Mapping) map[string]string {
	if !m.Has("columns") {
		return nil
	}
	entries, isMapping := m.At("columns").Entries()
	if !isMapping {
		m.At("columns").Mistakef("columns must be a mapping of columns to expressions in ClickHouse's SQL, such as id: toString(uuid)")
		return nil
	}
	var names []string
	for _, column := range f.table.Columns() {
		names = append(names, column.Name)
	}
	expressions := make(map[string]string, len(entries))
	for _, entry := range entries {
		written, isText := entry.Value.Scalar()
		switch {
		case len(names) > 0 && !slices.Contains(names, entry.Name): // Parquet files say theirs
			entry.Key.Mistakef("the table has no column %s; %s", sqlq.Quote(entry.Name), sqlq.DidYouMean(entry.Name, names, "its columns are "+strings.Join(names, ", ")))
		case !isText || strings.TrimSpace(written) == "":
			entry.Value.Mistakef("must be an expression in ClickHouse's SQL, such as toString(uuid)")
		default:
			expressions[entry.Name] = written
		}
	}
	return expressions
}
