package resolvers

import (
	"context"
	"maps"
	"slices"

	"savedq/graph"
)

// viewer returns what the caller may do. It marks the response as personal: it must not be
// cached for other callers, even those who may see the same rows.
func (r *Resolver) viewer(ctx context.Context) *graph.Viewer {
	responsesOf(ctx).addPersonal()
	viewer := Viewer{Refresh: true, Sandbox: true, Explore: true, Tail: true, Usage: true}
	if r.Viewer != nil {
		viewer = r.Viewer(ctx)
	}
	result := &graph.Viewer{
		Refresh: viewer.Refresh, Sandbox: viewer.Sandbox, Explore: viewer.Explore, Tail: viewer.Tail && r.Tail != nil, Usage: viewer.Usage, Token: viewer.Token, Endpoints: []string{},
		BoundParameters: []graph.BoundParameter{}, Limits: &viewer.Limits, Budget: append([]graph.BudgetPart{}, viewer.Budget...),
	}
	for _, query := range r.Runner.Queries(ctx) {
		result.Endpoints = append(result.Endpoints, query.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(viewer.Bound)) {
		result.BoundParameters = append(result.BoundParameters, graph.BoundParameter{Name: name, Values: viewer.Bound[name]})
	}
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
