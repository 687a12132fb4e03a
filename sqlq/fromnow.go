package sqlq

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// FromNow is a time relative to the time of a run, such as now-7d. The cache keeps an entry under the relative time,
// because the absolute one differs for each run.
type FromNow time.Duration

// relativePattern is the pattern of a relative time: now, or now and a number of units.
const relativePattern = `^now(?:([+-])([0-9]{1,6})([smhdw]))?$`

// isRelativeText reports whether a text is meant to be relative.
func isRelativeText(text string) bool { return len(text) >= len("now") && text[:len("now")] == "now" }

// ParseFromNow reads a relative time: now, now-7d or now+1h. The units are s, m, h, d (24
// hours) and w.
func ParseFromNow(text string) (FromNow, error) {
	parts := regexp.MustCompile(relativePattern).FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%s is not a time relative to now, such as now-7d; the units are s, m, h, d and w", Quote(text))
	}
	if parts[1] == "" {
		return 0, nil
	}
	const day = 24 * time.Hour
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": day, "w": 7 * day}
	number, err := strconv.ParseInt(parts[1]+parts[2], 10, 64)
	unit := units[parts[3]]
	if err != nil || math.Abs(float64(number)) > float64(math.MaxInt64/unit) {
		return 0, fmt.Errorf("%s is too far from now", Quote(text))
	}
	return FromNow(time.Duration(number) * unit), nil
}

// ParseTimestampAt reads a timestamp as [ParseTimestamp] does, or a time relative to now, such as now-7d.
func ParseTimestampAt(text string, now time.Time) (time.Time, error) {
	return parseAt(text, now, Timestamp, ParseTimestamp)
}

// ParseDateAt reads a day as [ParseDate] does, or the day of a time relative to now, such as now-7d. Days are in UTC.
func ParseDateAt(text string, now time.Time) (time.Time, error) {
	return parseAt(text, now, Date, ParseDate)
}

func parseAt(text string, now time.Time, paramType Type, parse func(string) (time.Time, error)) (time.Time, error) {
	if !isRelativeText(text) {
		return parse(text)
	}
	relative, err := parseFromNowOf(text)
	if err != nil {
		return time.Time{}, err
	}
	return relative.at(now.UTC(), paramType), nil
}

// parseFromNowOf reads a relative time of a caller. A "+" that a caller did not percent-encode arrives as a space.
func parseFromNowOf(text string) (FromNow, error) {
	return ParseFromNow(strings.Replace(text, " ", "+", 1))
}

// at returns the time for a run: a moment, or the day of that moment in UTC.
func (f FromNow) at(now time.Time, paramType Type) time.Time {
	moment := now.Add(time.Duration(f))
	if paramType == Date {
		return moment.Truncate(24 * time.Hour)
	}
	return moment
}

func isRelative(arg Arg) bool {
	_, ok := arg.Value.(FromNow)
	return ok
}
