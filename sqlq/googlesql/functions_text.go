package googlesql

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq/googlesql/googletext"
)

func textFunctions() []function {
	return []function{
		{name: "CONCAT", params: "STRING… | BYTES…", result: "STRING | BYTES", size: sizeOfJoined, duckdb: form{by: concat}},
		{name: "CONCAT", params: "ARRAY<T>…", result: "ARRAY<T>", size: sizeOfJoined, duckdb: form{by: concat}, note: "for the operator ||"},
		{name: "CONCAT", params: "ANY…", result: "STRING", size: sizeOfTexts, check: checkTexts, duckdb: form{by: concatTexts}},
		{name: "LENGTH CHAR_LENGTH CHARACTER_LENGTH", params: "STRING", result: "INT64", duckdb: form{sql: "length({0})"}},
		{name: "BYTE_LENGTH OCTET_LENGTH", params: "STRING", result: "INT64", duckdb: form{sql: "strlen({0})"}},
		{name: "LENGTH BYTE_LENGTH OCTET_LENGTH", params: "BYTES", result: "INT64", duckdb: form{sql: "octet_length({0})"}},
		{name: "LOWER", params: "STRING", result: "STRING", duckdb: form{sql: "lower({0})"}},
		{name: "UPPER", params: "STRING", result: "STRING", duckdb: form{sql: "CASE WHEN contains({0}, 'ß') THEN array_to_string(list_transform(string_split({0}, 'ß'), lambda {e}: upper({e})), 'ß') ELSE upper({0}) END"}},
		{name: "INITCAP", params: "STRING", result: "STRING", size: sizeTimes(4 * elementBytes), duckdb: form{sql: "array_to_string(list_transform(regexp_extract_all({0}, '[" + wordBreaks + "]+|[^" + wordBreaks + "]+'), lambda {e}: upper({e}[1]) || lower({e}[2:])), '')"}},
		{name: "INITCAP", params: "STRING, STRING", result: "STRING", size: sizeTimes(3), duckdb: form{sql: "capitalized({0}, {1})"}},
		{name: "STARTS_WITH ENDS_WITH", params: "STRING, STRING", result: "BOOL", duckdb: form{sql: "{name}({0}, {1})"}},
		{name: "STRPOS INSTR", params: "STRING, STRING", result: "INT64", duckdb: form{sql: "strpos({0}, {1})"}},
		{name: "INSTR", params: "STRING, STRING, INT64 | STRING, STRING, INT64, INT64", result: "INT64", size: sizeOfFirst(elementBytes), duckdb: form{by: instr}},
		{name: "CONTAINS_SUBSTR", params: "STRING, STRING", result: "BOOL", size: sizeOfEach, duckdb: form{sql: "contains(lower(nfc_normalize({0})), lower(nfc_normalize({1})))"}, note: "of one text; letters that fold to several, such as ß, are themselves"},
		{name: "LEFT RIGHT", params: "STRING, INT64", result: "STRING", duckdb: form{by: firstCharacters}},
		{name: "REPLACE", params: "STRING, STRING, STRING", result: "STRING", size: sizeOf("CAST(1 + strlen({0}) AS DOUBLE) * (1 + strlen({2}))"), duckdb: form{sql: "CASE WHEN {1} = '' THEN {0} ELSE replace({0}, {1}, {2}) END"}},
		{name: "REVERSE", params: "STRING", result: "STRING", size: sizeTimes(4 * elementBytes), duckdb: form{sql: "array_to_string(list_reverse(string_split({0}, '')), '')"}},
		{name: "REPEAT", params: "STRING, INT64", result: "STRING", size: sizeOf("CAST(strlen({0}) AS DOUBLE) * {1}"), duckdb: form{sql: "repeat({0}, " + notNegative("{1}") + ")"}},
		{name: "SPLIT", params: "STRING", result: "ARRAY<STRING>", size: sizeOfSplit("','"), duckdb: form{sql: "CASE WHEN {0} = '' THEN [''] ELSE string_split({0}, ',') END"}},
		{name: "SPLIT", params: "STRING, STRING", result: "ARRAY<STRING>", size: sizeOfSplit("{1}"), duckdb: form{sql: "CASE WHEN {1} IS NULL THEN NULL WHEN {0} = '' THEN [''] ELSE string_split({0}, {1}) END"}},
		{name: "CHR", params: "INT64", result: "STRING", duckdb: form{sql: "CASE WHEN {0} = 0 THEN '' ELSE chr(CAST({0} AS INTEGER)) END"}},
		{name: "ASCII", params: "STRING", result: "INT64", duckdb: form{sql: "CASE WHEN {0} = '' THEN 0 WHEN unicode({0}) > 127 THEN {!The text of ASCII does not begin with a character of ASCII} ELSE unicode({0}) END"}},
		{name: "UNICODE", params: "STRING", result: "INT64", duckdb: form{sql: "CASE WHEN {0} = '' THEN 0 ELSE unicode({0}) END"}},
		{name: "TO_CODE_POINTS", params: "STRING", result: "ARRAY<INT64>", size: sizeOfFirst(elementBytes), duckdb: form{sql: "CASE WHEN {0} = '' THEN [] ELSE list_transform(string_split({0}, ''), lambda {e}: CAST(unicode({e}) AS BIGINT)) END"}},
		{name: "TO_CODE_POINTS", params: "BYTES", result: "ARRAY<INT64>", size: sizeOfFirst(elementBytes), duckdb: form{sql: "list_transform(range(1, 2 * octet_length({0}), 2), lambda {e}: CAST('0x' || substr(hex({0}), {e}, 2) AS BIGINT))"}},
		{name: "CODE_POINTS_TO_STRING", params: "ARRAY<INT64>", result: "STRING", duckdb: form{sql: "CASE WHEN len(list_filter({0}, lambda {e}: {e} IS NULL)) = 0 THEN array_to_string(list_transform({0}, lambda {e}: chr(CAST({e} AS INTEGER))), '') END"}},
		{name: "CODE_POINTS_TO_BYTES", params: "ARRAY<INT64>", result: "BYTES", duckdb: form{sql: "CASE WHEN len(list_filter({0}, lambda {e}: {e} IS NULL)) = 0 THEN unhex(array_to_string(list_transform({0}, lambda {e}: CASE WHEN {e} BETWEEN 0 AND 255 THEN printf('%02x', {e}) ELSE {!A byte is from 0 to 255} END), '')) END"}},
		{name: "TRANSLATE", params: "STRING, STRING, STRING", result: "STRING", duckdb: form{sql: "CASE WHEN len(list_distinct(string_split({1}, ''))) < length({1}) THEN {!A character of TRANSLATE is there twice} ELSE translate({0}, {1}, {2}) END"}},
		{name: "NORMALIZE", params: "STRING", result: "STRING", size: sizeTimes(3), duckdb: form{sql: "nfc_normalize({0})"}},
		{name: "NORMALIZE", params: "STRING, FORM", result: "STRING", size: sizeOfFirst(12), duckdb: form{sql: "normalized_text({0}, {1})"}},
		{name: "NORMALIZE_AND_CASEFOLD", params: "STRING", result: "STRING", size: sizeTimes(9), duckdb: form{sql: "folded_text({0}, 'NFC')"}},
		{name: "NORMALIZE_AND_CASEFOLD", params: "STRING, FORM", result: "STRING", size: sizeOfFirst(36), duckdb: form{sql: "folded_text({0}, {1})"}},
		{name: "SOUNDEX", params: "STRING", result: "STRING", duckdb: form{sql: "soundex_code({0})"}},
		{name: "EDIT_DISTANCE", params: "STRING, STRING", result: "INT64", named: "max_distance INT64", check: checkDistance, duckdb: form{by: editDistance("edit_distance")}},
		{name: "EDIT_DISTANCE", params: "BYTES, BYTES", result: "INT64", named: "max_distance INT64", check: checkDistance, duckdb: form{by: editDistance("edit_distance_of_bytes")}},
		{name: "REGEXP_INSTR", params: "STRING, STRING", result: "INT64", check: checkPattern, duckdb: form{sql: "regexp_position({0}, {1}, 1, 1, 0)"}},
		{name: "REGEXP_INSTR", params: "STRING, STRING, INT64", result: "INT64", check: checkPattern, duckdb: form{sql: "regexp_position({0}, {1}, {2}, 1, 0)"}},
		{name: "REGEXP_INSTR", params: "STRING, STRING, INT64, INT64", result: "INT64", check: checkPattern, duckdb: form{sql: "regexp_position({0}, {1}, {2}, {3}, 0)"}},
		{name: "REGEXP_INSTR", params: "STRING, STRING, INT64, INT64, INT64", result: "INT64", check: checkPattern, duckdb: form{sql: "regexp_position({*})"}},
		{name: "REGEXP_CONTAINS", params: "STRING, STRING", result: "BOOL", check: checkPattern, duckdb: form{sql: "regexp_matches({0}, {1})"}},
		{name: "REGEXP_EXTRACT REGEXP_SUBSTR", params: "STRING, STRING", result: "STRING", check: checkExtract, duckdb: form{by: regexpExtract}},
		{name: "REGEXP_EXTRACT REGEXP_SUBSTR", params: "STRING, STRING, INT64 | STRING, STRING, INT64, INT64", result: "STRING", check: checkExtract, duckdb: form{by: regexpExtractAt}},
		{name: "REGEXP_EXTRACT_ALL", params: "STRING, STRING", result: "ARRAY<STRING>", size: sizeOfFirst(elementBytes), check: checkExtract, duckdb: form{by: regexpExtract}},
		{name: "REGEXP_REPLACE", params: "STRING, STRING, STRING", result: "STRING", size: sizeOf("CAST(1 + strlen({0}) AS DOUBLE) * (1 + strlen({2}))"), check: checkReplacement, duckdb: form{sql: "regexp_replace({0}, {1}, {2}, 'g')"}},
		{name: "FORMAT", params: "STRING, ANY…", result: "STRING", size: sizeOfFormat, check: checkFormat, duckdb: form{by: format}, note: "with a constant format of %d, %i, %x, %X, %o, %f, %e, %g, %s, %t and %T"},
		{name: "FORMAT", params: "STRING", result: "STRING", size: sizeOfFormat, check: checkFormat, duckdb: form{by: format}},
		{name: "TO_HEX", params: "BYTES", result: "STRING", size: sizeTimes(2), duckdb: form{sql: "lower(hex({0}))"}},
		{name: "FROM_HEX", params: "STRING", result: "BYTES", duckdb: form{sql: "unhex({0})"}},
		{name: "TO_BASE64", params: "BYTES", result: "STRING", size: sizeTimes(2), duckdb: form{sql: "to_base64({0})"}},
		{name: "FROM_BASE64", params: "STRING", result: "BYTES", duckdb: form{sql: "from_base64({0})"}},
		{name: "TO_BASE32", params: "BYTES", result: "STRING", size: sizeTimes(2), duckdb: form{sql: "to_base32({0})"}},
		{name: "FROM_BASE32", params: "STRING", result: "BYTES", duckdb: form{sql: "from_base32({0})"}},
		{name: "SAFE_CONVERT_BYTES_TO_STRING", params: "BYTES", result: "STRING", size: sizeTimes(3), duckdb: form{sql: "valid_text({0})"}},
		{name: "FARM_FINGERPRINT", params: "STRING | BYTES", result: "INT64", duckdb: form{sql: "farm_fingerprint({0})"}},
		{name: "NET.HOST", params: "STRING", result: "STRING", duckdb: form{sql: `nullif(regexp_extract({0}, '^\s*(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:\s]*)', 1), '')`}},
		{name: "SUBSTR SUBSTRING", params: "STRING, INT64 | STRING, INT64, INT64", result: "STRING", duckdb: form{by: substr}},
		{name: "SUBSTR SUBSTRING", params: "BYTES, INT64 | BYTES, INT64, INT64", result: "BYTES", duckdb: form{by: substr}},
		{name: "TRIM LTRIM RTRIM", params: "STRING", result: "STRING", duckdb: form{sql: "{name}({0}, " + whitespace + ")"}},
		{name: "TRIM LTRIM RTRIM", params: "STRING, STRING", result: "STRING", duckdb: form{sql: "{name}({0}, {1})"}},
		{name: "LPAD RPAD", params: "STRING, INT64", result: "STRING", size: sizeOf("4 * CAST({1} AS DOUBLE)"), duckdb: form{sql: "{name}({0}, CAST(" + notNegative("{1}") + " AS INTEGER), ' ')"}},
		{name: "LPAD RPAD", params: "STRING, INT64, STRING", result: "STRING", size: sizeOf("4 * CAST({1} AS DOUBLE)"), duckdb: form{sql: "{name}({0}, CAST(" + notNegative("{1}") + " AS INTEGER), {2})"}},
		{name: "REVERSE", params: "BYTES", result: "BYTES", duckdb: form{sql: "reversed_bytes({0})"}},
		{name: "LEFT RIGHT", params: "BYTES, INT64", result: "BYTES", duckdb: form{sql: "CASE WHEN {1} >= octet_length({0}) THEN {0} ELSE unhex({name}(hex({0}), 2 * " + notNegative("{1}") + ")) END"}},
		{name: "REPEAT", params: "BYTES, INT64", result: "BYTES", size: sizeOf("3 * CAST(octet_length({0}) AS DOUBLE) * {1}"), duckdb: form{sql: "unhex(repeat(hex({0}), " + notNegative("{1}") + "))"}},
		{name: "STARTS_WITH ENDS_WITH", params: "BYTES, BYTES", result: "BOOL", duckdb: form{sql: "{name}(hex({0}), hex({1}))"}},
		{name: "STRPOS INSTR", params: "BYTES, BYTES", result: "INT64", duckdb: form{sql: "bytes_position({0}, {1})"}},
		{name: "REPLACE", params: "BYTES, BYTES, BYTES", result: "BYTES", size: sizeOf("CAST(1 + octet_length({0}) AS DOUBLE) * (1 + octet_length({2}))"), duckdb: form{sql: "CASE WHEN octet_length({1}) = 0 AND {2} IS NOT NULL THEN {0} ELSE replaced_bytes({0}, {1}, {2}) END"}},
		{name: "TRIM", params: "BYTES, BYTES", result: "BYTES", duckdb: form{sql: "trimmed_bytes({0}, {1})"}},
		{name: "LTRIM", params: "BYTES, BYTES", result: "BYTES", duckdb: form{sql: "trimmed_left_bytes({0}, {1})"}},
		{name: "RTRIM", params: "BYTES, BYTES", result: "BYTES", duckdb: form{sql: "trimmed_right_bytes({0}, {1})"}},
		{name: "LPAD RPAD", params: "BYTES, INT64", result: "BYTES", size: sizeOf("3 * CAST({1} AS DOUBLE)"), duckdb: form{sql: "unhex({name}(hex({0}), CAST(2 * " + notNegative("{1}") + " AS INTEGER), '20'))"}},
		{name: "LPAD RPAD", params: "BYTES, INT64, BYTES", result: "BYTES", size: sizeOf("3 * CAST({1} AS DOUBLE)"), duckdb: form{sql: "CASE WHEN octet_length({2}) = 0 THEN {!The pattern of {NAME} must not be empty} ELSE unhex({name}(hex({0}), CAST(2 * " + notNegative("{1}") + " AS INTEGER), hex({2}))) END"}},
		{name: "MD5 SHA1 SHA256 SHA512", params: "STRING | BYTES", result: "BYTES", size: noSize, duckdb: form{sql: "unhex({name}({0}))"}},
	}
}

