package googlesql

import (
	"regexp"
	"slices"
	"strings"
)

// joinedBy joins the arguments.
func joinedBy(separator string) func(*printer, *call) fragment {
	return func(_ *printer, c *call) fragment { return text("(", list(separator, fragments(c.args)), ")") }
}

// joinedPlainly joins conditions without brackets.
func joinedPlainly(_ *printer, c *call) fragment { return list(" AND ", fragments(c.args)) }

func inList(_ *printer, c *call) fragment {
	return text("(", c.args[0], " IN (", list(", ", fragments(c.args[1:])), "))")
}

func inArray(_ *printer, c *call) fragment {
	of, items := c.args[0], fragment(c.args[1].node)
	if c.elem != nil {
		items = text("CAST(", items, " AS "+c.elem.duck()+"[])")
	}
	return text("CASE WHEN list_contains(", items, ", ", of, ") THEN true WHEN len(", items, ") > 0 AND (",
		of, " IS NULL OR list_count(", items, ") < len(", items, ")) THEN NULL ELSE false END")
}

func isNull(p *printer, c *call) fragment {
	if of := c.args[0]; of.dyn != nil {
		return of.dyn.isNull(p)
	}
	return text("(", untyped(c.args[0]), " IS NULL)")
}

// untyped is a value whose type does not matter: a parameter without its type.
func untyped(v value) fragment {
	if param, ok := v.node.(*parameter); ok {
		return plain("$" + param.name)
	}
	return v.node
}

// lengthOf is the number of elements of an array.
func lengthOf(_ *printer, c *call) fragment { return text("len(", untyped(c.args[0]), ")") }

// alternatives joins conditions with OR, those of an OR within it in the same brackets.
func alternatives(p *printer, c *call) fragment {
	conditions := []fragment{c.args[1].node}
	of := c.args[0].node
	for {
		inner, ok := of.(*call)
		if !ok || inner.name != "OR" || p.column(inner) != "" {
			break
		}
		conditions, of = append(conditions, inner.args[1].node), inner.args[0].node
	}
	conditions = append(conditions, of)
	slices.Reverse(conditions)
	return text("(", list(" OR ", conditions), ")")
}

// compared compares two values. DuckDB takes NaN for more than any other number.
func compared(p *printer, c *call) fragment {
	a, b := c.args[0], c.args[1]
	more, moreIsNaN, lessIsNaN := a, c.canBeNaN[0], c.canBeNaN[1]
	if c.name[0] == '<' {
		more, moreIsNaN, lessIsNaN = b, lessIsNaN, moreIsNaN
	}
	opposite, isOrder := map[string]string{">": "<", ">=": "<=", "<": ">", "<=": ">="}[c.name]
	switch {
	case !isOrder || !moreIsNaN:
		return text("(", a, " "+c.name+" ", b, ")")
	case lessIsNaN || p.isColumn(more.node):
		return text("(", a, " "+c.name+" ", b, " AND NOT isnan(", more, "))")
	}
	return text("(-", a, " "+opposite+" -", b, ")") // which computes it once
}

// shifted shifts bits, without a sign.
func shifted(op string) string {
	return "CASE WHEN {1} >= 64 THEN 0 WHEN {1} < 0 THEN {!The bits are shifted by a negative number} ELSE CAST(CAST({0} AS BIT) " + op + " CAST({1} AS INTEGER) AS BIGINT) END"
}

// arithmetic writes +, -, * and /.
func arithmetic(p *printer, c *call) fragment {
	a, b, op := c.args[0], c.args[1], c.name
	switch {
	case a.typ.is(dateKind, datetimeKind, timestampKind, timeKind) && b.typ.is(intervalKind):
		return inYears(text("(", a, " "+op+" ", b, ")"), c.typ)
	case a.typ.is(intervalKind) && b.typ.is(int64Kind):
		return p.scaledInterval(c)
	case a.typ.is(intervalKind):
		return text("(", a, " "+op+" ", b, ")")
	case a.typ.is(dateKind) && b.typ.is(int64Kind):
		return inYears(text("(", a, " "+op+" CAST(", b, " AS INTEGER))"), c.typ)
	case c.typ.is(intervalKind):
		return timeBetween(a, b)
	case c.typ.is(numericKind) && op == "*": // DuckDB makes another type
		return text("CAST(", a, " * ", b, " AS DECIMAL(38, 9))")
	case c.typ.is(numericKind) && op == "/":
		return quotient(a, notZero(a, b))
	case op == "/" && (b.constant == nil || isZero(b.constant.text)):
		return text("(", a, " / ", notZero(a, b), ")")
	}
	return text("(", a, " "+op+" ", b, ")")
}

