package googlesql

import (
	"fmt"
	"slices"
)

func conditionFunctions() []function {
	return []function{
		{name: "IF", params: "BOOL, T, T", result: "T", emit: func(c *call) value { return c.branches("CASE WHEN {0} THEN {1} ELSE {2} END") }},
		{name: "IFNULL", params: "T, T", result: "T", emit: func(c *call) value { return c.branches("coalesce({0}, {1})") }},
		{name: "NULLIF", params: "T, T", result: "T", sql: "nullif({0}, {1})"},
		{name: "COALESCE", params: "T…", result: "T", emit: func(c *call) value { return c.branches("coalesce({*})") }},
		{name: "ERROR", params: "STRING", result: "", emit: func(c *call) value { return c.value(raised{c.args[0].sql}) }},
	}
}

// branches returns a template whose arguments are evaluated for some rows only.
func (c *call) branches(sql string) value {
	args := slices.Clone(c.args)
	for i := range args {
		args[i].sql = branch{args[i].sql}
	}
	return c.value(template(sql, args...))
}

func numberFunctions() []function {
	functions := []function{
		{name: "ABS", params: "N", result: "N", sql: "abs({0})"},
		{name: "SIGN", params: "INT64", result: "INT64", sql: "CAST(sign({0}) AS BIGINT)"},
		{name: "SIGN", params: "FLOAT64", result: "FLOAT64", sql: "CASE WHEN isnan({0}) THEN {0} ELSE CAST(sign({0}) AS DOUBLE) END"},
		{name: "SIGN", params: "NUMERIC", result: "NUMERIC", sql: "CAST(sign({0}) AS DECIMAL(38, 9))"},
		{name: "MOD", params: "INT64, INT64 | NUMERIC, NUMERIC", result: "INT64 | NUMERIC", sql: "({0} % CASE WHEN {1} = 0 AND {0} IS NOT NULL THEN {!division by zero} ELSE {1} END)"},
		{name: "DIV", params: "INT64, INT64", result: "INT64", sql: "({0} // CASE WHEN {1} = 0 AND {0} IS NOT NULL THEN {!division by zero} ELSE {1} END)"},
		{name: "DIV", params: "NUMERIC, NUMERIC", result: "NUMERIC", emit: wholeQuotient},
		{name: "SAFE_DIVIDE", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: finiteOrNull("{0} / nullif({1}, 0)")},
		{name: "SAFE_DIVIDE", params: "NUMERIC, NUMERIC", result: "NUMERIC", emit: divideNumeric},
		{name: "IEEE_DIVIDE", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "({0} / {1})"},
		{name: "GREATEST", params: "T…", result: "T", orders: "T", emit: func(c *call) value { return greatest(c, "greatest({*})") }},
		{name: "LEAST", params: "T…", result: "T", orders: "T", emit: func(c *call) value { return greatest(c, "least({*})") }},
		{name: "POW POWER", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: finite("pow({0}, {1})")},
		{name: "LOG", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: finite("ln({0}) / ln({1})")},
		{name: "ATAN2", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "atan2({0}, {1})"},
		{name: "EXP", params: "FLOAT64", result: "FLOAT64", sql: "CASE WHEN isinf(exp({0})) AND NOT isinf({0}) THEN {!Floating point error in EXP} ELSE exp({0}) END"},
		{name: "LOG", params: "FLOAT64", result: "FLOAT64", sql: "ln({0})"},
		{name: "SQRT LN LOG10 CBRT SIN COS TAN ASIN ACOS ATAN SINH COSH TANH", params: "FLOAT64", result: "FLOAT64", sql: "{name}({0})"},
		{name: "IS_NAN", params: "FLOAT64", result: "BOOL", sql: "isnan({0})"},
		{name: "IS_INF", params: "FLOAT64", result: "BOOL", sql: "isinf({0})"},
		{name: "BIT_COUNT", params: "INT64", result: "INT64", sql: "CAST(bit_count({0}) AS BIGINT)"},
		{name: "RANGE_BUCKET", params: "T, ARRAY<T>", result: "INT64", orders: "T", sql: "CASE WHEN {0} IS NOT NULL THEN len(list_filter({1}, lambda {e}: {e} <= {0})) END"},
		{name: "ROUND TRUNC CEIL FLOOR", params: "FLOAT64", result: "FLOAT64", sql: "{name}({0})"},
		{name: "ROUND TRUNC CEIL FLOOR", params: "NUMERIC", result: "NUMERIC", sql: "CAST({name}({0}) AS DECIMAL(38, 9))"},
		{name: "CEILING", params: "FLOAT64", result: "FLOAT64", sql: "ceil({0})"},
		{name: "CEILING", params: "NUMERIC", result: "NUMERIC", sql: "CAST(ceil({0}) AS DECIMAL(38, 9))"},
		{name: "ROUND", params: "FLOAT64, INT64", result: "FLOAT64", emit: round},
		{name: "TRUNC", params: "FLOAT64, INT64", result: "FLOAT64", sql: "trunc({0}, CAST({1} AS INTEGER))"},
		{name: "ROUND TRUNC", params: "NUMERIC, INT64", result: "NUMERIC", emit: roundNumeric},
		{name: "SAFE_NEGATE", params: "N", result: "N", emit: func(c *call) value { return c.tried("-{0}") }},
	}
	for name, sum := range map[string]string{"SAFE_ADD": "{0} + {1}", "SAFE_SUBTRACT": "{0} - {1}", "SAFE_MULTIPLY": "{0} * {1}"} {
		safe := func(c *call) value { return c.tried("CAST(" + sum + " AS DECIMAL(38, 9))") }
		if name == "SAFE_MULTIPLY" {
			safe = multiplyNumeric
		}
		functions = append(functions,
			function{name: name, params: "INT64, INT64", result: "INT64", emit: func(c *call) value { return c.tried(sum) }},
			function{name: name, params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: finiteOrNull(sum)},
			function{name: name, params: "NUMERIC, NUMERIC", result: "NUMERIC", emit: safe})
	}
	return functions
}

