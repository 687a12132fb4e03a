package googlesql

import "regexp/syntax"

// regexpExtract reads the group of an expression, or the whole match if it has none. DuckDB's result is
// an empty text where there is no match.
func regexpExtract(c *call) value {
	pattern := c.args[1].constant
	group := "0"
	if pattern != nil {
		parsed, err := syntax.Parse(pattern.text, syntax.Perl)
		if err != nil {
			fail(c.args[1].at, "%s", err)
		}
		switch parsed.MaxCap() {
		case 0:
		case 1:
			group = "1"
		default:
			fail(c.args[1].at, "%s takes an expression with at most one group; write (?:…) for the others", c.name)
		}
	} else {
		fail(c.args[1].at, "the expression of %s must be a constant", c.name)
	}
	if c.name == "REGEXP_EXTRACT_ALL" {
		return c.value("regexp_extract_all(", c.args[0], ", ", c.args[1], ", "+group+")")
	}
	return c.value("CASE WHEN regexp_matches(", c.args[0], ", ", c.args[1], ") THEN regexp_extract(", c.args[0], ", ", c.args[1], ", "+group+") END")
}
