package sqlq

import "strings"

// Type is the type of a parameter or of a column, in GoogleSQL's words on every engine. An
// ARRAY names the type of its elements, such as ARRAY<STRING> or ARRAY<STRUCT>.
type Type string

// The types that a column can have, besides arrays of them. JSON is any nested value. A
// parameter has one of [ParamTypes].
const (
	String  Type = "STRING"
	Int64   Type = "INT64"
	Float64 Type = "FLOAT64"
	// Numeric is an exact decimal number (D42). As a column it holds any number of digits, and so
	// BigQuery's BIGNUMERIC, too; as a parameter, those that every engine has.
	Numeric   Type = "NUMERIC"
	Bool      Type = "BOOL"
	Timestamp Type = "TIMESTAMP"
	Datetime  Type = "DATETIME"
	Date      Type = "DATE"
	JSON      Type = "JSON"
	// Struct is a row in a row; [Column.Fields] are its columns.
	Struct Type = "STRUCT"
)

// bigNumeric is the name of a NUMERIC with more digits; see [Column.Big].
const bigNumeric = "BIGNUMERIC"

// ParamTypes returns the types that a parameter can have, besides arrays of them.
func ParamTypes() []Type { return []Type{String, Int64, Float64, Numeric, Bool, Timestamp, Date} }

// AllParamTypes returns [ParamTypes] and the arrays of them.
func AllParamTypes() []Type {
	types := ParamTypes()
	for _, element := range types {
		types = append(types, ArrayOf(element))
	}
	return types
}

// ColumnTypes returns the types that a column can have, besides arrays of them.
func ColumnTypes() []Type {
	return []Type{String, Int64, Float64, Numeric, Bool, Timestamp, Datetime, Date, JSON, Struct}
}

// ParseType returns the type of a name. BIGNUMERIC is another name of NUMERIC, also in an array; see [Column.Big].
// The name of no type stays as it is.
func ParseType(name string) Type {
	before, isBig := strings.CutSuffix(strings.TrimRight(name, ">"), bigNumeric)
	if isBig && (before == "" || strings.HasSuffix(before, "<")) {
		name = before + string(Numeric) + name[len(before)+len(bigNumeric):]
	}
	return Type(name)
}

// ArrayOf returns the type of an array.
func ArrayOf(element Type) Type { return "ARRAY<" + element + ">" }

// IsArray reports whether the type is an array.
func (t Type) IsArray() bool {
	return strings.HasPrefix(string(t), "ARRAY<") && strings.HasSuffix(string(t), ">")
}

// Element returns the type of an array's elements, and any other type itself.
func (t Type) Element() Type {
	if !t.IsArray() {
		return t
	}
	return t[len("ARRAY<") : len(t)-len(">")]
}

// Innermost returns the type of the values in an array, and in the arrays in it.
func (t Type) Innermost() Type {
	for t.IsArray() {
		t = t.Element()
	}
	return t
}
