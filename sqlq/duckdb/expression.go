package duckdb

import (
	"regexp/syntax"
	"slices"
)

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

// hasAnchorInside says whether an expression has an anchor at another place than its
// beginning or its end.
func hasAnchorInside(expression *syntax.Regexp) bool {
	parts := []*syntax.Regexp{expression}
	if expression.Op == syntax.OpConcat {
		parts = expression.Sub
	}
	for i, part := range parts {
		switch part.Op {
		case syntax.OpBeginLine, syntax.OpBeginText:
			if i > 0 {
				return true
			}
		case syntax.OpEndLine, syntax.OpEndText:
			if i < len(parts)-1 {
				return true
			}
		default:
			if part != expression && containsAnchor(part) {
				return true
			}
		}
	}
	return false
}

func containsAnchor(expression *syntax.Regexp) bool {
	switch expression.Op { //nolint:exhaustive // The others are no anchors.
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEndLine, syntax.OpEndText:
		return true
	}
	return slices.ContainsFunc(expression.Sub, containsAnchor)
}
