package cli

import (
	"context"
	"strings"

	"savedq/sqlq"
)

// endpointsCommand is "savedq endpoints".
type endpointsCommand struct {
	Engine string `enum:"${engines}" default:"${engine}" placeholder:"ENGINE" help:"Engine whose SQL is read: ${enum}. Default: ${default}."`
	Format string `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
	catalogFlags
}

// Run lists the saved queries.
func (c *endpointsCommand) Run(ctx context.Context, term *terminal) error {
	catalog, err := c.read(ctx, (&engineFlags{Engine: c.Engine}).engine())
	if err != nil {
		return err
	}
	return printResult(term.stdout, c.Format, "endpoints", endpointsResult(catalog.Queries()))
}

// endpointsResult returns a row for each saved query. A time of 0 seconds means that it is neither
// cached nor warmed.
func endpointsResult(queries []*sqlq.SavedQuery) *sqlq.Result {
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "name", Type: sqlq.String},
		{Name: "id", Type: sqlq.String},
		{Name: "max_rows", Type: sqlq.Int64},
		{Name: "cache_seconds", Type: sqlq.Int64},
		{Name: "warm_seconds", Type: sqlq.Int64},
		{Name: "aliases", Type: sqlq.String},
		{Name: "parameters", Type: sqlq.String},
	}}
	for _, query := range queries {
		result.Rows = append(result.Rows, []any{
			query.Name, query.ID.String(), int64(query.MaxRows), int64(query.Cache.Seconds()), int64(query.Warm.Seconds()),
			strings.Join(query.Aliases, " "), parameterNames(query),
		})
	}
	return result
}

// parameterNames returns the names of the parameters, with a question mark after optional ones.
func parameterNames(query *sqlq.SavedQuery) string {
	names := make([]string, len(query.Params))
	for i, param := range query.Params {
		names[i] = param.Name
		if !param.Required {
			names[i] += "?"
		}
	}
	return strings.Join(names, " ")
}
