package graph

import "time"

// AppendTime appends a time in RFC 3339 format in UTC, truncated to microseconds, without
// trailing zeros in the fraction (D18).
func AppendTime(dst []byte, t time.Time) []byte {
	return t.UTC().Truncate(time.Microsecond).AppendFormat(dst, time.RFC3339Nano)
}
