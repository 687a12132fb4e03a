package auth

import "context"

// VisibleMetrics returns the names of the saved queries whose metrics the token in the
// context may read. all reports whether it may read all metrics, those of the process
// included: because its scope has no limits, or because it has the metrics right.
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
