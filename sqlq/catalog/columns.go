package catalog

import (
	"slices"
	"strings"
	"unicode/utf8"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// maxColumnDepth limits how deeply the types of a column nest. BigQuery has the same limit.
const maxColumnDepth = 15

// readColumns reads the columns of a saved query, or the fields of a STRUCT. kind is what
// messages call them.
func readColumns(m *strictyaml.Mapping, key, kind string, depth int, places *queryPlaces) []sqlq.Column {
	var columns []sqlq.Column
	seen := make(sqlq.ColumnSet)
	for _, node := range m.List(key, emptyList) {
		c := node.Mapping("name", "type", "nullable", "description", "deprecated", "fields", extensionKey)
		if c == nil {
			continue
		}
		column := readColumn(c, depth, places)
		if other, taken := seen.Add(column.Name); column.Name != "" && taken {
			c.At("name").Mistakef("%s", sqlq.SameColumn(kind, column.Name, other))
		}
		columns = append(columns, column)
	}
	return columns
}

func readColumn(c *strictyaml.Mapping, depth int, places *queryPlaces) sqlq.Column {
	c.Require("name", "type", "description")
	column := sqlq.Column{
		Name:        readColumnName(c),
		Nullable:    c.Boolean("nullable", true),
		Description: ReadDescription(c),
		Deprecated:  c.Text("deprecated"),
		Place:       places.of(c.Start),
	}
	column.Type, column.Big = readColumnType(c)
	if column.Type.IsArray() {
		if column.Nullable && c.Has("nullable") {
			c.At("nullable").Mistakef("an ARRAY is never NULL, but empty; leave nullable out")
		}
		column.Nullable = false
	}
	isStruct := column.Type.Innermost() == sqlq.Struct
	switch {
	case isStruct && !c.Has("fields"):
		c.At("type").Mistakef("type %s needs fields, which lists the columns of the STRUCT", column.Type)
	case !isStruct && c.Has("fields") && column.Type != "":
		c.At("fields").Mistakef("fields is for columns of type %s, or of an ARRAY of it", sqlq.Struct)
	case isStruct && depth == maxColumnDepth:
		c.At("fields").Mistakef("structs nest more than %d levels deep", maxColumnDepth)
	case isStruct:
		column.Fields = readColumns(c, "fields", "field", depth+1, places)
	}
	column.Extension = places.extend(&column, c, places.file)
	return column
}

func readColumnName(c *strictyaml.Mapping) string {
	name := c.Text("name")
	if name != "" {
		if err := sqlq.CheckColumnName(name); err != nil {
			c.At("name").Mistakef("name %s", err)
		}
	}
	return name
}

// readColumnType reads the type of a column, or an array of one, and reports whether its numbers are BIGNUMERIC.
func readColumnType(c *strictyaml.Mapping) (_ sqlq.Type, isBig bool) {
	text := c.Text("type")
	given := sqlq.ParseType(text)
	if text == "" || slices.Contains(sqlq.ColumnTypes(), given.Innermost()) && strings.Count(text, "<") <= maxColumnDepth {
		return given, given != sqlq.Type(text)
	}
	c.At("type").Mistakef("type %q is unknown; use one of %s, or an ARRAY of one, such as ARRAY<STRING>", text, sqlq.Join(sqlq.ColumnTypes()))
	return "", false
}

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