// checkTexts fails for values that no text can be made of.
func checkTexts(c *call) {
	for _, arg := range c.args {
		if !castable(arg, scalar(stringKind)) {
			fail(arg.at, "%s does not take a value of type %s", c.name, arg.typ)
		}
	}
	asTexts(c.args)
}

// asTexts returns values as texts.
func asTexts(args []value) []value {
	return each(args, func(_ int, arg value) value { return casted(arg, scalar(stringKind)) })
}

// integer returns the value of a constant.
func (v value) integer() (int64, bool) {
	if v.constant == nil || v.constant.kind != int64Kind {
		return 0, false
	}
	n, err := strconv.ParseInt(v.constant.text, 0, 64)
	return n, err == nil
}

// addressFunctions are functions of the addresses of the internet, which are 4 or 16 bytes.
func addressFunctions() []function {
	return []function{
		{name: "NET.IP_FROM_STRING", params: "STRING", result: "BYTES", duckdb: form{sql: "CASE WHEN ip_bytes({0}) IS NULL AND {0} IS NOT NULL THEN {!The text of {NAME} is no address} ELSE ip_bytes({0}) END"}},
		{name: "NET.SAFE_IP_FROM_STRING", params: "STRING", result: "BYTES", duckdb: form{sql: "ip_bytes({0})"}},
		{name: "NET.IP_TO_STRING", params: "BYTES", result: "STRING", duckdb: form{sql: "ip_text({0})"}},
		{name: "NET.IP_NET_MASK", params: "INT64, INT64", result: "BYTES", duckdb: form{sql: "ip_mask({0}, {1})"}},
		{name: "NET.IP_TRUNC", params: "BYTES, INT64", result: "BYTES", duckdb: form{sql: "ip_trunc({0}, {1})"}},
		{name: "NET.IPV4_FROM_INT64", params: "INT64", result: "BYTES", duckdb: form{sql: "ipv4_bytes({0})"}},
		{name: "NET.IPV4_TO_INT64", params: "BYTES", result: "INT64", duckdb: form{sql: "ipv4_number({0})"}},
	}
}

