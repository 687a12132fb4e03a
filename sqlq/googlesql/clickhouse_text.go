package googlesql

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
)

// clickhouseWordBreaks are [wordBreaks] in a text of ClickHouse.
const clickhouseWordBreaks = `\\s\\[\\](){x7b}{x7d}/|<>!?@"^#$&~_,.:;*%+\\\\-`

// clickhouseWhitespace is the class of what TRIM removes if nothing is given.
const clickhouseWhitespace = `[ \\t\\n\\x0b\\f\\r\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}]`

// clickhouseCode is the code of the first character of a text, of its bytes in UTF-8.
func clickhouseCode(of string) string {
	byteAt := func(i int) string { return fmt.Sprintf("toInt64(reinterpretAsUInt8(substring(%s, %d, 1)))", of, i) }
	b1, b2, b3, b4 := byteAt(1), "("+byteAt(2)+" - 128)", "("+byteAt(3)+" - 128)", "("+byteAt(4)+" - 128)"
	return "multiIf(" + b1 + " < 128, " + b1 + ", " + b1 + " < 224, (" + b1 + " - 192) * 64 + " + b2 + ", " + b1 + " < 240, (" + b1 + " - 224) * 4096 + " + b2 + " * 64 + " + b3 + ", (" +
		b1 + " - 240) * 262144 + " + b2 + " * 4096 + " + b3 + " * 64 + " + b4 + ")"
}

// clickhouseChar is the character of a code.
func clickhouseChar(code string) string {
	r := strings.NewReplacer("$", code)
	return r.Replace("multiIf($ = 0, '', $ < 128, char($), $ < 2048, char(192 + intDiv($, 64), 128 + $ % 64), $ < 65536, char(224 + intDiv($, 4096), 128 + intDiv($, 64) % 64, 128 + $ % 64), " +
		"char(240 + intDiv($, 262144), 128 + intDiv($, 4096) % 64, 128 + intDiv($, 64) % 64, 128 + $ % 64))")
}

const isNoCode = "$ < 0 OR $ > 1114111 OR $ >= 55296 AND $ <= 57343"

func clickhouseNotNegative(of, value string) string {
	return "{?" + of + " < 0|The length of {NAME} must not be negative|" + value + "}"
}

