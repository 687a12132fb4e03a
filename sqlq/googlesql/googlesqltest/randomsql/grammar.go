package randomsql

import "strings"

// fault is what the emulator of BigQuery evaluates differently from the documentation, or fails on. What follows is where
// the documentation says what is right, in https://docs.cloud.google.com/bigquery/docs/reference/standard-sql/. Besides,
// queries for the emulator have no LEFT JOIN UNNEST without ON (query-syntax#left_outer_join), and no LAST_VALUE(… IGNORE
// NULLS) and MAX over windows (navigation_functions#last_value, window-function-calls).
const fault = " ⚠ "

// withoutFaults returns productions without those of the emulator, or only without the marks of these.
func withoutFaults(productions map[string][]string, emulated bool) map[string][]string {
	for symbol, marked := range productions {
		var sql []string
		for _, production := range marked {
			if before, _, isFault := strings.Cut(production, fault); !isFault || !emulated {
				sql = append(sql, before)
			}
		}
		productions[symbol] = sql
	}
	return productions
}

// grammar holds the expressions of each type. A name in braces stands for an expression of that type, or for one of
// the words that begin with a colon.
func grammar() map[string][]string {
	return map[string][]string{
		"BOOL": {
			"{INT64} = {INT64}", "{INT64} < {INT64}", "{STRING} != {STRING}", "{STRING} >= {STRING}", "{FLOAT64} > {FLOAT64}", "{TIMESTAMP} <= {TIMESTAMP}", "{DATE} < {DATE}",
			"NOT {BOOL}", "{BOOL} AND {BOOL}", "{BOOL} OR {BOOL}", "{INT64} BETWEEN {INT64} AND {INT64} ⚠ operators#comparison_operators", "{STRING} NOT BETWEEN {STRING} AND {STRING} ⚠ operators#comparison_operators",
			"{STRING} IS NULL", "{INT64} IS NOT NULL", "{BOOL} IS TRUE ⚠ operators#is_operators", "{BOOL} IS NOT FALSE ⚠ operators#is_operators", "{INT64} IS DISTINCT FROM {INT64}", "{STRING} IS NOT DISTINCT FROM {STRING}",
			"{STRING} IN ({STRING}, {STRING}, 'a') ⚠ operators#in_operators", "{INT64} NOT IN (1, {INT64}) ⚠ operators#in_operators", "{STRING} IN UNNEST({ARRAY<STRING>}) ⚠ operators#in_operators", "{INT64} IN UNNEST({ARRAY<INT64>}) ⚠ operators#in_operators", "(IFNULL({STRING}, '') IN ('a', 'acme', ''))", "(IFNULL({INT64}, 1) NOT IN (1, 7))", "(IFNULL({STRING}, 'ä') IN UNNEST(@ids))", "IFNULL({STRING}, '') BETWEEN 'A' AND 'z'", "{FLOAT64} BETWEEN -1 AND 2",
			"{STRING} LIKE {:like}", "{STRING} NOT LIKE {:like}", "STARTS_WITH({STRING}, {STRING})", "ENDS_WITH({STRING}, {STRING})", "CONTAINS_SUBSTR({STRING}, {:word})",
			"REGEXP_CONTAINS({STRING}, {:pattern})", "SAFE_CAST({STRING} AS BOOL) ⚠ conversion_functions#cast_as_bool", "IF({BOOL}, {BOOL}, {BOOL})", "CASE {INT64} WHEN 1 THEN TRUE WHEN {INT64} THEN {BOOL} END",
			"EXISTS (SELECT 1 FROM UNNEST({ARRAY<INT64>}) AS e WHERE e > {:small})", "{INT64} IN (SELECT e FROM UNNEST({ARRAY<INT64>}) AS e)", "COALESCE({BOOL}, {BOOL})",
			"CAST({:small} AS BOOL)", "IS_NAN({FLOAT64})", "IS_INF({FLOAT64})", "LAX_BOOL({JSON})",
		},
		"INT64": {
			"{INT64:little} + {INT64:little}", "{INT64:little} - {INT64:little}", "{INT64:little} * {INT64:little}", "-({INT64:little}) ⚠ operators#arithmetic_operators", "ABS({INT64:little})", "SIGN({INT64})", "MOD({INT64}, {:positive}) ⚠ mathematical_functions#mod", "MOD({INT64:little}, {:positive})", "DIV({INT64}, {:positive})",
			"{INT64} & {INT64}", "{INT64} | {INT64}", "{INT64} ^ {INT64}", "~({INT64})", "{INT64} << {:positive}", "{INT64} >> {:positive} ⚠ operators#bitwise_operators", "BIT_COUNT({INT64})",
			"LENGTH({STRING})", "BYTE_LENGTH({STRING})", "CHAR_LENGTH({STRING})", "STRPOS({STRING}, {STRING})", "INSTR({STRING}, {:word}, {:nonzero}) ⚠ string_functions#instr", "UNICODE({STRING})",
			"ARRAY_LENGTH({ARRAY<STRING>}) ⚠ array_functions#array_length", "{ARRAY<INT64>}[SAFE_OFFSET({:index})]", "{ARRAY<INT64>}[SAFE_ORDINAL({:index})]", "(SELECT SUM(e) FROM UNNEST({ARRAY<INT64>:little}) AS e)", "(SELECT COUNT(*) FROM UNNEST({ARRAY<STRING>}) AS e WHERE e > {:word})",
			"(SELECT MAX(e + o) FROM UNNEST({ARRAY<INT64>:little}) AS e WITH OFFSET AS o)", "STRUCT({INT64} AS a, {STRING} AS b).a",
			"SAFE_CAST({STRING} AS INT64) ⚠ conversion_functions#cast_as_integer", "CAST({BOOL} AS INT64)", "SAFE_CAST({FLOAT64} AS INT64) ⚠ conversion_functions#cast_as_integer", "IF({BOOL}, {INT64}, {INT64})", "IFNULL({INT64}, {INT64})", "NULLIF({INT64}, {INT64}) ⚠ conditional_expressions#nullif", "COALESCE({INT64}, {INT64}, 7)",
			"CASE WHEN {BOOL} THEN {INT64} WHEN {BOOL} THEN {INT64} ELSE {INT64} END", "GREATEST({INT64}, {INT64})", "LEAST({INT64}, {INT64}, {INT64})",
			"EXTRACT({:anypart} FROM {TIMESTAMP})", "EXTRACT({:datepart} FROM {DATE})", "EXTRACT({:anypart} FROM {DATETIME})", "EXTRACT({:zonedpart} FROM {TIMESTAMP} AT TIME ZONE {:zone})",
			"TIMESTAMP_DIFF({TIMESTAMP}, {TIMESTAMP}, {:clockpart})", "DATE_DIFF({DATE}, {DATE}, {:diffpart})", "DATETIME_DIFF({DATETIME}, {DATETIME}, {:calendarpart})",
			"UNIX_SECONDS({TIMESTAMP})", "UNIX_MILLIS({TIMESTAMP})", "UNIX_MICROS({TIMESTAMP})", "UNIX_DATE({DATE})",
			"SAFE_ADD({INT64:little}, {INT64:little})", "SAFE_NEGATE({INT64:little})", "RANGE_BUCKET({INT64}, [0, 10, 20])", "LAX_INT64({JSON})",
		},
		"FLOAT64": {
			"{FLOAT64} + {FLOAT64}", "{FLOAT64} - {INT64:little}", "{FLOAT64} * {FLOAT64}", "{FLOAT64} / 4", "{INT64:little} / {:positive}", "SAFE_DIVIDE({FLOAT64}, {FLOAT64})", "-({FLOAT64}) ⚠ operators#arithmetic_operators", "ABS({FLOAT64})", "SIGN({FLOAT64}) ⚠ mathematical_functions#sign",
			"ROUND({FLOAT64})", "ROUND({FLOAT64}, {:digits})", "TRUNC({FLOAT64})", "CEIL({FLOAT64})", "FLOOR({FLOAT64})", "SQRT(ABS({FLOAT64}))", "POW({:small}, {:small}) ⚠ mathematical_functions#pow",
			"CAST({INT64} AS FLOAT64)", "SAFE_CAST({STRING} AS FLOAT64) ⚠ conversion_functions#cast_as_floating_point", "IF({BOOL}, {FLOAT64}, {FLOAT64})", "COALESCE({FLOAT64}, {FLOAT64})", "NULLIF({FLOAT64}, {FLOAT64}) ⚠ conditional_expressions#nullif", "GREATEST({FLOAT64}, {FLOAT64})",
			"(SELECT AVG(e) FROM UNNEST({ARRAY<INT64>:little}) AS e)", "LAX_FLOAT64({JSON})", "CASE {STRING} WHEN 'a' THEN {FLOAT64} ELSE {FLOAT64} END",
		},
		"STRING": {
			"CONCAT({STRING}, {STRING})", "{STRING} || {STRING}", "UPPER({STRING})", "LOWER({STRING})", "INITCAP({STRING}) ⚠ string_functions#initcap", "TRIM({STRING})", "LTRIM({STRING}, 'a ')", "RTRIM({STRING})",
			"SUBSTR({STRING}, {:small}) ⚠ string_functions#substr", "SUBSTR({STRING}, {:small}, {:positive}) ⚠ string_functions#substr", "LEFT({STRING}, {:positive})", "RIGHT({STRING}, {:positive})", "REPLACE({STRING}, {:word}, {STRING})", "REVERSE({STRING})", "REPEAT({STRING}, 2)",
			"LPAD({STRING}, {:positive}, {:word})", "RPAD({STRING}, {:positive})", "TRANSLATE({STRING}, 'ab', 'x')", "SPLIT({STRING}, {:separator})[SAFE_OFFSET({:index})]", "REGEXP_EXTRACT({STRING}, {:pattern})", "REGEXP_REPLACE({STRING}, {:pattern}, '<\\\\0>') ⚠ string_functions#regexp_replace",
			"CAST({INT64} AS STRING)", "CAST({BOOL} AS STRING)", "CAST({DATE} AS STRING)", "CAST({FLOAT64} AS STRING) ⚠ conversion_functions#cast_as_string", "CAST({TIMESTAMP} AS STRING) ⚠ conversion_functions#cast_as_string", "CAST({DATETIME} AS STRING) ⚠ conversion_functions#cast_as_string",
			"TO_HEX(MD5({STRING}))", "TO_HEX(SHA256({STRING}))", "TO_BASE64(CAST({STRING} AS BYTES))", "FORMAT('%d:%s', {INT64}, {STRING})", "FORMAT('%5d', {INT64})", "FORMAT('%.2f', {FLOAT64}) ⚠ string_functions#format_string",
			"FORMAT_TIMESTAMP({:format}, {TIMESTAMP})", "FORMAT_DATE({:dateformat}, {DATE})", "ARRAY_TO_STRING({ARRAY<STRING>}, {:separator}) ⚠ array_functions#array_to_string", "ARRAY_TO_STRING({ARRAY<STRING>}, ',', 'none') ⚠ array_functions#array_to_string", "ARRAY_TO_STRING([IFNULL({STRING}, ''), 'b', {STRING}], {:separator})", "{ARRAY<STRING>}[SAFE_OFFSET({:index})]",
			"JSON_VALUE({JSON}, {:path}) ⚠ json_functions#json_value", "JSON_VALUE({STRING:json}, {:path}) ⚠ json_functions#json_value", "JSON_QUERY({STRING:json}, {:path}) ⚠ json_functions#json_query", "TO_JSON_STRING({INT64}) ⚠ json_functions#json_encodings", "TO_JSON_STRING({STRING})", "TO_JSON_STRING({ARRAY<INT64>}) ⚠ json_functions#json_encodings", "TO_JSON_STRING(STRUCT({INT64} AS a, {STRING} AS b, {BOOL} AS c)) ⚠ json_functions#json_encodings", "TO_JSON_STRING({TIMESTAMP}) ⚠ json_functions#json_encodings", "TO_JSON_STRING({DATE}) ⚠ json_functions#json_encodings", "JSON_TYPE({JSON})",
			"IF({BOOL}, {STRING}, {STRING})", "IFNULL({STRING}, {STRING})", "NULLIF({STRING}, {STRING}) ⚠ conditional_expressions#nullif", "COALESCE({STRING}, {STRING})", "CASE WHEN {BOOL} THEN {STRING} END", "GREATEST({STRING}, {STRING})", "STRUCT({INT64}, {STRING} AS b).b",
			"(SELECT STRING_AGG(e, '/' ORDER BY e) FROM UNNEST({ARRAY<STRING>}) AS e) ⚠ aggregate_functions#string_agg", "(SELECT MIN(e) FROM UNNEST({ARRAY<STRING>}) AS e)", "NET.HOST({:url})", "CHR({:positive} + 64)", "SAFE.SUBSTR({STRING}, 1, {:small}) ⚠ string_functions#substr", "NORMALIZE({STRING})",
		},
		"TIMESTAMP": {
			"TIMESTAMP_TRUNC({TIMESTAMP}, {:truncpart})", "TIMESTAMP_TRUNC({TIMESTAMP}, {:clockpart})", "TIMESTAMP_TRUNC({TIMESTAMP}, {:zonedtrunc}, {:zone})", "TIMESTAMP_ADD({TIMESTAMP}, INTERVAL {:small} {:clockpart})", "TIMESTAMP_SUB({TIMESTAMP}, INTERVAL {:small} {:clockpart})", "{TIMESTAMP} + INTERVAL {:small} HOUR",
			"TIMESTAMP({DATE})", "TIMESTAMP({DATETIME})", "TIMESTAMP({DATETIME}, {:zone})", "CAST({DATE} AS TIMESTAMP) ⚠ conversion_functions#cast_as_timestamp", "SAFE_CAST({STRING} AS TIMESTAMP) ⚠ conversion_functions#cast_as_timestamp", "TIMESTAMP_SECONDS({:seconds})", "TIMESTAMP_MILLIS({:seconds})", "TIMESTAMP_MICROS({:seconds})",
			"IF({BOOL}, {TIMESTAMP}, {TIMESTAMP})", "COALESCE({TIMESTAMP}, {TIMESTAMP})", "GREATEST({TIMESTAMP}, {TIMESTAMP})", "PARSE_TIMESTAMP('%Y-%m-%d %H:%M:%S', '2024-02-29 23:59:59')",
		},
		"DATE": {
			"DATE_TRUNC({DATE}, {:truncpart})", "DATE_ADD({DATE}, INTERVAL {:small} {:calendarpart})", "DATE_SUB({DATE}, INTERVAL {:small} {:calendarpart})", "{DATE} + {:small}", "{DATE} - {:small}", "LAST_DAY({DATE})", "LAST_DAY({DATE}, {:lastpart})", "DATE({TIMESTAMP})", "DATE({DATETIME})", "DATE({TIMESTAMP}, {:zone})",
			"DATE(2024, {:month}, {:month})", "CAST({TIMESTAMP} AS DATE) ⚠ conversion_functions#cast_as_date", "SAFE_CAST({STRING} AS DATE) ⚠ conversion_functions#cast_as_date", "EXTRACT(DATE FROM {TIMESTAMP})", "DATE_FROM_UNIX_DATE({:small})", "IF({BOOL}, {DATE}, {DATE})", "COALESCE({DATE}, {DATE})", "LEAST({DATE}, {DATE})", "PARSE_DATE('%d/%m/%Y', '29/02/2024') ⚠ date_functions#parse_date",
		},
		"DATETIME": {
			"DATETIME_TRUNC({DATETIME}, {:calendarpart})", "DATETIME_ADD({DATETIME}, INTERVAL {:small} {:calendarpart})", "DATETIME_SUB({DATETIME}, INTERVAL {:small} {:clockpart})", "DATETIME({TIMESTAMP})", "DATETIME({TIMESTAMP}, {:zone})", "DATETIME({DATE}) ⚠ datetime_functions#datetime", "CAST({TIMESTAMP} AS DATETIME) ⚠ conversion_functions#cast_as_datetime", "CAST({DATE} AS DATETIME) ⚠ conversion_functions#cast_as_datetime", "DATETIME(2024, {:month}, {:month}, 1, 2, 3)", "COALESCE({DATETIME}, {DATETIME})",
		},
		"ARRAY<INT64>": {
			"[{INT64}, {INT64}]", "[{INT64}]", "GENERATE_ARRAY({:small}, {:positive})", "GENERATE_ARRAY({:positive}, {:small}, -2) ⚠ array_functions#generate_array", "ARRAY_CONCAT({ARRAY<INT64>}, {ARRAY<INT64>})", "ARRAY_REVERSE({ARRAY<INT64>})", "ARRAY(SELECT e FROM UNNEST({ARRAY<INT64>}) AS e WHERE e != {:small} ORDER BY e)", "ARRAY(SELECT DISTINCT e FROM UNNEST({ARRAY<INT64>}) AS e ORDER BY e DESC LIMIT 2)", "TO_CODE_POINTS({STRING})", "IF({BOOL}, {ARRAY<INT64>}, {ARRAY<INT64>})", "ARRAY(SELECT LENGTH(e) FROM UNNEST({ARRAY<STRING>}) AS e)",
		},
		"ARRAY<STRING>": {
			"[{STRING}, {STRING}]", "[{STRING}, {STRING}, {STRING}]", "SPLIT({STRING}, {:separator})", "SPLIT({STRING})", "REGEXP_EXTRACT_ALL({STRING}, {:pattern})", "ARRAY_CONCAT({ARRAY<STRING>}, ['z'])", "ARRAY_REVERSE({ARRAY<STRING>})", "ARRAY(SELECT UPPER(e) FROM UNNEST({ARRAY<STRING>}) AS e ORDER BY e DESC)", "JSON_VALUE_ARRAY({STRING:json}, '$.list')", "ARRAY(SELECT e FROM UNNEST({ARRAY<STRING>}) AS e WITH OFFSET AS o WHERE o > 0 ORDER BY o)",
		},
		"JSON": {"PARSE_JSON({STRING:json})", "JSON_QUERY({JSON}, {:path}) ⚠ json_functions#json_query", "{JSON}.a ⚠ json_functions#json_query", "{JSON}.list[0] ⚠ json_functions#json_query", "TO_JSON({INT64:little})", "TO_JSON({STRING})"},
	}
}

