// Package compatibility finds the changes of saved queries that break their callers.
package compatibility

import (
	"strings"

	"savedq/graph"
	"savedq/sqlq"
)

// Endpoint is what callers of a saved query rely on, over REST and GraphQL.
type Endpoint struct {
	ID, Name string
	Aliases  []string
	// Field and Row are the GraphQL field and the type of its rows.
	Field, Row string
	MaxRows    int
	Params     []Param `json:"-"` // because a server gives one default apart from several
	Columns    []Column
	// Place is the place of the name; it has no file for an endpoint of a server.
	Place sqlq.Place
}

// Param is a parameter.
type Param struct {
	Name string
	Type sqlq.Type
	// Argument and GraphQLType are the name of the argument, and its scalar or enum.
	Argument, GraphQLType string
	Required              bool
	Default               []string `json:"defaults"`
	Allowed               []string
	// Values are the enum values of Allowed; empty for a scalar.
	Values   []string
	Fallback *string
	Pattern  string
	// Format is regex, or empty.
	Format    string
	MaxLength int
	MaxItems  int
	// Min and Max are empty for none.
	Min, Max string
	Scope    sqlq.Scope
	Place    sqlq.Place
}

// Column is a column, or a field of a STRUCT.
type Column struct {
	Name string
	Type sqlq.Type
	// Field and GraphQLType are the name of the GraphQL field, and its scalar or object type.
	Field, GraphQLType string
	Nullable           bool
	Fields             []Column
	Place              sqlq.Place
}

// EndpointOf returns what callers of a saved query rely on.
func EndpointOf(query *sqlq.SavedQuery) Endpoint {
	field := graph.NewField(query)
	endpoint := Endpoint{
		ID: query.ID.String(), Name: query.Name, Aliases: query.Aliases, Field: field.Name, Row: field.Row, MaxRows: query.MaxRows,
		Place: query.Place, Columns: columnsOf(field.Columns),
	}
	for _, argument := range field.Arguments {
		param := argument.Param
		values := make([]string, len(argument.Values))
		for i, value := range argument.Values {
			values[i] = value.Name
		}
		described := Param{
			Name: param.Name, Type: param.Type, Argument: argument.Name, GraphQLType: argument.Type,
			Required: param.Required, Default: param.Default, Allowed: param.Allowed, Values: values, Fallback: param.Fallback,
			Pattern: param.Pattern, MaxItems: param.MaxItems, Min: param.Min.String(), Max: param.Max.String(),
			Scope: param.Scope, Place: argument.Place(),
		}
		if param.Type.Element() == sqlq.String {
			described.MaxLength = param.MaxLength
		}
		if param.Regex {
			described.Format = "regex"
		}
		endpoint.Params = append(endpoint.Params, described)
	}
	return endpoint
}

func columnsOf(fields []graph.ColumnField) []Column {
	columns := make([]Column, len(fields))
	for i, field := range fields {
		columns[i] = Column{
			Name: field.Column.Name, Type: sqlq.Type(field.Column.TypeName()), Field: field.Name, GraphQLType: field.Type,
			Nullable: field.Column.Nullable, Fields: columnsOf(field.Fields), Place: field.Column.Place,
		}
	}
	return columns
}

// isFoundBy reports whether callers find the endpoint by a name or an id.
func (e *Endpoint) isFoundBy(nameOrID string) bool {
	if strings.EqualFold(e.ID, nameOrID) || e.Name == nameOrID {
		return true
	}
	for _, alias := range e.Aliases {
		if _, isID := sqlq.ParseID(alias); alias == nameOrID || isID && strings.EqualFold(alias, nameOrID) {
			return true
		}
	}
	return false
}
