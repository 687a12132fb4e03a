package resolvers

import (
	"context"
	"errors"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/sqlq"
)

// Names of the saved queries that have a field of their own.
const (
	invocationStatsQuery = "functions.invocation-stats"
	apiCountsQuery       = "usage.api-counts"
	logsQuery            = "logs.all"
)

// MaxRows gives the most rows of each field that runs a saved query.
func MaxRows(catalog *sqlq.Catalog) map[string]int {
	most := make(map[string]int)
	for field, name := range map[string]string{
		"invocationStats": invocationStatsQuery, "apiCounts": apiCountsQuery, "logs": logsQuery,
	} {
		if query, found := catalog.Find(name); found {
			most[field] = query.MaxRows
		}
	}
	return most
}

// run runs a saved query for the field that is being resolved, and hands in the
// reply to it. Resolvers return no objects: [WriteRows] puts the rows in their
// place.
func (r *Resolver) run(ctx context.Context, endpoint string, raw parameters) error {
	replies := repliesOf(ctx)
	reply, err := r.Runner.Run(ctx, sqlq.Request{Endpoint: endpoint, Params: raw, NoCache: replies.NoCache})
	if err != nil {
		replies.addFailure(err)
		return err
	}
	field := graphql.GetFieldContext(ctx).Field
	selected := graphql.CollectFields(graphql.GetOperationContext(ctx), field.Selections, []string{field.Definition.Type.Name()})
	rows, err := encodeRows(reply.Result, selected)
	if err != nil {
		return rowsError(ctx, fmt.Errorf("read the rows of %s: %w", endpoint, err)) // INTERNAL
	}
	replies.add(field.Alias, fieldReply{reply: reply, rows: rows})
	return nil
}

// rowsError gives an error about one value of a row the path and the place of the
// field that has the value.
func rowsError(ctx context.Context, err error) error {
	faulty := &valueError{}
	if !errors.As(err, &faulty) {
		return err
	}
	path := append(graphql.GetPath(ctx), ast.PathIndex(faulty.row), ast.PathName(faulty.field.Alias))
	at := faulty.field.Position
	return &gqlerror.Error{Err: err, Message: err.Error(), Path: path, Locations: []gqlerror.Location{{Line: at.Line, Column: at.Column}}}
}
