// Package alertfile writes alerts into the query.yaml of a saved query, whose other lines stay as they are.
package alertfile

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// Declaration is an alert as a person writes it. What is empty, or nil, is left out of the file.
type Declaration struct {
	Name, Title, Every string
	// Params are raw values by parameter; IsArray reports whether they are elements of an array.
	Params  map[string][]string
	IsArray func(param string) bool
	// Condition is "any", "none", or "first: " and a comparison.
	Condition string
	For       *int
	Notify    []string
	Rows      *int
}

// key is a key of an alert with its value in YAML; an empty value means that it is left out.
type key struct{ name, value string }

// keys returns all keys in their order.
func (d *Declaration) keys() []key {
	return []key{
		{"title", yamlText(d.Title)},
		{"every", yamlText(d.Every)},
		{"params", d.params()},
		{"when", d.when()},
		{"for", number(d.For)},
		{"notify", list(d.Notify)},
		{"rows", number(d.Rows)},
	}
}

func (d *Declaration) params() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(d.Params)) {
		values := d.Params[name]
		value := list(values)
		if len(values) == 1 && !d.IsArray(name) {
			value = cmp.Or(yamlText(values[0]), `""`)
		}
		if value != "" {
			parts = append(parts, yamlText(name)+": "+value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (d *Declaration) when() string {
	if comparison, isComparison := strings.CutPrefix(d.Condition, string(sqlq.FirstRow)+":"); isComparison {
		return "{" + string(sqlq.FirstRow) + ": " + quoted(strings.TrimSpace(comparison)) + "}"
	}
	return yamlText(d.Condition)
}

// step is how much further in the keys of an alert are than its name.
const step = "  "

// lines returns the declaration in YAML: its name, and its keys one a line.
func (d *Declaration) lines(indent string) []string {
	lines := []string{indent + yamlText(d.Name) + ":\n"}
	for _, key := range d.keys() {
		if key.value != "" {
			lines = append(lines, indent+step+key.name+": "+key.value+"\n")
		}
	}
	return lines
}

// YAML returns the lines of query.yaml that declare the alert alone.
func (d *Declaration) YAML() string {
	return "alerts:\n" + strings.Join(d.lines(step), "")
}

// Mistake is what is wrong with a declaration.
type Mistake struct {
	// Field is a key, "name", or "params." and the name of a parameter; empty if it is about several.
	Field   string `json:"field" doc:"The key that is wrong, name, or params. and the name of a parameter."`
	Message string `json:"message" doc:"What is wrong, as savedq check says it."`
}

// paramPattern finds the parameter that a message is about.
const paramPattern = `^parameter "?([A-Za-z_][A-Za-z0-9_]*)"?`

// Check returns the alert of a saved query that a declaration declares, or its mistakes; the list is never nil.
func (d *Declaration) Check(query *sqlq.SavedQuery) (*sqlq.Alert, []Mistake) {
	text := d.YAML()
	alert, found := catalog.CheckAlert(query, []byte(text))
	lines := strings.Split(text, "\n")
	mistakes := make([]Mistake, 0, len(found))
	for _, mistake := range found {
		field := "name"
		if mistake.Line > 2 && mistake.Line <= len(lines) { // after "alerts:" and the name
			field, _, _ = strings.Cut(strings.TrimSpace(lines[mistake.Line-1]), ":")
		}
		if named := regexp.MustCompile(paramPattern).FindStringSubmatch(mistake.Message); named != nil {
			field = "params." + named[1]
		}
		if missing := regexp.MustCompile(`^key "(\w+)" is missing`).FindStringSubmatch(mistake.Message); missing != nil {
			mistakes = append(mistakes, Mistake{Field: missing[1], Message: "is required"})
			continue
		}
		mistakes = append(mistakes, Mistake{Field: field, Message: mistake.Message})
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return alert, mistakes
}

func number(value *int) string {
	if value == nil {
		return ""
	}
	return strconv.Itoa(*value)
}

func list(values []string) string {
	if len(values) == 0 {
		return ""
	}
	items := make([]string, len(values))
	for i, value := range values {
		items[i] = cmp.Or(yamlText(value), `""`)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// plainPattern is what YAML reads as the same string without quotes, also between brackets.
const plainPattern = `^[A-Za-z0-9/]([A-Za-z0-9 _./@+-]*[A-Za-z0-9_./@+-])?$`

// wordPattern is what YAML, or an older version of it, does not read as a string.
const wordPattern = `(?i)^(true|false|null|yes|no|on|off|y|n|[-+]?[0-9._]+(e[-+]?[0-9]+)?|0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+|\.inf|\.nan|[0-9-]+(t.*)?)$`

// yamlText returns a text as YAML reads it: in quotes, unless it is plain. Numbers stay as they are, because a
// parameter's value is the text of a scalar.
func yamlText(text string) string {
	switch {
	case text == "":
		return ""
	case regexp.MustCompile(`^-?(0|[1-9][0-9]{0,14})$`).MatchString(text):
		return text
	case regexp.MustCompile(plainPattern).MatchString(text) && !regexp.MustCompile(wordPattern).MatchString(text):
		return text
	}
	return quoted(text)
}

// quoted returns a text in JSON's quotes, which YAML always reads as a string.
func quoted(text string) string { return string(sqlq.AppendValue(nil, sqlq.String, text)) }
