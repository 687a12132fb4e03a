package googlesql

import (
	"regexp"
	"strconv"
	"strings"
)

// mostFormatWidth limits the width and the precision of a verb.
const mostFormatWidth = 1000

// verbPattern matches a verb of FORMAT: flags, width, precision, and what it is.
var verbPattern = regexp.MustCompile(`^%([-+ #0']*)([0-9]*(?:\.[0-9]+)?)([a-zA-Z%])`)

// format resolves FORMAT with a constant format.
func format(c *call) value {
	constant, at := c.args[0].constant, c.args[0].at
	if constant == nil {
		fail(at, "the format of FORMAT must be a constant")
	}
	rest, args, written := constant.text, c.args[1:], ""
	var parts []fragment
	for rest != "" {
		if rest[0] != '%' {
			written, rest = written+rest[:1], rest[1:]
			continue
		}
		match := verbPattern.FindStringSubmatch(rest)
		if match == nil {
			fail(at, "the format of FORMAT has a %% that begins no verb; write %%%% for the character")
		}
		if width, _ := strconv.ParseFloat(match[2], 64); width > mostFormatWidth || len(match[2]) > len("1000.1000") {
			fail(at, "FORMAT takes a width and a precision of up to %d", mostFormatWidth)
		}
		rest = rest[len(match[0]):]
		if match[3] == "%" {
			written += "%"
			continue
		}
		if len(args) == 0 {
			fail(at, "FORMAT has fewer values than its format has verbs")
		}
		parts = append(parts, plain(quoteText(written)), formatted(args[0], match, at))
		args, written = args[1:], ""
	}
	if len(args) > 0 {
		fail(args[0].at, "FORMAT has more values than its format has verbs")
	}
	return c.value(joined(append(parts, plain(quoteText(written))), c.typ))
}

// sizeOfFormat returns the bytes that a format makes of values, with the widths that it has; nil if they are few.
func sizeOfFormat(args []value) fragment {
	if args[0].constant == nil {
		return nil
	}
	width := 0
	for _, number := range regexp.MustCompile(`[0-9]+`).FindAllString(args[0].constant.text, -1) {
		if n, err := strconv.Atoi(number); err == nil && n <= mostFormatWidth {
			width += n
		}
	}
	padding := value{typ: scalar(stringKind), constant: &literal{text: strings.Repeat(" ", width)}}
	return sizeOfAll(append([]value{padding}, args...), joinings(2*len(args)))
}

// formatted writes a value with a verb.
func formatted(v value, verb []string, at place) fragment {
	flags, size, kind := verb[1], verb[2], verb[3]
	switch kind {
	case "x", "X", "o":
		v = coerce(v, scalar(int64Kind))
		v.sql = text("CASE WHEN ", v, " < 0 THEN ", raise("%"+kind+" of FORMAT takes no negative number"), " ELSE ", v, " END")
	case "d", "i":
		v = coerce(v, scalar(int64Kind))
		if flags == "'" && size == "" {
			return text("format('{:,}', ", v, ")")
		}
		kind = "d"
	case "f", "F", "e", "E", "g", "G":
		if v.typ.is(numericKind) {
			return formatNumeric(v, flags, size, kind, at)
		}
		v = coerce(v, scalar(float64Kind))
	case "s":
		v = coerce(v, scalar(stringKind))
	case "t":
		null := v
		texted, ok := casted(v, scalar(stringKind))
		if !ok {
			fail(v.at, "%%t of FORMAT does not take a value of type %s", v.typ)
		}
		sql := texted.sql
		if v.typ.is(float64Kind, numberKind) { // 1.0, not 1
			sql = text("CASE WHEN regexp_full_match(", sql, ", '-?[0-9]+') THEN ", sql, " || '.0' ELSE ", sql, " END")
		}
		v, kind = newValue(scalar(stringKind), v.at, "CASE WHEN ", null, " IS NULL THEN 'NULL' ELSE ", sql, " END"), "s"
	default:
		fail(at, "FORMAT does not take %%%s; it takes %%d, %%i, %%x, %%X, %%o, %%f, %%e, %%g, %%s and %%t", kind)
	}
	if flags == "" && size == "" && kind == "s" {
		return v.sql
	}
	if regexp.MustCompile(`[#']`).MatchString(flags) {
		fail(at, "FORMAT does not take the flags %s here", flags)
	}
	return text("printf("+quoteText("%"+flags+size+kind)+", ", v, ")")
}
