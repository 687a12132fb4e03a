package resolvers

import "savedq/sqlq"

// findEndpoint finds a saved query by exactly one of id and name; nil where there
// is none. The catalog takes either for the other, the schema does not.
func findEndpoint(catalog *sqlq.Catalog, id, name *string) (*sqlq.SavedQuery, error) {
	if (id == nil) == (name == nil) {
		return nil, sqlq.Errorf(sqlq.InvalidArgument, "give exactly one of the arguments id and name")
	}
	wanted, byName := id, name != nil
	if byName {
		wanted = name
	}
	query, ok := catalog.Find(*wanted)
	if !ok || byName != (query.Name == *wanted) {
		return nil, nil
	}
	return query, nil
}
