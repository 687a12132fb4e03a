package graph

import (
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// JSON is the bytes of a JSON value, which reach the caller as they are: numbers
// keep all their digits and objects the order of their keys. Empty means null.
type JSON []byte

var (
	_ graphql.Marshaler   = JSON(nil)
	_ graphql.Unmarshaler = (*JSON)(nil)
)

// MarshalGQL writes the value. A failing writer is a caller who has gone.
func (j JSON) MarshalGQL(w io.Writer) {
	if len(j) == 0 {
		_, _ = io.WriteString(w, "null")
		return
	}
	_, _ = w.Write(j)
}

// UnmarshalGQL refuses: gqlgen asks for the method, but no argument of the schema
// is of the type.
func (*JSON) UnmarshalGQL(any) error {
	return errors.New("JSON is a type of output alone")
}
