package graph

import (
	"slices"

	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// declaredNames is what the key graphql of a saved query, a parameter or a column declares.
// Empty names derive from the declaration that they belong to (D26).
type declaredNames struct {
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
	Values []EnumValue
	// Place is where the names come from, for messages: the key graphql, or else the
	// declaration.
	Place sqlq.Place
}

// ReadCatalog reads saved queries as [catalog.Read] does, with the names that they declare for
// GraphQL. The functions of this package need them.
func ReadCatalog(dialect sqlq.Dialect, further ...catalog.Directory) (*catalog.Catalog, error) {
	return ReadCatalogWith(catalog.Options{}, dialect, further...)
}

// ReadCatalogWith is [ReadCatalog] with options.
func ReadCatalogWith(options catalog.Options, dialect sqlq.Dialect, further ...catalog.Directory) (*catalog.Catalog, error) {
	options.Extend = readNames
	return catalog.ReadWith(options, dialect, further...)
}

// namesOf returns the names in an extension; none if it was not read by [ReadCatalog].
func namesOf(extension any) declaredNames {
	names, _ := extension.(declaredNames)
	return names
}

// readNames is the [catalog.Extend] of [ReadCatalog].
func readNames(declaration any, m *strictyaml.Mapping, file string) any {
	switch declaration := declaration.(type) {
	case *sqlq.Param:
		return readParamNames(m, file, declaration.Allowed)
	case *sqlq.Column:
		return readColumnNames(m, file, declaration.Type)
	}
	return readQueryNames(m, file)
}

// readQueryNames reads the names of a saved query's field and row type.
func readQueryNames(m *strictyaml.Mapping, file string) declaredNames {
	names, g := readSection(m, file, "field", "type", "type_description")
	if g != nil {
		readType(g, &names)
	}
	return names
}

// readColumnNames reads the name of a column's field, and its scalar or the type of a STRUCT.
func readColumnNames(m *strictyaml.Mapping, file string, columnType sqlq.Type) declaredNames {
	names, g := readSection(m, file, "field", "type", "type_description")
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
		g.At("type").Mistakef("type ID is for columns of type %s, and Int for columns of type %s", sqlq.String, sqlq.Int64)
	}
	return names
}

// readParamNames reads the name of an argument, and its enum.
func readParamNames(m *strictyaml.Mapping, file string, allowed []string) declaredNames {
	names, g := readSection(m, file, "argument", "type", "type_description", "values")
	if g == nil {
		return names
	}
	for _, key := range []string{"type", "type_description", "values"} {
		if g.Has(key) && len(allowed) == 0 {
			g.At(key).Mistakef("%s is for the enum of a parameter with allowed values", key)
		}
	}
	readType(g, &names)
	for _, node := range g.List("values", "must not be empty; leave it out instead") {
		value := readEnumValue(node)
		switch {
		case value.Value == "": // reported already
		case !slices.Contains(allowed, value.Value):
			node.Mistakef("%q is not among the allowed values", value.Value)
		case slices.ContainsFunc(names.Values, func(other EnumValue) bool { return other.Value == value.Value }):
			node.Mistakef("%q is named twice", value.Value)
		default:
			names.Values = append(names.Values, value)
		}
	}
	return names
}

func readType(g *strictyaml.Mapping, names *declaredNames) {
	names.Type = catalog.ReadName(g, "type", nameSyntax, nameMeaning)
	names.TypeDescription = g.Text("type_description")
}

func readEnumValue(node strictyaml.Node) EnumValue {
	m := node.Mapping("value", "name", "description")
	if m == nil {
		return EnumValue{}
	}
	m.Require("value")
	value := EnumValue{
		Name:        catalog.ReadName(m, "name", nameSyntax, nameMeaning),
		Description: catalog.ReadDescription(m),
	}
	if slices.Contains([]string{"true", "false", "null"}, value.Name) { // GraphQL, section 3.9
		m.At("name").Mistakef("name %q is a keyword that GraphQL does not allow as an enum value; use another name", value.Name)
	}
	if text := m.Scalar("value"); text != nil {
		value.Value = *text
	}
	return value
}

// readSection reads the name and the description under the key graphql of a declaration. It
// returns the mapping of that key for its other keys; nil if there is none.
func readSection(m *strictyaml.Mapping, file string, nameKey string, otherKeys ...string) (declaredNames, *strictyaml.Mapping) {
	if !m.Has("graphql") {
		return declaredNames{Place: placeOf(file, m.At("name"))}, nil
	}
	names := declaredNames{Place: placeOf(file, m.At("graphql"))}
	g := m.At("graphql").Mapping(append([]string{nameKey, "description"}, otherKeys...)...)
	if g == nil {
		return names, nil
	}
	names.Name = catalog.ReadName(g, nameKey, nameSyntax, nameMeaning)
	names.Description = catalog.ReadDescription(g)
	return names, g
}

func placeOf(file string, node strictyaml.Node) sqlq.Place {
	return sqlq.Place{File: file, Line: node.Line(), Column: node.Column()}
}
