package clickhouse

import (
	"cmp"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
)

// Dialect is ClickHouse's SQL: parameters are written {name:Type}.
type Dialect struct {
	// Dialect has what a text is made of.
	clickhousesql.Dialect

	// OTelLogs names a table with the events of all log sources that say nothing else; see [sqlq.Table.InOTelLogs].
	// Empty means a table for each of them.
	OTelLogs string
}

var _ sqlq.Dialect = Dialect{}

// BoundedTable returns the common table expression. It may read the table that it hides.
func (Dialect) BoundedTable(table, from string) string {
	return fmt.Sprintf("%s AS (SELECT * FROM %s WHERE %s)", quoteName(table), cmp.Or(from, quoteName(table)), boundsOf("timestamp"))
}

// boundsOf returns the condition that a time is in the range of a run.
func boundsOf(timestamp string) string {
	return fmt.Sprintf("%s >= {%s:%s} AND %[1]s < {%[4]s:%[3]s}", timestamp, sqlq.FromParam, momentType, sqlq.ToParam)
}

// momentType is the type of the parameters that the engine adds.
const momentType = "DateTime64(6, 'UTC')"

// quoteName returns a name as the SQL has it.
func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// quoteTable returns the name of a table, which may have its database before it.
func quoteTable(name string) string {
	database, table, found := strings.Cut(name, ".")
	if !found {
		return quoteName(name)
	}
	return quoteName(database) + "." + quoteName(table)
}
