package graph

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// Schema is the published schema: the static schema, and a field for each saved query of a
// catalog (D26). It is immutable.
type Schema struct {
	ast    *ast.Schema
	sdl    string
	fields map[string]*Field
}

// NewSchema returns the schema of a catalog. If names collide or are not valid in GraphQL,
// the error is a [sqlq.FileErrors] with their locations.
func NewSchema(catalog *catalog.Catalog) (*Schema, error) {
	return newSchema(fieldsOf(catalog))
}

// NewBoundSchema returns the schema of a catalog for callers with bound parameters, whose
// required arguments may be absent: the runner fills in those that are bound (D32), and
// rejects the absence of others.
func NewBoundSchema(catalog *catalog.Catalog) (*Schema, error) {
	fields := fieldsOf(catalog)
	for _, field := range fields {
		for i := range field.Arguments {
			argument := &field.Arguments[i]
			argument.Required = argument.Param.Name == sqlq.SQLParam && field.IsSandbox
		}
	}
	return newSchema(fields)
}

func fieldsOf(catalog *catalog.Catalog) []*Field {
	var fields []*Field
	for _, query := range catalog.Queries() {
		fields = append(fields, NewFields(query)...)
	}
	return fields
}

func newSchema(fields []*Field) (*Schema, error) {
	schema := &Schema{fields: make(map[string]*Field, len(fields))}
	for _, field := range fields {
		schema.fields[field.Name] = field
	}
	if mistakes := checkNames(fields); len(mistakes) > 0 {
		return nil, mistakes
	}
	schema.sdl = buildSDL(fields)
	parsed, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: schema.sdl})
	if err != nil {
		return nil, fmt.Errorf("load the GraphQL schema: %w", err)
	}
	// The parser adds @defer to every schema. Responses are sent in one piece, and a
	// deferred part would be lost.
	delete(parsed.Directives, "defer")
	schema.ast = parsed
	return schema, nil
}

// SDL returns the schema in the schema definition language, with its descriptions.
func (s *Schema) SDL() string { return s.sdl }

// AST returns the schema for validation. Callers must not change it.
func (s *Schema) AST() *ast.Schema { return s.ast }

// Field returns the field with the name; nil if it does not run a saved query.
func (s *Schema) Field(name string) *Field { return s.fields[name] }

// MaxRows returns the maximum rows of each field that runs a saved query, by field name
// (D24). A stream has none, because GraphQL refuses it.
func (s *Schema) MaxRows() map[string]int {
	rows := make(map[string]int, len(s.fields))
	for name, field := range s.fields {
		if !field.Query.Stream {
			rows[name] = field.Query.MaxRows
		}
	}
	return rows
}

// buildSDL returns the static schema with the fields of saved queries before the static
// fields of the type Query, and their types at the end.
func buildSDL(fields []*Field) string {
	const query = "type Query {\n"
	var sdl, types strings.Builder
	before, after, _ := strings.Cut(staticSDL(), query)
	sdl.WriteString(before + query)
	hasSandbox := false
	for _, field := range fields {
		sdl.WriteString(field.querySDL() + "\n")
		if !field.IsSandbox || !hasSandbox { // all of them have the same type
			types.WriteString("\n" + field.typesSDL())
		}
		hasSandbox = hasSandbox || field.IsSandbox
	}
	return sdl.String() + after + types.String()
}

// staticSDL returns the schema files that gqlgen generates code from.
func staticSDL() string {
	files := make([]string, len(sources))
	for i, source := range sources {
		files[i] = source.Input
	}
	return strings.Join(files, "\n")
}
