package graph

import "time"

// AppendTime appends a time as RFC 3339 text in UTC, with a fraction of a second only as
// far as it needs one, and up to microseconds (D18).
func AppendTime(dst []byte, t time.Time) []byte {
	return t.UTC().Truncate(time.Microsecond).AppendFormat(dst, time.RFC3339Nano)
}
