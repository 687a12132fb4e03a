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

// refusedFunction is one that GoogleSQL has, and DuckDB or savedq cannot.
type refusedFunction struct{ name, why string }

// refusedFunctions returns functions that are refused with a reason.
func refusedFunctions() []refusedFunction {
	const random = "its result differs from call to call, so an answer could not be cached (D1)"
	return []refusedFunction{
		{"RAND", random},
		{"GENERATE_UUID", random},
		{"SESSION_USER", "queries have no user; use a parameter"},
		{"NET.REG_DOMAIN", "it needs the list of public suffixes; use NET.HOST"},
		{"NET.PUBLIC_SUFFIX", "it needs the list of public suffixes; use NET.HOST"},
		{"SOUNDEX", "DuckDB does not have it; compare with CONTAINS_SUBSTR"},
		{"NORMALIZE_AND_CASEFOLD", "use LOWER(NORMALIZE(x))"},
		{"JSON_KEYS", "name the fields with JSON_VALUE or JSON_QUERY"},
		{"APPROX_TOP_SUM", "GROUP BY the value, and ORDER BY its SUM"},
		{"REGEXP_INSTR", "use INSTR, or REGEXP_EXTRACT for the text itself"},
		{"JSON_OBJECT", "use TO_JSON(STRUCT(x AS name))"},
		{"JSON_ARRAY", "use TO_JSON([x, y])"},
		{"SEARCH", "use CONTAINS_SUBSTR or REGEXP_CONTAINS"},
		{"EDIT_DISTANCE", "compare with CONTAINS_SUBSTR or STARTS_WITH"},
		{"IFERROR", "use SAFE_CAST, SAFE_DIVIDE, or SAFE. before the function"},
		{"ARRAY_INCLUDES", "use x IN UNNEST(array)"},
		{"ARRAY_MAX", "use (SELECT MAX(x) FROM UNNEST(array) AS x)"},
		{"ARRAY_MIN", "use (SELECT MIN(x) FROM UNNEST(array) AS x)"},
		{"ARRAY_SUM", "use (SELECT SUM(x) FROM UNNEST(array) AS x)"},
		{"ARRAY_AVG", "use (SELECT AVG(x) FROM UNNEST(array) AS x)"},
		{"HLL_COUNT.INIT", "use APPROX_COUNT_DISTINCT"},
		{"MAKE_INTERVAL", "write INTERVAL 5 MINUTE"},
		{"SAFE_CONVERT_BYTES_TO_STRING", "use SAFE_CAST(x AS STRING)"},
		{"NET.IP_FROM_STRING", "compare texts, or parts of them with REGEXP_EXTRACT"},
		{"NET.SAFE_IP_FROM_STRING", "compare texts, or parts of them with REGEXP_EXTRACT"},
		{"NET.IP_TO_STRING", "compare texts, or parts of them with REGEXP_EXTRACT"},
	}
}
