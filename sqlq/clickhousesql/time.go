package clickhousesql

import (
	"strconv"
	"strings"
	"time"
)

// timeConstant returns a constant string as a time, as ClickHouse reads it.
func (r *resolver) timeConstant(v *value, to *dataType) *value {
	moment, ok := readTime(v.text)
	if !ok {
		fail(v.place, "'%s' is no time; write one such as '2026-11-20 10:00:00', or parseDateTimeBestEffort('2026-11-20T10:00:00Z')", v.text)
	}
	return r.moment(v.place, moment, to)
}

// moment is a constant time.
func (r *resolver) moment(at place, moment time.Time, to *dataType) *value {
	switch {
	case to.kind == dateKind:
		moment = moment.Truncate(24 * time.Hour)
	case to.scale == wholeSeconds:
		moment = moment.Truncate(time.Second)
	case to.scale < 6:
		moment = moment.Truncate(time.Duration(pow10(9 - to.scale)))
	default:
		moment = moment.Truncate(time.Microsecond)
	}
	return r.intern(&value{place: at, kind: constantValue, typ: to.notNull(), text: moment.Format("2006-01-02 15:04:05.000000"), isConstant: true})
}

func pow10(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// readTime reads a time as ClickHouse reads a string as a DateTime64: a day, perhaps with a time and a fraction, or the seconds
// since 1970.
func readTime(text string) (time.Time, bool) {
	text = strings.TrimSuffix(text, "Z")
	for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"} {
		if moment, err := time.Parse(layout, text); err == nil {
			return inRange(moment)
		}
	}
	if len(text) >= 5 && len(text) <= 10 {
		if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
			return inRange(time.Unix(seconds, 0).UTC())
		}
	}
	return time.Time{}, false
}

func inRange(moment time.Time) (time.Time, bool) {
	return moment, moment.Year() >= 1900 && moment.Year() < 2300
}

// readBestEffort reads a time in more ways, as parseDateTimeBestEffort does.
func readBestEffort(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if moment, ok := readTime(text); ok {
		return moment, true
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999-07", "2006-01-02T15:04:05.999999999-0700",
		"2006-01-02 15:04:05.999999999 MST", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.RFC1123, time.RFC1123Z, "2006/01/02 15:04:05", "2006/01/02", "2 Jan 2006 15:04:05", "20060102150405", "20060102",
	} {
		if moment, err := time.Parse(layout, text); err == nil {
			return inRange(moment.UTC())
		}
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil {
		switch len(text) {
		case 13:
			return inRange(time.UnixMilli(number).UTC())
		case 16:
			return inRange(time.UnixMicro(number).UTC())
		case 9, 10:
			return inRange(time.Unix(number, 0).UTC())
		}
	}
	return time.Time{}, false
}
