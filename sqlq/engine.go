package sqlq

import (
	"context"
	"time"
)

// Engine runs the SQL of saved queries. Implementations are safe for concurrent
// use, stop when the context ends, and never return a partial result.
type Engine interface {
	// Dialect is the language that the engine speaks.
	Dialect() Dialect
	// Check validates a saved query without running it: its SQL must compile
	// and give the declared columns. Mistakes are returned as [FileErrors], with
	// the plan where there is one.
	Check(ctx context.Context, query *SavedQuery) (*Plan, error)
	// Run runs a statement and returns at most the saved query's MaxRows rows.
	// An error that the caller can correct is an [*Error]. So is one that means that
	// the engine is unavailable, which all callers share: its code is UNAVAILABLE.
	Run(ctx context.Context, statement Statement) (*Result, error)
}

// Statement is one run of a saved query.
type Statement struct {
	Query *SavedQuery
	// Args holds a value for each declared parameter, in declared order.
	Args []Arg
	// Now is the value of the extra parameter "now" (D1): UTC, microseconds.
	Now time.Time
}

// Arg is a validated value of a parameter: nil (for NULL), string, int64,
// float64, bool or time.Time (UTC, microseconds), according to Type.
type Arg struct {
	Name  string
	Type  Type
	Value any
}
