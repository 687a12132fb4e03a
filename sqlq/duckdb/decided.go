package duckdb

import (
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// decided returns the changes that shorten the conditions which arguments without a value decide: ($text IS NULL OR …) is
// true without a text, and (len($filters) = 0 OR …) without an element. DuckDB would bind and optimize the rest of them at
// each run, which takes longer than logs.search itself.
//
// The replacement of a condition mentions its parameters, because a prepared statement rejects arguments without one.
func decided(sql string, args []sqlq.Arg) []sqltext.Change {
	absent := make(map[string]sqlq.Arg)
	for _, arg := range args {
		if isAbsent(arg) {
			absent[arg.Name] = arg
		}
	}
	if len(absent) == 0 {
		return nil
	}
	var changes []sqltext.Change
	open := []*group{{}}
	for token := range sqltext.Tokens(duckdbsql.Dialect{}, sql) {
		last := open[len(open)-1]
		switch token.Text {
		case "(", "[", "{":
			open = append(open, &group{start: token.Start, bracket: token.Text})
		case ")", "]", "}":
			if len(open) == 1 {
				return nil // no SQL that DuckDB reads
			}
			if last.isDecided(absent) {
				changes = slices.DeleteFunc(changes, func(inner sqltext.Change) bool { return inner.Start > last.start })
				changes = append(changes, sqltext.Change{Start: last.start, End: token.End, Text: "(true" + mentions(last.params, absent) + ")"})
			}
			open = open[:len(open)-1]
			open[len(open)-1].addGroup(last)
		default:
			last.add(token.Text)
		}
	}
	return changes
}

// isAbsent reports whether an argument is NULL or an array without elements.
func isAbsent(arg sqlq.Arg) bool {
	if arg.Type.IsArray() {
		elements, _ := arg.Value.([]any)
		return len(elements) == 0
	}
	return arg.Value == nil
}

// mentions returns SQL that mentions the parameters that are bound, each once.
func mentions(params []string, absent map[string]sqlq.Arg) string {
	var text strings.Builder
	for i, name := range params {
		arg, found := absent[name]
		if (!found || arg.Type.IsArray()) && !slices.Contains(params[:i], name) {
			text.WriteString(" OR $" + name + " IS NULL")
		}
	}
	return text.String()
}

// group is what is between two brackets.
type group struct {
	start   int
	bracket string
	// words are the first ones, and params the names of all parameters. count is the number of words.
	words, params []string
	count         int
	// other is set if the group may be more than a condition: the arguments of a function, for example.
	other bool
}

// mostWords is how many words the longest condition has that decides: len ( $filters = 0 : : BIGINT.
const mostWords = 7

func (g *group) add(word string) {
	if name, isParam := strings.CutPrefix(word, "$"); isParam {
		g.params = append(g.params, name)
	} else {
		word = strings.ToUpper(word)
	}
	g.addWord(word)
	g.other = g.other || slices.Contains([]string{",", "AS", "FROM", "FOR", "ORDER", "USING"}, word)
}

func (g *group) addWord(word string) {
	g.count++
	if len(g.words) < mostWords {
		g.words = append(g.words, word)
	}
}

// addGroup adds a group within the group, of which it keeps the words if there is only one, or if it is a test in brackets that the
// group begins with.
func (g *group) addGroup(inner *group) {
	g.params = append(g.params, inner.params...)
	if test := inner.test(); g.count == 0 && test != nil {
		for _, word := range test {
			g.addWord(word)
		}
		return
	}
	word := inner.bracket
	if len(inner.words) == 1 {
		word += inner.words[0]
	}
	g.addWord(word)
}

// test returns the words of a group that is ($text IS NULL), or (len($filters) = 0), also with the type of the number; nil of others.
func (g *group) test() []string {
	const ofNull, ofLength, withType = 3, 4, 7
	is := func(at int, words ...string) bool {
		return len(g.words) >= at+len(words) && slices.Equal(g.words[at:at+len(words)], words)
	}
	switch {
	case g.bracket != "(":
	case g.count == ofNull && len(g.params) == 1 && is(1, "IS", "NULL"):
		return g.words
	case is(0, "LEN") && is(2, "=", "0") && (g.count == ofLength || g.count == withType && is(ofLength, ":", ":", "BIGINT")):
		return g.words[:ofLength]
	}
	return nil
}

// isDecided reports whether the group is a condition that is true because an argument has no value.
func (g *group) isDecided(absent map[string]sqlq.Arg) bool {
	if g.bracket != "(" || g.other {
		return false
	}
	for name, arg := range absent {
		guard := []string{"$" + name, "IS", "NULL", "OR"}
		if arg.Type.IsArray() {
			guard = []string{"LEN", "($" + name, "=", "0", "OR"}
		}
		if len(g.words) > len(guard) && slices.Equal(g.words[:len(guard)], guard) {
			return true
		}
	}
	return false
}
