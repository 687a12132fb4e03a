package graph

import (
	"regexp"
	"strings"
)

// CamelCase spells the name of a parameter or of a column as the schema does.
func CamelCase(name string) string { return camelCase(strings.Split(name, "_")) }

// fieldName derives the name of a field from that of a saved query (D26):
// functions.top-slow becomes functionsTopSlow.
func fieldName(name string) string { return camelCase(words(name)) }

// typeName derives the beginning of a type's name: functions.top-slow becomes
// FunctionsTopSlow.
func typeName(name string) string { return camelCase(append([]string{""}, words(name)...)) }

// words splits the name of a saved query.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

// camelCase joins words, each but the first with a capital.
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

// enumValueName derives the name of an enum value from an allowed value (D26).
func enumValueName(value string) string {
	return strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(strings.ToUpper(value))
}

// isEnumValueName reports whether a name can be that of an enum value (GraphQL, section
// 3.9).
func isEnumValueName(name string) bool {
	return isName(name) && name != "true" && name != "false" && name != "null"
}

// isName reports whether GraphQL allows a name in a schema of ours: two underscores in
// front are reserved for introspection.
func isName(name string) bool {
	return regexp.MustCompile(`^(_?[A-Za-z][A-Za-z0-9_]*|_)$`).MatchString(name)
}
