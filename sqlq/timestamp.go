package sqlq

import (
	"cmp"
	"fmt"
	"regexp"
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

// EpochDay is a day as engines store a DATE: the number of days since 1970.
type EpochDay int32

const secondsInDay = 24 * 60 * 60

// EpochDayOf returns the day that starts at a time of [ParseDate].
func EpochDayOf(start time.Time) EpochDay {
	return EpochDay(start.Unix() / secondsInDay) //nolint:gosec // The years 1 to 9999 fit.
}

// Time returns the start of the day in UTC.
func (d EpochDay) Time() time.Time { return time.Unix(int64(d)*secondsInDay, 0).UTC() }

// timestampForm is what D11 allows: a date, hours and minutes, seconds, and the hours and minutes of an
// offset.
var timestampForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(?:Z|([+ -](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?$`)

func parseTimestamp(text string) (time.Time, bool) {
	if !isUsual(text) {
		parts := timestampForm.FindStringSubmatch(text)
		if parts == nil {
			return time.Time{}, false
		}
		offset := "Z"
		if parts[4] != "" {
			offset = strings.Replace(parts[4], " ", "+", 1) + ":" + cmp.Or(parts[5], "00")
		}
		text = parts[1] + "T" + cmp.Or(parts[2], "00:00") + cmp.Or(parts[3], ":00") + offset
	}
	parsed, err := time.Parse(time.RFC3339, text)
	parsed = parsed.UTC().Truncate(time.Microsecond)
	return parsed, err == nil && parsed.Year() >= 1 && parsed.Year() <= 9999
}

// isUsual reports whether RFC 3339 decides about a text as D11 does. The time package also parses hours
// of one digit, commas, longer fractions, and some offsets that do not exist.
func isUsual(text string) bool {
	const shortest, longest = len("2006-01-02T15:04:05Z"), len("2006-01-02T15:04:05.999999999Z")
	return len(text) >= shortest && len(text) <= longest && text[shortest-10] == 'T' && text[shortest-7] == ':' && text[len(text)-1] == 'Z' && !strings.Contains(text, ",")
}
