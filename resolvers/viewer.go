package resolvers

import (
	"context"
	"slices"

	"savedq/graph"
)

// viewer returns what the caller may do. It marks the response as personal: it must not be
// cached for other callers, even those who may see the same rows.
func (r *Resolver) viewer(ctx context.Context) *graph.Viewer {
	responsesOf(ctx).addPersonal()
	if r.Viewer == nil {
		return &graph.Viewer{Refresh: true, Tail: r.Tail != nil}
	}
	viewer := r.Viewer(ctx)
	result := &graph.Viewer{Refresh: viewer.Refresh, Tail: viewer.Tail && r.Tail != nil}
	if viewer.Projects != nil {
		projects := append([]string{}, viewer.Projects...) // non-nil even if empty
		slices.Sort(projects)
		result.Projects = slices.Compact(projects)
	}
	if viewer.ProjectTier != "" {
		result.ProjectTier = &viewer.ProjectTier
	}
	return result
}