// unicodeForms are what FORM can be.
func unicodeForms() []string {
	return []string{googletext.NFC, googletext.NFKC, googletext.NFD, googletext.NFKD}
}

// asForm returns an argument that is the name of a form of Unicode as a text.
func asForm(function string, x expression) (value, bool) {
	path, isPath := x.(*pathExpr)
	if !isPath || len(path.names) != 1 {
		return value{}, false
	}
	form := strings.ToUpper(path.names[0].text)
	if !slices.Contains(unicodeForms(), form) {
		fail(path.place, "%s takes NFC, NFKC, NFD or NFKD, not %s", function, path.names[0].text)
	}
	return value{typ: scalar(stringKind), at: path.place, node: &constant{stringKind, form}, constant: &literal{path.place, stringKind, form}}, true
}

// mostDistance is the distance that EDIT_DISTANCE returns at most; false if it is NULL.
func (c *call) mostDistance() (most int64, isThere bool) {
	constant := c.named["max_distance"]
	if constant == nil {
		return math.MaxInt64, true
	}
	if constant.kind == nullKind {
		return 0, false
	}
	most, _ = value{constant: constant}.integer()
	return most, true
}

func checkDistance(c *call) {
	if most, _ := c.mostDistance(); most < 0 {
		fail(c.named["max_distance"].place, "max_distance of EDIT_DISTANCE must not be negative")
	}
}
