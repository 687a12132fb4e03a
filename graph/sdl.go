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
	sdl.WriteString(describe("  ", cmp.Or(f.Query.GraphQL.Description, f.Query.Description)))
	sdl.WriteString("  " + f.Name)
	if len(f.Arguments) > 0 {
		sdl.WriteString("(\n")
		for i := range f.Arguments {
			sdl.WriteString(f.Arguments[i].sdl())
		}
		sdl.WriteString("  )")
	}
	fmt.Fprintf(&sdl, ": [%s!]!\n", f.Row)
	return sdl.String()
}

// typesSDL returns the definitions of the types that only this field uses: its enums
// and its row.
func (f *Field) typesSDL() string {
	var sdl strings.Builder
	for i := range f.Arguments {
		if len(f.Arguments[i].Values) > 0 {
			sdl.WriteString(f.Arguments[i].enumSDL(f.Query) + "\n")
		}
	}
	sdl.WriteString(describe("", cmp.Or(f.Query.GraphQL.TypeDescription, "A row of "+f.Query.Name+".")))
	sdl.WriteString("type " + f.Row + " {\n")
	for _, column := range f.Columns {
		sdl.WriteString(describe("  ", cmp.Or(column.Column.GraphQL.Description, column.Column.Description)))
		sdl.WriteString("  " + column.Name + ": " + column.Type)
		if !column.Column.Nullable {
			sdl.WriteByte('!')
		}
		sdl.WriteByte('\n')
	}
	sdl.WriteString("}\n")
	return sdl.String()
}

// sdl returns the definition of the argument in its field.
func (a *Argument) sdl() string {
	sdl := describe("    ", cmp.Or(a.Param.GraphQL.Description, a.Param.Description)) + "    " + a.Name + ": " + a.Type
	switch {
	case a.Param.Required:
		sdl += "!"
	case a.Param.Default != nil:
		sdl += " = " + a.literal(*a.Param.Default)
	}
	return sdl + "\n"
}

func (a *Argument) enumSDL(query *sqlq.SavedQuery) string {
	var sdl strings.Builder
	sdl.WriteString(describe("", cmp.Or(a.Param.GraphQL.TypeDescription, "Values of "+a.Param.Name+" in "+query.Name+".")))
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
	case "Boolean":
		return text
	}
	return quote(text)
}

// describe returns a description for a definition with the same indent.
func describe(indent, text string) string {
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