// timeBetween is the difference of two times: of dates in days, of local times in days and the rest, and of others in hours.
func timeBetween(a, b value) fragment {
	const day = "86400000000"
	micros := text("date_diff('microsecond', ", b, ", ", a, ")")
	switch a.typ.kind { //nolint:exhaustive // The others have no days.
	case dateKind:
		return text("to_days(CAST(date_diff('day', ", b, ", ", a, ") AS INTEGER))")
	case datetimeKind:
		return text("(to_days(CAST(", micros, " // "+day+" AS INTEGER)) + to_microseconds(", micros, " % "+day+"))")
	}
	return text("to_microseconds(", micros, ")")
}

// notZero is a divisor that is an error if it is 0 and the dividend is a number.
func notZero(a, b value) fragment {
	return text("CASE WHEN ", b, " = 0 AND ", a, " IS NOT NULL THEN ", raise("division by zero"), " ELSE ", b, " END")
}

func isZero(number string) bool {
	for _, digit := range number {
		if digit >= '1' && digit <= '9' {
			return false
		}
	}
	return true
}

// likePatterns writes LIKE with one pattern or several.
func likePatterns(p *printer, c *call) fragment {
	parts := each(c.args[1:], func(_ int, pattern value) fragment {
		return text(ifElse(c.like.not, "(NOT ", "("), p.like(c.at, c.args[0], pattern), ")")
	})
	return text("(", list(ifElse(c.like.quantifier == "ALL", " AND ", " OR "), parts), ")")
}

// like returns whether a text matches a pattern of LIKE. DuckDB tries all places for each of several % of a pattern, which
// takes the product of their numbers, unless it has neither _ nor escapes. In callers' SQL such patterns become regular
// expressions, which take linear time.
func (p *printer) like(at place, of, pattern value) fragment {
	plainly := func(of, pattern value) fragment {
		if pattern.constant != nil && !strings.Contains(pattern.constant.text, `\`) { // DuckDB is faster without
			return text("(", of, " LIKE ", pattern, ")")
		}
		return text("(", of, " LIKE ", pattern, ` ESCAPE '\')`)
	}
	switch {
	case !p.env.isCallers(at):
		return plainly(of, pattern)
	case pattern.constant == nil:
		args := []value{of, pattern}
		sql := p.hoisted(args, func(args []value) fragment {
			of, pattern := args[0], args[1]
			const ofCharacter = `CASE "#e" WHEN '%' THEN '.*' WHEN '_' THEN '.' WHEN '\' THEN `
			regexp := text("array_to_string(list_transform(regexp_extract_all(", pattern, `, '\\.|.', 0, 's'), lambda "#e": `, ofCharacter,
				raise("a pattern of LIKE ends with a backslash"), ` ELSE regexp_escape(right("#e", 1)) END), '')`)
			size := text(itoa(2*elementBytes)+" * strlen(", pattern, ")")
			return text("CASE WHEN length(", pattern, ") > length(replace(", pattern, ", '%', '')) + 1 AND regexp_matches(", pattern, `, '[_\\]') THEN `,
				within(size, "LIKE", text("regexp_full_match(", of, ", ", regexp, ", 's')")), " ELSE ", plainly(of, pattern), " END")
		})
		if slices.ContainsFunc(args, p.isComputed) {
			return text(lambdaCopies, sql)
		}
		return sql
	case strings.Count(pattern.constant.text, "%") > 1 && strings.ContainsAny(pattern.constant.text, `_\`):
		return text("regexp_full_match(", of, ", "+quoteText(likeRegexp(pattern.constant.text))+", 's')")
	}
	return plainly(of, pattern)
}

// likeRegexp returns the regular expression of a pattern of LIKE.
func likeRegexp(pattern string) string {
	var out strings.Builder
	isEscaped := false
	for _, c := range pattern {
		switch {
		case isEscaped || c != '%' && c != '_' && c != '\\':
			out.WriteString(regexp.QuoteMeta(string(c)))
			isEscaped = false
		case c == '\\':
			isEscaped = true
		case c == '%':
			out.WriteString(".*")
		case c == '_':
			out.WriteByte('.')
		}
	}
	return out.String()
}
