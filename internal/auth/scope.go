package auth

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// mayRun reports whether the grant allows any request for a saved query.
func (g *grant) mayRun(query *sqlq.SavedQuery) bool {
	return g.allowsEndpoint(query) && (g.projects == nil || query.Scoped(sqlq.ScopeProject) >= 0)
}

// allowsEndpoint reports whether the grant allows a saved query, by its name, its id or an
// alias.
func (g *grant) allowsEndpoint(query *sqlq.SavedQuery) bool {
	return g.endpoints == nil || g.endpoints[query.Name] || g.endpoints[query.ID.String()] ||
		slices.ContainsFunc(query.Aliases, func(alias string) bool { return g.endpoints[alias] })
}

// narrow returns a request for a saved query, limited to what the grant allows. A project
// that is a regular expression is quoted to match literally. The scope is checked against
// the values that the query will run with, defaults and fallbacks included.
func (g *grant) narrow(query *sqlq.SavedQuery, request runner.Request) (runner.Request, error) {
	if g.projects == nil && g.token.MaxTier == "" {
		return request, nil
	}
	if g.projects != nil {
		literal, err := g.literalProject(query, request.Params)
		if err != nil {
			return runner.Request{}, err
		}
		request.Params = literal
	}
	args, err := request.Bind(query)
	if err != nil {
		return runner.Request{}, err
	}
	for i, arg := range args {
		if err := g.check(&query.Params[i], arg.Value); err != nil {
			return runner.Request{}, err
		}
	}
	return request, nil
}

// literalProject denies a project that is not among the grant's. It returns the
// parameters, with the project quoted if the saved query takes a regular expression. An
// absent, empty or repeated project is left to Bind.
func (g *grant) literalProject(query *sqlq.SavedQuery, params map[string][]string) (map[string][]string, error) {
	index := query.Scoped(sqlq.ScopeProject)
	if index < 0 {
		return nil, sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to certain projects, and this endpoint has no parameter for the project")
	}
	param := &query.Params[index]
	if param.Type.IsArray() {
		return g.fillProjects(param, params), nil
	}
	values := params[param.Name]
	if len(values) != 1 || values[0] == "" {
		return params, nil
	}
	if !g.projects[values[0]] {
		return nil, deniedProject(param)
	}
	if !param.Regex {
		return params, nil
	}
	literal := maps.Clone(params)
	literal[param.Name] = []string{regexp.QuoteMeta(values[0])}
	return literal, nil
}

// fillProjects returns the parameters with the grant's projects in place of an empty list,
// which would mean all projects. Values that are given, and those of a default, are left to
// Bind and check.
func (g *grant) fillProjects(param *sqlq.Param, params map[string][]string) map[string][]string {
	values := params[param.Name]
	absent := values == nil || len(values) == 1 && values[0] == ""
	if len(values) > 0 && !absent || param.Required || absent && len(param.Default) > 0 {
		return params
	}
	filled := maps.Clone(params)
	if filled == nil {
		filled = make(map[string][]string)
	}
	filled[param.Name] = slices.Sorted(maps.Keys(g.projects))
	return filled
}

// check checks the value that the query will run with against the grant.
func (g *grant) check(param *sqlq.Param, value any) error {
	switch {
	case param.Scope == sqlq.ScopeProject && g.projects != nil:
		allowed := g.projects
		if param.Regex {
			allowed = g.patterns
		}
		if value == nil || !allowsAll(allowed, value) {
			return deniedProject(param)
		}
	case param.Scope == sqlq.ScopeTier && g.token.MaxTier != "":
		if value == nil || !atMost(fmt.Sprint(value), g.token.MaxTier, param.Allowed) {
			denied := sqlq.Errorf(sqlq.PermissionDenied, "the token allows no project tier above %s", g.token.MaxTier)
			denied.Param = param.Name
			return denied
		}
	}
	return nil
}

// allowsAll reports whether a value is among the allowed ones, or each element of an array,
// which must not be empty, because that could mean all projects.
func allowsAll(allowed map[string]bool, value any) bool {
	elements, isArray := value.([]any)
	if !isArray {
		return allowed[fmt.Sprint(value)]
	}
	return len(elements) > 0 && !slices.ContainsFunc(elements, func(element any) bool { return !allowed[fmt.Sprint(element)] })
}

// deniedProject returns an error that reveals neither the existing nor the allowed projects.
func deniedProject(param *sqlq.Param) error {
	denied := sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this project")
	denied.Param = param.Name
	return denied
}
