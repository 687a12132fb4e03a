package resolvers

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"

	"savedq/sqlq"
)

// Names of the saved queries that have a field of their own.
const (
	invocationStatsQuery = "functions.invocation-stats"
	apiCountsQuery       = "usage.api-counts"
	logsQuery            = "logs.all"
)

// run runs a saved query for the field that is being resolved, and hands in the
// field's answer. Resolvers return no objects: [writeRows] puts the rows in their
// place.
func (r *Resolver) run(ctx context.Context, endpoint string, raw parameters) error {
	answers := answersOf(ctx)
	reply, err := r.runner.Run(ctx, sqlq.Request{Endpoint: endpoint, Params: raw, NoCache: answers.noCache})
	if err != nil {
		return err
	}
	field := graphql.GetFieldContext(ctx).Field
	selected := graphql.CollectFields(graphql.GetOperationContext(ctx), field.Selections, []string{field.Definition.Type.Name()})
	rows, err := encodeRows(reply.Result, selected)
	if err != nil {
		return fmt.Errorf("read the rows of %s: %w", endpoint, err) // has no code, so it is INTERNAL
	}
	answers.add(field.Alias, fieldAnswer{reply: reply, rows: rows})
	return nil
}
