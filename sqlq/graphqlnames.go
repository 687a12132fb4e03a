package sqlq

// GraphQLNames is what the key graphql of a saved query, a parameter or a column
// declares. Empty names derive from the declaration that they belong to (D26).
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
	// Value is the allowed value; Name is empty if it derives from Value.
	Value, Name, Description string
}
