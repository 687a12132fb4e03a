package sqlq

import (
	"slices"

	"savedq/internal/strictyaml"
)

// GraphQLNames is what the key graphql of a saved query, a parameter or a column
// declares. Whatever is empty follows from the declaration that it belongs to (D26).
type GraphQLNames struct {
	// Name is the name of the field or of the argument.
	Name string
	// Type is the name of a saved query's row type or of a parameter's enum. For a column
	// it is another scalar that can hold its values: ID for STRING, Int for INT64.
	Type string
	// TypeDescription describes the row type or the enum.
	TypeDescription string
	// Description replaces the one of the declaration.
	Description string
	// Values describe the enum values of a parameter.
	Values []GraphQLValue
	// Place is where the names come from, for messages: the key graphql, or else the
	// declaration.
	Place Place
}

// GraphQLValue is the enum value of one of a parameter's allowed values.
type GraphQLValue struct {
	// Value is the allowed value; Name is empty where it follows from Value.
	Value, Name, Description string
}

// graphQLNamePattern is that of a GraphQL name which does not begin with two underscores:
// those are reserved for introspection.
const (
	graphQLNamePattern = `^(_?[A-Za-z][A-Za-z0-9_]*|_)$`
	graphQLNameMeaning = "of letters, digits and underscores, not a digit or two underscores first"
)

// readQueryNames reads the names of a saved query's field and row type.
func readQueryNames(m *strictyaml.Mapping, places *queryPlaces) GraphQLNames {
	names, g := readNames(m, places, "field", "type", "type_description")
	if g != nil {
		readType(g, &names)
	}
	return names
}

// readColumnNames reads the name and the scalar of a column's field.
func readColumnNames(m *strictyaml.Mapping, places *queryPlaces, columnType Type) GraphQLNames {
	names, g := readNames(m, places, "field", "type")
	if g == nil || !g.Has("type") {
		return names
	}
	names.Type = g.OneOf("type", "ID", "Int")
	if names.Type == "ID" && columnType != String || names.Type == "Int" && columnType != Int64 {
		g.At("type").Mistakef("type ID is for columns of type %s, and Int for those of type %s", String, Int64)
	}
	return names
}

// readParamNames reads the name of an argument, and its enum.
func readParamNames(m *strictyaml.Mapping, places *queryPlaces, allowed []string) GraphQLNames {
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
		case slices.ContainsFunc(names.Values, func(other GraphQLValue) bool { return other.Value == value.Value }):
			node.Mistakef("%q is named twice", value.Value)
		default:
			names.Values = append(names.Values, value)
		}
	}
	return names
}

func readType(g *strictyaml.Mapping, names *GraphQLNames) {
	names.Type = readName(g, "type", graphQLNamePattern, graphQLNameMeaning)
	names.TypeDescription = g.Text("type_description")
}

func readEnumValue(node strictyaml.Node) GraphQLValue {
	m := node.Mapping("value", "name", "description")
	if m == nil {
		return GraphQLValue{}
	}
	m.Require("value")
	value := GraphQLValue{
		Name:        readName(m, "name", graphQLNamePattern, graphQLNameMeaning),
		Description: m.Text("description"),
	}
	if text := m.Scalar("value"); text != nil {
		value.Value = *text
	}
	return value
}

// readNames reads the name and the description under the key graphql of a declaration. It
// returns the mapping of that key for what else it holds; nil where there is none.
func readNames(m *strictyaml.Mapping, places *queryPlaces, nameKey string, otherKeys ...string) (GraphQLNames, *strictyaml.Mapping) {
	if !m.Has("graphql") {
		return GraphQLNames{Place: places.of(m.At("name"))}, nil
	}
	names := GraphQLNames{Place: places.of(m.At("graphql"))}
	g := m.At("graphql").Mapping(append([]string{nameKey, "description"}, otherKeys...)...)
	if g == nil {
		return names, nil
	}
	names.Name = readName(g, nameKey, graphQLNamePattern, graphQLNameMeaning)
	names.Description = g.Text("description")
	return names, g
}
