package googlesql

func conditionFunctions() []function {
	return []function{
		{name: "IF", params: "BOOL, T, T", result: "T", size: noSize, duckdb: branches("CASE WHEN {0} THEN {1} ELSE {2} END")},
		{name: "IFNULL", params: "T, T", result: "T", size: noSize, duckdb: branches("coalesce({0}, {1})")},
		{name: "NULLIF", params: "T, T", result: "T", size: noSize, check: checkNullIf, duckdb: form{by: nullIf}},
		{name: "COALESCE", params: "T…", result: "T", size: noSize, duckdb: branches("coalesce({*})")},
		{name: "ERROR", params: "STRING", result: "", size: noSize, duckdb: form{by: raisedMessage}},
	}
}

// checkNullIf compares structs field by field.
func checkNullIf(c *call) {
	if c.typ.is(structKind, arrayKind) {
		c.other = c.r.compare("=", c.args[0], c.args[1], c.at)
	}
}

func numberFunctions() []function {
	functions := []function{
		{name: "ABS", params: "N", result: "N", duckdb: form{sql: "abs({0})"}},
		{name: "SIGN", params: "INT64", result: "INT64", duckdb: form{sql: "CAST(sign({0}) AS BIGINT)"}},
		{name: "SIGN", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "CASE WHEN isnan({0}) THEN {0} ELSE CAST(sign({0}) AS DOUBLE) END"}},
		{name: "SIGN", params: "NUMERIC", result: "NUMERIC", duckdb: form{sql: "CAST(sign({0}) AS DECIMAL(38, 9))"}},
		{name: "MOD", params: "INT64, INT64 | NUMERIC, NUMERIC", result: "INT64 | NUMERIC", duckdb: form{sql: "({0} % CASE WHEN {1} = 0 AND {0} IS NOT NULL THEN {!division by zero} ELSE {1} END)"}},
		{name: "DIV", params: "INT64, INT64", result: "INT64", duckdb: form{sql: "({0} // CASE WHEN {1} = 0 AND {0} IS NOT NULL THEN {!division by zero} ELSE {1} END)"}},
		{name: "DIV", params: "NUMERIC, NUMERIC", result: "NUMERIC", duckdb: form{by: wholeQuotient}},
		{name: "SAFE_DIVIDE", params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{sql: finiteOrNull("{0} / nullif({1}, 0)")}},
		{name: "SAFE_DIVIDE", params: "NUMERIC, NUMERIC", result: "NUMERIC", duckdb: form{by: divideNumeric}},
		{name: "IEEE_DIVIDE", params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{sql: "({0} / {1})"}},
		{name: "GREATEST", params: "T…", result: "T", size: noSize, orders: "T", duckdb: greatest("greatest({*})")},
		{name: "LEAST", params: "T…", result: "T", size: noSize, orders: "T", duckdb: greatest("least({*})")},
		{name: "POW POWER", params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{sql: finite("pow({0}, {1})")}},
		{name: "LOG", params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{sql: "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN isnan({0}) OR isnan({1}) OR isinf({0}) AND {0} < 0 OR isinf({1}) AND {1} > 0 THEN 'nan'::DOUBLE" +
			" WHEN {0} <= 0 OR {1} <= 0 OR {1} = 1 THEN {!Floating point error in LOG} ELSE ln({0}) / ln({1}) END"}},
		{name: "ATAN2", params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{sql: "atan2({0}, {1})"}},
		{name: "EXP", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "CASE WHEN isinf(exp({0})) AND NOT isinf({0}) THEN {!Floating point error in EXP} ELSE exp({0}) END"}},
		{name: "LOG", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("ln({0})", "{0}", nan)}},
		{name: "SQRT LN LOG10", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("{name}({0})", "{0}", nan)}},
		{name: "SIN COS TAN ASIN ACOS", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("{name}({0})", nan, nan)}},
		{name: "SINH COSH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "CASE WHEN isinf({name}({0})) AND NOT isinf({0}) THEN {!Floating point error in {NAME}} ELSE {name}({0}) END"}},
		{name: "SEC", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("1 / cos({0})", nan, nan)}},
		{name: "CSC", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite(ofNonzero("1 / sin({0})"), nan, nan)}},
		{name: "COT", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite(ofNonzero("1 / tan({0})"), nan, nan)}},
		{name: "SECH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "1 / cosh({0})"}},
		{name: "CSCH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite(ofNonzero("1 / sinh({0})"), "0.0::DOUBLE", "0.0::DOUBLE")}},
		{name: "COTH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite(ofNonzero("1 / tanh({0})"), "1.0::DOUBLE", "-1.0::DOUBLE")}},
		{name: "ASINH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("asinh({0})", "{0}", "{0}")}},
		{name: "ACOSH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("CASE WHEN {0} < 1 THEN {!Floating point error in ACOSH} ELSE acosh({0}) END", "{0}", nan)}},
		{name: "ATANH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: ofFinite("CASE WHEN abs({0}) >= 1 THEN {!Floating point error in ATANH} ELSE atanh({0}) END", nan, nan)}},
		{name: "EUCLIDEAN_DISTANCE", params: "ARRAY<FLOAT64>, ARRAY<FLOAT64>", result: "FLOAT64", duckdb: form{sql: ofVectors("list_distance({0}, {1})")}},
		{name: "COSINE_DISTANCE", params: "ARRAY<FLOAT64>, ARRAY<FLOAT64>", result: "FLOAT64", duckdb: form{sql: ofVectors("CASE WHEN list_dot_product({0}, {0}) = 0 OR list_dot_product({1}, {1}) = 0 THEN {!A vector of COSINE_DISTANCE must not be zero} ELSE 1 - list_dot_product({0}, {1}) / (sqrt(list_dot_product({0}, {0})) * sqrt(list_dot_product({1}, {1}))) END")}},
		{name: "PARSE_NUMERIC", params: "STRING", result: "NUMERIC", duckdb: form{by: parseNumeric}},
		{name: "CBRT", params: "FLOAT64", result: "FLOAT64", duckdb: form{by: cubeRoot}},
		{name: "ATAN TANH", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "{name}({0})"}},
		{name: "IS_NAN", params: "FLOAT64", result: "BOOL", duckdb: form{sql: "isnan({0})"}},
		{name: "IS_INF", params: "FLOAT64", result: "BOOL", duckdb: form{sql: "isinf({0})"}},
		{name: "BIT_COUNT", params: "INT64", result: "INT64", duckdb: form{sql: "CAST(bit_count({0}) AS BIGINT)"}},
		{name: "BIT_COUNT", params: "BYTES", result: "INT64", duckdb: form{sql: "CAST(bit_count(CAST(CASE WHEN octet_length({0}) = 0 THEN '\\x00'::BLOB ELSE {0} END AS BIT)) AS BIGINT)"}},
		{name: "RANGE_BUCKET", params: "T, ARRAY<T>", result: "INT64", orders: "T", duckdb: form{by: rangeBucket}},
		{name: "ROUND TRUNC CEIL FLOOR", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "{name}({0})"}},
		{name: "ROUND TRUNC CEIL FLOOR", params: "NUMERIC", result: "NUMERIC", duckdb: form{sql: "CAST({name}({0}) AS DECIMAL(38, 9))"}},
		{name: "CEILING", params: "FLOAT64", result: "FLOAT64", duckdb: form{sql: "ceil({0})"}},
		{name: "CEILING", params: "NUMERIC", result: "NUMERIC", duckdb: form{sql: "CAST(ceil({0}) AS DECIMAL(38, 9))"}},
		{name: "ROUND", params: "FLOAT64, INT64", result: "FLOAT64", duckdb: form{by: round}},
		{name: "TRUNC", params: "FLOAT64, INT64", result: "FLOAT64", duckdb: form{sql: roundedTo("trunc")}},
		{name: "ROUND TRUNC", params: "NUMERIC, INT64", result: "NUMERIC", check: checkDigits, duckdb: form{by: roundNumeric}},
		{name: "SAFE_NEGATE", params: "N", result: "N", duckdb: tried("-{0}")},
	}
	for name, sum := range map[string]string{"SAFE_ADD": "{0} + {1}", "SAFE_SUBTRACT": "{0} - {1}", "SAFE_MULTIPLY": "{0} * {1}"} {
		safe := tried("CAST(" + sum + " AS DECIMAL(38, 9))")
		if name == "SAFE_MULTIPLY" {
			safe = form{sql: multiplyNumeric}
		}
		functions = append(functions,
			function{name: name, params: "INT64, INT64", result: "INT64", duckdb: tried(sum)},
			function{name: name, params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{sql: finiteOrNull(sum)}},
			function{name: name, params: "NUMERIC, NUMERIC", result: "NUMERIC", duckdb: safe})
	}
	return functions
}

func arrayFunctions() []function {
	const elements, days = "8 * (CAST({1} AS DOUBLE) - {0})", "8 * (epoch_us({1}) - epoch_us({0})) / "
	return []function{
		{name: "ARRAY_LENGTH", params: "ARRAY", result: "INT64", duckdb: form{by: lengthOf}},
		{name: "ARRAY_CONCAT", params: "ARRAY<T>…", result: "ARRAY<T>", duckdb: form{by: concat}},
		{name: "ARRAY_REVERSE", params: "ARRAY<T>", result: "ARRAY<T>", duckdb: form{sql: "list_reverse({0})"}},
		{name: "ARRAY_TO_STRING", params: "ARRAY<STRING>, STRING", result: "STRING", size: sizeOf("len({0}) * CAST(strlen({1}) AS DOUBLE) + strlen(CAST({0} AS VARCHAR))"), duckdb: form{sql: "CASE WHEN {1} IS NOT NULL THEN " + joinedByValue("list_filter({0}, lambda {e}: {e} IS NOT NULL)", "{1}") + " END"}},
		{name: "ARRAY_TO_STRING", params: "ARRAY<STRING>, STRING, STRING", result: "STRING", size: sizeOf("len({0}) * CAST(strlen({1}) + strlen({2}) AS DOUBLE) + strlen(CAST({0} AS VARCHAR))"), duckdb: form{sql: "CASE WHEN {1} IS NOT NULL AND {2} IS NOT NULL THEN " + joinedByValue("list_transform({0}, lambda {e}: coalesce({e}, {2}))", "{1}") + " END"}},
		{name: "ARRAY_TO_STRING", params: "ARRAY<BYTES>, BYTES", result: "BYTES", size: sizeOf("2 * (len({0}) * CAST(octet_length({1}) AS DOUBLE) + strlen(CAST({0} AS VARCHAR)))"), duckdb: form{sql: "CASE WHEN {1} IS NOT NULL THEN unhex(" + joinedByValue("list_transform(list_filter({0}, lambda {e}: {e} IS NOT NULL), lambda {e}: hex({e}))", "hex({1})") + ") END"}},
		{name: "ARRAY_TO_STRING", params: "ARRAY<BYTES>, BYTES, BYTES", result: "BYTES", size: sizeOf("2 * (len({0}) * CAST(octet_length({1}) + octet_length({2}) AS DOUBLE) + strlen(CAST({0} AS VARCHAR)))"), duckdb: form{sql: "CASE WHEN {1} IS NOT NULL AND {2} IS NOT NULL THEN unhex(" + joinedByValue("list_transform({0}, lambda {e}: hex(coalesce({e}, {2})))", "hex({1})") + ") END"}},
		{name: "ARRAY_FIRST", params: "ARRAY<T>", result: "T", size: noSize, duckdb: form{sql: "CASE WHEN len({0}) = 0 THEN {!The array is empty} ELSE {0}[1] END"}},
		{name: "ARRAY_LAST", params: "ARRAY<T>", result: "T", size: noSize, duckdb: form{sql: "CASE WHEN len({0}) = 0 THEN {!The array is empty} ELSE {0}[-1] END"}},
		{name: "ARRAY_SLICE", params: "ARRAY<T>, INT64, INT64", result: "ARRAY<T>", duckdb: form{sql: "list_slice({0}, " + slicePlace("{1}") + ", " + slicePlace("{2}") + ")"}},
		{name: "GENERATE_ARRAY", params: "INT64, INT64", result: "ARRAY<INT64>", size: sizeOf(elements), duckdb: form{sql: "generate_series({0}, {1})"}},
		{name: "GENERATE_ARRAY", params: "INT64, INT64, INT64", result: "ARRAY<INT64>", size: sizeOf(elements + " / nullif({2}, 0)"), duckdb: form{sql: "generate_series({0}, {1}, CASE WHEN {2} = 0 THEN {!The step of GENERATE_ARRAY must not be 0} ELSE {2} END)"}},
		{name: "GENERATE_ARRAY", params: "FLOAT64, FLOAT64", result: "ARRAY<FLOAT64>", size: sizeOf(elements), duckdb: form{sql: "list_transform(range(CAST(floor({1} - {0}) AS BIGINT) + 1), lambda {e}: {0} + {e})"}},
		{name: "GENERATE_ARRAY", params: "FLOAT64, FLOAT64, FLOAT64", result: "ARRAY<FLOAT64>", size: sizeOf(elements + " / nullif({2}, 0)"), duckdb: form{sql: "list_transform(range(CAST(floor(({1} - {0}) / CASE WHEN {2} = 0 THEN {!The step of GENERATE_ARRAY must not be 0} ELSE {2} END) AS BIGINT) + 1), lambda {e}: {0} + {e} * {2})"}},
		{name: "GENERATE_DATE_ARRAY", params: "DATE, DATE", result: "ARRAY<DATE>", size: sizeOf(days + "86400e6"), duckdb: form{sql: "CAST(generate_series(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP), INTERVAL 1 DAY) AS DATE[])"}},
		{name: "GENERATE_DATE_ARRAY", params: "DATE, DATE, INTERVAL", result: "ARRAY<DATE>", size: sizeOf(days + "nullif(epoch_us({2}), 0)"), duckdb: form{sql: "CAST(generate_series(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP), " + notNoStep + ") AS DATE[])"}},
		{name: "GENERATE_TIMESTAMP_ARRAY", params: "TIMESTAMP, TIMESTAMP, INTERVAL", result: "ARRAY<TIMESTAMP>", size: sizeOf(days + "nullif(epoch_us({2}), 0)"), duckdb: form{sql: "generate_series({0}, {1}, " + notNoStep + ")"}},
	}
}
