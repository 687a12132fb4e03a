package auth

import (
	"fmt"
	"maps"
	"regexp"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// mayAsk says whether there is anything to ask a saved query for.
func (g *grant) mayAsk(query *sqlq.SavedQuery) bool {
	return (g.endpoints == nil || g.endpoints[query.Name]) && (g.projects == nil || query.Scoped(sqlq.ScopeProject) >= 0)
}

// narrow returns a request for a saved query as the grant allows it: where the
// project is a regular expression, it matches the project literally. What is held
// against the scope is the value that the query will be run with, defaults and
// fallbacks included.
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
	args, err := query.Bind(request.Params)
	if err != nil {
		return runner.Request{}, sqlq.AsError(err)
	}
	for i, arg := range args {
		if err := g.check(&query.Params[i], arg.Value); err != nil {
			return runner.Request{}, err
		}
	}
	return request, nil
}

// literalProject refuses a project that is not among the grant's. It returns the
// parameters, with an expression that matches the project literally where the
// saved query takes one. What is absent, empty or given twice is left to Bind.
func (g *grant) literalProject(query *sqlq.SavedQuery, params map[string][]string) (map[string][]string, error) {
	at := query.Scoped(sqlq.ScopeProject)
	if at < 0 {
		return nil, sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to projects, and this endpoint does not answer by project")
	}
	param := &query.Params[at]
	given := params[param.Name]
	if len(given) != 1 || given[0] == "" {
		return params, nil
	}
	if !g.projects[given[0]] {
		return nil, deniedProject(param)
	}
	if !param.Regex {
		return params, nil
	}
	literal := maps.Clone(params)
	literal[param.Name] = []string{regexp.QuoteMeta(given[0])}
	return literal, nil
}

// check holds the value of a parameter, as the query will be run with it, against
// the grant.
func (g *grant) check(param *sqlq.Param, value any) error {
	switch {
	case param.Scope == sqlq.ScopeProject && g.projects != nil:
		allowed := g.projects
		if param.Regex {
			allowed = g.patterns
		}
		if value == nil || !allowed[fmt.Sprint(value)] {
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

// deniedProject does not say which projects there are, nor which the token allows.
func deniedProject(param *sqlq.Param) error {
	denied := sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this project")
	denied.Param = param.Name
	return denied
}
