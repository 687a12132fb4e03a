package graphqlrules

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"savedq/graph/graphtest"
)

// FuzzDocument reads arbitrary documents: each is rejected, or its operations are within the
// limits, by a count that expands each fragment at every use.
func FuzzDocument(f *testing.F) {
	for _, document := range []string{
		`{ __typename }`, `{`, `query A { a: endpoints { name } } query B { logs(project: "p") { id m: metadata } }`,
		`{ ...f } fragment f on Query { logs(project: "p") { ...g ...g } } fragment g on LogEntry { id timestamp }`,
		`{ ...f } fragment f on Query { ...g } fragment g on Query { ...f }`,
		`{ __schema { types { fields { type { name } } } } a: __type(name: "Time") { b: name } }`,
		`{ ...f } fragment f on Query { __typename } fragment f on Query { __typename ... { __typename } }`,
		`query($a: String = "\u00e9") { endpoint(name: $a, id: """b""") { id @skip(if: true) } }`,
		`{ endpoint(id: 99999999999999999999) { id } }`,
		`{ endpoint(name: "\ud83d\ude00\u{61}\u{22}", id: """\ud83d"""") { id } } # "\ud83d`,
		`{ endpoint(name: "\u{d83d}") { id } }`,
	} {
		f.Add(document)
	}
	limits := DefaultLimits()
	read := NewDocuments(graphtest.ShippedSchema(f), limits)
	f.Fuzz(func(t *testing.T, text string) {
		plain, err := withPlainEscapes(text)
		if err != nil {
			_, errs := read.Read(text)
			assert.NotEmpty(t, errs)
			return
		}
		parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: plain}, limits.Tokens)
		document, errs := read.Read(text)
		if err != nil {
			assert.NotEmpty(t, errs)
			return
		}
		sized := sizeOf(parsed, read.maxRows)
		written := &expanded{document: parsed, maxRows: read.maxRows}
		for i, operation := range parsed.Operations {
			want := written.set(operation.SelectionSet)
			if written.steps > 100_000 {
				return // expanding it would take too long
			}
			if !written.cycle {
				assert.Equal(t, want, sized.operations[i])
			}
			if len(errs) == 0 {
				assert.LessOrEqual(t, want.depth, limits.Depth)
				assert.LessOrEqual(t, want.width, limits.RootFields)
				assert.LessOrEqual(t, want.aliases, limits.Aliases)
				assert.LessOrEqual(t, want.complexity, limits.Complexity)
				assert.LessOrEqual(t, want.selections, limits.Selections)
				assert.Len(t, document.Operations, len(parsed.Operations))
			}
		}
		if written.cycle {
			assert.NotEmpty(t, sized.cycle)
			assert.NotEmpty(t, errs)
		}
	})
}

// expanded measures selection sets by expanding fragments.
type expanded struct {
	document *ast.QueryDocument
	maxRows  map[string]int
	// within holds the fragments that are being expanded.
	within []string
	cycle  bool
	steps  int
}

// fields returns the fields of a set, including its fragments' fields, and how many fragments
// it uses.
func (w *expanded) fields(set ast.SelectionSet, visit func(*ast.Field)) (fragments int) {
	for _, selection := range set {
		if w.steps++; w.steps > 100_000 {
			return fragments
		}
		switch selection := selection.(type) {
		case *ast.Field:
			visit(selection)
		case *ast.InlineFragment:
			fragments += 1 + w.fields(selection.SelectionSet, visit)
		case *ast.FragmentSpread:
			fragments++
			fragment := w.document.Fragments.ForName(selection.Name)
			if slices.Contains(w.within, selection.Name) {
				w.cycle = true
			} else if fragment != nil {
				w.within = append(w.within, selection.Name)
				fragments += w.fields(fragment.SelectionSet, visit)
				w.within = w.within[:len(w.within)-1]
			}
		}
	}
	return fragments
}

func (w *expanded) set(set ast.SelectionSet) size {
	var total size
	fragments := w.fields(set, func(field *ast.Field) {
		of := w.set(field.SelectionSet)
		introspects := field.Name == "__schema" || field.Name == "__type"
		total.width++
		total.fields += 1 + of.fields
		total.selections += 1 + of.selections
		total.aliases += of.aliases
		if field.Alias != field.Name {
			total.aliases++
		}
		total.schemas += of.schemas
		total.types += of.types
		switch {
		case introspects:
			total.complexity++
			total.depth = max(total.depth, 1)
			total.introspectionDepth = max(total.introspectionDepth, of.depth, of.introspectionDepth)
			total.introspectionAliases += of.aliases
			if field.Name == "__schema" {
				total.schemas++
			} else {
				total.types++
			}
		default:
			rows, runs := w.maxRows[field.Name]
			if runs {
				total.complexity += 1 + rows*of.fields
			} else {
				total.complexity += 1 + of.complexity
			}
			total.depth = max(total.depth, 1+of.depth)
			total.introspectionDepth = max(total.introspectionDepth, of.introspectionDepth)
			total.introspectionAliases += of.introspectionAliases
		}
	})
	total.selections += fragments
	return total
}
