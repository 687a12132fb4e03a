package googlesql

import (
	"strconv"
	"strings"
)

// whitespace are the characters that TRIM removes if none are given.
const whitespace = "' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'"

// wordBreaks are the characters that INITCAP begins a word behind, in a class of a regular expression.
const wordBreaks = `\s\[\]()\x7b\x7d/|<>!?@"^#$&~_,.:;*%+\\-`

// notNegative makes an error of a length below 0.
func notNegative(sql string) string {
	return "CASE WHEN " + sql + " < 0 THEN {!The length of {NAME} must not be negative} ELSE " + sql + " END"
}

// firstCharacters takes characters from one end of a text.
func firstCharacters(_ *printer, c *call) fragment {
	if n, ok := c.args[1].integer(); ok && n >= 0 {
		return c.template(strings.ToLower(c.name) + "({0}, {1})")
	}
	return c.template(strings.ToLower(c.name) + "({0}, " + strings.ReplaceAll(notNegative("{1}"), "{NAME}", c.name) + ")")
}

// concat joins with ||, which is NULL if a part is.
func concat(_ *printer, c *call) fragment {
	return joined(fragments(c.args), c.typ)
}

// joined joins the parts of a text, of bytes or of an array. DuckDB gives what is joined with a constant NULL no type.
func joined(parts []fragment, typ *dataType) fragment {
	return text("CAST(", balanced(parts), " AS "+typ.duck()+")")
}

// balanced joins halves, because DuckDB holds every text on the way.
func balanced(parts []fragment) fragment {
	if len(parts) < 4 {
		return list(" || ", parts)
	}
	half := len(parts) / 2
	return text("(", balanced(parts[:half]), ") || (", balanced(parts[half:]), ")")
}

// concatTexts joins values of any types as texts.
func concatTexts(_ *printer, c *call) fragment { return joined(fragments(asTexts(c.args)), c.typ) }

// sizeOfTexts returns the bytes of values that are joined as texts.
func sizeOfTexts(args []value) fragment {
	if sizeOfJoined(args) == nil {
		return nil
	}
	return sizeOfJoined(asTexts(args))
}

// substr cuts a text, or bytes by their hexadecimal digits. A position of 0, or before the text, is its beginning.
func substr(_ *printer, c *call) fragment {
	of, position, length := fragment(c.args[0].node), fragment(c.args[1].node), fragment(nil)
	size := text("length(", of, ")")
	isBytes := c.typ.kind == bytesKind
	if isBytes {
		size = text("octet_length(", of, ")")
	}
	switch n, ok := c.args[1].integer(); {
	case !ok:
		position = text("CASE WHEN ", position, " = 0 OR -", position, " > ", size, " THEN 1 WHEN ", position, " < 0 THEN ", size, " + 1 + ", position, " ELSE ", position, " END")
	case n == 0:
		position = plain("1")
	case n < 0:
		position = text("greatest(", size, " + 1 + ", position, ", 1)")
	}
	if len(c.args) > 2 {
		length = c.args[2].node
		if n, ok := c.args[2].integer(); !ok || n < 0 {
			length = c.template(strings.ReplaceAll(notNegative("{2}"), "{NAME}", c.name))
		}
	}
	double := ifElse(isBytes, "2 * ", "")
	if isBytes {
		of, position = text("hex(", of, ")"), text("2 * ", position, " - 1")
	}
	parts := []any{"substr(", of, ", ", position}
	if length != nil {
		parts = append(parts, ", "+double, length)
	}
	cut := text(append(parts, ")")...)
	if isBytes {
		return text("unhex(", cut, ")")
	}
	return cut
}

// instr finds the n-th occurrence from a position on; backwards from one below 0.
func instr(p *printer, c *call) fragment {
	return p.inLambda(c, func(args []value) fragment { return c.with(args).instr() })
}

func (c *call) instr() fragment {
	occurrence := fragment(plain("1"))
	if len(c.args) > 3 {
		occurrence = c.template("CASE WHEN {3} < 1 THEN {!The occurrence of INSTR begins with 1} ELSE {3} END")
	}
	// An empty text is also behind the last character.
	places := c.template("CASE WHEN {2} > 0 THEN range({2}, length({0}) - length({1}) + 2) ELSE range(length({0}) + CASE WHEN {1} = '' THEN 2 ELSE 1 END + {2}, 0, -1) END")
	found := text("list_filter(", places, c.template(", lambda {e}: substr({0}, {e}, length({1})) = {1})"))
	return text(c.template("CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL OR "), occurrence,
		c.template(" IS NULL THEN NULL WHEN {2} = 0 THEN {!The position of INSTR must not be 0} ELSE coalesce(list_extract("), found, ", ", occurrence, "), 0) END")
}

// editDistance calls a function of DuckDB with the greatest distance.
func editDistance(name string) func(p *printer, c *call) fragment {
	return func(_ *printer, c *call) fragment {
		most, isThere := c.mostDistance()
		if !isThere {
			return plain("CAST(NULL AS BIGINT)")
		}
		return text(name+"(", c.args[0], ", ", c.args[1], ", "+strconv.FormatInt(most, 10)+"::BIGINT)")
	}
}
