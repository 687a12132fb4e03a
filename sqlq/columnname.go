package sqlq

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostColumnName is the longest name of a column, in characters, as in BigQuery.
const mostColumnName = 300

// neverInColumnName are the characters that BigQuery has in no name of a column.
const neverInColumnName = "!\"$()*,./;?@[\\]^`{}~"

// CheckColumnName returns an error unless a column, or a field of a STRUCT, can have the name: each name that BigQuery
// gives one, with capitals, spaces and letters of any script. REST, formats and tools have it as it is; GraphQL and
// Prometheus derive names of their own.
func CheckColumnName(name string) error {
	const use = "use letters, digits, underscores, spaces or dashes, as in COUNT(*) AS total"
	at := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(neverInColumnName, r) })
	switch {
	case name == "":
		return fmt.Errorf("is empty; %s", use)
	case !utf8.ValidString(name):
		return fmt.Errorf("%q is not valid UTF-8", name)
	case at >= 0:
		char, _ := utf8.DecodeRuneInString(name[at:])
		return fmt.Errorf("%q has the character %q, which no column can have in BigQuery; %s", name, char, use)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%q begins or ends with a space; leave it out", name)
	case utf8.RuneCountInString(name) > mostColumnName:
		return fmt.Errorf("%q… is longer than %d characters", string([]rune(name)[:20]), mostColumnName)
	}
	return nil
}

// ColumnSet finds columns whose names SQL takes for the same one, because it ignores letter case.
type ColumnSet map[string]string

// Add adds a name. It returns the one that is the same, if there is one already.
func (s ColumnSet) Add(name string) (other string, taken bool) {
	folded := strings.ToLower(name)
	if other, taken = s[folded]; !taken {
		s[folded] = name
	}
	return other, taken
}

// SameColumn returns the message about two columns whose names are the same.
func SameColumn(kind, name, other string) string {
	if name == other {
		return fmt.Sprintf("%s %q is declared twice", kind, name)
	}
	return fmt.Sprintf("%ss %q and %q differ only in letter case, which SQL ignores; rename one of them", kind, other, name)
}
