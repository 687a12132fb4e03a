package server

import (
	"context"
	"maps"
	"slices"

	"savedq/graph"
	"savedq/internal/api/viewerhttp"
	"savedq/internal/auth"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// viewerOf returns what the token of a request allows. Without a token it allows nothing.
func viewerOf(ctx context.Context) graph.Viewer {
	token, found := auth.FromContext(ctx)
	if !found {
		return graph.Viewer{Projects: []string{}, Limits: &graph.TokenLimits{}}
	}
	viewer := graph.Viewer{
		Refresh: token.Refresh, Sandbox: token.Sandbox, Explore: token.Explore, Tail: mayTail(token), Usage: auth.HasFullAccess(ctx),
		Token: token.Name, Limits: &graph.TokenLimits{},
	}
	bound := token.Values()
	for _, name := range slices.Sorted(maps.Keys(bound)) {
		viewer.BoundParameters = append(viewer.BoundParameters, graph.BoundParameter{Name: name, Values: bound[name]})
	}
	if token.Projects != nil {
		projects := append([]string{}, token.Projects...) // non-nil even if empty
		slices.Sort(projects)
		viewer.Projects = slices.Compact(projects)
	}
	if token.MaxTier != "" {
		viewer.ProjectTier = &token.MaxTier
	}
	if token.Rate > 0 {
		viewer.Limits.Rate, viewer.Limits.Burst = &token.Rate, new(int64(token.AllowedBurst()))
	}
	if !token.Expires.IsZero() {
		viewer.Limits.Expires = &token.Expires
	}
	return viewer
}

// budgetOf returns the parts of a budget.
func budgetOf(parts []usage.Spending) []graph.BudgetPart {
	amounts := func(of usage.Amounts) *graph.BudgetAmounts {
		return &graph.BudgetAmounts{Requests: int(of.Requests), Rows: int(of.Rows), Bytes: int(of.Bytes), EngineSeconds: of.EngineTime.Seconds()}
	}
	budget := make([]graph.BudgetPart, len(parts))
	for i, part := range parts {
		budget[i] = graph.BudgetPart{Period: string(part.Period), Allowed: amounts(part.Allowed), Spent: amounts(part.Spent), ResetsAt: part.ResetsAt}
	}
	return budget
}

// viewer returns what the token of a request allows, and what it has spent.
func (s *Server) viewer(ctx context.Context) viewerhttp.Viewer {
	token, _ := auth.FromContext(ctx)
	scoped, allowed := s.current.Load().scoped, viewerOf(ctx)
	viewer := viewerhttp.Viewer{
		Token: token.Name, Subject: token.Subject, Expires: allowed.Limits.Expires,
		Endpoints: sqlq.QueryNames(scoped.Queries(ctx)), BoundParameters: token.Values(),
		Limits: viewerhttp.Limits{
			Rate: allowed.Limits.Rate, ProjectTier: allowed.ProjectTier, Refresh: allowed.Refresh, Sandbox: allowed.Sandbox,
			Explore: allowed.Explore, Alerts: auth.ManagesAlerts(ctx), Tail: allowed.Tail && s.engine.Ingest != nil, Usage: allowed.Usage, ManageTokens: s.managesTokens(ctx),
		},
		Budget: []viewerhttp.Budget{},
	}
	if token.Rate > 0 {
		viewer.Limits.Burst = new(token.AllowedBurst())
	}
	for _, part := range scoped.Spending(ctx) {
		viewer.Budget = append(viewer.Budget, viewerhttp.Budget{
			Period: string(part.Period), Allowed: amountsOf(part.Allowed), Spent: amountsOf(part.Spent), ResetsAt: part.ResetsAt,
		})
	}
	return viewer
}

func amountsOf(amounts usage.Amounts) viewerhttp.Amounts {
	return viewerhttp.Amounts{
		Requests: amounts.Requests, Rows: amounts.Rows, Bytes: amounts.Bytes, EngineSeconds: amounts.EngineTime.Seconds(),
	}
}
