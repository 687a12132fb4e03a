package describe

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// Bound returns the only values that a token may use for a parameter, and whether it limits
// the parameter. A nil one limits none.
type Bound func(param *sqlq.Param) (values []string, limited bool)

// Narrow returns a saved query as a token may use it (D32): a limited parameter has only the
// values of the token, and is not required if the server fills it in.
func (b Bound) Narrow(query *sqlq.SavedQuery) *sqlq.SavedQuery {
	if b == nil {
		return query
	}
	narrowed := *query
	narrowed.Params = slices.Clone(query.Params)
	for i := range narrowed.Params {
		if values, limited := b(&query.Params[i]); limited {
			narrowParam(&narrowed.Params[i], values)
		}
	}
	return &narrowed
}

// Limits reports whether the token limits a parameter.
func (b Bound) Limits(param *sqlq.Param) bool {
	if b == nil {
		return false
	}
	_, limited := b(param)
	return limited
}

// narrowParam limits a parameter to values.
func narrowParam(param *sqlq.Param, values []string) {
	if len(values) == 0 {
		param.Description += " The token allows none of its values."
		return
	}
	param.Allowed, param.Fallback, param.Regex = values, nil, false
	if len(values) == 1 || param.Type.IsArray() {
		param.Required, param.Default = false, values
		param.Description += " The token allows only " + strings.Join(values, ", ") + ", which an absent or empty value means."
		return
	}
	param.Description += " The token allows only " + strings.Join(values, ", ") + "."
	if param.Required || len(param.Default) != 1 || !slices.Contains(values, param.Default[0]) {
		param.Required, param.Default = true, nil
	}
}
