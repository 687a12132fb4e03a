package googlesql

import "strings"

// wideNumberMode is the argument that says what becomes of numbers with too many digits.
const wideNumberMode = "wide_number_mode STRING"

// jsonConversions are the functions that make SQL values of JSON, and arrays of them.
func jsonConversions() []function {
	const (
		isNumber = "json_type({0}) IN ('UBIGINT', 'BIGINT', 'DOUBLE')"
		double   = "TRY_CAST({0} AS DOUBLE)"
		integer  = "CASE WHEN json_type({0}) = 'DOUBLE' THEN TRY_CAST(TRY_CAST({0} AS DOUBLE) AS BIGINT) ELSE TRY_CAST({0} AS BIGINT) END"
	)
	var functions []function
	for _, conversion := range []struct{ result, is, sql string }{
		// A cast of JSON is a TRY_CAST: DuckDB also converts values for which the CASE has another branch.
		{"STRING", "json_type({0}) = 'VARCHAR'", "json_extract_string({0}, '$')"},
		{"BOOL", "json_type({0}) = 'BOOLEAN'", "TRY_CAST({0} AS BOOLEAN)"},
		{"FLOAT64", isNumber, double},
		{"INT64", isNumber + " AND " + double + " = trunc(" + double + ") AND " + integer + " IS NOT NULL", integer},
	} {
		one := function{name: conversion.result, params: "JSON", result: conversion.result, duckdb: form{sql: ofJSON(conversion.result, conversion.is, conversion.sql)}}
		several := function{name: conversion.result + "_ARRAY", params: "JSON", result: "ARRAY<" + conversion.result + ">", size: sizeOfFirst(elementBytes / 2), duckdb: form{sql: ofJSONArray(conversion.result, conversion.is, conversion.sql)}}
		if conversion.result == "FLOAT64" {
			exact := conversion.is + " AND is_exact_float64({0})"
			one.named, one.check, one.duckdb = wideNumberMode, checkWideNumbers, wideNumbers(one.duckdb.sql, ofJSON(conversion.result, exact, conversion.sql))
			several.named, several.check, several.duckdb = wideNumberMode, checkWideNumbers, wideNumbers(several.duckdb.sql, ofJSONArray(conversion.result, exact, conversion.sql))
		}
		lax := strings.ToLower("lax_" + conversion.result)
		functions = append(functions, one, several,
			function{name: "LAX_" + one.name, params: "JSON", result: one.result, duckdb: form{sql: lax + "({0})"}},
			function{name: "LAX_" + several.name, params: "JSON", result: several.result, size: several.size, duckdb: form{sql: "CASE WHEN json_type({0}) = 'ARRAY' THEN list_transform(" + jsonElements + ", lambda {e}: " + lax + "({e})) END"}})
	}
	return functions
}

// jsonElements are the elements of an array of JSON, of which nulls are NULL.
const jsonElements = `from_json({0}, '["JSON"]')`

// ofJSON reads JSON that must be of a kind.
func ofJSON(name, is, sql string) string {
	return "CASE WHEN " + is + " THEN " + sql + " WHEN {0} IS NOT NULL THEN {!The JSON is no " + name + "} END"
}

// ofJSONArray reads the elements of an array of JSON, which must all be of a kind.
func ofJSONArray(name, is, sql string) string {
	ofElement := func(sql string) string { return strings.ReplaceAll(sql, "{0}", "{e}") }
	return "CASE WHEN json_type({0}) = 'ARRAY' AND len(list_filter(" + jsonElements + ", lambda {e}: coalesce(" + ofElement(is) + ", false))) = json_array_length({0}) THEN list_transform(" +
		jsonElements + ", lambda {e}: " + ofElement(sql) + ") WHEN {0} IS NOT NULL THEN {!The JSON is no array of " + name + "} END"
}

// isExact reports whether numbers must be exact.
func (c *call) isExact() bool { return c.mode("wide_number_mode", "round", "exact") == "exact" }

func checkWideNumbers(c *call) { c.isExact() }

// wideNumbers reads numbers of JSON with the one template or the other. Only integers can have more digits than a FLOAT64,
// because PARSE_JSON rejects others.
func wideNumbers(rounded, exact string) form {
	return form{by: func(p *printer, c *call) fragment {
		sql := ifElse(c.isExact(), exact, rounded)
		return p.inLambda(c, func(args []value) fragment { return c.with(args).template(sql) })
	}}
}

// isRounded reports whether PARSE_JSON rounds numbers.
func (c *call) isRounded() bool { return c.mode("wide_number_mode", "exact", "round") == "round" }

func checkParseJSON(c *call) { c.isRounded() }

// parseJSON reads a text as JSON.
func parseJSON(_ *printer, c *call) fragment {
	return c.template(ifElse(c.isRounded(), "CAST(rounded_json({0}) AS JSON)", "CAST(parsed_json({0}) AS JSON)"))
}
