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
		_, _ = fmt.Fprintf(&page, "\n### %s\n\n| function | takes | returns |\n|---|---|---|\n", group.Title)
		writeFunctions(&page, group.Functions)
	}
	page.WriteString("\n## Rejected functions\n\n| function | why, and what to use |\n|---|---|\n")
	rejected := make(map[string][]string)
	for _, f := range googlesql.RefusedFunctions() {
		rejected[f.Why] = append(rejected[f.Why], "`"+f.Name+"`")
	}
	for _, f := range googlesql.RefusedFunctions() {
		if names := rejected[f.Why]; names[0] == "`"+f.Name+"`" {
			_, _ = fmt.Fprintf(&page, "| %s | %s |\n", strings.Join(names, ", "), escapeCell(f.Why))
		}
	}
	return page.String()
}

// writeFunctions writes one row for all functions with the same parameters, result and notes.
func writeFunctions(page *strings.Builder, functions []googlesql.FunctionEntry) {
	forms := make(map[string][]googlesql.FunctionEntry)
	for _, f := range functions {
		forms[f.Name] = append(forms[f.Name], f)
	}
	names := make(map[string][]string)
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		row := describeForms(forms[name])
		if names[row] == nil {
			rows = append(rows, row)
		}
		names[row] = append(names[row], "`"+name+"`")
	}
	for _, row := range rows {
		_, _ = fmt.Fprintf(page, "| %s | %s |\n", strings.Join(names[row], ", "), row)
	}
}

// describeForms returns the cells for the parameters, and for the results and notes, of the forms of one function.
func describeForms(forms []googlesql.FunctionEntry) string {
	var params []form
	var results, notes []string
	for _, f := range slices.SortedStableFunc(slices.Values(forms), func(a, b googlesql.FunctionEntry) int {
		return strings.Count(a.Params, ",") - strings.Count(b.Params, ",")
	}) {
		params = addForm(params, f.Params)
		if result := "`" + f.Result + "`"; f.Result != "" && !slices.Contains(results, result) {
			results = append(results, result)
		}
		if f.Note != "" && !slices.Contains(notes, f.Note) {
			notes = append(notes, f.Note)
		}
	}
	calls := make([]string, len(params))
	for i, p := range params {
		calls[i] = "`(" + p.text + ")`"
	}
	returns := strings.Join(results, ", ")
	if len(notes) > 0 {
		returns += "; " + escapeCell(strings.Join(notes, "; "))
	}
	return strings.Join(calls, "<br>") + " | " + returns
}

// form is a list of parameters as it is shown, and the longest list of types that it stands for.
type form struct{ text, longest string }

// addForm adds a list of parameters. If it extends an earlier one by one parameter, it shows that as optional.
func addForm(forms []form, params string) []form {
	before, last := "", params
	if i := strings.LastIndex(params, ", "); i >= 0 {
		before, last = params[:i], params[i:]
	}
	for i, earlier := range forms {
		if earlier.longest == before && params != "" {
			forms[i] = form{earlier.text + "[" + last + "]", params}
			return forms
		}
	}
	return append(forms, form{params, params})
}
