package randomsql

import "slices"

// fault is a production or a word that the emulator of BigQuery evaluates differently from the documentation, or fails
// on.
type fault struct {
	symbol, production string
	// page is where the documentation says what is right, in
	// https://docs.cloud.google.com/bigquery/docs/reference/standard-sql/.
	page string
}

// faults are what queries for the emulator do not have. Besides, these have no LEFT JOIN UNNEST without ON
// (query-syntax#left_outer_join), and no LAST_VALUE(… IGNORE NULLS) and MAX over windows (navigation_functions#last_value,
// window-function-calls).
func faults() []fault {
	return []fault{
		{"FLOAT64", "-({FLOAT64})", "operators#arithmetic_operators"},
		{"INT64", "-({INT64:little})", "operators#arithmetic_operators"},
		{"INT64", "{INT64} >> {:positive}", "operators#bitwise_operators"},
		{"BOOL", "{INT64} BETWEEN {INT64} AND {INT64}", "operators#comparison_operators"},
		{"BOOL", "{STRING} NOT BETWEEN {STRING} AND {STRING}", "operators#comparison_operators"},
		{"BOOL", "{BOOL} IS TRUE", "operators#is_operators"},
		{"BOOL", "{BOOL} IS NOT FALSE", "operators#is_operators"},
		{"BOOL", "{STRING} IN ({STRING}, {STRING}, 'a')", "operators#in_operators"},
		{"BOOL", "{INT64} NOT IN (1, {INT64})", "operators#in_operators"},
		{"BOOL", "{STRING} IN UNNEST({ARRAY<STRING>})", "operators#in_operators"},
		{"BOOL", "{INT64} IN UNNEST({ARRAY<INT64>})", "operators#in_operators"},
		{"BOOL", "SAFE_CAST({STRING} AS BOOL)", "conversion_functions#cast_as_bool"},
		{"INT64", "SAFE_CAST({FLOAT64} AS INT64)", "conversion_functions#cast_as_integer"},
		{"DATE", "SAFE_CAST({STRING} AS DATE)", "conversion_functions#cast_as_date"},
		{"DATE", "CAST({TIMESTAMP} AS DATE)", "conversion_functions#cast_as_date"},
		{"TIMESTAMP", "SAFE_CAST({STRING} AS TIMESTAMP)", "conversion_functions#cast_as_timestamp"},
		{"TIMESTAMP", "CAST({DATE} AS TIMESTAMP)", "conversion_functions#cast_as_timestamp"},
		{"DATETIME", "CAST({TIMESTAMP} AS DATETIME)", "conversion_functions#cast_as_datetime"},
		{"DATETIME", "CAST({DATE} AS DATETIME)", "conversion_functions#cast_as_datetime"},
		{"STRING", "CAST({TIMESTAMP} AS STRING)", "conversion_functions#cast_as_string"},
		{"STRING", "CAST({DATETIME} AS STRING)", "conversion_functions#cast_as_string"},
		{"INT64", "NULLIF({INT64}, {INT64})", "conditional_expressions#nullif"},
		{"FLOAT64", "NULLIF({FLOAT64}, {FLOAT64})", "conditional_expressions#nullif"},
		{"STRING", "NULLIF({STRING}, {STRING})", "conditional_expressions#nullif"},
		{"FLOAT64", "POW({:small}, {:small})", "mathematical_functions#pow"},
		{"STRING", "INITCAP({STRING})", "string_functions#initcap"},
		{"INT64", "INSTR({STRING}, {:word}, {:nonzero})", "string_functions#instr"},
		{"STRING", "SUBSTR({STRING}, {:small})", "string_functions#substr"},
		{"STRING", "SUBSTR({STRING}, {:small}, {:positive})", "string_functions#substr"},
		{"STRING", "SAFE.SUBSTR({STRING}, 1, {:small})", "string_functions#substr"},
		{"STRING", "REGEXP_REPLACE({STRING}, {:pattern}, '<\\\\0>')", "string_functions#regexp_replace"},
		{"STRING", "(SELECT STRING_AGG(e, '/' ORDER BY e) FROM UNNEST({ARRAY<STRING>}) AS e)", "aggregate_functions#string_agg"},
		{"ARRAY<INT64>", "GENERATE_ARRAY({:positive}, {:small}, -2)", "array_functions#generate_array"},
		{"STRING", "TO_JSON_STRING({INT64})", "json_functions#json_encodings"},
		{"STRING", "TO_JSON_STRING({ARRAY<INT64>})", "json_functions#json_encodings"},
		{"STRING", "TO_JSON_STRING({DATE})", "json_functions#json_encodings"},
		{"STRING", "TO_JSON_STRING({TIMESTAMP})", "json_functions#json_encodings"},
		{"STRING", "TO_JSON_STRING(STRUCT({INT64} AS a, {STRING} AS b, {BOOL} AS c))", "json_functions#json_encodings"},
		{"STRING", "JSON_VALUE({JSON}, {:path})", "json_functions#json_value"},
		{"STRING", "JSON_VALUE({STRING:json}, {:path})", "json_functions#json_value"},
		{"STRING", "JSON_QUERY({STRING:json}, {:path})", "json_functions#json_query"},
		{"JSON", "JSON_QUERY({JSON}, {:path})", "json_functions#json_query"},
		{"JSON", "{JSON}.a", "json_functions#json_query"},
		{"JSON", "{JSON}.list[0]", "json_functions#json_query"},
		{"DATE", "PARSE_DATE('%d/%m/%Y', '29/02/2024')", "date_functions#parse_date"},
		{":calendarpart", "QUARTER", "date_functions#date_add"},
		{":calendarpart", "WEEK", "datetime_functions#datetime_trunc"},
		{":truncpart", "ISOYEAR", "date_functions#date_trunc"},
		{":format", "'%a %b %e %j'", "format-elements#format_elements_date_time"},
		{":dateformat", "'%j'", "format-elements#format_elements_date_time"},
		{"STRING", "FORMAT('%.2f', {FLOAT64})", "string_functions#format_string"},
		{"STRING", "ARRAY_TO_STRING({ARRAY<STRING>}, {:separator})", "array_functions#array_to_string"},
		{"STRING", "ARRAY_TO_STRING({ARRAY<STRING>}, ',', 'none')", "array_functions#array_to_string"},
		{"INT64", "SAFE_CAST({STRING} AS INT64)", "conversion_functions#cast_as_integer"},
		{"FLOAT64", "SAFE_CAST({STRING} AS FLOAT64)", "conversion_functions#cast_as_floating_point"},
		{"INT64", "MOD({INT64}, {:positive})", "mathematical_functions#mod"},
		{"FLOAT64", "SIGN({FLOAT64})", "mathematical_functions#sign"},
		{":digits", "-1", "mathematical_functions#round"},
		{":diffpart", "ISOWEEK", "date_functions#date_diff"},
		{"INT64", "ARRAY_LENGTH({ARRAY<STRING>})", "array_functions#array_length"},
		{"STRING", "CAST({FLOAT64} AS STRING)", "conversion_functions#cast_as_string"},
		{":separator", "''", "string_functions#split"},
		{":pattern", "'^$'", "string_functions#regexp_extract"},
		{"DATE", "@day", "lexical#query_parameters"},
		{"DATETIME", "DATETIME({DATE})", "datetime_functions#datetime"},
	}
}

// withoutFaults removes them from a grammar or from its words.
func withoutFaults(productions map[string][]string) map[string][]string {
	for _, f := range faults() {
		productions[f.symbol] = slices.DeleteFunc(productions[f.symbol], func(production string) bool { return production == f.production })
	}
	return productions
}
