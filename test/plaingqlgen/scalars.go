package plaingqlgen

import (
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// Time is an encoded timestamp. As input it is any string, because only sqlq parses
// timestamps (D11). As output it is what [graph.AppendTime] appends.
type Time string

var (
	_ graphql.Marshaler   = Time("")
	_ graphql.Unmarshaler = (*Time)(nil)
)

// MarshalGQL writes the timestamp as a JSON string.
func (t Time) MarshalGQL(w io.Writer) {
	graphql.MarshalString(string(t)).MarshalGQL(w)
}

// UnmarshalGQL accepts any string.
func (t *Time) UnmarshalGQL(value any) error {
	text, ok := value.(string)
	if !ok {
		return errors.New("a Time must be a string, such as \"2026-11-20T10:00:00Z\"")
	}
	*t = Time(text)
	return nil
}

// JSON is an encoded JSON value, which is written unchanged: without loss of digits in
// numbers or reordering of keys. Empty means null.
type JSON []byte

var (
	_ graphql.Marshaler   = JSON(nil)
	_ graphql.Unmarshaler = (*JSON)(nil)
)

// MarshalGQL writes the value. A write error means that the client disconnected.
func (j JSON) MarshalGQL(w io.Writer) {
	if len(j) == 0 {
		_, _ = io.WriteString(w, "null")
		return
	}
	_, _ = w.Write(j)
}

// UnmarshalGQL always returns an error: gqlgen requires the method, but no argument of the
// schema has the type.
func (*JSON) UnmarshalGQL(any) error {
	return errors.New("JSON is an output type only")
}
