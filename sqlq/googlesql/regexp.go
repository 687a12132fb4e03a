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

// groups returns how many groups a constant expression has, as [call.pattern] finds it; zero of others.
func (c *call) groups() int {
	if parsed, _ := c.pattern(); parsed != nil {
		return parsed.MaxCap()
	}
	return 0
}

// isNullable reports whether an expression can match without its group, which then is NULL.
func isNullable(expression *syntax.Regexp, isOptional bool) bool {
	switch expression.Op { //nolint:exhaustive // The others have what they consist of.
	case syntax.OpCapture:
		return isOptional
	case syntax.OpStar, syntax.OpQuest, syntax.OpAlternate:
		isOptional = true
	case syntax.OpRepeat:
		isOptional = isOptional || expression.Min == 0
	}
	return slices.ContainsFunc(expression.Sub, func(sub *syntax.Regexp) bool { return isNullable(sub, isOptional) })
}

// capture returns the group of an expression; nil if it has none.
func capture(expression *syntax.Regexp) *syntax.Regexp {
	if expression.Op == syntax.OpCapture {
		return expression
	}
	for _, sub := range expression.Sub {
		if found := capture(sub); found != nil {
			return found
		}
	}
	return nil
}

// hasPlaces reports whether an expression is about the place of a match, as with ^.
func hasPlaces(expression *syntax.Regexp) bool {
	return expression.Op >= syntax.OpBeginLine && expression.Op <= syntax.OpNoWordBoundary || slices.ContainsFunc(expression.Sub, hasPlaces)
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

func checkPattern(c *call) { c.pattern() }

// group returns which group a constant expression extracts: the only one, or the whole match if it has none.
func (c *call) group() string {
	return itoa(c.groups())
}

// checkExtract fails for an expression with several groups.
func checkExtract(c *call) {
	if c.groups() > 1 {
		fail(c.args[1].at, "%s takes an expression with at most one group; write (?:…) for the others", c.name)
	}
	if parsed, _ := c.pattern(); parsed != nil && (c.name == "REGEXP_EXTRACT_ALL" || len(c.args) > 2) {
		c.checkPlaces(parsed)
	}
}

// canBeMissing reports whether an empty text is either a group that matches it, or one without a part in the match.
func canBeMissing(parsed *syntax.Regexp) bool {
	return isNullable(parsed, false) && canBeEmpty(capture(parsed))
}

// checkPlaces fails for an expression that can be empty and is about its place, of which not all matches can be found.
func (c *call) checkPlaces(parsed *syntax.Regexp) {
	if canBeEmpty(parsed) && hasPlaces(parsed) {
		fail(c.args[1].at, "%s does not take an expression that can be empty and has ^, $ or a boundary here; let it match a character, as in .+", c.name)
	}
}

// checkReplacement fails for a backslash before what is no group.
func checkReplacement(c *call) {
	groups := c.groups()
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
}
