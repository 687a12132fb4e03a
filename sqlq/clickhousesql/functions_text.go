package clickhousesql

import (
	"strings"
)

func textRows() []function {
	one := func(name, sql, doc string, others ...string) function {
		return function{name: name, others: others, args: "String", result: "String", sql: sql, doc: doc, anyCase: true}
	}
	flag := func(name, args, sql, doc string, others ...string) function {
		return function{name: name, others: others, args: args, result: "UInt8", sql: sql, doc: doc, flag: true}
	}
	const replaced = "strlen({0}) + (strlen({0}) // greatest(strlen({1}), 1) + 1) * strlen({2})"
	return []function{
		{name: "length", others: []string{"OCTET_LENGTH"}, args: "Any", result: "UInt64", doc: "The bytes of a text, or the elements of an array or a map.", build: buildSized, write: writeLength, anyCase: true},
		{name: "lengthUTF8", others: []string{"CHAR_LENGTH", "CHARACTER_LENGTH"}, args: "String", result: "UInt64", doc: "The characters of a text.", sql: "CAST(length({0}) AS UBIGINT)", anyCase: true},
		{name: "empty", args: "Any", result: "UInt8", doc: "Whether a text, an array or a map is empty.", build: buildSized, flag: true, write: func(p *printer, v *value) string { return "(" + writeLength(p, v) + " = 0)" }},
		{name: "notEmpty", args: "Any", result: "UInt8", doc: "Whether a text, an array or a map is not empty.", build: buildSized, flag: true, write: func(p *printer, v *value) string { return "(" + writeLength(p, v) + " > 0)" }},
		one("lower", "CASE WHEN strlen({0}) = length({0}) THEN lower({0}) ELSE translate({0}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END", "The text in small letters, of A to Z alone.", "lcase"),
		one("upper", "CASE WHEN strlen({0}) = length({0}) THEN upper({0}) ELSE translate({0}, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') END", "The text in capitals, of A to Z alone.", "ucase"),
		one("lowerUTF8", "lower({0})", "The text in small letters."), one("upperUTF8", "upper({0})", "The text in capitals."),
		one("reverse", "reverse({0})", "The text from its end; bytes of other than ASCII are characters here."), one("reverseUTF8", "reverse({0})", "The text from its end."),
		one("toValidUTF8", "{0}", "The text."), one("trimLeft", "ltrim({0}, ' ')", "The text without spaces before it.", "ltrim"), one("trimRight", "rtrim({0}, ' ')", "The text without spaces behind it.", "rtrim"),
		one("trimBoth", "trim({0}, ' ')", "The text without spaces around it.", "trim"),
		{name: "concat", args: "Any, ...", result: "String", doc: "The texts of the arguments, one after the other; also `x || y`.", write: writeConcat, anyCase: true},
		{name: "concatWithSeparator", others: []string{"concat_ws"}, args: "const String, Any, ...", result: "String", doc: "The texts with a separator between them.", write: writeConcat, anyCase: true},
		{name: "substring", others: []string{"substr", "mid", "byteSlice"}, args: "String, Int, [Int]", result: "String", doc: "A part of a text, from a byte on, which counts from 1 or from the end. A character that is not whole is left out.", write: writeSubstring, anyCase: true},
		{name: "substringUTF8", others: []string{"substrUTF8"}, args: "String, Int, [Int]", result: "String", doc: "A part of a text, from a character on.", write: writeSubstringUTF8},
		{name: "left", args: "String, Int", result: "String", doc: "The first bytes.", write: writeLeft, anyCase: true},
		{name: "right", args: "String, Int", result: "String", doc: "The last bytes.", write: writeRight, anyCase: true},
		{name: "leftUTF8", args: "String, Int", result: "String", doc: "The first characters.", sql: "left({0}, {1})"},
		{name: "rightUTF8", args: "String, Int", result: "String", doc: "The last characters.", sql: "right({0}, {1})"},
		{name: "position", args: "String, String, [const Int]", result: "UInt64", doc: "Where a text is in another one, in bytes from 1; 0 if it is not.", write: writePosition("{0}", "{1}"), anyCase: true},
		{name: "positionCaseInsensitive", others: []string{"positionCaseInsensitiveUTF8"}, args: "String, String", result: "UInt64", doc: "The same in any letter case.", write: writePosition("lower({0})", "lower({1})")},
		{name: "positionUTF8", args: "String, String", result: "UInt64", doc: "The same in characters.", sql: "CAST(strpos({0}, {1}) AS UBIGINT)"},
		{name: "locate", args: "String, String", result: "UInt64", doc: "Where the first text is in the second one, as MySQL has them.", write: writePosition("{1}", "{0}"), anyCase: true},
		flag("startsWith", "String, String", "starts_with({0}, {1})", "Whether a text begins with another one.", "startsWithUTF8"), flag("endsWith", "String, String", "suffix({0}, {1})", "Whether a text ends with another one.", "endsWithUTF8"),
		{name: "match", args: "String, String", result: "UInt8", doc: "Whether a regular expression (RE2) matches a part of a text.", flag: true, others: []string{"REGEXP_MATCHES"}, write: writeMatch},
		{name: "multiSearchAny", args: "String, Texts", result: "UInt8", doc: "Whether a text has one of several others.", flag: true, sql: "(len(list_filter({1}, lambda n: contains({0}, n))) > 0)"},
		{name: "multiSearchAnyCaseInsensitive", others: []string{"multiSearchAnyCaseInsensitiveUTF8"}, args: "String, Texts", result: "UInt8", doc: "The same in any letter case.", flag: true, sql: "(len(list_filter({1}, lambda n: contains(lower({0}), lower(n)))) > 0)"},
		{name: "multiMatchAny", args: "String, Texts", result: "UInt8", doc: "Whether one of several regular expressions matches.", flag: true, sql: "(len(list_filter({1}, lambda n: regexp_matches({0}, n, 's'))) > 0)"},
		flag("hasToken", "String, const String", "list_contains(regexp_split_to_array({0}, '[\\x00-/:-@\\[-`\\x7b-\\x7f]+'), {1})", "Whether a text has a word, which letters and digits make.", "hasTokenOrNull"),
		flag("hasTokenCaseInsensitive", "String, const String", "list_contains(regexp_split_to_array(lower({0}), '[\\x00-/:-@\\[-`\\x7b-\\x7f]+'), lower({1}))", "The same in any letter case."),
		{name: "countSubstrings", args: "String, const String", result: "UInt64", doc: "How often a text is in another one.", sql: "CASE WHEN strlen({1}) = 0 THEN 0::UBIGINT ELSE CAST((strlen({0}) - strlen(replace({0}, {1}, ''))) // greatest(strlen({1}), 1) AS UBIGINT) END"},
		{name: "extract", args: "String, const String", result: "String", doc: "What a regular expression matches first, or its first group.", write: writeExtract},
		{name: "extractAll", args: "String, const String", result: "Array(String)", doc: "All that a regular expression matches, or its first group.", write: writeExtractAll},
		{name: "replaceAll", others: []string{"replace"}, args: "String, const String, String", result: "String", doc: "The text with another one in place of each part.", sql: "replace({0}, {1}, {2})", size: replaced, anyCase: true},
		{name: "replaceOne", args: "String, const String, const String", result: "String", doc: "The same once.", write: writeReplaceOne, size: "strlen({0}) + strlen({2})"},
		{name: "replaceRegexpAll", others: []string{"REGEXP_REPLACE"}, args: "String, const String, const String", result: "String", doc: "The text with another one in place of each match. `\\1` stands for a group, and `\\0` for the match.", write: writeRegexpReplace("'gs'"), size: "strlen({0}) + (strlen({0}) + 1) * strlen({2})"},
		{name: "replaceRegexpOne", args: "String, const String, const String", result: "String", doc: "The same once.", write: writeRegexpReplace("'s'"), size: "strlen({0}) * (1 + strlen({2}))"},
		{name: "splitByChar", args: "const String, String, [const Int]", result: "Array(String)", doc: "The parts of a text between a character.", write: writeSplit},
		{name: "splitByString", args: "const String, String", result: "Array(String)", doc: "The parts of a text between another one.", write: writeSplit},
		{name: "splitByRegexp", args: "const String, String", result: "Array(String)", doc: "The parts of a text between matches.", sql: "regexp_split_to_array({1}, {0}, 's')"},
		{name: "splitByWhitespace", args: "String", result: "Array(String)", doc: "The words of a text.", sql: "list_filter(regexp_split_to_array({0}, '[ \\t\\n\\r\\f\\v]+'), lambda w: w <> '')"},
		{name: "arrayStringConcat", args: "Array, [const String]", result: "String", doc: "The texts of an array, with a separator between them.", write: writeArrayConcat, size: "strlen(CAST({0} AS VARCHAR))"},
		{name: "repeat", args: "String, Int", result: "String", doc: "The text several times.", sql: "repeat({0}, greatest({1}, 0))", size: "strlen({0}) * greatest({1}, 0)", anyCase: true},
		{name: "leftPad", others: []string{"lpad"}, args: "String, Int, [const String]", result: "String", doc: "The text with others before it, up to a length.", write: writePad("lpad"), size: "{1} * 4"},
		{name: "rightPad", others: []string{"rpad"}, args: "String, Int, [const String]", result: "String", doc: "The text with others behind it, up to a length.", write: writePad("rpad"), size: "{1} * 4"},
		{name: "base64Encode", others: []string{"TO_BASE64"}, args: "String", result: "String", doc: "The text in Base64.", sql: "base64(encode({0}))"},
		one("domain", "regexp_extract({0}, '^(?:(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//)?(?:[^/?#@]*@)?([^/?#:@]+\\.[^/?#:@]+)', 1)", "The host of a URL."),
		one("path", "regexp_extract({0}, '^(?:(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//)?[^/?#]*(/[^?#]*)', 1)", "The path of a URL."),
		one("protocol", "regexp_extract({0}, '^([a-zA-Z][a-zA-Z0-9+.-]*)://', 1)", "The scheme of a URL."),
		one("cutQueryString", "regexp_replace({0}, '\\?[^#]*', '')", "The URL without its query."),
		one("queryString", "regexp_extract({0}, '\\?([^#]*)', 1)", "The query of a URL."),
		{name: "extractURLParameter", args: "String, const String", result: "String", doc: "A parameter of the query of a URL.", sql: "regexp_extract({0}, '[?&]' || regexp_escape({1}) || '=([^&#]*)', 1)"},
		one("decodeURLComponent", "coalesce(TRY(url_decode({0})), {0})", "The text without percent signs."),
		{name: "formatReadableSize", args: "Number", result: "String", doc: "A number of bytes as people write it.", write: writeReadable("1024", []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"})},
		{name: "formatReadableDecimalSize", args: "Number", result: "String", doc: "The same with powers of 1000.", write: writeReadable("1000", []string{"B", "KB", "MB", "GB", "TB", "PB", "EB"})},
		{name: "formatReadableQuantity", args: "Number", result: "String", doc: "A number as people write it.", write: writeReadable("1000", []string{"", "thousand", "million", "billion", "trillion", "quadrillion"})},
	}
}

// buildSized resolves functions of the length of a text, an array or a map.
func buildSized(r *resolver, c *call) *value {
	c.checkCount(1, 1)
	v := r.plain(r.value(c.args[0], c.s))
	if !v.typ.is(stringKind, arrayKind, mapKind, nothingKind) {
		fail(v.place, "%s takes a text, an array or a map, and this is a %s", c.name, v.typ)
	}
	typ := countType()
	if c.f.flag {
		typ = flagType()
	}
	return r.newCall(c.place, c.f, typ.orNull(v.typ.nullable || v.isNull()), v)
}

func writeLength(p *printer, v *value) string {
	x := p.plain(v.args[0])
	if v.args[0].typ.kind == arrayKind {
		return "CAST(len(" + x + ") AS UBIGINT)"
	}
	if v.args[0].typ.kind == mapKind {
		return "CAST(cardinality(" + x + ") AS UBIGINT)"
	}
	return "CAST(strlen(" + x + ") AS UBIGINT)"
}

func writeConcat(p *printer, v *value) string {
	parts, sizes := make([]string, len(v.args)), make([]string, len(v.args))
	for i, arg := range v.args {
		parts[i] = textOf(p.plain(arg), arg.typ)
		sizes[i] = "coalesce(strlen(" + parts[i] + "), 0)"
	}
	if v.function.name == "concatWithSeparator" {
		separator := parts[0]
		parts = parts[1:]
		for i := len(parts) - 1; i > 0; i-- {
			parts = append(parts[:i], append([]string{separator}, parts[i:]...)...)
		}
	}
	text := "(" + strings.Join(parts, " || ") + ")"
	if !p.env.IsCallers {
		return text
	}
	return p.within(v, strings.Join(sizes, " + "), text)
}

// writeSubstring cuts bytes of a text. In a text of ASCII, they are its characters.
func writeSubstring(p *printer, v *value) string {
	x, from := p.plain(v.args[0]), p.number(v.args[1])
	length := "NULL::BIGINT"
	if len(v.args) == 3 {
		length = p.number(v.args[2])
	}
	return bytesOf(x, from, length)
}

// bytesOf cuts a text from a byte on. Where that divides a character, the character is left out.
func bytesOf(x, from, length string) string {
	size := "strlen(" + x + ")"
	// first and last are the places of the first byte and of that behind the last one.
	first := "(CASE WHEN " + from + " < 0 THEN " + size + " + " + from + " + 1 ELSE " + from + " END)"
	last := "(CASE WHEN " + length + " IS NULL THEN " + size + " WHEN " + length + " < 0 THEN " + size + " + " + length + " ELSE " + first + " + " + length + " - 1 END)"
	begin := "greatest(" + first + ", 1)"
	ascii := "substring(" + x + ", " + begin + ", greatest(" + last + " - " + begin + " + 1, 0))"
	var slices []string
	for _, before := range []string{"", " + 1", " + 2", " + 3"} {
		for _, behind := range []string{"", " - 1", " - 2", " - 3"} {
			slices = append(slices, "CASE WHEN "+begin+before+" <= "+last+behind+" THEN TRY(decode(array_slice(encode("+x+"), "+begin+before+", "+last+behind+"))) END")
		}
	}
	wide := "coalesce(" + strings.Join(slices, ", ") + ", '')"
	return "CASE WHEN " + from + " = 0 THEN '' WHEN " + size + " = length(" + x + ") THEN " + ascii + " ELSE " + wide + " END"
}

func writeSubstringUTF8(p *printer, v *value) string {
	x, from := p.plain(v.args[0]), p.number(v.args[1])
	if len(v.args) == 3 {
		return "CASE WHEN " + from + " = 0 THEN '' ELSE substring(" + x + ", " + from + ", greatest(" + p.number(v.args[2]) + ", 0)) END"
	}
	return "CASE WHEN " + from + " = 0 THEN '' ELSE substring(" + x + ", " + from + ") END"
}

func writeLeft(p *printer, v *value) string {
	return bytesOf(p.plain(v.args[0]), "1::BIGINT", p.number(v.args[1]))
}

func writeRight(p *printer, v *value) string {
	x, n := p.plain(v.args[0]), p.number(v.args[1])
	return bytesOf(x, "greatest(CASE WHEN "+n+" < 0 THEN 1 - "+n+" ELSE strlen("+x+") - "+n+" + 1 END, 1)", "NULL::BIGINT")
}

// writePosition finds a text in another one, in bytes.
func writePosition(haystack, needle string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		x, n := p.template(haystack, v.args), p.template(needle, v.args)
		at := "strpos(" + x + ", " + n + ")"
		return "CAST(CASE WHEN strlen(" + x + ") = length(" + x + ") THEN " + at + " WHEN " + at + " = 0 THEN 0 ELSE strlen(left(" + x + ", " + at + " - 1)) + 1 END AS UBIGINT)"
	}
}

func writeMatch(p *printer, v *value) string {
	checkRegexp(v.args[1])
	return "regexp_matches(" + p.plain(v.args[0]) + ", " + p.plain(v.args[1]) + ", 's')"
}

func writeExtract(p *printer, v *value) string {
	group := "0"
	if checkRegexp(v.args[1]) > 0 {
		group = "1"
	}
	return "regexp_extract(" + p.plain(v.args[0]) + ", " + p.plain(v.args[1]) + ", " + group + ", 's')"
}

func writeExtractAll(p *printer, v *value) string {
	group := "0"
	if checkRegexp(v.args[1]) > 0 {
		group = "1"
	}
	return "regexp_extract_all(" + p.plain(v.args[0]) + ", " + p.plain(v.args[1]) + ", " + group + ", 's')"
}

func writeRegexpReplace(options string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		groups := checkRegexp(v.args[1])
		replacement := v.args[2].text
		for i := 0; i+1 < len(replacement); i++ {
			if replacement[i] != '\\' {
				continue
			}
			i++
			if isDigit(replacement[i]) && int(replacement[i]-'0') > groups {
				fail(v.args[2].place, "the regular expression has no group %c", replacement[i])
			}
		}
		return "regexp_replace(" + p.plain(v.args[0]) + ", " + p.plain(v.args[1]) + ", " + p.plain(v.args[2]) + ", " + options + ")"
	}
}

