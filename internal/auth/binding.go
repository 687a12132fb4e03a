package auth

import (
	"context"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
)

// binding limits parameters to the values that a token has (D32).
type binding struct {
	// scope and name select parameters; an empty one selects none.
	scope sqlq.Scope
	name  string
	// values are sorted, each once.
	values []string
	// set has the values; for a regular expression, only these stand for themselves.
	set map[string]bool
	// exempt reports whether a saved query without the parameter may be run if the token
	// names it.
	exempt bool
}

// bindingsOf returns the bound parameters of a token, the project first.
func bindingsOf(token *Token) []binding {
	var bindings []binding
	if token.Projects != nil {
		project := newBinding("", token.Projects, token.signed())
		project.scope = sqlq.ScopeProject
		if token.signed() {
			project.name = ProjectParameter
		}
		bindings = append(bindings, project)
	}
	for _, name := range slices.Sorted(maps.Keys(token.Bound)) {
		bindings = append(bindings, newBinding(name, token.Bound[name], token.signed()))
	}
	return bindings
}

func newBinding(name string, values []string, exempt bool) binding {
	b := binding{name: name, exempt: exempt, set: make(map[string]bool, len(values))}
	for _, value := range values {
		b.set[value] = true
	}
	b.values = slices.Sorted(maps.Keys(b.set))
	return b
}

// binds reports whether the binding limits a parameter.
func (b *binding) binds(param *sqlq.Param) bool {
	return b.scope != "" && param.Scope == b.scope || b.name != "" && param.Name == b.name
}

// bindsAny reports whether the binding limits a parameter of a saved query.
func (b *binding) bindsAny(query *sqlq.SavedQuery) bool {
	for i := range query.Params { // without copies, because this is for each request
		if b.binds(&query.Params[i]) {
			return true
		}
	}
	return false
}

// fill returns the raw values with which a bound parameter is run. It fills in an absent or
// empty parameter, and replaces a value by the expression that matches it literally. Other
// values are left to Bind and to allows.
func (b *binding) fill(param *sqlq.Param, raw []string) ([]string, error) {
	absent := len(raw) == 0 || len(raw) == 1 && raw[0] == ""
	switch {
	case absent && param.Type.IsArray() && len(b.values) > 0:
		raw = b.values
	case absent && len(b.values) == 1:
		raw = b.values
	case absent && len(b.values) > 1 && len(param.Default) == 0:
		return nil, sqlq.ParamErrorf(param.Name, "is required; use one of %s, which the token allows", strings.Join(b.values, ", "))
	case absent:
		return raw, nil
	case param.Type.Element() == sqlq.String && (param.Type.IsArray() || len(raw) == 1):
		for _, value := range raw {
			if value != "" && !b.set[value] {
				return nil, b.denied(param)
			}
		}
	}
	if !param.Regex {
		return raw, nil
	}
	literal := make([]string, len(raw))
	for i, value := range raw {
		literal[i] = param.Literal(value)
	}
	return literal, nil
}

// allows reports whether the saved query may run with a value of a bound parameter, as Bind
// returns it. An array must not be empty, because that could mean all values.
func (b *binding) allows(param *sqlq.Param, value any) bool {
	if elements, isArray := value.([]any); isArray {
		return len(elements) > 0 && !slices.ContainsFunc(elements, func(element any) bool { return !b.allowsOne(param, element) })
	}
	return value != nil && b.allowsOne(param, value)
}

func (b *binding) allowsOne(param *sqlq.Param, value any) bool {
	text, isText := value.(string)
	if isText && !param.Regex {
		return b.set[text]
	}
	return slices.ContainsFunc(b.values, func(allowed string) bool {
		if param.Regex {
			return text == param.Literal(allowed)
		}
		parsed, err := param.Parse(allowed)
		return err == nil && sqlq.EqualValues(parsed, value)
	})
}

// BoundValues returns a function that returns the only values which the token of a request may
// use for a parameter, in alphabetical order, and reports whether it limits the parameter.
func BoundValues(ctx context.Context) func(param *sqlq.Param) (values []string, limited bool) {
	g := grantOf(ctx)
	return func(param *sqlq.Param) (values []string, limited bool) {
		if g == nil {
			return nil, true
		}
		return g.limits(param)
	}
}

// limits returns the only values that the grant allows for a parameter, and whether it limits
// the parameter.
func (g *grant) limits(param *sqlq.Param) (values []string, limited bool) {
	for i := range g.bindings {
		b := &g.bindings[i]
		if !b.binds(param) {
			continue
		}
		bound := b.usable(param)
		if limited {
			bound = slices.DeleteFunc(bound, func(value string) bool { return !slices.Contains(values, value) })
		}
		values, limited = bound, true
	}
	return values, limited
}

// usable returns the values of the binding that the parameter accepts.
func (b *binding) usable(param *sqlq.Param) []string {
	var usable []string
	for _, value := range b.values {
		text := value
		if param.Regex {
			text = param.Literal(value)
		}
		_, err := param.Parse(text)
		if err == nil && (len(param.Allowed) == 0 || slices.Contains(param.Allowed, value)) {
			usable = append(usable, value)
		}
	}
	return usable
}

// denied returns an error that reveals neither which values exist nor which are allowed.
func (b *binding) denied(param *sqlq.Param) error {
	what := "value"
	if b.scope == sqlq.ScopeProject {
		what = "project"
	}
	denied := sqlq.Errorf(sqlq.PermissionDenied, "the token does not allow this %s", what)
	denied.Param = param.Name
	return denied
}
