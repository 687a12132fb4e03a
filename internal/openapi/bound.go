package openapi

import (
	"net/url"
	"slices"

	"savedq/internal/rest"
	"savedq/sqlq"
)

// allows reports whether the values of a request are ones that the token may use. The saved
// query is that of [rest.Bound.Narrow].
func allows(bound rest.Bound, query *sqlq.SavedQuery, values url.Values) bool {
	return !slices.ContainsFunc(query.Params, func(param sqlq.Param) bool {
		return bound.Limits(&param) && slices.ContainsFunc(values[param.Name], func(value string) bool { return !slices.Contains(param.Allowed, value) })
	})
}
