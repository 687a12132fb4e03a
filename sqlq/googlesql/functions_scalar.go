package googlesql

func conditionFunctions() []function {
	return []function{
		{name: "IF", params: "BOOL, T, T", result: "T", sql: "CASE WHEN {0} THEN {1} ELSE {2} END"},
		{name: "IFNULL", params: "T, T", result: "T", sql: "coalesce({0}, {1})"},
		{name: "NULLIF", params: "T, T", result: "T", sql: "nullif({0}, {1})"},
		{name: "COALESCE", params: "T…", result: "T", sql: "coalesce({*})"},
		{name: "ERROR", params: "STRING", result: "", sql: "error({0})"},
	}
}

func numberFunctions() []function {
	return []function{
		{name: "ABS", params: "N", result: "N", sql: "abs({0})"},
		{name: "SIGN", params: "N", result: "N", emit: func(c *call) value { return c.value("CAST(sign(", c.args[0], ") AS "+c.typ.duck()+")") }},
		{name: "ROUND", params: "FLOAT64", result: "FLOAT64", sql: "round({0})"},
		{name: "ROUND", params: "FLOAT64, INT64", result: "FLOAT64", sql: "round({0}, CAST({1} AS INTEGER))"},
		{name: "TRUNC", params: "FLOAT64", result: "FLOAT64", sql: "trunc({0})"},
		{name: "CEIL", params: "FLOAT64", result: "FLOAT64", sql: "ceil({0})"},
		{name: "CEILING", params: "FLOAT64", result: "FLOAT64", sql: "ceil({0})"},
		{name: "FLOOR", params: "FLOAT64", result: "FLOAT64", sql: "floor({0})"},
		{name: "MOD", params: "INT64, INT64", result: "INT64", sql: "({0} % CASE WHEN {1} = 0 THEN error('division by zero') ELSE {1} END)"},
		{name: "DIV", params: "INT64, INT64", result: "INT64", sql: "({0} // CASE WHEN {1} = 0 THEN error('division by zero') ELSE {1} END)"},
		{name: "SAFE_DIVIDE", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "({0} / nullif({1}, 0))"},
		{name: "SAFE_ADD", params: "N, N", result: "N", sql: "TRY({0} + {1})"},
		{name: "SAFE_SUBTRACT", params: "N, N", result: "N", sql: "TRY({0} - {1})"},
		{name: "SAFE_MULTIPLY", params: "N, N", result: "N", sql: "TRY({0} * {1})"},
		{name: "SAFE_NEGATE", params: "N", result: "N", sql: "TRY(-{0})"},
		{name: "IEEE_DIVIDE", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "({0} / {1})"},
		{name: "GREATEST", params: "T…", result: "T", emit: func(c *call) value { return greatest(c, "greatest({*})") }},
		{name: "LEAST", params: "T…", result: "T", emit: func(c *call) value { return greatest(c, "least({*})") }},
		{name: "POW", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "pow({0}, {1})"},
		{name: "POWER", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "pow({0}, {1})"},
		{name: "SQRT", params: "FLOAT64", result: "FLOAT64", sql: "sqrt({0})"},
		{name: "EXP", params: "FLOAT64", result: "FLOAT64", sql: "exp({0})"},
		{name: "LN", params: "FLOAT64", result: "FLOAT64", sql: "ln({0})"},
		{name: "LOG", params: "FLOAT64", result: "FLOAT64", sql: "ln({0})"},
		{name: "LOG", params: "FLOAT64, FLOAT64", result: "FLOAT64", sql: "(ln({0}) / ln({1}))"},
		{name: "LOG10", params: "FLOAT64", result: "FLOAT64", sql: "log10({0})"},
		{name: "IS_NAN", params: "FLOAT64", result: "BOOL", sql: "isnan({0})"},
		{name: "IS_INF", params: "FLOAT64", result: "BOOL", sql: "isinf({0})"},
	}
}

// greatest is NULL if an argument is, which DuckDB skips.
func greatest(c *call, sql string) value {
	parts := []any{"CASE WHEN "}
	for i, arg := range c.args {
		parts = append(parts, ifText(i > 0, " OR ", ""), arg, " IS NULL")
	}
	return c.value(append(parts, " THEN NULL ELSE ", template(sql, c.args...), " END")...)
}

