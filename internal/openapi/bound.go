package openapi

import (
	"net/url"
	"slices"

	"savedq/internal/describe"
	"savedq/sqlq"
)

// allows reports whether the token may use the values of a request. The saved query is the one
// that [describe.Bound.Narrow] returns.
func allows(bound describe.Bound, query *sqlq.SavedQuery, values url.Values) bool {
	return !slices.ContainsFunc(query.Params, func(param sqlq.Param) bool {
		return bound.Limits(&param) && slices.ContainsFunc(values[param.Name], func(value string) bool { return !slices.Contains(param.Allowed, value) })
	})
}
