package googlesql

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// zoneOffset returns how far a constant time zone is from UTC, if it is an offset such as +02:00, or UTC. It fails
// for a name that is no zone.
func zoneOffset(zone value) (time.Duration, bool) {
	if zone.constant == nil || zone.constant.kind == nullKind {
		return 0, false
	}
	written := zone.constant.text
	if written == "" {
		fail(zone.at, "a time zone is missing")
	}
	if offset, isOffset := parseOffset(written); isOffset {
		if offset.Abs() > mostOffset {
			fail(zone.at, "%q is no time zone: an offset is at most 14 hours", written)
		}
		return offset, true
	}
	if _, err := inZone(time.Unix(0, 0).UTC(), written); err != nil || strings.EqualFold(written, "Z") || strings.ContainsAny(written[:1], "+-") {
		fail(zone.at, "%q is no time zone, such as Europe/Berlin or +02:00", written)
	}
	return 0, strings.EqualFold(written, "UTC")
}

// mostOffset is how far a time zone is from UTC at most.
const mostOffset = 14 * time.Hour

// Offsets are +5, +05, +5:30, +05:30 or +0530, also with UTC before them. minutesPattern matches the minutes.
const (
	zonePrefix     = `^(?:UTC)?[+-]`
	offsetSyntax   = `(?:UTC)?[+-](?:[0-9]{2}(?::?[0-9]{1,2})?|[0-9](?::[0-9]{1,2})?)`
	hoursPattern   = zonePrefix + `([0-9]{1,2})`
	minutesPattern = zonePrefix + `(?:[0-9]{2}:?|[0-9]:)([0-9]{1,2})$`
)

var (
	offsetRegexp  = regexp.MustCompile("^" + offsetSyntax + "$")
	hoursRegexp   = regexp.MustCompile(hoursPattern)
	minutesRegexp = regexp.MustCompile(minutesPattern)
)

// parseOffset returns how far an offset is from UTC, and reports whether a text is one.
func parseOffset(written string) (time.Duration, bool) {
	if !offsetRegexp.MatchString(written) {
		return 0, false
	}
	hours, _ := strconv.Atoi(hoursRegexp.FindStringSubmatch(written)[1])
	minutes := 0
	if match := minutesRegexp.FindStringSubmatch(written); match != nil {
		minutes, _ = strconv.Atoi(match[1])
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if strings.Contains(written, "-") {
		return -offset, true
	}
	return offset, true
}

// checkZone fails if the last argument is a constant that is no time zone.
func checkZone(c *call) { zoneOffset(c.args[len(c.args)-1]) }
