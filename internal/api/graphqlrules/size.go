package graphqlrules

import (
	"github.com/vektah/gqlparser/v2/ast"
)

// sizeCap caps all counts, so that fragments that double each other cannot overflow them.
const sizeCap = 1 << 30

// size is the size of a selection set with the fragments that it uses. Selections that
// @skip or @include excludes count too.
type size struct {
	// width counts the fields of the set itself, and fields those at any depth.
	width, fields int
	// selections counts fields and uses of fragments.
	selections int
	aliases    int
	complexity int
	// depth excludes the selections under __schema and __type, for which introspectionDepth
	// counts.
	depth, introspectionDepth int
	// introspectionAliases counts the aliases under __schema and __type.
	introspectionAliases int
	// schemas counts the fields __schema, and types the fields __type.
	schemas, types int
}

// plus returns the size of two selections in the same set.
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

// documentSize holds the sizes of the parts of a document.
type documentSize struct {
	operations []size
	// selections counts the selections of all operations and fragments.
	selections int
	// longestName is the length in bytes of the longest name of a field or argument.
	longestName int
	// cycle is the name of a fragment that contains itself; empty if there is none. If it
	// is set, the sizes are meaningless.
	cycle string
}

// sizeOf returns the size of a document, which need not be valid. It takes linear time,
// however often fragments use each other. maxRows has the maximum rows of the fields that
// run a saved query, by field name.
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
		operationSize := s.set(operation.SelectionSet)
		sized.operations = append(sized.operations, operationSize)
		sized.selections = capped(sized.selections + operationSize.selections)
	}
	for _, fragment := range document.Fragments { // includes unused fragments and duplicates
		sized.selections = capped(sized.selections + s.set(fragment.SelectionSet).selections)
	}
	sized.cycle, sized.longestName = s.cycle, s.longestName
	return sized
}

// sizer measures selection sets. It measures each fragment once.
type sizer struct {
	maxRows     map[string]int
	definitions map[string]*ast.FragmentDefinition
	// known has the sizes of fragments; nil while a fragment is being measured.
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
	if known, started := s.known[name]; started {
		if known == nil {
			s.cycle = name
			return size{}
		}
		return *known
	}
	definition := s.definitions[name]
	if definition == nil {
		return size{} // validation reports it
	}
	s.known[name] = nil
	sized := s.set(definition.SelectionSet)
	s.known[name] = &sized
	return sized
}