func writeReplaceOne(p *printer, v *value) string {
	x, part, other := p.plain(v.args[0]), p.plain(v.args[1]), p.plain(v.args[2])
	if v.args[1].text == "" {
		return x
	}
	return "CASE WHEN contains(" + x + ", " + part + ") THEN left(" + x + ", strpos(" + x + ", " + part + ") - 1) || " + other + " || substring(" + x + ", strpos(" + x + ", " + part + ") + length(" + part + ")) ELSE " + x + " END"
}

func writeSplit(p *printer, v *value) string {
	separator := v.args[0]
	if v.function.name == "splitByChar" && len(separator.text) != 1 {
		fail(separator.place, "splitByChar takes a separator of one character; use splitByString")
	}
	x := p.plain(v.args[1])
	text := "string_split(" + x + ", " + p.plain(separator) + ")"
	switch {
	case separator.text == "":
		return "string_split(" + x + ", '')"
	case len(v.args) == 3:
		text = "list_slice(" + text + ", 1, " + p.plain(v.args[2]) + ")"
	}
	if v.function.name == "splitByString" {
		return "CASE WHEN " + x + " = '' THEN CAST([] AS VARCHAR[]) ELSE " + text + " END"
	}
	return text
}

func writeArrayConcat(p *printer, v *value) string {
	elem := v.args[0].typ.elem()
	array := p.plain(v.args[0])
	if elem.kind != stringKind {
		array = "list_transform(" + array + ", lambda e: " + textOf("e", elem) + ")"
	}
	separator := "''"
	if len(v.args) == 2 {
		separator = p.plain(v.args[1])
	}
	return "array_to_string(" + array + ", " + separator + ")"
}

func writePad(name string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		with := "' '"
		if len(v.args) == 3 {
			if v.args[2].text == "" {
				fail(v.args[2].place, "the text to fill with is empty")
			}
			with = p.plain(v.args[2])
		}
		return name + "(" + p.plain(v.args[0]) + ", CAST(greatest(" + p.number(v.args[1]) + ", 0) AS INTEGER), " + with + ")"
	}
}

// writeReadable writes a number with a unit, of which each is base times the one before.
func writeReadable(base string, units []string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		x := p.float(v.args[0])
		var out strings.Builder
		out.WriteString("CASE")
		power := "1::DOUBLE"
		for i, unit := range units {
			next := power + " * " + base
			if i < len(units)-1 {
				out.WriteString(" WHEN abs(" + x + ") < " + next + " THEN")
			} else {
				out.WriteString(" ELSE")
			}
			out.WriteString(" printf('%.2f', " + x + " / (" + power + "))")
			if unit != "" {
				out.WriteString(" || ' " + unit + "'")
			}
			power = next
		}
		return out.String() + " END"
	}
}
