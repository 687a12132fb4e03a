package graph

import "savedq/sqlq"

// checkNames returns the errors that prevent the fields from sharing a schema: names that
// GraphQL does not allow, and duplicate names, with the places of both.
func checkNames(fields []*Field) sqlq.FileErrors {
	queryFields, types := newNames("field"), newNames("type")
	for name, definition := range parsedSchema.Types {
		types.places[name] = ""
		if name == parsedSchema.Query.Name {
			for _, field := range definition.Fields {
				queryFields.places[field.Name] = ""
			}
		}
	}
	var mistakes sqlq.FileErrors
	for _, field := range fields {
		mistakes = append(mistakes, queryFields.add(field.Name, field.Query.GraphQL.Place)...)
		mistakes = append(mistakes, types.add(field.Row, field.Query.GraphQL.Place)...)
		arguments := newNames("argument")
		for _, argument := range field.Arguments {
			place := argument.Param.GraphQL.Place
			mistakes = append(mistakes, arguments.add(argument.Name, place)...)
			if len(argument.Values) == 0 {
				continue
			}
			mistakes = append(mistakes, types.add(argument.Type, place)...)
			values := newNames("enum value")
			for _, value := range argument.Values {
				mistakes = append(mistakes, values.add(value.Name, place)...)
			}
		}
		mistakes = append(mistakes, checkColumns(field.Columns, types)...)
	}
	return mistakes
}

// checkColumns returns the errors in the names of an object's fields and of their types.
func checkColumns(fields []ColumnField, types *names) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	columns := newNames("field")
	for _, field := range fields {
		place := field.Column.GraphQL.Place
		mistakes = append(mistakes, columns.add(field.Name, place)...)
		if field.Fields != nil {
			mistakes = append(mistakes, types.add(field.Type, place)...)
			mistakes = append(mistakes, checkColumns(field.Fields, types)...)
		}
	}
	return mistakes
}

// names holds the names of one kind in one scope.
type names struct {
	kind string
	// places has the place of each name; empty for those of the static schema.
	places map[string]string
}

func newNames(kind string) *names { return &names{kind: kind, places: make(map[string]string)} }

// add adds a name from a place, and returns its errors.
func (n *names) add(name string, place sqlq.Place) sqlq.FileErrors {
	const remedy = "; give it another name under the key graphql"
	owner, duplicate := n.places[name]
	switch {
	case !isName(name):
		return sqlq.FileErrors{place.Mistakef("the GraphQL %s %s is not a name that GraphQL allows%s", n.kind, name, remedy)}
	case duplicate && owner == "":
		return sqlq.FileErrors{place.Mistakef("the GraphQL %s %s is reserved by savedq%s", n.kind, name, remedy)}
	case duplicate:
		return sqlq.FileErrors{place.Mistakef("the GraphQL %s %s is also used by %s; rename one of them under the key graphql", n.kind, name, owner)}
	}
	n.places[name] = place.String()
	return nil
}
