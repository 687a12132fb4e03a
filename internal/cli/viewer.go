package cli

import (
	"context"

	"savedq/internal/auth"
	"savedq/internal/usage"
	"savedq/internal/viewerhttp"
	"savedq/resolvers"
)

// viewerOf returns what the token of a request allows. Without a token it allows nothing.
func viewerOf(ctx context.Context) resolvers.Viewer {
	token, found := auth.FromContext(ctx)
	if !found {
		return resolvers.Viewer{Projects: []string{}}
	}
	return resolvers.Viewer{Projects: token.Projects, ProjectTier: token.MaxTier, Refresh: token.Refresh, Tail: mayTail(token)}
}

// viewer returns what the token of a request allows, and what it has spent.
func (l *live) viewer(ctx context.Context) viewerhttp.Viewer {
	token, _ := auth.FromContext(ctx)
	scoped := l.current.Load().scoped
	viewer := viewerhttp.Viewer{
		Token: token.Name, Subject: token.Subject, Endpoints: []string{}, BoundParameters: token.Values(),
		Limits: viewerhttp.Limits{Refresh: token.Refresh, Tail: mayTail(token) && l.tails}, Budget: []viewerhttp.Budget{},
	}
	for _, query := range scoped.Queries(ctx) {
		viewer.Endpoints = append(viewer.Endpoints, query.Name)
	}
	if !token.Expires.IsZero() {
		viewer.Expires = &token.Expires
	}
	if token.Rate > 0 {
		viewer.Limits.Rate, viewer.Limits.Burst = &token.Rate, new(token.AllowedBurst())
	}
	if token.MaxTier != "" {
		viewer.Limits.ProjectTier = &token.MaxTier
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
