package duckdb

import "regexp/syntax"

// expressionFor returns a regular expression in the form that DuckDB needs. DuckDB compares
// texts instead of matching an expression of only text and anchors, and treats an anchor
// anywhere like one at the beginning or the end: "$a" finds an a. It takes an empty part for an
// anchor, too: EXPLAIN of regexp_matches(k, 'a(?:)') shows suffix(k, 'a'). An alternative that matches nothing prevents that, and
// makes no other expression slower.
func expressionFor(text string) string {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil || !isMisread(parsed) {
		return text
	}
	return `[^\x00-\x{10FFFF}]|` + text
}

// isMisread reports whether an expression has an anchor at another place than its
// beginning or its end, or an empty part. In groups and alternatives DuckDB reads both correctly.
func isMisread(expression *syntax.Regexp) bool {
	if expression.Op != syntax.OpConcat {
		return false
	}
	for i, part := range expression.Sub {
		switch part.Op { //nolint:exhaustive // The others are not anchors.
		case syntax.OpEmptyMatch:
			return true
		case syntax.OpBeginLine, syntax.OpBeginText:
			if i > 0 {
				return true
			}
		case syntax.OpEndLine, syntax.OpEndText:
			if i < len(expression.Sub)-1 {
				return true
			}
		}
	}
	return false
}
