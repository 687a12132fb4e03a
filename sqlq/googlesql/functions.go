package googlesql

import (
	"slices"
	"strings"
	"sync"
)

// functionTable holds the entries by name.
type functionTable map[string][]*function

// newFunctionTable returns the table, which is made once.
var newFunctionTable = sync.OnceValue(func() functionTable { //nolint:gochecknoglobals // It is constant.
	table := make(functionTable)
	for _, group := range functionGroups() {
		for i := range group.functions {
			f := &group.functions[i]
			table[f.name] = append(table[f.name], f)
		}
	}
	return table
})

// functionGroup is a section of the reference.
type functionGroup struct {
	title     string
	functions []function
}

// functionGroups returns the functions with one name and one list of parameters each.
func functionGroups() []functionGroup {
	return []functionGroup{
		{"Aggregates", expanded(aggregateFunction, aggregates())},
		{"Window functions", expanded(windowFunction, windowFunctions())},
		{"Conditions", expanded(scalarFunction, conditionFunctions())},
		{"Numbers", expanded(scalarFunction, numberFunctions())},
		{"Texts and bytes", expanded(scalarFunction, slices.Concat(textFunctions(), addressFunctions()))},
		{"Times", expanded(scalarFunction, append(timeFunctions(), intervalFunctions()...))},
		{"Arrays", expanded(scalarFunction, arrayFunctions())},
		{"JSON", expanded(scalarFunction, jsonFunctions())},
	}
}

// expanded returns a function for each name and each list of parameters of an entry.
func expanded(kind functionKind, entries []function) []function {
	const or = " | "
	var functions []function
	for _, f := range entries {
		results := strings.Split(f.result, or)
		for i, params := range strings.Split(f.params, or) {
			for name := range strings.FieldsSeq(f.name) {
				one := f
				one.name, one.params, one.result, one.kind = name, params, results[min(i, len(results)-1)], kind
				if params != "" {
					one.list = strings.Split(strings.TrimSuffix(params, "…"), ", ")
				}
				one.duckdb.sql = strings.NewReplacer("{name}", strings.ToLower(name), "{NAME}", name).Replace(f.duckdb.sql)
				functions = append(functions, one)
			}
		}
	}
	return functions
}

// A FunctionGroup is a section of the reference of functions.
type FunctionGroup struct {
	Title     string
	Functions []FunctionEntry
}

// A FunctionEntry is a function with one list of parameters.
type FunctionEntry struct{ Name, Params, Result, Note string }

// Functions returns all functions for the reference, in the order of the table.
func Functions() []FunctionGroup {
	return each(functionGroups(), func(_ int, group functionGroup) FunctionGroup {
		return FunctionGroup{group.title, each(group.functions, func(_ int, f function) FunctionEntry {
			notes := []string{}
			if f.note != "" {
				notes = append(notes, f.note)
			}
			if f.named != "" {
				notes = append(notes, namedNote(f.named))
			}
			return FunctionEntry{f.name, f.params, f.result, strings.Join(notes, "; ")}
		})}
	})
}

// namedNote lists arguments with names.
func namedNote(named string) string {
	return "also " + strings.Join(each(strings.Split(named, ", "), func(_ int, param string) string {
		paramName, typ, _ := strings.Cut(param, " ")
		return paramName + " => " + typ
	}), ", ")
}

// A RefusedFunction is one that GoogleSQL has, and DuckDB or savedq cannot. The reason says what to use instead.
type RefusedFunction struct{ Name, Why string }

// RefusedFunctions returns functions that are refused with a reason.
func RefusedFunctions() []RefusedFunction {
	const random = "its result differs from call to call, so an answer could not be cached (D1)"
	return []RefusedFunction{
		{"RAND", random},
		{"GENERATE_UUID", random},
		{"SESSION_USER", "queries have no user; use a parameter"},
		{"NET.REG_DOMAIN", "it needs the list of public suffixes; use NET.HOST"},
		{"NET.PUBLIC_SUFFIX", "it needs the list of public suffixes; use NET.HOST"},
		{"SEARCH", "use CONTAINS_SUBSTR or REGEXP_CONTAINS"},
		{"IFERROR", "use SAFE_CAST, SAFE_DIVIDE, or SAFE. before the function"},
		{"ARRAY_INCLUDES", "use x IN UNNEST(array)"},
		{"ARRAY_MAX", "use (SELECT MAX(x) FROM UNNEST(array) AS x)"},
		{"ARRAY_MIN", "use (SELECT MIN(x) FROM UNNEST(array) AS x)"},
		{"ARRAY_SUM", "use (SELECT SUM(x) FROM UNNEST(array) AS x)"},
		{"ARRAY_AVG", "use (SELECT AVG(x) FROM UNNEST(array) AS x)"},
		{"HLL_COUNT.INIT", "use APPROX_COUNT_DISTINCT"},
	}
}
