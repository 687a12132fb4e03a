package googlesql

// functionTable holds the entries by name.
type functionTable map[string][]*function

func newFunctionTable() functionTable {
	table := make(functionTable)
	for _, group := range functionGroups() {
		for i := range group.functions {
			f := &group.functions[i]
			f.kind = group.kind
			table[f.name] = append(table[f.name], f)
		}
	}
	return table
}

// functionGroup is a section of the reference.
type functionGroup struct {
	title     string
	kind      functionKind
	functions []function
}

func functionGroups() []functionGroup {
	return []functionGroup{
		{"Aggregates", aggregateFunction, aggregates()},
		{"Window functions", windowFunction, windowFunctions()},
		{"Conditions", scalarFunction, conditionFunctions()},
		{"Numbers", scalarFunction, numberFunctions()},
		{"Texts and bytes", scalarFunction, textFunctions()},
		{"Times", scalarFunction, timeFunctions()},
		{"Arrays", scalarFunction, arrayFunctions()},
		{"JSON", scalarFunction, jsonFunctions()},
	}
}
