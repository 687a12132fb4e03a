package graphqlrules

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// overlapRule checks that fields with the same response key are the same field with
// the same arguments, so that one response can hold them (GraphQL, section 5.3.2). It
// replaces gqlparser's rule of the same name, which compares every pair of fields and
// takes seconds for a document of 2,000 tokens.
//
// This rule compares each field with the first of its key only. That suffices because all
// types of the schema with fields are objects: two fields of one selection set have the
// same parent type, so being the same field is an equivalence. Fragments are checked where
// they are used, and must not contain themselves.
func overlapRule() core.Rule {
	return core.Rule{
		Name: rules.OverlappingFieldsCanBeMergedRule.Name,
		RuleFunc: func(observers *core.Events, addError core.AddErrFunc) {
			observers.OnOperation(func(walker *core.Walker, operation *ast.OperationDefinition) {
				checkOverlap(walker.Document, addError, operation.SelectionSet)
			})
		},
	}
}

// checkOverlap checks the selection sets of one response object, and recursively those of
// its fields.
func checkOverlap(document *ast.QueryDocument, addError core.AddErrFunc, sets ...ast.SelectionSet) {
	merged := mergedFields{document: document, byKey: make(map[string][]*ast.Field), used: make(map[string]bool)}
	for _, set := range sets {
		merged.add(set)
	}
	for _, key := range merged.keys {
		fields := merged.byKey[key]
		var within []ast.SelectionSet
		for _, field := range fields {
			if !isSameField(fields[0], field) {
				addError(core.Message(`the response key "%s" stands for different fields or arguments; give one of them an alias`, key), core.At(field.Position))
				break
			}
			if len(field.SelectionSet) > 0 {
				within = append(within, field.SelectionSet)
			}
		}
		if len(within) > 0 {
			checkOverlap(document, addError, within...)
		}
	}
}

// mergedFields holds the fields of one response object by their keys.
type mergedFields struct {
	document *ast.QueryDocument
	byKey    map[string][]*ast.Field
	keys     []string
	used     map[string]bool
}

func (m *mergedFields) add(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			if m.byKey[selection.Alias] == nil {
				m.keys = append(m.keys, selection.Alias)
			}
			m.byKey[selection.Alias] = append(m.byKey[selection.Alias], selection)
		case *ast.InlineFragment:
			m.add(selection.SelectionSet)
		case *ast.FragmentSpread:
			fragment := m.document.Fragments.ForName(selection.Name)
			if fragment != nil && !m.used[selection.Name] {
				m.used[selection.Name] = true
				m.add(fragment.SelectionSet)
			}
		}
	}
}

// isSameField reports whether two fields of one object always have the same value. The
// order of arguments does not matter.
func isSameField(a, b *ast.Field) bool {
	if a.Name != b.Name || len(a.Arguments) != len(b.Arguments) {
		return false
	}
	for _, argument := range a.Arguments {
		other := b.Arguments.ForName(argument.Name)
		if other == nil || argument.Value.String() != other.Value.String() {
			return false
		}
	}
	return true
}
