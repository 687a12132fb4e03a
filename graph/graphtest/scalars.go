package graphtest

import (
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// Time is the text of a point in time. As input it is whatever text the caller
// wrote, because sqlq is the one place that reads timestamps (D11); as output it
// is what [AppendTime] appends.
type Time string

var (
	_ graphql.Marshaler   = Time("")
	_ graphql.Unmarshaler = (*Time)(nil)
)

// MarshalGQL writes the text as a JSON string.
func (t Time) MarshalGQL(w io.Writer) {
	graphql.MarshalString(string(t)).MarshalGQL(w)
}

// UnmarshalGQL takes any text over; what is no text is refused.
func (t *Time) UnmarshalGQL(value any) error {
	text, ok := value.(string)
	if !ok {
		return errors.New("a Time must be a string, such as \"2026-11-20T10:00:00Z\"")
	}
	*t = Time(text)
	return nil
}

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
