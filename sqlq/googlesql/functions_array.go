package googlesql

func arrayFunctions() []function {
	return []function{
		{name: "ARRAY_LENGTH", params: "ARRAY", result: "INT64", sql: "len({0})"},
		{name: "ARRAY_CONCAT", params: "ARRAY<T>…", result: "ARRAY<T>", emit: concat},
		{name: "ARRAY_REVERSE", params: "ARRAY<T>", result: "ARRAY<T>", sql: "list_reverse({0})"},
		{name: "ARRAY_TO_STRING", params: "ARRAY<STRING>, STRING", result: "STRING", sql: "CASE WHEN {1} IS NOT NULL THEN array_to_string(list_filter({0}, lambda {e}: {e} IS NOT NULL), {1}) END"},
		{name: "ARRAY_TO_STRING", params: "ARRAY<STRING>, STRING, STRING", result: "STRING", sql: "CASE WHEN {1} IS NOT NULL AND {2} IS NOT NULL THEN array_to_string(list_transform({0}, lambda {e}: coalesce({e}, {2})), {1}) END"},
		{name: "ARRAY_FIRST", params: "ARRAY<T>", result: "T", sql: "CASE WHEN len({0}) = 0 THEN {!The array is empty} ELSE {0}[1] END"},
		{name: "ARRAY_LAST", params: "ARRAY<T>", result: "T", sql: "CASE WHEN len({0}) = 0 THEN {!The array is empty} ELSE {0}[-1] END"},
		{name: "ARRAY_SLICE", params: "ARRAY<T>, INT64, INT64", result: "ARRAY<T>", sql: "list_slice({0}, " + slicePlace("{1}") + ", " + slicePlace("{2}") + ")"},
		{name: "GENERATE_ARRAY", params: "INT64, INT64", result: "ARRAY<INT64>", sql: "generate_series({0}, {1})"},
		{name: "GENERATE_ARRAY", params: "INT64, INT64, INT64", result: "ARRAY<INT64>", sql: "generate_series({0}, {1}, CASE WHEN {2} = 0 THEN {!The step of GENERATE_ARRAY must not be 0} ELSE {2} END)"},
		{name: "GENERATE_ARRAY", params: "FLOAT64, FLOAT64", result: "ARRAY<FLOAT64>", sql: "list_transform(range(CAST(floor({1} - {0}) AS BIGINT) + 1), lambda {e}: {0} + {e})"},
		{name: "GENERATE_ARRAY", params: "FLOAT64, FLOAT64, FLOAT64", result: "ARRAY<FLOAT64>", sql: "list_transform(range(CAST(floor(({1} - {0}) / CASE WHEN {2} = 0 THEN {!The step of GENERATE_ARRAY must not be 0} ELSE {2} END) AS BIGINT) + 1), lambda {e}: {0} + {e} * {2})"},
		{name: "GENERATE_DATE_ARRAY", params: "DATE, DATE", result: "ARRAY<DATE>", sql: "CAST(generate_series(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP), INTERVAL 1 DAY) AS DATE[])"},
		{name: "GENERATE_DATE_ARRAY", params: "DATE, DATE, INTERVAL", result: "ARRAY<DATE>", sql: "CAST(generate_series(CAST({0} AS TIMESTAMP), CAST({1} AS TIMESTAMP), " + notNoStep + ") AS DATE[])"},
		{name: "GENERATE_TIMESTAMP_ARRAY", params: "TIMESTAMP, TIMESTAMP, INTERVAL", result: "ARRAY<TIMESTAMP>", sql: "generate_series({0}, {1}, " + notNoStep + ")"},
	}
}

// notNoStep makes an error of an interval of nothing.
const notNoStep = "CASE WHEN {2} = INTERVAL 0 DAY THEN {!The step must not be 0} ELSE {2} END"

// slicePlace is an index from 0 as DuckDB's list_slice takes it; from the end it counts alike.
func slicePlace(sql string) string {
	return "CASE WHEN " + sql + " >= 0 THEN " + sql + " + 1 ELSE " + sql + " END"
}
