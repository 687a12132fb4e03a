package duckjson

import "strings"

// Type is a DuckDB type that contains times. A type without times is nil.
type Type struct {
	kind kind
	// element is the element type of a list or map.
	element *Type
	// fields are those of a struct or a union, in order.
	fields []field
}

type field struct {
	name     string
	contents *Type
}

type kind int

const (
	timestamp kind = iota + 1
	date
	list
	mapping
	structure
	union
)

// ParseType parses a type in the syntax of DuckDB's typeof, such as STRUCT("order"
// TIMESTAMP[], m MAP(VARCHAR, DATE)). It returns nil for a type without times and for an
// unknown one.
func ParseType(text string) *Type {
	parser := typeParser{rest: text}
	return parser.parse()
}

type typeParser struct{ rest string }

// parse parses one type and the list brackets after it.
func (p *typeParser) parse() *Type {
	parsed := p.parseName()
	for strings.HasPrefix(p.rest, "[") {
		_, p.rest, _ = strings.Cut(p.rest, "]")
		if parsed != nil {
			parsed = &Type{kind: list, element: parsed}
		}
	}
	return parsed
}

func (p *typeParser) parseName() *Type {
	name := p.takeUntil("([,)")
	switch {
	case strings.HasPrefix(name, "TIMESTAMP"):
		return &Type{kind: timestamp}
	case name == "DATE":
		return &Type{kind: date}
	case name == "MAP" && p.takeByte('('):
		p.parse() // Keys are always strings.
		p.takeByte(',')
		values := p.parse()
		p.takeByte(')')
		if values == nil {
			return nil
		}
		return &Type{kind: mapping, element: values}
	case (name == "STRUCT" || name == "UNION") && p.takeByte('('):
		return p.parseFields(map[string]kind{"STRUCT": structure, "UNION": union}[name])
	case p.takeByte('('): // DECIMAL(10,2), ENUM('a', 'b')
		for !p.takeByte(')') && p.rest != "" {
			if p.rest[0] == '\'' {
				p.takeQuoted()
			} else {
				p.rest = p.rest[1:]
			}
		}
	}
	return nil
}

// parseFields parses the fields after an opening parenthesis, each a name and a type.
// Fields of an unnamed struct have only types.
func (p *typeParser) parseFields(kind kind) *Type {
	parsed, hasTimes := &Type{kind: kind}, false
	for p.rest != "" {
		name := p.parseFieldName()
		contents := p.parse()
		hasTimes = hasTimes || contents != nil
		parsed.fields = append(parsed.fields, field{name: name, contents: contents})
		if p.takeByte(')') {
			break
		}
		p.takeByte(',')
	}
	if !hasTimes {
		return nil
	}
	return parsed
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
