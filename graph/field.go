package graph

import (
	"cmp"
	"strconv"

	"savedq/sqlq"
)

// Field is the field of the type Query that runs a saved query (D26).
type Field struct {
	Name  string
	Query *sqlq.SavedQuery
	// Row is the name of the type of its rows.
	Row       string
	Arguments []Argument
	Columns   []ColumnField
}

// Argument is an argument of a field: a parameter of the saved query.
type Argument struct {
	Name  string
	Param *sqlq.Param
	// Type is a scalar or an enum, without the exclamation mark of required arguments.
	Type string
	// Values are the values of the enum, in the order of the parameter's allowed values;
	// empty for a scalar.
	Values []EnumValue
}

// EnumValue is the name of one of a parameter's allowed values.
type EnumValue struct {
	Name, Value, Description string
}

// ColumnField is a field of a row: a column of the saved query.
type ColumnField struct {
	Name   string
	Column *sqlq.Column
	// Type is a scalar, without the exclamation mark of non-null columns.
	Type string
}

// newField returns the field of a saved query, with the names that its folder declares.
func newField(query *sqlq.SavedQuery) *Field {
	field := &Field{
		Name:      cmp.Or(query.GraphQL.Name, fieldName(query.Name)),
		Row:       cmp.Or(query.GraphQL.Type, typeName(query.Name)+"Row"),
		Query:     query,
		Arguments: make([]Argument, len(query.Params)),
		Columns:   make([]ColumnField, len(query.Columns)),
	}
	for i := range query.Params {
		field.Arguments[i] = newArgument(query, &query.Params[i])
	}
	for i := range query.Columns {
		column := &query.Columns[i]
		field.Columns[i] = ColumnField{
			Name: cmp.Or(column.GraphQL.Name, CamelCase(column.Name)), Column: column,
			Type: cmp.Or(column.GraphQL.Type, scalarOf(column.Type)),
		}
	}
	return field
}

func newArgument(query *sqlq.SavedQuery, param *sqlq.Param) Argument {
	argument := Argument{Name: cmp.Or(param.GraphQL.Name, CamelCase(param.Name)), Param: param, Type: scalarOf(param.Type)}
	values, isEnum := enumValues(param)
	if isEnum {
		argument.Type = cmp.Or(param.GraphQL.Type, typeName(query.Name)+typeName(param.Name))
		argument.Values = values
	}
	return argument
}

// enumValues returns the enum values for a parameter's allowed values. It reports whether
// there are any and all have valid names.
func enumValues(param *sqlq.Param) ([]EnumValue, bool) {
	if len(param.Allowed) == 0 || param.Type != sqlq.String {
		return nil, false
	}
	values := make([]EnumValue, len(param.Allowed))
	for i, allowed := range param.Allowed {
		values[i] = EnumValue{Name: enumValueName(allowed), Value: allowed}
		for _, declared := range param.GraphQL.Values {
			if declared.Value == allowed {
				values[i].Name, values[i].Description = cmp.Or(declared.Name, values[i].Name), declared.Description
			}
		}
		if !isEnumValueName(values[i].Name) {
			return nil, false
		}
	}
	return values, true
}

// scalarOf returns the scalar for values of a type (D13, D27).
func scalarOf(columnType sqlq.Type) string {
	switch columnType {
	case sqlq.Int64:
		return "Int64"
	case sqlq.Float64:
		return "Float"
	case sqlq.Bool:
		return "Boolean"
	case sqlq.Timestamp, sqlq.Datetime:
		return "Time"
	case sqlq.Date:
		return "Date"
	case sqlq.JSON:
		return "JSON"
	case sqlq.String:
		return "String"
	}
	return "String"
}

// Parameters returns the raw parameters of the saved query for the values of the field's
// arguments. It omits null arguments: null means the same as an absent parameter.
func (f *Field) Parameters(values map[string]any) map[string][]string {
	raw := make(map[string][]string, len(values))
	for i := range f.Arguments {
		if value := values[f.Arguments[i].Name]; value != nil {
			raw[f.Arguments[i].Param.Name] = []string{f.Arguments[i].parameter(value)}
		}
	}
	return raw
}

// NullArgument returns the name of a required argument whose value is null; empty if there
// is none. Validation accepts a nullable variable with a default for a non-null argument,
// but its value can still be null.
func (f *Field) NullArgument(values map[string]any) string {
	for _, argument := range f.Arguments {
		if argument.Param.Required && values[argument.Name] == nil {
			return argument.Name
		}
	}
	return ""
}

// parameter returns a value as encoded in a query string. Callers must have validated the
// value against the type of the argument.
func (a *Argument) parameter(value any) string {
	switch value := value.(type) {
	case string:
		for _, declared := range a.Values {
			if declared.Name == value {
				return declared.Value
			}
		}
		return value
	case bool:
		return strconv.FormatBool(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case interface{ String() string }: // json.Number
		return value.String()
	}
	return ""
}

// ColumnName returns the name of the field of a column.
func (f *Field) ColumnName(column string) string {
	for _, field := range f.Columns {
		if field.Column.Name == column {
			return field.Name
		}
	}
	return column
}

// ArgumentOf returns the name of the argument for a parameter.
func (f *Field) ArgumentOf(param string) string {
	for _, argument := range f.Arguments {
		if argument.Param.Name == param {
			return argument.Name
		}
	}
	return param
}
