// Package resolvers runs GraphQL operations: arguments become parameters of saved queries,
// and rows become the objects that the operation selects (D18, D26). It has no logic of
// its own, and does not depend on a transport.
package resolvers

//go:generate go run github.com/99designs/gqlgen generate

import (
	"context"
	"time"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Runner runs saved queries; see [*runner.Runner].
type Runner interface {
	Run(ctx context.Context, request runner.Request) (*runner.Response, error)
	Queries(ctx context.Context) []*sqlq.SavedQuery
}

var _ Runner = (*runner.Runner)(nil)

// Resolver is the root of the resolvers of static fields. Fields that run a saved query
// have no resolver: [NewExecutableSchema] runs them.
type Resolver struct {
	Runner Runner
	// Viewer returns what the caller of a request may do, without the saved queries; nil means no limits.
	Viewer func(ctx context.Context) graph.Viewer
	// Catalog returns the state of the saved queries, as the caller of a request may see it;
	// nil means that they were never loaded again.
	Catalog func(ctx context.Context) CatalogState
	// Tail follows the logs for the caller of a request. It returns an error if an argument is
	// wrong, or if the caller or the server cannot follow logs; nil means the latter.
	Tail func(ctx context.Context, filter TailFilter) (TailReader, error)
}

// TailFilter chooses the events of a subscription to logsTail. Empty fields mean any.
type TailFilter struct{ Project, Source, Text string }

// TailReader reads the events of a subscription. Callers must close it.
type TailReader interface {
	// Next waits for events, and returns at most a number of them, and how many events before
	// these were dropped. It returns the error of the context.
	Next(ctx context.Context, most int) (events []graph.TailedEvent, dropped int, err error)
	Close()
}

// CatalogState is the state of the saved queries.
type CatalogState struct {
	// LoadedAt is when they were last loaded without a mistake.
	LoadedAt time.Time
	// Mistakes are those that were found since then.
	Mistakes sqlq.FileErrors
}
