package resolvers

import (
	"context"

	"savedq/graph"
	"savedq/sqlq"
)

// viewer returns what the caller may do. It marks the response as personal: it must not be
// cached for other callers, even those who may see the same rows.
func (r *Resolver) viewer(ctx context.Context) *graph.Viewer {
	responsesOf(ctx).addPersonal()
	viewer := graph.Viewer{Refresh: true, Sandbox: true, Explore: true, Tail: true, Usage: true}
	if r.Viewer != nil {
		viewer = r.Viewer(ctx)
	}
	viewer.Tail = viewer.Tail && r.Tail != nil
	viewer.Endpoints = sqlq.QueryNames(r.Runner.Queries(ctx))
	if viewer.Limits == nil {
		viewer.Limits = &graph.TokenLimits{}
	}
	return &viewer
}