// words are the constants of each type, edge values among them, and words of the grammar.
func words() map[string][]string {
	return map[string][]string{
		"BOOL":                {"TRUE", "FALSE", "CAST(NULL AS BOOL)", "@enabled"},
		"INT64":               {"0", "1", "-1", "7", "42", "-250", "CAST(NULL AS INT64)", "@least", "9223372036854775807", "-9223372036854775808", "1000000007"},
		"INT64:little":        {"0", "1", "-1", "7", "-250", "CAST(NULL AS INT64)", "@least"},
		"FLOAT64":             {"0.0", "1.5", "-2.25", "1e3", "0.1", "-0.5", "2.5", "123456.789", "CAST(NULL AS FLOAT64)", "@ratio", "1e15"},
		"STRING":              {"''", "'a'", "'Abc'", "'a,b,,c'", "' pad '", "'häß €'", "'日本語'", "'😀x'", "'12'", "'-7'", "'1.5'", "'true'", "'2024-02-29'", "'2024-02-29 12:30:45'", "'a%b_c'", "r'\\d'", "'it\\'s \"q\"'", "'line\\nbreak'", "CAST(NULL AS STRING)", "@project"},
		"STRING:json":         {`'{"a": 1, "b": "x", "list": ["p", "q"], "n": null}'`, `'{"a": {"b": 1.5}, "list": []}'`, `'[1, "two", true]'`, `'"text"'`, "CAST(NULL AS STRING)"},
		"TIMESTAMP":           {"TIMESTAMP '2024-02-29 12:34:56.789123+00'", "TIMESTAMP '1969-12-31 23:59:59.5+00'", "TIMESTAMP '2024-12-30 00:00:00+00'", "TIMESTAMP '2023-01-01 00:00:00+00'", "TIMESTAMP '2000-03-26 01:30:00+02:00'", "CAST(NULL AS TIMESTAMP)", "@now"},
		"DATE":                {"DATE '2024-02-29'", "DATE '1969-12-31'", "DATE '2024-12-30'", "DATE '2023-01-01'", "DATE '2000-03-31'", "CAST(NULL AS DATE)", "@day ⚠ lexical#query_parameters"},
		"DATETIME":            {"DATETIME '2024-02-29 12:34:56.789123'", "DATETIME '1969-12-31 23:59:59'", "DATETIME '2024-12-30 00:00:00'", "CAST(NULL AS DATETIME)"},
		"ARRAY<INT64>":        {"[1, 2, 3]", "[5, NULL, -1]", "ARRAY<INT64>[]", "[7, 7, 0]", "[9223372036854775807]"},
		"ARRAY<INT64>:little": {"[1, 2, 3]", "[5, NULL, -1]", "ARRAY<INT64>[]", "[7, 7, 0]"},
		"ARRAY<STRING>":       {"['a', 'b', 'c']", "['', 'ä']", "ARRAY<STRING>[]", "['b', NULL]", "@ids"},
		"JSON":                {`JSON '{"a": 1, "b": "x", "list": [1, 2], "t": true}'`, `JSON '{"a": {"b": 1.5}, "list": []}'`, `JSON '[1, "2"]'`, `JSON '"12"'`, `JSON 'null'`, `JSON '3'`},
		":small":              {"0", "1", "-1", "2", "3", "-4", "12", "30"},
		":positive":           {"1", "2", "3", "5", "9"},
		":nonzero":            {"1", "2", "-1", "-2"},
		":index":              {"0", "1", "2", "5"},
		":digits":             {"0", "1", "2", "-1 ⚠ mathematical_functions#round"},
		":month":              {"1", "2", "6", "12"},
		":seconds":            {"0", "-1", "1709210096", "86400", "-1500"},
		":like":               {"'%'", "'a%'", "'_bc'", "''", "'%ä%'", "'a\\\\%b%'", "'A%'"},
		":word":               {"'a'", "'b'", "'ab'", "'ä'", "','", "'A'"},
		":separator":          {"','", "'' ⚠ string_functions#split", "'b'", "', '"},
		":pattern":            {"'a'", "'^[a-z]+'", "r'\\d+'", "'(b|c)'", "'^$' ⚠ string_functions#regexp_extract", "r'(\\w)$'", "'.'", "'(?i)A'"},
		":anypart":            {"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "DAYOFWEEK", "DAYOFYEAR", "ISOWEEK", "ISOYEAR"},
		":datepart":           {"YEAR", "QUARTER", "MONTH", "DAY", "DAYOFWEEK", "DAYOFYEAR", "ISOWEEK", "ISOYEAR"},
		":zonedpart":          {"YEAR", "MONTH", "DAY", "HOUR", "DAYOFWEEK"},
		":clockpart":          {"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"},
		":calendarpart":       {"DAY", "WEEK ⚠ datetime_functions#datetime_trunc", "MONTH", "QUARTER ⚠ date_functions#date_add", "YEAR"},
		":truncpart":          {"DAY", "WEEK", "WEEK(MONDAY)", "WEEK(SATURDAY)", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR ⚠ date_functions#date_trunc"},
		":diffpart":           {"DAY", "WEEK", "WEEK(MONDAY)", "ISOWEEK ⚠ date_functions#date_diff", "MONTH", "QUARTER", "YEAR", "ISOYEAR"},
		":zonedtrunc":         {"DAY", "HOUR", "MONTH", "WEEK"},
		":lastpart":           {"MONTH", "YEAR", "WEEK"},
		":zone":               {"'UTC'", "'Europe/Berlin'", "'America/New_York'", "'+05:30'", "'Asia/Tokyo'"},
		":format":             {"'%Y-%m-%d %H:%M:%S'", "'%F %T'", "'%a %b %e %j' ⚠ format-elements#format_elements_date_time", "'%H:%M:%E3S'", "'%y%m%d'", "'%s'"},
		":dateformat":         {"'%Y-%m-%d'", "'%A, %d %B %Y'", "'%j' ⚠ format-elements#format_elements_date_time", "'%m/%d/%y'"},
		":path":               {"'$'", "'$.a'", "'$.b'", "'$.list'", "'$.list[0]'", "'$.a.b'", "'$.none'", "'$[1]'"},
		":url":                {"'https://user@example.com:8080/p?q=1'", "'//host/path'", "''", "'mailto:x@y.z'"},
	}
}
