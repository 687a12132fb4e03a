package graph

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// SDL returns the published schema, with its descriptions.
func SDL() string {
	files := make([]string, len(sources))
	for i, source := range sources {
		files[i] = source.Input
	}
	return strings.Join(files, "\n")
}

// Schema returns the schema that is served. It lacks the directive @defer, which
// the parser adds to every schema: answers are sent in one piece, and a deferred
// part would be lost.
func Schema() *ast.Schema {
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil { // cannot happen: the generated code has loaded it already
		panic(fmt.Sprintf("graph: load the schema: %v", err))
	}
	delete(schema.Directives, "defer")
	return schema
}