func textFunctions() []function {
	return []function{
		{name: "CONCAT", params: "STRING…", result: "STRING", emit: concat},
		{name: "CONCAT", params: "BYTES…", result: "BYTES", emit: concat},
		{name: "CONCAT", params: "ARRAY<T>…", result: "ARRAY<T>", emit: concat, note: "for the operator ||"},
		{name: "LENGTH", params: "STRING", result: "INT64", sql: "length({0})"},
		{name: "LENGTH", params: "BYTES", result: "INT64", sql: "octet_length({0})"},
		{name: "CHAR_LENGTH", params: "STRING", result: "INT64", sql: "length({0})"},
		{name: "BYTE_LENGTH", params: "STRING", result: "INT64", sql: "strlen({0})"},
		{name: "BYTE_LENGTH", params: "BYTES", result: "INT64", sql: "octet_length({0})"},
		{name: "LOWER", params: "STRING", result: "STRING", sql: "lower({0})"},
		{name: "UPPER", params: "STRING", result: "STRING", sql: "upper({0})"},
		{name: "TRIM", params: "STRING", result: "STRING", sql: `regexp_replace({0}, '^\s+|\s+$', '', 'g')`},
		{name: "TRIM", params: "STRING, STRING", result: "STRING", sql: "trim({0}, {1})"},
		{name: "LTRIM", params: "STRING", result: "STRING", sql: `regexp_replace({0}, '^\s+', '')`},
		{name: "LTRIM", params: "STRING, STRING", result: "STRING", sql: "ltrim({0}, {1})"},
		{name: "RTRIM", params: "STRING", result: "STRING", sql: `regexp_replace({0}, '\s+$', '')`},
		{name: "RTRIM", params: "STRING, STRING", result: "STRING", sql: "rtrim({0}, {1})"},
		{name: "STARTS_WITH", params: "STRING, STRING", result: "BOOL", sql: "starts_with({0}, {1})"},
		{name: "ENDS_WITH", params: "STRING, STRING", result: "BOOL", sql: "ends_with({0}, {1})"},
		{name: "STRPOS", params: "STRING, STRING", result: "INT64", sql: "strpos({0}, {1})"},
		{name: "INSTR", params: "STRING, STRING", result: "INT64", sql: "strpos({0}, {1})"},
		{name: "CONTAINS_SUBSTR", params: "STRING, STRING", result: "BOOL", sql: "contains(lower(nfc_normalize({0})), lower(nfc_normalize({1})))"},
		{name: "SUBSTR", params: "STRING, INT64", result: "STRING", sql: "substr({0}, CASE WHEN {1} = 0 OR -{1} > length({0}) THEN 1 ELSE {1} END)"},
		{name: "SUBSTR", params: "STRING, INT64, INT64", result: "STRING", sql: "substr({0}, CASE WHEN {1} = 0 OR -{1} > length({0}) THEN 1 ELSE {1} END, CASE WHEN {2} < 0 THEN error('The length of SUBSTR must not be negative') ELSE {2} END)"},
		{name: "SUBSTRING", params: "STRING, INT64", result: "STRING", sql: "substr({0}, CASE WHEN {1} = 0 OR -{1} > length({0}) THEN 1 ELSE {1} END)"},
		{name: "SUBSTRING", params: "STRING, INT64, INT64", result: "STRING", sql: "substr({0}, CASE WHEN {1} = 0 OR -{1} > length({0}) THEN 1 ELSE {1} END, CASE WHEN {2} < 0 THEN error('The length of SUBSTRING must not be negative') ELSE {2} END)"},
		{name: "LEFT", params: "STRING, INT64", result: "STRING", sql: "left({0}, CASE WHEN {1} < 0 THEN error('The length of LEFT must not be negative') ELSE {1} END)"},
		{name: "RIGHT", params: "STRING, INT64", result: "STRING", sql: "right({0}, CASE WHEN {1} < 0 THEN error('The length of RIGHT must not be negative') ELSE {1} END)"},
		{name: "REPLACE", params: "STRING, STRING, STRING", result: "STRING", sql: "CASE WHEN {1} = '' THEN {0} ELSE replace({0}, {1}, {2}) END"},
		{name: "REVERSE", params: "STRING", result: "STRING", sql: "reverse({0})"},
		{name: "REPEAT", params: "STRING, INT64", result: "STRING", sql: "repeat({0}, {1})"},
		{name: "LPAD", params: "STRING, INT64", result: "STRING", sql: "lpad({0}, CAST({1} AS INTEGER), ' ')"},
		{name: "LPAD", params: "STRING, INT64, STRING", result: "STRING", sql: "lpad({0}, CAST({1} AS INTEGER), {2})"},
		{name: "RPAD", params: "STRING, INT64", result: "STRING", sql: "rpad({0}, CAST({1} AS INTEGER), ' ')"},
		{name: "RPAD", params: "STRING, INT64, STRING", result: "STRING", sql: "rpad({0}, CAST({1} AS INTEGER), {2})"},
		{name: "SPLIT", params: "STRING", result: "ARRAY<STRING>", sql: "CASE WHEN {0} = '' THEN [''] ELSE string_split({0}, ',') END"},
		{name: "SPLIT", params: "STRING, STRING", result: "ARRAY<STRING>", sql: "CASE WHEN {0} = '' THEN [''] ELSE string_split({0}, {1}) END"},
		{name: "REGEXP_CONTAINS", params: "STRING, STRING", result: "BOOL", sql: "regexp_matches({0}, {1})"},
		{name: "REGEXP_EXTRACT", params: "STRING, STRING", result: "STRING", emit: regexpExtract},
		{name: "REGEXP_SUBSTR", params: "STRING, STRING", result: "STRING", emit: regexpExtract},
		{name: "REGEXP_EXTRACT_ALL", params: "STRING, STRING", result: "ARRAY<STRING>", emit: regexpExtract},
		{name: "REGEXP_REPLACE", params: "STRING, STRING, STRING", result: "STRING", sql: "regexp_replace({0}, {1}, {2}, 'g')"},
		{name: "TO_HEX", params: "BYTES", result: "STRING", sql: "lower(hex({0}))"},
		{name: "FROM_HEX", params: "STRING", result: "BYTES", sql: "unhex({0})"},
		{name: "TO_BASE64", params: "BYTES", result: "STRING", sql: "to_base64({0})"},
		{name: "FROM_BASE64", params: "STRING", result: "BYTES", sql: "from_base64({0})"},
		{name: "MD5", params: "STRING", result: "BYTES", sql: "unhex(md5({0}))"},
		{name: "SHA1", params: "STRING", result: "BYTES", sql: "unhex(sha1({0}))"},
		{name: "SHA256", params: "STRING", result: "BYTES", sql: "unhex(sha256({0}))"},
	}
}

// concat joins with ||, which is NULL if a part is.
func concat(c *call) value {
	return c.value("(", list(" || ", fragments(c.args)), ")")
}
