package resolvers

import (
	"context"
	"time"

	"savedq/graph"
)

// catalog returns the state of the saved queries. It marks the response as personal: it
// must not be cached, because the state can change at any time.
func (r *Resolver) catalog(ctx context.Context) *graph.Catalog {
	responsesOf(ctx).addPersonal()
	var state CatalogState
	if r.Catalog != nil {
		state = r.Catalog(ctx)
	}
	result := &graph.Catalog{
		LoadedAt: state.LoadedAt.UTC().Truncate(time.Microsecond),
		Mistakes: make([]graph.Mistake, len(state.Mistakes)),
	}
	for i, mistake := range state.Mistakes {
		result.Mistakes[i] = graph.Mistake{
			File: mistake.File, Line: positive(mistake.Line), Column: positive(mistake.Column), Message: mistake.Message,
		}
	}
	return result
}

// positive returns a number, or nil for zero.
func positive(number int) *int64 {
	if number == 0 {
		return nil
	}
	return new(int64(number))
}
