package graph

import (
	"errors"
	"io"
	"time"

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

// AppendTime appends a time as RFC 3339 text in UTC, with a fraction of a second only as
// far as it needs one, and up to microseconds (D18).
func AppendTime(dst []byte, t time.Time) []byte {
	return t.UTC().Truncate(time.Microsecond).AppendFormat(dst, time.RFC3339Nano)
}

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
