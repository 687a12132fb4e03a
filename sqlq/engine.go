package sqlq

import (
	"context"
	"slices"
	"time"
)

// Engine runs the SQL of saved queries. Implementations are safe for concurrent
// use, stop when the context ends, and never return a partial result.
type Engine interface {
	// Dialect returns the dialect of the SQL that the engine runs.
	Dialect() Dialect
	// Check validates a saved query without running it: its SQL must compile
	// and return the declared columns. Mistakes are returned as [FileErrors], with
	// the plan if there is one.
	Check(ctx context.Context, query *SavedQuery) (*Plan, error)
	// Run runs a statement and returns at most the saved query's MaxRows rows.
	// If the statement has Emit, they are passed to it instead, in bounded memory.
	// An error that the caller can correct is an [*Error]. So is the error of an
	// unavailable engine, which all callers share: its code is UNAVAILABLE.
	Run(ctx context.Context, statement Statement) (*Result, error)
}

// Statement is one run of a saved query.
type Statement struct {
	Query *SavedQuery
	// Args holds a value for each declared parameter, in declared order.
	Args []Arg
	// Now is the value of the extra parameter "now" (D1): UTC, microseconds.
	Now time.Time
	// Range is the time range to compute, for a series: the whole window, or a part.
	Range Range
	// Emit receives the rows in batches, in their order, if it is not nil. It may use a batch until it returns. The
	// result has none of the rows then. An error ends the run and is its error. The statement must not run again
	// once Emit was called.
	Emit func(batch *Batch) error
}

// NewStatement returns a run at a time, for the whole window of a series. Arguments that are
// relative to now get their values.
func NewStatement(query *SavedQuery, args []Arg, now time.Time) Statement {
	statement := Statement{Query: query, Args: args, Now: now.UTC().Truncate(time.Microsecond)}
	if window, ok := query.Window(args); ok {
		statement.Range = query.Series.Range(window, statement.Now)
	}
	if !slices.ContainsFunc(args, isRelative) {
		return statement
	}
	statement.Args = slices.Clone(args)
	for i, arg := range args {
		if relative, ok := arg.Value.(FromNow); ok {
			statement.Args[i].Value = relative.at(statement.Now, arg.Type)
		}
	}
	return statement
}

// Arg is a validated value of a parameter, according to Type: nil (for NULL), string, int64,
// float64, bool, time.Time (UTC, microseconds) or []any with an element of the same types for
// each value of an array. Until it is run, it can be a [FromNow].
type Arg struct {
	Name  string
	Type  Type
	Value any
}

// Dialect is the language that an engine's SQL is written in. Each engine has its own.
// Implementations can be compared with ==.
type Dialect interface {
	// Name is the name of the engine. With ".sql" it is the name of the engine's file in
	// the folder of a saved query.
	Name() string
	// ParamPrefix stands before the name of a parameter, such as "$".
	ParamPrefix() string
	// TokenLength returns the length of the token that a non-empty SQL text begins with. A
	// string, a quoted name, a comment and a parameter with its prefix are one token each.
	TokenLength(sql string) int
	// IsComment reports whether a token is a comment.
	IsComment(token string) bool
	// RunsGoogleSQL reports whether the engine runs GoogleSQL itself. For others, it is resolved and translated.
	RunsGoogleSQL() bool
	// ReadsFiles reports whether tables can be files. Only an engine in this process, on the embedded store, reads them; it
	// also has the runs of saved queries as a table.
	ReadsFiles() bool
	// IsForDevelopers reports whether developers can send SQL in the dialect to a server of their own, to develop saved
	// queries in it. Others send GoogleSQL.
	IsForDevelopers() bool
	// FromGoogleSQL returns what the engine runs for a text in GoogleSQL (D38), which uses the parameters of
	// the saved query. The error has the place of what cannot be translated.
	FromGoogleSQL(query *SavedQuery, written string) (*Translation, error)
	// Located returns a saved query with tables that say where the engine has their rows.
	Located(query *SavedQuery) *SavedQuery
	// BoundedTable returns the common table expression that hides a table behind its rows from
	// [FromParam] to [ToParam]. If from is not empty, the rows are from there instead of the table.
	BoundedTable(table, from string) string
}
