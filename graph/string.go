package graph

import (
	"errors"

	"github.com/99designs/gqlgen/graphql"
)

// MarshalString writes a String.
func MarshalString(value string) graphql.Marshaler { return graphql.MarshalString(value) }

// UnmarshalString reads a String. It replaces gqlgen's function, which accepts numbers and
// booleans in variables, contrary to the specification of GraphQL.
func UnmarshalString(value any) (string, error) {
	text, ok := value.(string)
	if !ok {
		return "", errors.New("a String must be a string")
	}
	return text, nil
}
