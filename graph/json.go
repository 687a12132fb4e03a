package graph

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// MarshalJSON writes a JSON value as it is.
func MarshalJSON(value json.RawMessage) graphql.Marshaler {
	if len(value) == 0 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(value) })
}

// UnmarshalJSON is never called: no static field has an argument of this type.
func UnmarshalJSON(any) (json.RawMessage, error) {
	return nil, errors.New("a JSON value is output only")
}
