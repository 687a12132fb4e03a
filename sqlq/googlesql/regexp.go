package googlesql

import (
	"regexp/syntax"
	"slices"
)

// pattern returns a constant expression, parsed: nil for NULL. It fails for one that cannot be read; one that is not
// constant reports false.
func (c *call) pattern() (parsed *syntax.Regexp, isConstant bool) {
	constant := c.args[1].constant
	if constant == nil || constant.kind == nullKind {
		return nil, constant != nil
	}
	parsed, err := syntax.Parse(constant.text, syntax.Perl)
	if err != nil {
		fail(c.args[1].at, "%s", err)
	}
	return parsed, true
}

// groups returns how many groups a constant expression has, as [call.pattern] does.
func (c *call) groups() (groups int, isConstant bool) {
	parsed, isConstant := c.pattern()
	if parsed != nil {
		groups = parsed.MaxCap()
	}
	return groups, isConstant
}

// isNullable reports whether an expression can match without its group, which then is NULL. DuckDB returns an empty text;
// a group that can be empty itself is not told from that.
func isNullable(expression *syntax.Regexp, isOptional bool) bool {
	switch expression.Op { //nolint:exhaustive // The others have what they consist of.
	case syntax.OpCapture:
		return isOptional && !canBeEmpty(expression)
	case syntax.OpStar, syntax.OpQuest, syntax.OpAlternate:
		isOptional = true
	case syntax.OpRepeat:
		isOptional = isOptional || expression.Min == 0
	}
	return slices.ContainsFunc(expression.Sub, func(sub *syntax.Regexp) bool { return isNullable(sub, isOptional) })
}

// canBeEmpty reports whether an expression matches the empty text.
func canBeEmpty(expression *syntax.Regexp) bool {
	switch expression.Op { //nolint:exhaustive // The others match the empty text.
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return slices.ContainsFunc(expression.Sub, canBeEmpty)
	case syntax.OpRepeat:
		return expression.Min == 0 || canBeEmpty(expression.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(expression.Sub, func(sub *syntax.Regexp) bool { return !canBeEmpty(sub) })
	}
	return true
}

func regexpContains(c *call) value {
	c.pattern()
	return c.value(c.template("regexp_matches({0}, {1})"))
}

// group returns which group an expression extracts: the only one, or the whole match if it has none.
func (c *call) group() string {
	groups, isConstant := c.groups()
	switch {
	case !isConstant:
		fail(c.args[1].at, "the expression of %s must be a constant", c.name)
	case groups > 1:
		fail(c.args[1].at, "%s takes an expression with at most one group; write (?:…) for the others", c.name)
	}
	return itoa(groups)
}

// extracted returns what an expression extracted, or NULL if its group has no part in the match.
func (c *call) extracted(sql string) value {
	if parsed, _ := c.pattern(); parsed != nil && isNullable(parsed, false) {
		sql = "nullif(" + sql + ", '')"
	}
	return c.value(c.template(sql))
}

// regexpExtract reads the group of an expression. DuckDB's result is an empty text where there is no match.
func regexpExtract(c *call) value {
	group := c.group()
	if c.name == "REGEXP_EXTRACT_ALL" {
		return c.value(c.template("regexp_extract_all({0}, {1}, " + group + ")"))
	}
	return c.extracted("CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}, " + group + ") END")
}

// regexpExtractAt reads the n-th match from a position on.
func regexpExtractAt(c *call) value {
	occurrence := "1"
	if len(c.args) > 3 {
		occurrence = "CASE WHEN {3} < 1 THEN {!The occurrence of REGEXP_EXTRACT begins with 1} ELSE {3} END"
	}
	return c.extracted("list_extract(regexp_extract_all(substr({0}, CASE WHEN {2} < 1 THEN {!The position of REGEXP_EXTRACT begins with 1} ELSE {2} END), {1}, " +
		c.group() + "), " + occurrence + ")")
}

// regexpReplace replaces all matches.
func regexpReplace(c *call) value {
	groups, _ := c.groups()
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
