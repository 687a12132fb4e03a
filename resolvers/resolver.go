// Package resolvers answers GraphQL queries: it translates names and enums into
// the parameters of saved queries, and rows into the objects of the schema. It
// has no logic of its own (D18 to D20, D24).
//
// What costs is done once for many callers. The rows of a saved query are kept by
// its runner, and a whole response is kept, as bytes, as long as all rows that it
// was made from; both are the runner's cache. A request whose response is kept is
// answered without a look at its document.
//
// What a caller can make the server do is bounded: a document is held against the
// limits before it is validated, and against the schema before anything is run.
package resolvers

//go:generate go run github.com/99designs/gqlgen generate

import (
	"context"

	"savedq/sqlq"
)

// Runner runs saved queries and keeps what is made of their answers;
// [*sqlq.Runner] is one, and says more.
type Runner interface {
	Run(ctx context.Context, request sqlq.Request) (*sqlq.Reply, error)
	Queries(ctx context.Context) []*sqlq.SavedQuery
	Keep(ctx context.Context, key string, value any, bytes int, from []*sqlq.Answer)
	Kept(ctx context.Context, key string) (value any, replies []*sqlq.Reply)
}

var _ Runner = (*sqlq.Runner)(nil)

// Resolver is the root of all resolvers.
type Resolver struct {
	runner Runner
}