func clickhouseTexts() map[string]clickhouseForm {
	upper := func(of string) string {
		return "if(lengthUTF8(upperUTF8(" + of + ")) = lengthUTF8(" + of + "), upperUTF8(" + of + "), arrayStringConcat(arrayMap(c -> if(lengthUTF8(upperUTF8(c)) = 1, upperUTF8(c), c), extractAll(assumeNotNull(" + of + "), '(?s).'))))"
	}
	lower := func(of string) string { return "lowerUTF8(replaceAll(" + of + ", 'Σ', 'σ'))" }
	hash := func(name string) clickhouseForm { return clickhouseForm{sql: "unhex(hex(" + name + "({0})))"} }
	escaped := `replaceRegexpAll({1}, '[\\\\\\]\\[^-]', '\\\\\\\\\\0')`
	set := "concat('[', " + escaped + ", ']+')"
	trim := func(left, right bool) string {
		sql := "{0}"
		if left {
			sql = "replaceRegexpOne(" + sql + ", concat('^', " + set + "), '')"
		}
		if right {
			sql = "replaceRegexpOne(" + sql + ", concat(" + set + ", '\\\\z'), '')"
		}
		return "if({1} = '', {0}, " + sql + ")"
	}
	space := func(left, right bool) string {
		sql := "{0}"
		if left {
			sql = "replaceRegexpOne(" + sql + ", '^" + escapeTemplate(clickhouseWhitespace) + "+', '')"
		}
		if right {
			sql = "replaceRegexpOne(" + sql + ", '" + escapeTemplate(clickhouseWhitespace) + "+\\\\z', '')"
		}
		return sql
	}
	trimBytes := func(left, right bool) clickhouseForm {
		sql := "hex({0})"
		pattern := `concat('(?:', arrayStringConcat(extractAll(assumeNotNull(hex({1})), '..'), '|'), ')+')`
		if left {
			sql = "replaceRegexpOne(" + sql + ", concat('^', " + pattern + "), '')"
		}
		if right { // from the front, in pairs of digits
			sql = "replaceRegexpOne(" + sql + `, concat('^((?:..)*?)', ` + pattern + `, '\\z'), '\\1')`
		}
		return clickhouseForm{sql: "if(empty({1}), {0}, unhex(" + sql + "))"}
	}
	pad := func(name string) string {
		return clickhouseNotNegative("{1}", "toString("+name+"({0}, {1}, ' '))")
	}
	return map[string]clickhouseForm{
		"CONCAT":                              {emit: (*clickhouseCall).concat},
		"LENGTH CHAR_LENGTH CHARACTER_LENGTH": {sql: "toInt64(lengthUTF8({0}))"},
		"BYTE_LENGTH OCTET_LENGTH":            {sql: "toInt64(length({0}))"},
		"LENGTH(BYTES)":                       {sql: "toInt64(length({0}))"},
		"LOWER":                               {sql: lower("{0}")},
		"UPPER":                               {sql: upper("{0!}")},
		"INITCAP(STRING)":                     {sql: "arrayStringConcat(arrayMap(e -> concat(" + upper("leftUTF8(e, 1)") + ", " + lower("substringUTF8(e, 2)") + "), extractAll({0!}, '[" + clickhouseWordBreaks + "]+|[^" + clickhouseWordBreaks + "]+')))"},
		"STARTS_WITH":                         {sql: "startsWith({0}, {1})"},
		"ENDS_WITH":                           {sql: "endsWith({0}, {1})"},
		"STRPOS INSTR":                        {sql: "toInt64(positionUTF8({0}, {1}))"},
		"INSTR(STRING, STRING, INT64)":        {emit: (*clickhouseCall).instr},
		"INSTR(STRING, STRING, INT64, INT64)": {emit: (*clickhouseCall).instr},
		"CONTAINS_SUBSTR":                     {sql: "(position(" + lower("normalizeUTF8NFC({0})") + ", " + lower("normalizeUTF8NFC({1})") + ") > 0)"},
		"LEFT(STRING, INT64)":                 {sql: clickhouseNotNegative("{1}", "leftUTF8({0}, {1})")},
		"RIGHT(STRING, INT64)":                {sql: clickhouseNotNegative("{1}", "rightUTF8({0}, {1})")},
		"LEFT(BYTES, INT64)":                  {sql: clickhouseNotNegative("{1}", "left({0}, {1})")},
		"RIGHT(BYTES, INT64)":                 {sql: clickhouseNotNegative("{1}", "right({0}, {1})")},
		"REPLACE":                             {sql: "if({1} = '' AND {2} IS NOT NULL, {0}, replaceAll({0}, {1}, {2}))"},
		"REVERSE(STRING)":                     {sql: "reverseUTF8({0})"},
		"REVERSE(BYTES)":                      {sql: "reverse({0})"},
		"REPEAT":                              {sql: clickhouseNotNegative("{1}", "repeat({0}, {1})")},
		"SPLIT(STRING)":                       {sql: "splitByChar(',', {0!})"},
		"SPLIT(STRING, STRING)":               {emit: (*clickhouseCall).split},
		"CHR":                                 {sql: "{?" + strings.ReplaceAll(isNoCode, "$", "{0}") + "|The code of CHR is no character|" + clickhouseChar("{0}") + "}"},
		"ASCII":                               {sql: "{?ascii({0}) < 0 OR ascii({0}) > 127|The text of ASCII does not begin with a character of ASCII|toInt64(ascii({0}))}"},
		"UNICODE":                             {sql: "if(empty({0}), 0, " + clickhouseCode("{0}") + ")"},
		"TO_CODE_POINTS(STRING)":              {sql: "arrayMap(c -> toNullable(" + clickhouseCode("c") + "), extractAll({0!}, '(?s).'))"},
		"TO_CODE_POINTS(BYTES)":               {sql: "arrayMap(c -> toNullable(toInt64(reinterpretAsUInt8(unhex(c)))), extractAll(hex({0!}), '..'))"},
		"CODE_POINTS_TO_STRING":               {sql: "if(arrayExists(e -> e IS NULL, {0}), NULL, arrayStringConcat(arrayMap(e -> assumeNotNull({?" + strings.ReplaceAll(isNoCode, "$", "e") + "|A code is no character|" + strings.ReplaceAll(clickhouseChar("e"), "e = 0, ''", "e = 0, char(0)") + "}), {0})))"},
		"CODE_POINTS_TO_BYTES":                {sql: "if(arrayExists(e -> e IS NULL, {0}), NULL, arrayStringConcat(arrayMap(e -> assumeNotNull({?e < 0 OR e > 255|A byte is from 0 to 255|char(e)}), {0})))"},
		"TRANSLATE": {sql: "{?length(arrayDistinct(extractAll(ifNull({1}, ''), '(?s).'))) < lengthUTF8({1})|A character of TRANSLATE is there twice|if({1} IS NULL OR {2} IS NULL, NULL, arrayStringConcat(arrayMap(c -> if(has(extractAll(ifNull({1}, ''), '(?s).'), c)," +
			" extractAll(ifNull({2}, ''), '(?s).')[indexOf(extractAll(ifNull({1}, ''), '(?s).'), c)], c), extractAll({0!}, '(?s).'))))}"},
		"NORMALIZE(STRING)": {sql: "normalizeUTF8NFC({0})"},
		"NORMALIZE(STRING, FORM)": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.template("normalizeUTF8" + c.args[1].literal.text + "({0})")
		}},
		"EDIT_DISTANCE":                {emit: (*clickhouseCall).editDistance},
		"TO_BASE32":                    {sql: "base32Encode({0})"},
		"FROM_BASE32":                  {sql: "{?{0} != '' AND tryBase32Decode({0}) = ''|The text of FROM_BASE32 is no base 32|tryBase32Decode({0})}"},
		"REGEXP_CONTAINS":              {emit: (*clickhouseCall).regexpContains},
		"REGEXP_EXTRACT REGEXP_SUBSTR": {emit: (*clickhouseCall).regexpExtract},
		"REGEXP_EXTRACT_ALL":           {emit: (*clickhouseCall).regexpExtractAll},
		"REGEXP_REPLACE":               {emit: (*clickhouseCall).regexpReplace},
		"FORMAT":                       {emit: (*clickhouseCall).format},
		"TO_HEX":                       {sql: "lower(hex({0}))"},
		"FROM_HEX":                     {sql: "{?NOT match({0}, '^[0-9a-fA-F]*\\\\z')|The text of FROM_HEX has other characters than hexadecimal digits|unhex(if(length({0}) % 2 = 1, concat('0', {0}), {0}))}"},
		"TO_BASE64":                    {sql: "base64Encode({0})"},
		"FROM_BASE64":                  {emit: func(c *clickhouseCall) clickhouseValue { return c.value(c.p.fromBase64(c.args[0].sql)) }},
		"SAFE_CONVERT_BYTES_TO_STRING": {sql: "toValidUTF8({0})"},
		"FARM_FINGERPRINT":             {sql: "toInt64(farmFingerprint64({0}))"},
		"NET.HOST": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.value(`nullIf(extract(` + c.args[0].sql + `, '^\\s*(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?(?:[^/?#@]*@)?(\\[[^\\]/?#]*\\]|[^/?#:\\s]*)'), '')`)
		}},
		"SUBSTR SUBSTRING":            {emit: (*clickhouseCall).substr},
		"TRIM(STRING)":                {sql: space(true, true)},
		"LTRIM(STRING)":               {sql: space(true, false)},
		"RTRIM(STRING)":               {sql: space(false, true)},
		"TRIM(STRING, STRING)":        {sql: trim(true, true)},
		"LTRIM(STRING, STRING)":       {sql: trim(true, false)},
		"RTRIM(STRING, STRING)":       {sql: trim(false, true)},
		"TRIM(BYTES, BYTES)":          trimBytes(true, true),
		"LTRIM(BYTES, BYTES)":         trimBytes(true, false),
		"RTRIM(BYTES, BYTES)":         trimBytes(false, true),
		"LPAD(STRING, INT64)":         {sql: pad("leftPadUTF8")},
		"RPAD(STRING, INT64)":         {sql: pad("rightPadUTF8")},
		"LPAD(BYTES, INT64)":          {sql: pad("leftPad")},
		"RPAD(BYTES, INT64)":          {sql: pad("rightPad")},
		"LPAD(STRING, INT64, STRING)": {emit: (*clickhouseCall).pad},
		"RPAD(STRING, INT64, STRING)": {emit: (*clickhouseCall).pad},
		"LPAD(BYTES, INT64, BYTES)":   {emit: (*clickhouseCall).pad},
		"RPAD(BYTES, INT64, BYTES)":   {emit: (*clickhouseCall).pad},
		"MD5":                         hash("MD5"),
		"SHA1":                        hash("SHA1"),
		"SHA256":                      hash("SHA256"),
		"SHA512":                      hash("SHA512"),
	}
}

