package graph

import (
	"regexp"
	"strings"
)

// CamelCase returns the name of a parameter or column in the style of the schema.
func CamelCase(name string) string { return camelCase(strings.Split(name, "_")) }

// fieldName returns the field name of a saved query (D26): functions.top-slow becomes
// functionsTopSlow.
func fieldName(name string) string { return camelCase(words(name)) }

// typeName returns the prefix of a saved query's type names: functions.top-slow becomes
// FunctionsTopSlow.
func typeName(name string) string { return camelCase(append([]string{""}, words(name)...)) }

// words returns the words of a saved query's name.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
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
