package googlesql

func arrayFunctions() []function {
	return []function{
		{name: "ARRAY_LENGTH", params: "ARRAY", result: "INT64", sql: "len({0})"},
		{name: "ARRAY_CONCAT", params: "ARRAY<T>…", result: "ARRAY<T>", emit: concat},
		{name: "ARRAY_REVERSE", params: "ARRAY<T>", result: "ARRAY<T>", sql: "list_reverse({0})"},
		{name: "ARRAY_TO_STRING", params: "ARRAY<STRING>, STRING", result: "STRING", sql: "array_to_string(list_filter({0}, lambda e: e IS NOT NULL), {1})"},
		{name: "ARRAY_TO_STRING", params: "ARRAY<STRING>, STRING, STRING", result: "STRING", sql: "array_to_string(list_transform({0}, lambda e: coalesce(e, {2})), {1})"},
		{name: "ARRAY_FIRST", params: "ARRAY<T>", result: "T", sql: "CASE WHEN len({0}) = 0 THEN error('The array is empty') ELSE {0}[1] END"},
		{name: "ARRAY_LAST", params: "ARRAY<T>", result: "T", sql: "CASE WHEN len({0}) = 0 THEN error('The array is empty') ELSE {0}[-1] END"},
		{name: "GENERATE_ARRAY", params: "INT64, INT64", result: "ARRAY<INT64>", sql: "generate_series({0}, {1})"},
		{name: "GENERATE_ARRAY", params: "INT64, INT64, INT64", result: "ARRAY<INT64>", sql: "generate_series({0}, {1}, CASE WHEN {2} = 0 THEN error('The step of GENERATE_ARRAY must not be 0') ELSE {2} END)"},
		{name: "GENERATE_DATE_ARRAY", params: "DATE, DATE", result: "ARRAY<DATE>", sql: "CAST(generate_series(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP), INTERVAL 1 DAY) AS DATE[])"},
		{name: "GENERATE_DATE_ARRAY", params: "DATE, DATE, INTERVAL", result: "ARRAY<DATE>", sql: "CAST(generate_series(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP), {2}) AS DATE[])"},
		{name: "GENERATE_TIMESTAMP_ARRAY", params: "TIMESTAMP, TIMESTAMP, INTERVAL", result: "ARRAY<TIMESTAMP>", sql: "generate_series({0}, {1}, {2})"},
	}
}

func jsonFunctions() []function {
	return []function{
		{name: "TO_JSON_STRING", params: "ANY", result: "STRING", emit: toJSON},
		{name: "TO_JSON", params: "ANY", result: "JSON", emit: toJSON},
		{name: "PARSE_JSON", params: "STRING", result: "JSON", sql: "CAST({0} AS JSON)"},
		{name: "JSON_VALUE", params: "STRING, STRING", result: "STRING", emit: jsonValue},
		{name: "JSON_VALUE", params: "JSON, STRING", result: "STRING", emit: jsonValue},
		{name: "JSON_EXTRACT_SCALAR", params: "STRING, STRING", result: "STRING", emit: jsonValue},
		{name: "JSON_QUERY", params: "JSON, STRING", result: "JSON", sql: "json_extract({0}, {1})"},
		{name: "JSON_QUERY", params: "STRING, STRING", result: "STRING", sql: "CAST(json_extract({0}, {1}) AS VARCHAR)"},
		{name: "JSON_EXTRACT", params: "STRING, STRING", result: "STRING", sql: "CAST(json_extract({0}, {1}) AS VARCHAR)"},
	}
}

// toJSON makes JSON of any value.
func toJSON(c *call) value {
	arg := c.args[0]
	sql := text("to_json(", arg, ")")
	if arg.typ.kind == dynamicKind {
		sql = arg.dyn.as(scalar(jsonKind))
	}
	if c.typ.kind == stringKind {
		return c.value("CAST(coalesce(", sql, ", 'null') AS VARCHAR)")
	}
	return c.value(sql)
}

// jsonValue reads a scalar. Objects and lists are NULL.
func jsonValue(c *call) value {
	return c.value("CASE WHEN json_type(", c.args[0], ", ", c.args[1], ") NOT IN ('OBJECT', 'ARRAY') THEN json_extract_string(", c.args[0], ", ", c.args[1], ") END")
}
