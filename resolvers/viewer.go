package resolvers

import (
	"context"
	"slices"

	"savedq/graph"
)

// viewer returns what the caller may do. The response depends on the caller, even among
// callers who see the same rows, so it must not be kept for others.
func (r *Resolver) viewer(ctx context.Context) *graph.Viewer {
	repliesOf(ctx).addPersonal()
	if r.Viewer == nil {
		return &graph.Viewer{Refresh: true}
	}
	viewer := r.Viewer(ctx)
	result := &graph.Viewer{Refresh: viewer.Refresh}
	if viewer.Projects != nil {
		projects := append([]string{}, viewer.Projects...) // stays a list where it is empty
		slices.Sort(projects)
		result.Projects = slices.Compact(projects)
	}
	if viewer.ProjectTier != "" {
		result.ProjectTier = &viewer.ProjectTier
	}
	return result
}
