package graphqlrules

import (
	"github.com/vektah/gqlparser/v2/ast"
)

// sizeCap is where counting ends, so that no count of a document whose fragments
// double each other runs over.
const sizeCap = 1 << 30

// size is how large a selection set is, with the fragments that it uses. What is
// skipped by a directive counts.
type size struct {
	// width is the fields of the set itself, and fields all of them at any depth.
	width, fields int
	// selections are the fields and the uses of fragments.
	selections int
	aliases    int
	complexity int
	// depth leaves out what stands under the fields of introspection, which
	// introspectionDepth is for.
	depth, introspectionDepth int
	// introspectionAliases are those of what stands under the fields of introspection.
	introspectionAliases int
	// schemas are the fields __schema, and types the fields __type.
	schemas, types int
}

// plus is the size of two selections beside each other.
func (s size) plus(other size) size {
	return size{
		width:              capped(s.width + other.width),
		fields:             capped(s.fields + other.fields),
		selections:         capped(s.selections + other.selections),
		aliases:            capped(s.aliases + other.aliases),
		complexity:         capped(s.complexity + other.complexity),
		depth:              max(s.depth, other.depth),
		introspectionDepth: max(s.introspectionDepth, other.introspectionDepth),

		introspectionAliases: capped(s.introspectionAliases + other.introspectionAliases),
		schemas:              capped(s.schemas + other.schemas),
		types:                capped(s.types + other.types),
	}
}

func capped(count int) int { return min(count, sizeCap) }

// documentSize is how large the parts of a document are.
type documentSize struct {
	operations []size
	// selections are those of all operations and fragments.
	selections int
	// longestName is the most bytes that the name of a field or of an argument has.
	longestName int
	// cycle is the name of a fragment that contains itself; empty where none does.
	// The sizes then are of no use.
	cycle string
}

// sizeOf measures a document, which need not be valid. It takes as long as the
// document has tokens, however often fragments use each other. The most rows of the
// fields that run a saved query are given by the names of the fields.
func sizeOf(document *ast.QueryDocument, maxRows map[string]int) *documentSize {
	s := sizer{
		maxRows:     maxRows,
		definitions: make(map[string]*ast.FragmentDefinition, len(document.Fragments)),
		known:       make(map[string]*size, len(document.Fragments)),
	}
	for _, fragment := range document.Fragments {
		if s.definitions[fragment.Name] == nil {
			s.definitions[fragment.Name] = fragment
		}
	}
	sized := &documentSize{}
	for _, operation := range document.Operations {
		of := s.set(operation.SelectionSet)
		sized.operations = append(sized.operations, of)
		sized.selections = capped(sized.selections + of.selections)
	}
	for _, fragment := range document.Fragments { // even of one that nothing uses, or of the second of a name
		sized.selections = capped(sized.selections + s.set(fragment.SelectionSet).selections)
	}
	sized.cycle, sized.longestName = s.cycle, s.longestName
	return sized
}

// sizer measures selection sets, and each fragment once.
type sizer struct {
	maxRows     map[string]int
	definitions map[string]*ast.FragmentDefinition
	// known are the sizes of fragments: nil while a fragment is being measured.
	known       map[string]*size
	cycle       string
	longestName int
}

func (s *sizer) set(selections ast.SelectionSet) size {
	var total size
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			total = total.plus(s.field(selection))
		case *ast.InlineFragment:
			total = total.plus(s.set(selection.SelectionSet)).plus(size{selections: 1})
		case *ast.FragmentSpread:
			total = total.plus(s.fragment(selection.Name)).plus(size{selections: 1})
		}
	}
	return total
}

func (s *sizer) field(field *ast.Field) size {
	s.longestName = max(s.longestName, len(field.Name))
	for _, argument := range field.Arguments {
		s.longestName = max(s.longestName, len(argument.Name))
	}
	within := s.set(field.SelectionSet)
	sized := size{fields: 1, selections: 1, complexity: 1}.plus(within)
	sized.width, sized.depth = 1, 1+within.depth
	if field.Alias != field.Name {
		sized.aliases = capped(sized.aliases + 1)
	}
	if rows, runs := s.maxRows[field.Name]; runs {
		sized.complexity = capped(1 + rows*within.fields)
	}
	switch field.Name {
	case "__schema":
		sized.schemas = capped(sized.schemas + 1)
	case "__type":
		sized.types = capped(sized.types + 1)
	default:
		return sized
	}
	sized.complexity, sized.depth = 1, 1
	sized.introspectionDepth, sized.introspectionAliases = max(within.depth, within.introspectionDepth), within.aliases
	return sized
}

func (s *sizer) fragment(name string) size {
	if known, begun := s.known[name]; begun {
		if known == nil {
			s.cycle = name
			return size{}
		}
		return *known
	}
	definition := s.definitions[name]
	if definition == nil {
		return size{} // validation says so
	}
	s.known[name] = nil
	sized := s.set(definition.SelectionSet)
	s.known[name] = &sized
	return sized
}
