package duckdb

import "regexp/syntax"

// expressionFor returns a regular expression as DuckDB has to be given it. Of one that
// is nothing but text and anchors it makes a comparison of texts, and takes an anchor for
// one of the beginning or the end wherever it stands: "$a" finds an a. An alternative
// that matches nothing keeps it from that; it makes no other expression slower.
func expressionFor(text string) string {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil || !hasAnchorInside(parsed) {
		return text
	}
	return `[^\x00-\x{10FFFF}]|` + text
}

// hasAnchorInside reports whether an expression has an anchor at another place than its
// beginning or its end. In groups and alternatives DuckDB reads anchors as it should.
func hasAnchorInside(expression *syntax.Regexp) bool {
	if expression.Op != syntax.OpConcat {
		return false
	}
	for i, part := range expression.Sub {
		switch part.Op { //nolint:exhaustive // The others are no anchors.
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
