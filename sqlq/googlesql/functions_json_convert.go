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

// isExact reports whether numbers must be exact.
func (c *call) isExact() bool { return c.mode("wide_number_mode", "round", "exact") == "exact" }

func checkWideNumbers(c *call) { c.isExact() }

// isRounded reports whether PARSE_JSON rounds numbers.
func (c *call) isRounded() bool { return c.mode("wide_number_mode", "exact", "round") == "round" }

func checkParseJSON(c *call) { c.isRounded() }
