package googletext

import (
	"encoding/json"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// Matcher finds matches of regular expressions. It keeps the last one that it parsed.
type Matcher struct{ last atomic.Pointer[expression] }

// expression is a regular expression with at most one group.
type expression struct {
	text   string
	parsed *regexp.Regexp
	// looksBack means that it is about what stands before a match, as with ^.
	looksBack bool
}

var (
	errExpression = errors.New("a regular expression cannot be read")
	errGroups     = errors.New("a regular expression has more than one group; write (?:…) for the others")
	errPlaces     = errors.New("a regular expression matches an empty text, and has ^ or a boundary; let it match a character, as in .+")
)

func (m *Matcher) parse(text string) (*expression, error) {
	if last := m.last.Load(); last != nil && last.text == text {
		return last, nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, errExpression
	}
	parsed, err := regexp.Compile(text)
	switch {
	case err != nil:
		return nil, errExpression
	case parsed.NumSubexp() > 1:
		return nil, errGroups
	}
	e := &expression{text, parsed, looksBack(tree)}
	m.last.Store(e)
	return e, nil
}

func looksBack(tree *syntax.Regexp) bool {
	switch tree.Op { //nolint:exhaustive // The others are what they consist of.
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(tree.Sub, looksBack)
}

// each calls use with where the group of each match begins and ends, in bytes, or with the whole match of an expression
// without one, until it returns false. Both are below 0 for a group without a part in the match. A match that is
// empty can follow another one.
func (e *expression) each(text string, use func(start, end int) bool) error {
	group := 2 * e.parsed.NumSubexp()
	if e.looksBack {
		for _, match := range e.parsed.FindAllStringSubmatchIndex(text, -1) {
			if match[0] == match[1] {
				return errPlaces
			}
			if !use(match[group], match[group+1]) {
				break
			}
		}
		return nil
	}
	for at := 0; ; {
		match := e.parsed.FindStringSubmatchIndex(text[at:])
		if match == nil {
			return nil
		}
		start, end := match[group], match[group+1]
		if start >= 0 {
			start, end = at+start, at+end
		}
		if !use(start, end) {
			return nil
		}
		if match[0] == match[1] {
			_, size := utf8.DecodeRuneInString(text[at+match[1]:])
			at += size
		}
		if at += match[1]; at >= len(text) {
			return nil
		}
	}
}

// Found is where a match is, and its text.
type Found struct {
	Text string
	// Start and End are the characters at which it begins, and behind it; the first one is 1. They are zero for a group without
	// a part in the match.
	Start, End int64
}

// Nth returns the n-th match from a character on; nil if there is none. A function with the name finds it.
func (m *Matcher) Nth(name, text, pattern string, position, occurrence int64) (*Found, error) {
	e, err := m.parse(pattern)
	switch {
	case err != nil:
		return nil, err
	case position < 1:
		return nil, errors.New("the position of " + name + " begins with 1")
	case occurrence < 1:
		return nil, errors.New("the occurrence of " + name + " begins with 1")
	}
	before := 0
	for range position - 1 {
		if before >= len(text) {
			return nil, nil //nolint:nilnil // There is none.
		}
		_, size := utf8.DecodeRuneInString(text[before:])
		before += size
	}
	if before == len(text) && position > 1 {
		return nil, nil //nolint:nilnil // There is none.
	}
	rest := text[before:]
	var found *Found
	err = e.each(rest, func(start, end int) bool {
		if occurrence--; occurrence > 0 {
			return true
		}
		found = &Found{}
		if start >= 0 {
			first := position + int64(utf8.RuneCountInString(rest[:start]))
			found = &Found{rest[start:end], first, first + int64(utf8.RuneCountInString(rest[start:end]))}
		}
		return false
	})
	return found, err
}

// Position returns where the n-th match from a character on begins, or which character is behind it; 0 if there is none.
func (m *Matcher) Position(text, pattern string, position, occurrence, behind int64) (int64, error) {
	const name = "REGEXP_INSTR"
	if behind != 0 && behind != 1 {
		return 0, errors.New("the last argument of REGEXP_INSTR is 0 or 1")
	}
	found, err := m.Nth(name, text, pattern, position, occurrence)
	if err != nil || found == nil || pattern == "" {
		return 0, err
	}
	if behind == 1 {
		return found.End, nil
	}
	return found.Start, nil
}

// All returns all matches as an array of JSON, in which null stands for a group without a part in a match.
func (m *Matcher) All(text, pattern string) (string, error) {
	e, err := m.parse(pattern)
	if err != nil {
		return "", err
	}
	matches := []*string{}
	err = e.each(text, func(start, end int) bool {
		var match *string
		if start >= 0 {
			part := text[start:end]
			match = &part
		}
		matches = append(matches, match)
		return true
	})
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(matches)
	return string(encoded), err
}
