package graph

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"savedq/sqlq"
)

// querySDL returns the definition of the field in the type Query.
func (f *Field) querySDL() string {
	var sdl strings.Builder
	description := cmp.Or(namesOf(f.Query.Extension).Description, f.Query.Description)
	if f.IsSandbox {
		description = "What a SELECT of the caller returns, which reads the WITH clauses of " + f.Query.Name + "."
	}
	sdl.WriteString(describe("  ", description))
	sdl.WriteString("  " + f.Name)
	if len(f.Arguments) > 0 {
		sdl.WriteString("(\n")
		for i := range f.Arguments {
			sdl.WriteString(f.Arguments[i].sdl())
		}
		sdl.WriteString("  )")
	}
	format := ": [%s!]!%s\n"
	if f.IsSandbox {
		format = ": %s!%s\n"
	}
	fmt.Fprintf(&sdl, format, f.Row, deprecation(f.Query.Deprecated))
	return sdl.String()
}

// typesSDL returns the definitions of the types that only this field uses: its enums
// and its row. All fields for callers' SQL have one type.
func (f *Field) typesSDL() string {
	var sdl strings.Builder
	if f.IsSandbox {
		writeObject(&sdl, f.Row, "What SQL of a caller returned.", f.Columns)
		return sdl.String()
	}
	for i := range f.Arguments {
		if len(f.Arguments[i].Values) > 0 {
			sdl.WriteString(f.Arguments[i].enumSDL(f.Query) + "\n")
		}
	}
	writeObject(&sdl, f.Row, cmp.Or(namesOf(f.Query.Extension).TypeDescription, "A row of "+f.Query.Name+"."), f.Columns)
	return sdl.String()
}

// writeObject writes the definitions of an object type and of those in it.
func writeObject(sdl *strings.Builder, name, description string, fields []ColumnField) {
	sdl.WriteString(describe("", description))
	sdl.WriteString("type " + name + " {\n")
	for _, field := range fields {
		sdl.WriteString(describe("  ", cmp.Or(namesOf(field.Column.Extension).Description, field.Column.Description)))
		sdl.WriteString("  " + field.Name + ": " + field.reference(field.Column) + deprecation(field.Column.Deprecated) + "\n")
	}
	sdl.WriteString("}\n")
	for _, field := range fields {
		if field.Fields != nil {
			sdl.WriteByte('\n')
			writeObject(sdl, field.Type, cmp.Or(namesOf(field.Column.Extension).TypeDescription, "A value of "+field.Name+" in "+name+"."), field.Fields)
		}
	}
}

// reference returns the field's type with the marks of lists and non-null values.
func (f *ColumnField) reference(column *sqlq.Column) string {
	reference := f.Type
	if column.Type.IsArray() {
		reference = "[" + f.reference(column.Element()) + "]"
	}
	if !column.Nullable {
		reference += "!"
	}
	return reference
}

// deprecation returns the directive for a reason; empty without one.
func deprecation(reason string) string {
	if reason == "" {
		return ""
	}
	return " @deprecated(reason: " + quote(reason) + ")"
}

// sdl returns the definition of the argument in its field.
func (a *Argument) sdl() string {
	sdl := describe("    ", cmp.Or(namesOf(a.Param.Extension).Description, a.Param.Description)+a.rules()) + "    " + a.Name + ": "
	list := a.Param.Type.IsArray()
	if list {
		sdl += "[" + a.Type + "!]"
	} else {
		sdl += a.Type
	}
	switch {
	case a.Required:
		sdl += "!"
	case list && a.Param.Default != nil:
		literals := make([]string, len(a.Param.Default))
		for i, text := range a.Param.Default {
			literals[i] = a.literal(text)
		}
		sdl += " = [" + strings.Join(literals, ", ") + "]"
	case a.Param.Default != nil && !a.Param.HasRelativeDefault():
		sdl += " = " + a.literal(a.Param.Default[0])
	}
	return sdl + deprecation(a.Param.Deprecated) + "\n"
}

// rules describes what the type of the argument leaves out.
func (a *Argument) rules() string {
	var rules string
	if a.Param.Min != nil {
		rules += " At least " + a.Param.Min.Text + "."
	}
	if a.Param.Max != nil {
		rules += " At most " + a.Param.Max.Text + "."
	}
	if a.Param.HasRelativeDefault() {
		rules += " Default: " + a.Param.Default[0] + "."
	}
	return rules
}

func (a *Argument) enumSDL(query *sqlq.SavedQuery) string {
	var sdl strings.Builder
	sdl.WriteString(describe("", cmp.Or(namesOf(a.Param.Extension).TypeDescription, "Values of "+a.Param.Name+" in "+query.Name+".")))
	sdl.WriteString("enum " + a.Type + " {\n")
	for _, value := range a.Values {
		sdl.WriteString(describe("  ", cmp.Or(value.Description, "The value "+value.Value+".")))
		sdl.WriteString("  " + value.Name + "\n")
	}
	sdl.WriteString("}\n")
	return sdl.String()
}

// literal returns a value of the parameter as a GraphQL literal.
func (a *Argument) literal(text string) string {
	for _, value := range a.Values {
		if value.Value == text {
			return value.Name
		}
	}
	switch a.Type {
	case "Int64":
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.FormatInt(number, 10)
		}
	case "Float":
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(number, 'g', -1, 64)
		}
	case "Decimal":
		if number, err := sqlq.ParseDecimal(text); err == nil {
			return quote(string(number))
		}
	case "Boolean":
		return text
	}
	return quote(text)
}

// describe returns a description for a definition with the same indent.
func describe(indent, text string) string {
	if text == "" {
		return ""
	}
	const longest = 120
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(text, "\n")
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) ||
		len(lines) == 1 && len(text) <= longest && !strings.ContainsAny(text, `"\`) {
		return indent + quote(text) + "\n"
	}
	var block strings.Builder
	block.WriteString(indent + `"""` + "\n")
	for _, line := range lines {
		if line != "" {
			block.WriteString(indent + strings.ReplaceAll(line, `"""`, `\"""`))
		}
		block.WriteByte('\n')
	}
	block.WriteString(indent + `"""` + "\n")
	return block.String()
}

// quote returns a GraphQL string, which has the same escapes as JSON.
func quote(text string) string { return string(sqlq.AppendValue(nil, sqlq.String, text)) }