// escapeTemplate makes braces of a regular expression that a template keeps.
func escapeTemplate(sql string) string {
	return strings.NewReplacer("{", "{x7b}", "}", "{x7d}").Replace(sql)
}

// concat joins texts, bytes and arrays.
func (c *clickhouseCall) concat() clickhouseValue {
	if c.typ.is(arrayKind) {
		return c.template("arrayConcat({*})")
	}
	args := each(c.args, func(_ int, arg clickhouseValue) string {
		if !arg.typ.is(c.typ.kind) {
			return c.p.castToText(arg)
		}
		return arg.sql
	})
	if len(args) == 1 {
		return c.value(args[0])
	}
	return c.value("concat(" + strings.Join(args, ", ") + ")")
}

// split splits a text. ClickHouse knows a separator only if it is constant.
func (c *clickhouseCall) split() clickhouseValue {
	if !c.args[1].isConstant() {
		// A character that no text has stands for the separator.
		return c.template("if({1!} = '', extractAll({0!}, '(?s).'), splitByChar('\\0', replaceAll({0!}, {1!}, '\\0')))")
	}
	if c.args[1].literal != nil && c.args[1].literal.text == "" {
		return c.template("if({0!} = '', [''], extractAll({0!}, '(?s).'))")
	}
	return c.template("splitByString({1!}, {0!})")
}

