package googlesql

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq/googlesql/googlejson"
)

// newConstant returns a literal as a node. It fails for one that its type does not have.
func newConstant(x *literal) *constant {
	text := x.text
	switch x.kind {
	case nullKind:
	case boolKind:
		text = strings.ToLower(text)
	case int64Kind:
		if _, err := strconv.ParseInt(text, 0, 64); errors.Is(err, strconv.ErrRange) {
			fail(x.place, "%s is not an INT64, which is from -2^63 to 2^63-1; write a NUMERIC, as in NUMERIC '1'", text)
		}
	case float64Kind:
		if _, err := strconv.ParseFloat(text, 64); errors.Is(err, strconv.ErrRange) {
			fail(x.place, "%s is not a FLOAT64, which is less than 1.8e308", text)
		}
	case numericKind:
		return numericConstant(text, x.place, false)
	case stringKind, jsonKind:
		if strings.Contains(text, "\x00") {
			fail(x.place, "a string cannot hold the character of code 0")
		}
		if x.kind == jsonKind {
			parsed, err := googlejson.Parse(text)
			if err != nil {
				fail(x.place, "%s", err)
			}
			text = parsed
		}
	case bytesKind:
	default:
		text = literalTime(x)
	}
	return &constant{x.kind, text}
}

var timestampPattern = regexp.MustCompile(`^\s*(\d{4}-\d{1,2}-\d{1,2})(?:[ Tt](\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d{1,6})?))?\s*(Z|z|UTC|[+-]\d{1,2}(?::?\d{2})?|` + zonePattern + `)?\s*$`)

// literalTime returns the text of a constant date or time. Times with a zone are in UTC.
func literalTime(x *literal) string {
	if x.kind == timeKind {
		if _, err := time.Parse("15:4:5", strings.TrimSpace(x.text)); err != nil {
			fail(x.place, "%q is not a TIME such as '10:30:00'", x.text)
		}
		return strings.TrimSpace(x.text)
	}
	match := timestampPattern.FindStringSubmatch(x.text)
	if match == nil {
		fail(x.place, "%q is not a %s such as '2026-11-20%s'", x.text, scalar(x.kind), ifElse(x.kind == dateKind, "", " 10:30:00"))
	}
	if match[2] == "" {
		match[2] = "0:0:0"
	}
	parsed, err := time.Parse("2006-1-2 15:4:5", match[1]+" "+match[2])
	if err == nil && match[3] != "" && x.kind == timestampKind {
		parsed, err = inZone(parsed, match[3])
	}
	if err == nil && (parsed.Year() < 1 || parsed.Year() > 9999) {
		fail(x.place, "%q is outside the years 1 to 9999, which a %s has", x.text, scalar(x.kind))
	}
	if err != nil || match[3] != "" && x.kind != timestampKind {
		fail(x.place, "%q is not a %s", x.text, scalar(x.kind))
	}
	if x.kind == dateKind {
		return parsed.Format(time.DateOnly)
	}
	return parsed.Format("2006-01-02 15:04:05.999999")
}

// inZone returns a local time in UTC.
func inZone(local time.Time, zone string) (time.Time, error) {
	if strings.ContainsAny(zone[:1], "+-") {
		hours, minutes, found := strings.Cut(zone[1:], ":")
		if !found && len(hours) > 2 {
			hours, minutes = hours[:len(hours)-2], hours[len(hours)-2:]
		}
		offset, err := time.ParseDuration(hours + "h" + or(minutes, "0") + "m")
		if zone[0] == '+' {
			offset = -offset
		}
		return local.Add(offset), err
	}
	location, err := time.LoadLocation(strings.ToUpper(zone[:1]) + zone[1:])
	if zone == "Z" || zone == "z" {
		location, err = time.UTC, nil
	}
	if err != nil {
		return local, err
	}
	at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), location)
	// Of a time that the zone's clock shows twice, BigQuery takes the first, which is as far from UTC as 26 hours before. So is one
	// that the clock skips.
	_, offset := at.Add(-26 * time.Hour).Zone()
	first := local.Add(-time.Duration(offset) * time.Second)
	shows := func(at time.Time) bool { return at.In(location).Format(time.DateTime) == local.Format(time.DateTime) }
	if shows(first) || !shows(at) {
		return first, nil
	}
	return at.UTC(), nil
}
