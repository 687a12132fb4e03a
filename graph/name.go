package graph

import (
	"fmt"
	"regexp"
	"strings"
)

// CamelCase returns the name of a parameter or column in the style of the schema. It is valid for each name that a column
// can have: n_GET becomes nGET, and 5xx becomes n5xx.
func CamelCase(name string) string {
	joined := camelCase(strings.Split(strings.Map(underscored, name), "_"))
	switch {
	case joined == "":
		return camelCase(words(name))
	case joined[0] >= '0' && joined[0] <= '9':
		return "n" + joined
	}
	return joined
}

// underscored returns a letter or digit that GraphQL allows in names, or an underscore.
func underscored(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

// fieldName returns the field name of a saved query (D26): functions.top-slow becomes
// functionsTopSlow.
func fieldName(name string) string { return camelCase(words(name)) }

// typeName returns the prefix of a saved query's type names: functions.top-slow becomes
// FunctionsTopSlow.
func typeName(name string) string { return camelCase(append([]string{""}, words(name)...)) }

// words returns the words of a name: its letters and digits that GraphQL allows in names. A name that has none becomes
// the numbers of its characters.
func words(name string) []string {
	found := strings.FieldsFunc(name, func(r rune) bool { return underscored(r) == '_' })
	if len(found) == 0 {
		for _, r := range name {
			found = append(found, fmt.Sprintf("u%x", r))
		}
	}
	return found
}

// camelCase joins words, and capitalizes all but the first.
func camelCase(words []string) string {
	var joined strings.Builder
	for i, word := range words {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		joined.WriteString(word)
	}
	return joined.String()
}

// enumValueName returns the name of the enum value for an allowed value (D26).
func enumValueName(value string) string {
	return strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(strings.ToUpper(value))
}

// isEnumValueName reports whether an enum value can have the name (GraphQL, section 3.9).
func isEnumValueName(name string) bool {
	return isName(name) && name != "true" && name != "false" && name != "null"
}

// isName reports whether GraphQL allows a name in a schema: two leading underscores are
// reserved for introspection.
func isName(name string) bool { return namePattern.MatchString(name) }

const (
	nameSyntax  = `^(_?[A-Za-z][A-Za-z0-9_]*|_)$`
	nameMeaning = "of letters, digits and underscores, which does not begin with a digit or two underscores"
)

var namePattern = regexp.MustCompile(nameSyntax)