// pad fills a text, with a pattern that need not be constant.
func (c *clickhouseCall) pad() clickhouseValue {
	length, cut := "lengthUTF8", "leftUTF8"
	if c.typ.is(bytesKind) {
		length, cut = "length", "left"
	}
	fill := "{1} - toInt64(" + length + "({0}))"
	filling := cut + "(repeat({2}, intDiv(" + fill + ", greatest(toInt64(" + length + "({2})), 1)) + 1), " + fill + ")"
	joined := "concat(" + filling + ", {0})"
	if c.name[0] == 'R' {
		joined = "concat({0}, " + filling + ")"
	}
	return c.template("{?{1} < 0|The length of {NAME} must not be negative|{?{2} = ''|The pattern of {NAME} must not be empty|multiIf({2} IS NULL, NULL, {1} <= toInt64(" + length + "({0})), " + cut + "({0}, {1}), " + joined + ")}}")
}

// substr cuts a text or bytes.
func (c *clickhouseCall) substr() clickhouseValue {
	cut, size := "substringUTF8", "toInt64(lengthUTF8({0}))"
	if c.typ.is(bytesKind) {
		cut, size = "substring", "toInt64(length({0}))"
	}
	position := "multiIf({1} = 0 OR -{1} > " + size + ", 1, {1!} < 0, " + size + " + 1 + {1!}, least({1!}, " + size + " + 1))"
	if n, ok := c.args[1].integer(); ok {
		switch {
		case n == 0:
			position = "1"
		case n < 0:
			position = "greatest(" + size + " + 1 + {1}, 1)"
		default:
			position = "{1}"
		}
	}
	if len(c.args) < 3 {
		return c.template(cut + "({0}, " + position + ")")
	}
	sql := cut + "({0}, " + position + ", {2})"
	if n, ok := c.args[2].integer(); !ok || n < 0 {
		sql = clickhouseNotNegative("{2}", sql)
	}
	return c.template(sql)
}

// editDistance counts changes of characters, or of bytes.
func (c *clickhouseCall) editDistance() clickhouseValue {
	most, isThere := c.mostDistance()
	if !isThere {
		return c.p.null(c.typ)
	}
	name := ifElse(c.call.args[0].typ.is(bytesKind), "editDistance", "editDistanceUTF8")
	return c.template("least(toInt64(" + name + "({0}, {1})), " + strconv.FormatInt(most, 10) + ")")
}

// instr finds the n-th occurrence.
func (c *clickhouseCall) instr() clickhouseValue {
	occurrence := "1"
	isNull := "{0} IS NULL OR {1} IS NULL OR {2} IS NULL"
	if len(c.args) > 3 {
		occurrence = "{3}"
		isNull += " OR {3} IS NULL"
	}
	length := "toInt64(lengthUTF8({0!}))"
	places := "if({2!} > 0, arrayMap(e -> toInt64(e), range(toUInt64(greatest({2!}, 1)), toUInt64(greatest(" + length + " - toInt64(lengthUTF8({1!})) + 2, 0)))), arrayReverse(arrayMap(e -> toInt64(e), range(1, toUInt64(greatest(" + length + " + if({1!} = '', 2, 1) + {2!} + 1, 1))))))"
	sql := "arrayFilter(e -> substringUTF8({0!}, e, lengthUTF8({1!})) = {1!}, " + places + ")"
	return c.template("{?{2} = 0|The position of INSTR must not be 0|{?" + occurrence + " < 1|The occurrence of INSTR begins with 1|if(" + isNull + ", NULL, (" + sql + ")[" + occurrence + "])}}")
}

