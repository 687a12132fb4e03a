package graph

import (
	"cmp"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"savedq/sqlq"
	"savedq/sqlq/sandbox"
)

// Field is the field of the type Query that runs a saved query (D26).
type Field struct {
	Name  string
	Query *sqlq.SavedQuery
	// Row is the name of the type of its rows.
	Row       string
	Arguments []Argument
	Columns   []ColumnField
	// IsSandbox means that the field runs SQL of its caller (D40), with one object as its value.
	IsSandbox bool
}

// Argument is an argument of a field: a parameter of the saved query.
type Argument struct {
	Name  string
	Param *sqlq.Param
	// Type is a scalar or an enum, without the marks of lists and required arguments.
	Type string
	// Values are the values of the enum, in the order of the parameter's allowed values;
	// empty for a scalar.
	Values []EnumValue
	// Required reports whether the argument must be given.
	Required bool
}

// EnumValue is the name of one of a parameter's allowed values. As it is declared, Name is
// empty if it derives from Value.
type EnumValue struct {
	Name, Value, Description string
}

// ColumnField is a field of a row or of a nested object: a column of the saved query, or a
// field of a STRUCT.
type ColumnField struct {
	Name   string
	Column *sqlq.Column
	// Type is the name of a scalar or of an object type, without the marks of lists and
	// non-null fields.
	Type string
	// Fields are the fields of the object type; nil for a scalar.
	Fields []ColumnField
}

// NewField returns the field of a saved query, with the names that its folder declares.
func NewField(query *sqlq.SavedQuery) *Field {
	names, params := namesOf(query.Extension), query.Paged().Params
	field := &Field{
		Name:      cmp.Or(names.Name, fieldName(query.Name)),
		Row:       cmp.Or(names.Type, typeName(query.Name)+"Row"),
		Query:     query,
		Arguments: make([]Argument, len(params)),
	}
	field.Columns = newColumnFields(query.Columns, field.Row)
	for i := range params {
		field.Arguments[i] = newArgument(query, &params[i])
	}
	return field
}

// NewFields returns the fields of a saved query: its own, and one for callers' SQL if it has a sandbox.
func NewFields(query *sqlq.SavedQuery) []*Field {
	field := NewField(query)
	if !query.Sandboxed {
		return []*Field{field}
	}
	return []*Field{field, field.sandbox()}
}

// sandbox returns the field next to a saved query's own that runs SQL of its caller.
func (f *Field) sandbox() *Field {
	sql := sandbox.Declare(f.Query)
	sql.Required = true
	return &Field{
		Name: f.Name + "Sql", Query: f.Query, Row: sandboxResult, IsSandbox: true,
		Arguments: append([]Argument{newArgument(f.Query, sql)}, f.Arguments[:len(f.Query.Params)]...),
		Columns:   newColumnFields(sandboxColumns(), sandboxResult),
	}
}

// sandboxResult is the type of the value of a field for callers' SQL.
const sandboxResult = "SqlResult"

// sandboxColumns are the fields of [sandboxResult].
func sandboxColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "columns", Type: sqlq.ArrayOf(sqlq.Struct), Description: "Columns, in the order of the SELECT.", Fields: []sqlq.Column{
			{Name: "name", Type: sqlq.String, Description: "Name, which is the key in the rows."},
			{Name: "type", Type: sqlq.String, Description: "Type in GoogleSQL; JSON if nothing determines it."},
		}},
		{Name: "rows", Type: sqlq.ArrayOf(sqlq.JSON), Description: "Rows, each an object with the columns."},
		{Name: "truncated", Type: sqlq.Bool, Description: "Whether there are more rows than the endpoint returns."},
	}
}

// newColumnFields returns the fields of an object type. The object type of a STRUCT is named
// after its place (D28).
func newColumnFields(columns []sqlq.Column, object string) []ColumnField {
	fields := make([]ColumnField, len(columns))
	for i := range columns {
		column := &columns[i]
		names := namesOf(column.Extension)
		field := ColumnField{Name: cmp.Or(names.Name, CamelCase(column.Name)), Column: column}
		if innermost := column.Type.Innermost(); innermost == sqlq.Struct {
			field.Type = cmp.Or(names.Type, object+typeName(column.Name))
			field.Fields = newColumnFields(column.Fields, field.Type)
		} else {
			field.Type = cmp.Or(names.Type, scalarOf(innermost))
		}
		fields[i] = field
	}
	return fields
}

func newArgument(query *sqlq.SavedQuery, param *sqlq.Param) Argument {
	names := namesOf(param.Extension)
	argument := Argument{Name: cmp.Or(names.Name, CamelCase(param.Name)), Param: param, Type: scalarOf(param.Type.Element()), Required: param.Required}
	values, isEnum := enumValues(param, names.Values)
	if isEnum {
		argument.Type = cmp.Or(names.Type, typeName(query.Name)+typeName(param.Name))
		argument.Values = values
	}
	return argument
}

// Place is where the name of the argument comes from, for messages.
func (a *Argument) Place() sqlq.Place { return namesOf(a.Param.Extension).Place }

// enumValues returns the enum values for a parameter's allowed values, with their declared names. It reports whether
// there are any and all have valid names.
func enumValues(param *sqlq.Param, names []EnumValue) ([]EnumValue, bool) {
	if len(param.Allowed) == 0 || param.Type.Element() != sqlq.String {
		return nil, false
	}
	values := make([]EnumValue, len(param.Allowed))
	for i, allowed := range param.Allowed {
		values[i] = EnumValue{Name: enumValueName(allowed), Value: allowed}
		for _, declared := range names {
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

// scalarOf returns the scalar for values of a type (D13, D27, D42).
func scalarOf(columnType sqlq.Type) string {
	switch columnType { //nolint:exhaustive // The others are texts, or no scalars.
	case sqlq.Int64:
		return "Int64"
	case sqlq.Float64:
		return "Float"
	case sqlq.Numeric:
		return "Decimal"
	case sqlq.Bool:
		return "Boolean"
	case sqlq.Timestamp, sqlq.Datetime:
		return "Time"
	case sqlq.Date:
		return "Date"
	case sqlq.JSON:
		return "JSON"
	}
	return "String"
}

// Parameters returns the raw parameters of the saved query for the values of the field's
// arguments. It omits null arguments: null means the same as an absent parameter.
func (f *Field) Parameters(values map[string]any) map[string][]string {
	raw := make(map[string][]string, len(values))
	for i := range f.Arguments {
		if value := values[f.Arguments[i].Name]; value != nil {
			raw[f.Arguments[i].Param.Name] = f.Arguments[i].parameters(value)
		}
	}
	return raw
}

// NullArgument returns the name of a required argument whose value is null; empty if there
// is none. Validation accepts a nullable variable with a default for a non-null argument,
// but its value can still be null.
func (f *Field) NullArgument(values map[string]any) string {
	for _, argument := range f.Arguments {
		if argument.Required && values[argument.Name] == nil {
			return argument.Name
		}
	}
	return ""
}

// parameters returns the values of a list, or the single value, as encoded in a query string. gqlparser makes a slice of
// its type from a variable that is a single value for a list.
func (a *Argument) parameters(value any) []string {
	list := graphql.CoerceList(value)
	texts := make([]string, len(list))
	for i, element := range list {
		texts[i] = a.parameter(element)
	}
	return texts
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

// ArgumentOf returns the name of the argument for a parameter.
func (f *Field) ArgumentOf(param string) string {
	for _, argument := range f.Arguments {
		if argument.Param.Name == param {
			return argument.Name
		}
	}
	return param
}
