package catalog

import (
	"strings"
	"unicode/utf8"

	"savedq/internal/strictyaml"
	"savedq/sqlq"
)

// mark begins what a person has to fill in, in a text or in a comment.
const mark = "TODO:"

// findMarks returns the marks in a file, with their texts.
func findMarks(file, data string) sqlq.FileErrors {
	var marks sqlq.FileErrors
	line := 0
	for text := range strings.Lines(data) {
		line++
		before, after, found := strings.Cut(text, mark)
		if found {
			place := sqlq.Place{File: file, Line: line, Column: utf8.RuneCountInString(before) + 1}
			marks = append(marks, place.Mistakef("%s %s", mark, strings.Trim(after, " \t\r\n\"'")))
		}
	}
	return marks
}

// ReadDescription reads a text for callers. One that a person has to fill in is empty: a mark is
// never served.
func ReadDescription(m *strictyaml.Mapping) string {
	text := m.Text("description")
	if strings.Contains(text, mark) {
		return ""
	}
	return text
}
