// Package resolvers answers GraphQL queries: it translates names and enums into
// the parameters of saved queries, and rows into the objects of the schema. It
// has no logic of its own (D18 to D20, D24).
package resolvers

//go:generate go run github.com/99designs/gqlgen generate

import (
	"context"

	"savedq/sqlq"
)

// Runner runs saved queries; [*sqlq.Runner] is one.
type Runner interface {
	Run(ctx context.Context, nameOrID string, raw map[string][]string) (*sqlq.Answer, error)
	Catalog() *sqlq.Catalog
}

var _ Runner = (*sqlq.Runner)(nil)

// Resolver is the root of all resolvers.
type Resolver struct {
	runner Runner
}
