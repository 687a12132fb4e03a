package duckjson

import (
	"slices"
	"strings"
)

// Type is a DuckDB type.
type Type struct {
	// Text is the type in the syntax of typeof.
	Text string
	// Name is its name without what stands in parentheses, such as DECIMAL; LIST for a list
	// of any kind.
	Name string
	// Element is the type of the elements of a LIST, or of the values of a MAP.
	Element *Type
	// Fields are the fields of a STRUCT or a UNION, in order.
	Fields []Field
}

// Field is a field of a STRUCT, or a member of a UNION.
type Field struct {
	// Name is empty for a field of an unnamed STRUCT.
	Name string
	Type *Type
}

// ParseType parses a type in the syntax of DuckDB's typeof, such as STRUCT("order"
// TIMESTAMP[], m MAP(VARCHAR, DATE)).
func ParseType(text string) *Type {
	parser := typeParser{rest: text}
	return parser.parse()
}

// hasTimes reports whether values of the type hold times that JSON writes in another way.
func (t *Type) hasTimes() bool {
	switch {
	case t.isTimestamp() || t.Name == "DATE":
		return true
	case t.Element != nil:
		return t.Element.hasTimes()
	}
	return slices.ContainsFunc(t.Fields, func(field Field) bool { return field.Type.hasTimes() })
}

func (t *Type) isTimestamp() bool { return strings.HasPrefix(t.Name, "TIMESTAMP") }

type typeParser struct{ rest string }

// parse parses one type and the list brackets after it.
func (p *typeParser) parse() *Type {
	p.rest = strings.TrimLeft(p.rest, " ")
	before := p.rest
	text := func() string { return strings.TrimSpace(before[:len(before)-len(p.rest)]) }
	parsed := p.parseName()
	parsed.Text = text()
	for strings.HasPrefix(p.rest, "[") {
		_, p.rest, _ = strings.Cut(p.rest, "]")
		parsed = &Type{Name: "LIST", Element: parsed, Text: text()}
	}
	return parsed
}

func (p *typeParser) parseName() *Type {
	parsed := &Type{Name: p.takeUntil("([,)")}
	switch {
	case parsed.Name == "MAP" && p.takeByte('('):
		p.parse() // Keys are always strings.
		p.takeByte(',')
		parsed.Element = p.parse()
		p.takeByte(')')
	case (parsed.Name == "STRUCT" || parsed.Name == "UNION") && p.takeByte('('):
		parsed.Fields = p.parseFields()
	case p.takeByte('('): // DECIMAL(10,2), ENUM('a', 'b')
		for !p.takeByte(')') && p.rest != "" {
			if p.rest[0] == '\'' {
				p.takeQuoted()
			} else {
				p.rest = p.rest[1:]
			}
		}
	}
	return parsed
}

// parseFields parses the fields after an opening parenthesis, each a name and a type.
// Fields of an unnamed struct have only types.
func (p *typeParser) parseFields() []Field {
	fields := []Field{}
	for p.rest != "" {
		name := p.parseFieldName()
		fields = append(fields, Field{Name: name, Type: p.parse()})
		if p.takeByte(')') {
			break
		}
		p.takeByte(',')
	}
	return fields
}

// parseFieldName parses the name of a field. It is empty if the field has none.
func (p *typeParser) parseFieldName() string {
	p.rest = strings.TrimLeft(p.rest, " ")
	before := p.rest
	var name string
	if strings.HasPrefix(p.rest, `"`) {
		name = p.takeQuoted()
	} else {
		name = p.takeUntil(" ([,)")
	}
	if !strings.HasPrefix(p.rest, " ") || strings.HasPrefix(p.rest, " WITH TIME ZONE") {
		p.rest = before
		return ""
	}
	return name
}

// takeUntil consumes the text up to one of the bytes, and trims it.
func (p *typeParser) takeUntil(ends string) string {
	end := strings.IndexAny(p.rest, ends)
	if end < 0 {
		end = len(p.rest)
	}
	taken := strings.TrimSpace(p.rest[:end])
	p.rest = p.rest[end:]
	return taken
}

func (p *typeParser) takeByte(b byte) bool {
	trimmed := strings.TrimLeft(p.rest, " ")
	if trimmed == "" || trimmed[0] != b {
		return false
	}
	p.rest = trimmed[1:]
	return true
}

// takeQuoted consumes a quoted name, in which quotes are doubled, and returns it unquoted.
func (p *typeParser) takeQuoted() string {
	quote := p.rest[0]
	var text strings.Builder
	for i := 1; i < len(p.rest); i++ {
		if p.rest[i] == quote {
			if i+1 == len(p.rest) || p.rest[i+1] != quote {
				p.rest = p.rest[i+1:]
				return text.String()
			}
			i++
		}
		text.WriteByte(p.rest[i])
	}
	p.rest = ""
	return text.String()
}
