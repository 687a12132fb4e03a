// Package resolvers answers the fields of GraphQL queries: it translates names and enums
// into the parameters of saved queries, and rows into the objects of the schema. It has
// no logic of its own (D18, D19), and knows no transport.
package resolvers

//go:generate go run github.com/99designs/gqlgen generate

import (
	"context"

	"savedq/sqlq"
)

// Runner runs saved queries; [*sqlq.Runner] is one, and says more.
type Runner interface {
	Run(ctx context.Context, request sqlq.Request) (*sqlq.Reply, error)
	Queries(ctx context.Context) []*sqlq.SavedQuery
}

var _ Runner = (*sqlq.Runner)(nil)

// Resolver is the root of all resolvers. An operation is run in a context of
// [WithReplies], with [WriteRows] around its root fields.
type Resolver struct {
	Runner Runner
}
