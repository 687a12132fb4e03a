package auth

import "context"

// VisibleMetrics returns the names of the saved queries whose metrics the token in the
// context may read, and whether it may read all metrics, those of the process included:
// a token without limits on what it may ask, or one that is made for it.
func (r *Runner) VisibleMetrics(ctx context.Context) (endpoints []string, all bool) {
	g := grantOf(ctx)
	if g == nil {
		return nil, false
	}
	for _, query := range r.Queries(ctx) {
		endpoints = append(endpoints, query.Name)
	}
	return endpoints, g.token.Metrics || g.scope == ""
}