// mostExactDigits is the most digits after the point to which numbers are rounded exactly.
const mostExactDigits = 15

// round rounds a number as it is. DuckDB multiplies it first, and the product of 2.675, which is a little less, is half way.
// A number of n digits is half way only if it is a multiple of 2 to the power of -n-1.
func round(c *call) value {
	const rounded = "round({0}, CAST({1} AS INTEGER))"
	n, ok := c.args[1].integer()
	if !ok || n < 1 || n > mostExactDigits {
		return c.value(c.template(rounded))
	}
	const exact = "CASE WHEN abs({0} * 1e%d) %% 1 = 0.5 AND {0} * %d %% 1 <> 0 THEN CAST(printf('%%.%df', {0}) AS DOUBLE) ELSE %s END"
	return c.value(c.template(fmt.Sprintf(exact, n, int64(2)<<n, n, rounded)))
}

// tried is NULL where a template raises an error.
func (c *call) tried(sql string) value {
	return c.value(c.r.tried(c.args, func(args []value) fragment { return template(sql, args...) }))
}

// finite makes an error of a result that overflows, or is no number, though the arguments are finite ones.
func finite(sql string) string {
	return "CASE WHEN NOT isfinite(" + sql + ") AND isfinite({0}) AND isfinite({1}) THEN {!Floating point error in {NAME}} ELSE " + sql + " END"
}

// finiteOrNull is as [finite], with NULL for the error.
func finiteOrNull(sql string) string {
	return "CASE WHEN isfinite(" + sql + ") OR NOT isfinite({0}) OR NOT isfinite({1}) THEN " + sql + " END"
}

// greatest is NULL if an argument is, which DuckDB skips, and NaN if one is.
func greatest(c *call, sql string) value {
	parts := []any{"CASE WHEN "}
	for i, arg := range c.args {
		parts = append(parts, ifText(i > 0, " OR ", ""), arg, " IS NULL")
	}
	parts = append(parts, " THEN NULL")
	if c.typ.is(float64Kind) {
		for _, arg := range c.args {
			parts = append(parts, " WHEN isnan(", arg, ") THEN ", arg)
		}
	}
	return c.value(append(parts, " ELSE ", template(sql, c.args...), " END")...)
}