// pattern returns a constant expression, parsed; nil if it is not constant.
func (c *clickhouseCall) pattern() *syntax.Regexp {
	constant := c.args[1].literal
	if constant == nil || constant.kind == nullKind {
		return nil
	}
	parsed, err := syntax.Parse(constant.text, syntax.Perl)
	if err != nil {
		fail(c.at, "%s", err)
	}
	return parsed
}

// regexp is the expression of a call. Without (?-s), a point is also a line break in ClickHouse.
func (c *clickhouseCall) regexp() string {
	if constant := c.args[1].literal; constant != nil && constant.kind != nullKind {
		return clickhouseText("(?-s)" + constant.text)
	}
	return "concat('(?-s)', " + c.args[1].sql + ")"
}

func (c *clickhouseCall) regexpContains() clickhouseValue {
	return c.value("match(" + c.args[0].sql + ", " + c.regexp() + ")")
}

// extractable returns the constant expression of a call, and fails for what ClickHouse does not extract.
func (c *clickhouseCall) extractable() *syntax.Regexp {
	if c.args[1].isNull() {
		return nil
	}
	parsed := c.pattern()
	if parsed == nil {
		c.refuse("an expression that is a constant")
	}
	if c.name != "REGEXP_EXTRACT_ALL" && canBeMissing(parsed) {
		c.refuse("a group that cannot be empty, such as (a+)? instead of (a*)?")
	}
	return parsed
}

func (c *clickhouseCall) regexpExtract() clickhouseValue {
	parsed := c.extractable()
	if parsed == nil {
		return c.value("CAST(NULL AS " + c.typ.clickhouse() + ")")
	}
	sql := "if(match({0}, " + escapeTemplate(c.regexp()) + "), extract({0}, " + escapeTemplate(c.regexp()) + "), NULL)"
	if len(c.args) > 2 {
		occurrence := "1"
		if len(c.args) > 3 {
			occurrence = "{?{3} < 1|The occurrence of REGEXP_EXTRACT begins with 1|{3}}"
		}
		if canBeEmpty(parsed) {
			c.refuse("an expression that matches at least a character, as in .+")
		}
		sql = "{?{2} < 1|The position of REGEXP_EXTRACT begins with 1|if({2} <= greatest(toInt64(lengthUTF8({0})), 1), arrayMap(e -> toNullable(e), " + c.allMatches("substringUTF8({0!}, {2!})", parsed) + ")[" + occurrence + "], NULL)}"
		if c.isAnyNull() != "" {
			sql = "if(" + c.isAnyNull() + ", NULL, " + sql + ")"
		}
	}
	if isNullable(parsed, false) {
		sql = "nullIf(" + sql + ", '')"
	}
	return c.template(sql)
}

func (c *clickhouseCall) regexpExtractAll() clickhouseValue {
	parsed := c.extractable()
	if parsed == nil {
		return clickhouseValue{sql: "[]", typ: c.typ}
	}
	if canBeEmpty(parsed) {
		c.refuse("an expression that matches at least a character, as in .+")
	}
	all := c.allMatches("{0!}", parsed)
	if isNullable(parsed, false) {
		all = "arrayMap(e -> nullIf(e, ''), " + all + ")"
	}
	return c.template(all)
}

// allMatches are the matches in a text, of an expression that matches no empty text. ClickHouse looks for each in the rest of the
// text, where a ^ or a boundary would be at its beginning. When it replaces matches it looks in the whole text.
func (c *clickhouseCall) allMatches(of string, parsed *syntax.Regexp) string {
	if !hasPlaces(parsed) {
		return "extractAll(" + of + ", " + escapeTemplate(c.regexp()) + ")"
	}
	group := ifElse(parsed.MaxCap() > 0, "1", "0")
	return "extractAll(replaceRegexpAll(" + of + ", " + escapeTemplate(c.regexp()) + ", '\\x01\\\\" + group + "\\x02'), '\\x01([^\\x02]*)\\x02')"
}

func (c *clickhouseCall) regexpReplace() clickhouseValue {
	if parsed := c.pattern(); parsed != nil && canBeEmpty(parsed) {
		c.refuse("an expression that matches at least a character, as in .+")
	}
	sql := "replaceRegexpAll(" + c.args[0].sql + ", " + c.regexp() + ", " + c.args[2].sql + ")"
	if c.args[1].literal == nil {
		return c.value(c.p.raiseIf("match('', "+c.regexp()+")", "The expression of REGEXP_REPLACE can be empty, which is not supported on ClickHouse", sql))
	}
	return c.value(sql)
}
