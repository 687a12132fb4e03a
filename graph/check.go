package graph

import (
	"cmp"

	"savedq/sqlq"
)

// checkNames returns the errors that prevent the fields from sharing a schema: names that
// GraphQL does not allow, and duplicate names, with the places of both.
func checkNames(fields []*Field) sqlq.FileErrors {
	queryFields, types := newNames("field"), newNames("type")
	types.places[sandboxResult], types.places[sandboxResult+"Columns"] = "", ""
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
		mistakes = append(mistakes, queryFields.add(field.Name, namesOf(field.Query.Extension).Place)...)
		if !field.IsSandbox {
			mistakes = append(mistakes, types.add(field.Row, namesOf(field.Query.Extension).Place)...)
		}
		arguments := newNames("argument")
		for _, argument := range field.Arguments {
			place := argument.Place()
			mistakes = append(mistakes, arguments.add(argument.Name, place)...)
			if len(argument.Values) == 0 || field.IsSandbox { // the saved query's own field declares the enum
				continue
			}
			mistakes = append(mistakes, types.add(argument.Type, place)...)
			values := newNames("enum value")
			for _, value := range argument.Values {
				mistakes = append(mistakes, values.add(value.Name, place)...)
			}
		}
		if !field.IsSandbox {
			mistakes = append(mistakes, checkColumns(field.Columns, types)...)
		}
	}
	return mistakes
}

// checkColumns returns the errors in the names of an object's fields and of their types.
func checkColumns(fields []ColumnField, types *names) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	columns, byName := newNames("field"), make(map[string]string)
	for _, field := range fields {
		place := namesOf(field.Column.Extension).Place
		if other, taken := byName[field.Name]; taken {
			mistakes = append(mistakes, place.Mistakef("the columns %q and %q are both the GraphQL field %s (%s); name one of them with graphql: {field: …}, or rename it with AS in the SQL",
				other, field.Column.Name, field.Name, columns.places[field.Name]))
		} else {
			byName[field.Name] = field.Column.Name
			mistakes = append(mistakes, columns.add(field.Name, place)...)
		}
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
	// places has the place of each name; empty for names of the static schema.
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

// Warnings returns what is allowed but may be unintended in the schema.
func Warnings(query *sqlq.SavedQuery) sqlq.FileErrors { return repeatableIDs(query.Columns) }

// repeatableIDs returns a warning of each GraphQL field with the name id that is not declared to
// be unique: clients' caches merge objects of a type that have the same id.
func repeatableIDs(columns []sqlq.Column) sqlq.FileErrors {
	var warnings sqlq.FileErrors
	for _, column := range columns {
		if names := namesOf(column.Extension); cmp.Or(names.Name, column.Name) == "id" && names.Type != "ID" {
			warnings = append(warnings, column.Place.Mistakef("rows with the same id are one object in the caches of Apollo Client and urql; if no two rows have the same, declare a STRING with graphql: {type: ID}; otherwise build one that is unique, such as source || ':' || id, or name the field with graphql: {field: …}"))
		}
		warnings = append(warnings, repeatableIDs(column.Fields)...)
	}
	return warnings
}
