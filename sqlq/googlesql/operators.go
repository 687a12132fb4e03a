package googlesql

import "sync"

// operator returns a row of the table of operators, which resolve their operands themselves.
func operator(name string) *function {
	row := operatorTable()[name]
	if row == nil {
		panic("no operator " + name)
	}
	return row
}

var operatorTable = sync.OnceValue(func() map[string]*function { //nolint:gochecknoglobals // It is constant.
	table := make(map[string]*function)
	for _, row := range operators() {
		table[row.name] = &row
	}
	return table
})

// operators returns the operators, with what EXTRACT and INTERVAL stand for.
func operators() []function {
	binary := func(name string) function {
		return function{name: name, kind: operatorKind, duckdb: form{sql: "({0} " + name + " {1})"}}
	}
	rows := []function{
		binary("AND"),
		{name: "OR", duckdb: form{by: alternatives}},
		binary("|"), binary("&"),
		{name: "NOT", duckdb: form{sql: "(NOT {0})"}},
		{name: "~", duckdb: form{sql: "(~{0})"}},
		{name: "unary -", duckdb: form{sql: "(-{0})"}},
		{name: "unary +", duckdb: form{sql: "(+{0})"}},
		{name: "BETWEEN", note: "two comparisons", duckdb: form{sql: "({0} AND {1})"}},
		{name: "= of structs", note: "comparisons of the fields", duckdb: form{by: joinedBy(" AND ")}},
		{name: "= of any", note: "comparisons of which one is true", duckdb: form{by: joinedBy(" OR ")}},
		{name: "USING", note: "comparisons of the columns", duckdb: form{by: joinedPlainly}},
		{name: "first of both", note: "of a FULL JOIN with USING", duckdb: form{sql: "coalesce({0}, {1})"}},
		{name: "IN", duckdb: form{by: inList}},
		{name: "IN UNNEST", duckdb: form{by: inArray}},
		{name: "LIKE", duckdb: form{by: likePatterns}},
		{name: "IS NULL", duckdb: form{by: isNull}},
		{name: "IS TRUE", duckdb: form{sql: "({0} IS TRUE)"}},
		{name: "IS FALSE", duckdb: form{sql: "({0} IS FALSE)"}},
		{name: "IS DISTINCT FROM", duckdb: form{sql: "({0} IS DISTINCT FROM {1})"}},
		{name: "^", duckdb: form{sql: "xor({0}, {1})"}},
		{name: "<<", duckdb: form{sql: shifted("<<")}},
		{name: ">>", duckdb: form{sql: shifted(">>")}},
		{name: "+", duckdb: form{by: arithmetic}},
		{name: "-", duckdb: form{by: arithmetic}},
		{name: "*", duckdb: form{by: arithmetic}},
		{name: "/", duckdb: form{by: arithmetic}},
		{name: "INTERVAL", duckdb: form{by: intervalOf}},
		{name: "as output", note: "values as BigQuery returns them", duckdb: form{by: func(_ *printer, c *call) fragment { return asOutput(c.args[0]) }}},
		{name: "EXTRACT", duckdb: form{by: extractedPart}},
	}
	for _, name := range []string{"=", "!=", "<", "<=", ">", ">="} {
		rows = append(rows, function{name: name, duckdb: form{by: compared}})
	}
	for i := range rows {
		rows[i].kind = operatorKind
	}
	return rows
}

// operation returns what an operator makes of its operands.
func operation(name string, typ *dataType, at place, args ...value) value {
	return newValue(typ, at, &call{function: operator(name), at: at, args: args, typ: typ}, args...)
}

// condition returns what an operator that is true or false makes of its operands.
func condition(name string, at place, args ...value) value {
	return operation(name, scalar(boolKind), at, args...)
}
