package graph

import "strings"

// CamelCase spells the name of a parameter or of a column as the schema does.
func CamelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		if i > 0 && word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
