package googlesql

import (
	"regexp"
	"strconv"
	"strings"
)

// mostFormatWidth limits the width and the precision of a verb.
const mostFormatWidth = 1000

// formatVerbs are the verbs that FORMAT takes.
const formatVerbs = "dixXofFeEgGstT"

// verbPattern matches a verb of FORMAT: flags, width, precision, and what it is.
var verbPattern = regexp.MustCompile(`^%([-+ #0']*)([0-9]*(?:\.[0-9]*)?)([a-zA-Z%])`)

// formatPart is a text of a format, and the verb behind it, if any.
type formatPart struct {
	text string
	verb *verb
}

// formatParts returns the parts of a constant format. It fails for one that FORMAT does not take.
func (c *call) formatParts() []formatPart {
	constant, at := c.args[0].constant, c.args[0].at
	if constant == nil {
		fail(at, "the format of FORMAT must be a constant")
	}
	rest, values, written := constant.text, len(c.args)-1, ""
	var parts []formatPart
	for rest != "" {
		if rest[0] != '%' {
			written, rest = written+rest[:1], rest[1:]
			continue
		}
		match := verbPattern.FindStringSubmatch(rest)
		if match == nil {
			fail(at, "the format of FORMAT has a %% that begins no verb; write %%%% for the character")
		}
		verb := newVerb(match, at)
		if verb.width > mostFormatWidth || verb.precision > mostFormatWidth || len(match[2]) > len("1000.1000") {
			fail(at, "FORMAT takes a width and a precision of up to %d", mostFormatWidth)
		}
		rest = rest[len(match[0]):]
		if match[3] == "%" {
			if match[0] != "%%" {
				fail(at, "the format of FORMAT has %s; write %%%% for the character", match[0])
			}
			written += "%"
			continue
		}
		if len(parts) == values {
			fail(at, "FORMAT has fewer values than its format has verbs")
		}
		if !strings.Contains(formatVerbs, verb.kind) {
			fail(at, "FORMAT does not take %%%s; it takes %%d, %%i, %%x, %%X, %%o, %%f, %%e, %%g, %%s, %%t and %%T", verb.kind)
		}
		parts, written = append(parts, formatPart{written, &verb}), ""
	}
	if len(parts) < values {
		fail(c.args[len(parts)+1].at, "FORMAT has more values than its format has verbs")
	}
	return append(parts, formatPart{text: written})
}

// checkFormat converts the values as the verbs of a format need them.
func checkFormat(c *call) {
	for i, part := range c.formatParts() {
		if part.verb != nil {
			c.args[i+1] = part.verb.takes(c.args[i+1])
		}
	}
}

// takes returns a value as a verb needs it. It fails for one that the verb does not take.
func (v verb) takes(of value) value {
	switch v.kind {
	case "d", "i", "x", "X", "o":
		v.checkInteger()
		return coerce(of, scalar(int64Kind))
	case "f", "F", "e", "E", "g", "G":
		if of.typ.is(numericKind) {
			v.checkNumeric()
			return of
		}
		of = coerce(of, scalar(float64Kind))
		v.checkFloat()
		return of
	case "s":
		return coerce(of, scalar(stringKind))
	case "t", "T":
		checkShown(of, v.kind)
	}
	return of
}

// checkShown fails for a value that %t and %T do not take: metadata whose use gives it no type.
func checkShown(of value, verb string) {
	switch {
	case of.typ.is(arrayKind):
		checkShown(inside(of.typ.elem, of.node, of.at), verb)
	case of.typ.is(structKind):
		for _, field := range of.typ.fields {
			checkShown(inside(field.typ, of.node, of.at), verb)
		}
	case of.typ.is(bytesKind, jsonKind):
	case !castable(of, scalar(stringKind)):
		fail(of.at, "%%%s of FORMAT does not take a value of type %s", verb, of.typ)
	default:
		casted(of, scalar(stringKind))
	}
}

// verb is a verb of FORMAT, such as %-8.2f.
type verb struct {
	place
	flags string
	// width is zero if none is written, and precision negative.
	width, precision int
	kind             string
}

func newVerb(match []string, at place) verb {
	v := verb{place: at, flags: match[1], precision: -1, kind: match[3]}
	width, precision, hasPrecision := strings.Cut(match[2], ".")
	v.width, _ = strconv.Atoi(width)
	if hasPrecision {
		v.precision, _ = strconv.Atoi(precision)
	}
	return v
}

func (v verb) has(flag string) bool { return strings.Contains(v.flags, flag) }

// text is the verb as it is written, without its flags for signs and padding.
func (v verb) text() string {
	return ifElse(v.has("'"), "'", "") + ifElse(v.precision >= 0, "."+itoa(v.precision), "") + v.kind
}

func (v verb) isDecimal() bool { return v.kind == "d" || v.kind == "i" }

// checkInteger fails for a flag that the verb of an INT64 does not have.
func (v verb) checkInteger() {
	if v.has("'") && (!v.isDecimal() || v.precision >= 0) {
		fail(v.place, "FORMAT takes the flag ' with %%d and %%i without a precision, and with %%f; it groups %d digits in %%%s", ifElse(v.isDecimal(), 3, 4), v.text())
	}
}

func (v verb) isFixed() bool { return v.kind == "f" || v.kind == "F" }

// checkFloat fails for a flag that the verb of a FLOAT64 does not have.
func (v verb) checkFloat() {
	if v.has("'") && (!v.isFixed() || v.has("#")) {
		fail(v.place, "FORMAT takes the flag ' with %%d and %%f only; CAST the number for %%%s", v.text())
	}
}

// digits is how many digits a number has behind its point.
func (v verb) digits() int { return ifElse(v.precision >= 0, v.precision, 6) }

// checkNumeric fails for a verb that a NUMERIC does not take.
func (v verb) checkNumeric() {
	if !v.isFixed() || v.has("'") || v.has("#") || v.digits() > numericDigits {
		fail(v.place, "FORMAT takes a NUMERIC with %%t and with %%f of up to 9 digits, such as %%.2f; CAST it AS FLOAT64 for %%%s", v.text())
	}
}
