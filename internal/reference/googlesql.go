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
		forms, notes := make(map[string][]googlesql.FunctionEntry), make(map[string][]string)
		for _, f := range group.Functions {
			forms[f.Name] = append(forms[f.Name], f)
			if f.Note != "" && !slices.Contains(notes[f.Name], f.Note) {
				notes[f.Name] = append(notes[f.Name], f.Note)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			var calls, results []string
			for _, f := range forms[name] {
				calls = append(calls, "`"+name+"("+f.Params+")`")
				if result := "`" + f.Result + "`"; f.Result != "" && !slices.Contains(results, result) {
					results = append(results, result)
				}
			}
			_, _ = fmt.Fprintf(&page, "| %s | %s | %s |\n", strings.Join(calls, "<br>"), strings.Join(results, ", "), escapeCell(strings.Join(notes[name], "; ")))
		}
	}
	page.WriteString("\n## Functions that are refused\n\n| function | why, and what to use |\n|---|---|\n")
	for _, f := range googlesql.RefusedFunctions() {
		_, _ = fmt.Fprintf(&page, "| `%s` | %s |\n", f.Name, escapeCell(f.Why))
	}
	return page.String()
}
