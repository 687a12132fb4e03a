package sqlq

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// maxExpressionSize bounds a caller's regular expression, in the unit of
// [expressionSize]. RE2 gives up at thirty times as much, but takes long enough
// before that to occupy a processor.
const maxExpressionSize = 10_000

// checkExpression returns an error if a caller's RE2 expression is not valid (D9). Every
// engine accepts what it accepts, with the same meaning: it rejects the syntax that Go has
// beyond RE2.
func checkExpression(text string) error {
	// This is the part of regexp.Compile that can fail.
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return fmt.Errorf("is not a valid RE2 regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	for _, name := range parsed.CapNames() {
		if name != "" && !strings.Contains(text, "(?P<"+name+">") {
			return fmt.Errorf("is not a valid RE2 regular expression: (?<%s>…) is spelled (?P<%s>…)", name, name)
		}
	}
	if class, found := unknownClass(text); found {
		return fmt.Errorf("is not a valid RE2 regular expression: invalid character class: `%s`", class)
	}
	if expressionSize(parsed) > maxExpressionSize {
		return errors.New("is too large a regular expression; repeat less, or smaller character classes")
	}
	return nil
}

// unknownClass returns the first Unicode class of a valid expression, such as
// \p{Letter}, that RE2 has no name for.
func unknownClass(text string) (class string, found bool) {
	if !strings.Contains(text, `\p`) && !strings.Contains(text, `\P`) {
		return "", false
	}
	// Quotations and other escapes are matched to skip them.
	tokens := regexp.MustCompile(`(?s)\\Q.*?(?:\\E|$)|\\[pP](?:\{\^?([^}]*)\}|(\pL))|\\.`)
	for _, token := range tokens.FindAllStringSubmatch(text, -1) {
		if name := token[1] + token[2]; name != "" && !knownClass(name) {
			return token[0], true
		}
	}
	return "", false
}

// knownClass reports whether RE2 has a Unicode class of a name.
func knownClass(name string) bool {
	if name == "Any" {
		return true
	}
	if slices.Contains([]string{"Cn", "LC"}, name) { // only Go has them
		return false
	}
	return unicode.Categories[name] != nil || unicode.Scripts[name] != nil
}

// expressionSize estimates how many instructions an expression compiles to, with its
// repetitions expanded.
func expressionSize(expression *syntax.Regexp) int {
	const anyCharacter = 10 // the forms of UTF-8
	size := 1
	for _, part := range expression.Sub {
		size += expressionSize(part)
	}
	switch expression.Op { //nolint:exhaustive // The others are one instruction each.
	case syntax.OpLiteral:
		size += len(string(expression.Rune))
	case syntax.OpCharClass:
		size += len(expression.Rune) / 2
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		size += anyCharacter
	case syntax.OpRepeat:
		size *= max(1, expression.Min, expression.Max)
	}
	return size
}
