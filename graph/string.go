package graph

import (
	"errors"

	"github.com/99designs/gqlgen/graphql"
)

// MarshalString writes a String.
func MarshalString(text string) graphql.Marshaler { return graphql.MarshalString(text) }

// UnmarshalString reads a String. gqlgen's own reads numbers and booleans in
// variables as text, which GraphQL does not allow.
func UnmarshalString(value any) (string, error) {
	text, ok := value.(string)
	if !ok {
		return "", errors.New("a String must be a string")
	}
	return text, nil
}
