package auth

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// mayRun reports whether the grant allows any request for a saved query.
func (g *grant) mayRun(query *sqlq.SavedQuery) bool {
	return g.allowsEndpoint(query) && !slices.ContainsFunc(g.bindings, func(b binding) bool { return g.lacks(query, &b) })
}

// lacks reports whether a saved query has no parameter for a binding, so that it could return
// what the binding excludes. It may be run all the same if the binding says so and the token
// names it, since that was a decision.
func (g *grant) lacks(query *sqlq.SavedQuery, b *binding) bool {
	return !b.bindsAny(query) && (!b.exempt || g.endpoints == nil)
}

// allowsEndpoint reports whether the grant allows a saved query, by its name, its id or an
// alias.
func (g *grant) allowsEndpoint(query *sqlq.SavedQuery) bool {
	return g.endpoints == nil || g.endpoints[query.Name] || g.endpoints[query.ID.String()] ||
		slices.ContainsFunc(query.Aliases, func(alias string) bool { return g.endpoints[alias] })
}

// narrow returns a request, limited to what the grant allows: absent bound
// parameters are filled in, and others checked. The scope is checked against the values that
// the query will run with, defaults and fallbacks included.
func (g *grant) narrow(request runner.Request) (runner.Request, error) {
	if len(g.bindings) == 0 && g.token.MaxTier == "" {
		return request, nil
	}
	params, err := g.fill(request)
	if err != nil {
		return runner.Request{}, err
	}
	request.Params = params
	args, err := request.Bind()
	if err != nil {
		return runner.Request{}, err
	}
	for i, arg := range args {
		if err := g.check(&request.Query.Params[i], arg.Value); err != nil {
			return runner.Request{}, err
		}
	}
	return request, nil
}

// fill returns the parameters with those that are bound. It does not change the caller's.
func (g *grant) fill(request runner.Request) (map[string][]string, error) {
	query := request.Query
	params, cloned := request.Params, false
	for i := range g.bindings {
		b := &g.bindings[i]
		if g.lacks(query, b) {
			return nil, b.lacking()
		}
		for j := range query.Params {
			param := &query.Params[j]
			if _, faulty := request.Faults[param.Name]; faulty || !b.binds(param) {
				continue
			}
			raw := params[param.Name]
			values, err := b.fill(param, raw)
			if err != nil {
				return nil, err
			}
			if slices.Equal(values, raw) {
				continue
			}
			if !cloned {
				if params = maps.Clone(params); params == nil {
					params = make(map[string][]string)
				}
				cloned = true
			}
			params[param.Name] = values
		}
	}
	return params, nil
}

// lacking returns the error for a saved query without a parameter for the binding.
func (b *binding) lacking() error {
	if b.scope == sqlq.ScopeProject {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to certain projects, and this endpoint has no parameter for the project")
	}
	return sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to certain values of %s, and this endpoint does not have that parameter", b.name)
}

// check checks the value that the query will run with against the grant.
func (g *grant) check(param *sqlq.Param, value any) error {
	for i := range g.bindings {
		if b := &g.bindings[i]; b.binds(param) && !b.allows(param, value) {
			return b.denied(param)
		}
	}
	if param.Scope == sqlq.ScopeTier && g.token.MaxTier != "" && (value == nil || !atMost(fmt.Sprint(value), g.token.MaxTier, param.Allowed)) {
		denied := sqlq.Errorf(sqlq.PermissionDenied, "the token allows no project tier above %s", g.token.MaxTier)
		denied.Param = param.Name
		return denied
	}
	return nil
}

// Tiers returns the tiers that the saved queries' parameters allow, in declaration order.
func Tiers(queries []*sqlq.SavedQuery) []string {
	var tiers []string
	for _, query := range queries {
		index := query.Scoped(sqlq.ScopeTier)
		if index < 0 {
			continue
		}
		for _, tier := range query.Params[index].Allowed {
			if !slices.Contains(tiers, tier) {
				tiers = append(tiers, tier)
			}
		}
	}
	return tiers
}

// CheckTier returns an error unless the tier, which is case-sensitive (D10), is among those
// of the saved queries.
func CheckTier(tier string, tiers []string) error {
	switch {
	case slices.Contains(tiers, tier):
		return nil
	case len(tiers) == 0:
		return fmt.Errorf("the project tier %q cannot be a limit, since no saved query has a parameter with scope: %s", tier, sqlq.ScopeTier)
	}
	return fmt.Errorf("the project tier must be one of %s", strings.Join(tiers, ", "))
}

// atMost reports whether a tier is not above the highest allowed one. The tiers are
// ordered, lowest first. An unknown tier is above all others, and nothing is below it.
func atMost(tier, highest string, tiers []string) bool {
	index := slices.Index(tiers, tier)
	return index >= 0 && index <= slices.Index(tiers, highest)
}
