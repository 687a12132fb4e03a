package catalog

import (
	"slices"

	"savedq/internal/strictyaml"
	"savedq/sqlq"
)

// graphQLNamePattern is the pattern of GraphQL names. Names that begin with two underscores are
// reserved for introspection.
const (
	graphQLNamePattern = `^(_?[A-Za-z][A-Za-z0-9_]*|_)$`
	graphQLNameMeaning = "of letters, digits and underscores, which does not begin with a digit or two underscores"
)

// readQueryNames reads the names of a saved query's field and row type.
func readQueryNames(m *strictyaml.Mapping, places *queryPlaces) sqlq.GraphQLNames {
	names, g := readNames(m, places, "field", "type", "type_description")
	if g != nil {
		readType(g, &names)
	}
	return names
}

// readColumnNames reads the name of a column's field, and its scalar or the type of a STRUCT.
func readColumnNames(m *strictyaml.Mapping, places *queryPlaces, columnType sqlq.Type) sqlq.GraphQLNames {
	names, g := readNames(m, places, "field", "type", "type_description")
	if g == nil {
		return names
	}
	if columnType.Innermost() == sqlq.Struct {
		readType(g, &names)
		return names
	}
	if g.Has("type_description") {
		g.At("type_description").Mistakef("type_description is for columns of type %s", sqlq.Struct)
	}
	if !g.Has("type") {
		return names
	}
	columnType = columnType.Innermost()
	names.Type = g.OneOf("type", "ID", "Int")
	if names.Type == "ID" && columnType != sqlq.String || names.Type == "Int" && columnType != sqlq.Int64 {
		g.At("type").Mistakef("type ID is for columns of type %s, and Int for those of type %s", sqlq.String, sqlq.Int64)
	}
	return names
}

// readParamNames reads the name of an argument, and its enum.
func readParamNames(m *strictyaml.Mapping, places *queryPlaces, allowed []string) sqlq.GraphQLNames {
	names, g := readNames(m, places, "argument", "type", "type_description", "values")
	if g == nil {
		return names
	}
	for _, key := range []string{"type", "type_description", "values"} {
		if g.Has(key) && len(allowed) == 0 {
			g.At(key).Mistakef("%s is for the enum of a parameter with allowed values", key)
		}
	}
	readType(g, &names)
	for _, node := range g.List("values", emptyList) {
		value := readEnumValue(node)
		switch {
		case value.Value == "": // reported already
		case !slices.Contains(allowed, value.Value):
			node.Mistakef("%q is not among the allowed values", value.Value)
		case slices.ContainsFunc(names.Values, func(other sqlq.GraphQLValue) bool { return other.Value == value.Value }):
			node.Mistakef("%q is named twice", value.Value)
		default:
			names.Values = append(names.Values, value)
		}
	}
	return names
}

func readType(g *strictyaml.Mapping, names *sqlq.GraphQLNames) {
	names.Type = readName(g, "type", graphQLNamePattern, graphQLNameMeaning)
	names.TypeDescription = g.Text("type_description")
}

func readEnumValue(node strictyaml.Node) sqlq.GraphQLValue {
	m := node.Mapping("value", "name", "description")
	if m == nil {
		return sqlq.GraphQLValue{}
	}
	m.Require("value")
	value := sqlq.GraphQLValue{
		Name:        readName(m, "name", graphQLNamePattern, graphQLNameMeaning),
		Description: readDescription(m),
	}
	if slices.Contains([]string{"true", "false", "null"}, value.Name) { // GraphQL, section 3.9
		m.At("name").Mistakef("name %q is a keyword that GraphQL does not allow as an enum value; use another name", value.Name)
	}
	if text := m.Scalar("value"); text != nil {
		value.Value = *text
	}
	return value
}

// readNames reads the name and the description under the key graphql of a declaration. It
// returns the mapping of that key for its other keys; nil if there is none.
func readNames(m *strictyaml.Mapping, places *queryPlaces, nameKey string, otherKeys ...string) (sqlq.GraphQLNames, *strictyaml.Mapping) {
	if !m.Has("graphql") {
		return sqlq.GraphQLNames{Place: places.of(m.At("name"))}, nil
	}
	names := sqlq.GraphQLNames{Place: places.of(m.At("graphql"))}
	g := m.At("graphql").Mapping(append([]string{nameKey, "description"}, otherKeys...)...)
	if g == nil {
		return names, nil
	}
	names.Name = readName(g, nameKey, graphQLNamePattern, graphQLNameMeaning)
	names.Description = readDescription(g)
	return names, g
}
