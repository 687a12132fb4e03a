package reference

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq/googlesql"
)

//go:embed googlesql.md
var googlesqlIntroduction string

// GoogleSQL returns the page of the GoogleSQL that the embedded engine runs.
func GoogleSQL() string {
	var page strings.Builder
	page.WriteString(googlesqlIntroduction)
	for _, group := range googlesql.Functions() {
		_, _ = fmt.Fprintf(&page, "\n### %s\n\n| function | returns | |\n|---|---|---|\n", group.Title)
		rows := make(map[string][3][]string) // calls, results and notes by name
		for _, f := range group.Functions {
			row := rows[f.Name]
			for i, cell := range []string{f.Name + "(" + f.Params + ")", f.Result, f.Note} {
				if cell != "" && !slices.Contains(row[i], cell) {
					row[i] = append(row[i], cell)
				}
			}
			rows[f.Name] = row
		}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			calls, results, notes := rows[name][0], rows[name][1], rows[name][2]
			_, _ = fmt.Fprintf(&page, "| `%s` | %s | %s |\n", strings.Join(calls, "`<br>`"), codes(results), escapeCell(strings.Join(notes, "; ")))
		}
	}
	page.WriteString("\n## Functions that are refused\n\n| function | why, and what to use |\n|---|---|\n")
	for _, f := range googlesql.RefusedFunctions() {
		_, _ = fmt.Fprintf(&page, "| `%s` | %s |\n", f.Name, escapeCell(f.Why))
	}
	return page.String()
}
