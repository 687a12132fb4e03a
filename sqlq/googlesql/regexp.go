package googlesql

import "regexp/syntax"

// pattern returns how many groups a constant expression has. It fails for one that cannot be read; one that is not
// constant reports false.
func (c *call) pattern() (groups int, isConstant bool) {
	constant := c.args[1].constant
	if constant == nil || constant.kind == nullKind {
		return 0, constant != nil
	}
	parsed, err := syntax.Parse(constant.text, syntax.Perl)
	if err != nil {
		fail(c.args[1].at, "%s", err)
	}
	return parsed.MaxCap(), true
}

func regexpContains(c *call) value {
	c.pattern()
	return c.value(c.template("regexp_matches({0}, {1})"))
}

// group returns which group an expression extracts: the only one, or the whole match if it has none.
func (c *call) group() string {
	groups, isConstant := c.pattern()
	switch {
	case !isConstant:
		fail(c.args[1].at, "the expression of %s must be a constant", c.name)
	case groups > 1:
		fail(c.args[1].at, "%s takes an expression with at most one group; write (?:…) for the others", c.name)
	}
	return itoa(groups)
}

// regexpExtract reads the group of an expression. DuckDB's result is an empty text where there is no match.
func regexpExtract(c *call) value {
	group := c.group()
	if c.name == "REGEXP_EXTRACT_ALL" {
		return c.value(c.template("regexp_extract_all({0}, {1}, " + group + ")"))
	}
	return c.value(c.template("CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}, " + group + ") END"))
}

// regexpExtractAt reads the n-th match from a position on.
func regexpExtractAt(c *call) value {
	occurrence := "1"
	if len(c.args) > 3 {
		occurrence = "CASE WHEN {3} < 1 THEN {!The occurrence of REGEXP_EXTRACT begins with 1} ELSE {3} END"
	}
	return c.value(c.template("list_extract(regexp_extract_all(substr({0}, CASE WHEN {2} < 1 THEN {!The position of REGEXP_EXTRACT begins with 1} ELSE {2} END), {1}, " +
		c.group() + "), " + occurrence + ")"))
}

// regexpReplace replaces all matches.
func regexpReplace(c *call) value {
	groups, _ := c.pattern()
	if with := c.args[2].constant; with != nil {
		for i := 0; i < len(with.text); i++ {
			if with.text[i] != '\\' {
				continue
			}
			i++
			if i == len(with.text) || with.text[i] != '\\' && (with.text[i] < '0' || int(with.text[i]-'0') > groups) {
				fail(c.args[2].at, `a backslash in the replacement stands before a backslash, or before the number of a group that the expression has`)
			}
		}
	}
	return c.value(c.template("regexp_replace({0}, {1}, {2}, 'g')"))
}
