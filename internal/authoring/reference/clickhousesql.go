package reference

import (
	_ "embed"
	"fmt"
	"strings"

	"savedq/sqlq/clickhousesql"
)

//go:embed clickhousesql.md
var clickhousesqlIntroduction string

// ClickHouseSQL returns the page of the SQL of ClickHouse that savedq reads.
func ClickHouseSQL() string {
	var page strings.Builder
	var columns strings.Builder
	columns.WriteString("| column | type | |\n|---|---|---|\n")
	for _, column := range clickhousesql.Columns(nil) {
		_, _ = fmt.Fprintf(&columns, "| `%s` | `%s` | %s |\n", column.Name, column.Type, escapeCell(column.Doc))
	}
	page.WriteString(strings.Replace(clickhousesqlIntroduction, "COLUMNS\n", columns.String(), 1))
	for _, group := range clickhousesql.Functions() {
		_, _ = fmt.Fprintf(&page, "\n### %s\n\n| function | takes | returns | |\n|---|---|---|---|\n", group.Name)
		for _, f := range group.Functions {
			names := strings.Join(append([]string{f.Name}, f.Others...), "`, `")
			_, _ = fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", names, escapeCell(f.Signature()), escapeCell(f.Result), escapeCell(f.Doc))
		}
	}
	return page.String()
}
