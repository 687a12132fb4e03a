package graph

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// AppendTime appends a time in RFC 3339 format in UTC, truncated to microseconds, without
// trailing zeros in the fraction (D18).
func AppendTime(dst []byte, t time.Time) []byte {
	return t.UTC().Truncate(time.Microsecond).AppendFormat(dst, time.RFC3339Nano)
}

// IsInt reports whether a number fits GraphQL's Int, which has 32 bits (GraphQL, section
// 3.5.1).
func IsInt(number int64) bool { return number >= math.MinInt32 && number <= math.MaxInt32 }

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
