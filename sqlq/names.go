package sqlq

import (
	"strings"
	"unicode/utf8"
)

// Join returns names as a list for messages.
func Join[T ~string](names []T) string {
	return strings.Join(namesOf(names, func(name *T) string { return string(*name) }), ", ")
}

// ColumnNames returns the names of columns.
func ColumnNames(columns []Column) []string {
	return namesOf(columns, func(column *Column) string { return column.Name })
}

// ParamNames returns the names of the parameters.
func (q *SavedQuery) ParamNames() []string {
	return namesOf(q.Params, func(param *Param) string { return param.Name })
}

// AlertNames returns the names of the alerts.
func (q *SavedQuery) AlertNames() []string {
	return namesOf(q.Alerts, func(alert *Alert) string { return alert.Name })
}

// QueryNames returns the names of saved queries.
func QueryNames(queries []*SavedQuery) []string {
	return namesOf(queries, func(query **SavedQuery) string { return (*query).Name })
}

func namesOf[T any](items []T, name func(*T) string) []string {
	names := make([]string, len(items))
	for i := range items {
		names[i] = name(&items[i])
	}
	return names
}

// maxTypos is the most that a mistyped name differs from the right one, and maxTypedName the
// longest name that is compared, because the time grows with its length.
const (
	maxTypos     = 2
	maxTypedName = 100
)

// ClosestName returns the name that a mistyped one most likely means, in any letter case; the
// first of several. It returns an empty string if none is close.
func ClosestName(typed string, names []string) string {
	if utf8.RuneCountInString(typed) > maxTypedName {
		return ""
	}
	lower := []rune(strings.ToLower(typed))
	closest, least := "", maxTypos+1
	for _, name := range names {
		// A short name must have more in common with the typed one than a letter or two.
		if typos := typosBetween(lower, []rune(strings.ToLower(name))); typos < least && typos < len(lower)/2 {
			closest, least = name, typos
		}
	}
	return closest
}

// DidYouMean returns the part of a message that asks for the closest name, or otherwise the other text.
func DidYouMean(typed string, names []string, otherwise string) string {
	if closest := ClosestName(typed, names); closest != "" {
		return "did you mean " + closest + "?"
	}
	return otherwise
}

// typosBetween returns how many letters must be inserted, deleted, replaced or swapped with the
// next one to make one text of the other. It returns more than maxTypos if the lengths alone
// differ by more.
func typosBetween(a, b []rune) int {
	if max(len(a)-len(b), len(b)-len(a)) > maxTypos {
		return maxTypos + 1
	}
	// distances[i][j] is the distance between the first i letters of a and the first j of b.
	distances := make([][]int, len(a)+1)
	for i := range distances {
		distances[i] = make([]int, len(b)+1)
		distances[i][0] = i
	}
	for j := range distances[0] {
		distances[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := distances[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			distances[i][j] = min(replace, distances[i-1][j]+1, distances[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				distances[i][j] = min(distances[i][j], distances[i-2][j-2]+1)
			}
		}
	}
	return distances[len(a)][len(b)]
}
