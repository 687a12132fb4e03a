package resolvers

import "savedq/sqlq"

// findEndpoint returns the saved query with the id, in any letter case, or the name; aliases
// count as both. Exactly one must be set. It returns nil if the query does not exist.
func findEndpoint(queries []*sqlq.SavedQuery, id, name *string) (*sqlq.SavedQuery, error) {
	if (id == nil) == (name == nil) {
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "give exactly one of the arguments id and name")
	}
	for _, query := range queries {
		if name != nil && query.HasName(*name) || id != nil && query.HasID(*id) {
			return query, nil
		}
	}
	return nil, nil
}
