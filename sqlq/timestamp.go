package sqlq

import (
	"fmt"
	"strings"
	"time"
)

// ParseTimestamp reads an ISO 8601 timestamp as D11 defines it: a date, or a
// date and a time separated by T or a space; seconds and up to nine fraction
// digits are optional (cut to microseconds); the offset is Z, ±hh:mm, ±hhmm or
// ±hh, and none means UTC. A space in the place of the offset's sign is read as
// "+", because a "+" that a caller did not percent-encode arrives as a space.
// The result is in UTC, in the years 0001 to 9999.
func ParseTimestamp(text string) (time.Time, error) {
	timestamp, ok := parseTimestamp(text)
	if !ok {
		return time.Time{}, fmt.Errorf("%s is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z", Quote(text))
	}
	return timestamp, nil
}

// ParseDate reads a day as ISO 8601 text such as 2026-11-20, in the years 0001 to 9999. The
// result is its start in UTC.
func ParseDate(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1 {
		return time.Time{}, fmt.Errorf("%s is not a date; use for example 2026-11-20", Quote(text))
	}
	return day, nil
}

func parseTimestamp(text string) (time.Time, bool) {
	s := timestampScanner{rest: text, ok: true}
	year := s.number(4)
	s.expect("-")
	month := s.number(2)
	s.expect("-")
	day := s.number(2)
	var hour, minute, second, nanosecond, offset int
	if s.rest != "" {
		s.expect("T ")
		hour = s.number(2)
		s.expect(":")
		minute = s.number(2)
		if s.accept(":") {
			second = s.number(2)
			if s.accept(".") {
				nanosecond = s.fraction()
			}
		}
		offset = s.offset()
	}
	if !s.ok || s.rest != "" || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	local := time.Date(year, time.Month(month), day, hour, minute, second, nanosecond, time.UTC)
	if local.Month() != time.Month(month) || local.Day() != day {
		return time.Time{}, false // 30 February and the like were carried over
	}
	timestamp := local.Add(-time.Duration(offset) * time.Minute).Truncate(time.Microsecond)
	return timestamp, timestamp.Year() >= 1 && timestamp.Year() <= 9999
}

// timestampScanner parses a timestamp from left to right. After the first mismatch ok stays
// false.
type timestampScanner struct {
	rest string
	ok   bool
}

// number consumes exactly n digits.
func (s *timestampScanner) number(n int) int {
	if len(s.rest) < n {
		s.ok = false
		return 0
	}
	value := 0
	for _, digit := range []byte(s.rest[:n]) {
		if digit < '0' || digit > '9' {
			s.ok = false
			return 0
		}
		value = value*10 + int(digit-'0')
	}
	s.rest = s.rest[n:]
	return value
}

// accept consumes one byte if it is among the wanted ones.
func (s *timestampScanner) accept(wanted string) bool {
	if s.rest == "" || !strings.Contains(wanted, s.rest[:1]) {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *timestampScanner) expect(wanted string) {
	if !s.accept(wanted) {
		s.ok = false
	}
}

// fraction consumes one to nine digits and returns them as nanoseconds.
func (s *timestampScanner) fraction() int {
	digits := 0
	for digits < len(s.rest) && s.rest[digits] >= '0' && s.rest[digits] <= '9' {
		digits++
	}
	if digits < 1 || digits > 9 {
		s.ok = false
		return 0
	}
	value := s.number(digits)
	for ; digits < 9; digits++ {
		value *= 10
	}
	return value
}

// offset consumes the rest and returns it as minutes east of UTC.
func (s *timestampScanner) offset() int {
	if s.rest == "" || s.accept("Z") {
		return 0
	}
	sign := 1
	if s.accept("-") {
		sign = -1
	} else {
		s.expect("+ ")
	}
	hours, minutes := s.number(2), 0
	if s.rest != "" {
		s.accept(":")
		minutes = s.number(2)
	}
	if hours > 23 || minutes > 59 {
		s.ok = false
	}
	return sign * (hours*60 + minutes)
}
