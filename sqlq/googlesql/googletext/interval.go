package googletext

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Interval is an INTERVAL. Its parts have signs of their own.
type Interval struct{ Months, Days, Micros int64 }

// The most that the parts of an INTERVAL have: 10,000 years.
const (
	mostMonths = 10_000 * 12
	mostDays   = 10_000 * 366
	mostMicros = mostDays * 24 * 3600 * 1_000_000
)

var (
	errInterval = errors.New("a text is no INTERVAL, such as '1-2 3 4:5:6' or 'P1Y2M3DT4H5M6S'")
	errRange    = errors.New("an INTERVAL has at most 10000 years in each part")
)

// intervalUnits are the parts of intervals in their order.
var intervalUnits = []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"} //nolint:gochecknoglobals // It is constant.

// patternOf returns the pattern of an interval that has the parts from one to another: years and months with a dash between
// them, days, and a time of hours, minutes and seconds.
func patternOf(from, to string) (pattern string, units []string) {
	const signed, number = `([+-]?)(\d{1,9})`, `(\d{1,18})`
	first, last := slices.Index(intervalUnits, from), slices.Index(intervalUnits, to)
	units = intervalUnits[first : last+1]
	parts := []string{"^"}
	for i, unit := range units {
		switch {
		case i == 0:
			parts = append(parts, signed)
		case unit == "DAY", unit == "HOUR":
			parts = append(parts, " ", signed)
		case unit == "MONTH":
			parts = append(parts, "-", number)
		default:
			parts = append(parts, ":", number)
		}
	}
	if to == "SECOND" {
		parts = append(parts, `(?:[.,](\d{1,6}))?`)
	}
	return strings.Join(parts, "") + "$", units
}

// ParseIntervalParts reads an interval that has the parts from one to another, as from YEAR to SECOND.
func ParseIntervalParts(text, from, to string) (Interval, error) {
	if first, last := slices.Index(intervalUnits, from), slices.Index(intervalUnits, to); first < 0 || last <= first {
		return Interval{}, errors.New("an INTERVAL is not from " + from + " to " + to)
	}
	pattern, units := patternOf(from, to)
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if match == nil {
		return Interval{}, errInterval
	}
	var of Interval
	match = match[1:]
	sign := int64(1)
	for i, unit := range units {
		if i == 0 || unit == "DAY" || unit == "HOUR" {
			sign = 1
			if match[0] == "-" {
				sign = -1
			}
			match = match[1:]
		}
		if err := of.add(unit, match[0], sign); err != nil {
			return Interval{}, err
		}
		match = match[1:]
	}
	if len(match) > 0 && match[0] != "" {
		fraction, _ := strconv.ParseInt((match[0] + "000000")[:6], 10, 64) // digits only
		of.Micros += sign * fraction
	}
	return of.inRange()
}

// add adds n of a unit.
func (i *Interval) add(unit, digits string, sign int64) error {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > mostMicros/1_000_000 {
		return errRange
	}
	n *= sign
	switch unit {
	case "YEAR":
		i.Months += 12 * n
	case "MONTH":
		i.Months += n
	case "WEEK":
		i.Days += 7 * n
	case "DAY":
		i.Days += n
	default:
		seconds := map[string]int64{"HOUR": 3600, "MINUTE": 60, "SECOND": 1}[unit]
		if max(n, -n) > mostMicros/1_000_000/seconds {
			return errRange
		}
		i.Micros += n * seconds * 1_000_000
	}
	return nil
}

func (i Interval) inRange() (Interval, error) {
	if max(i.Months, -i.Months) > mostMonths || max(i.Days, -i.Days) > mostDays || max(i.Micros, -i.Micros) > mostMicros {
		return Interval{}, errRange
	}
	return i, nil
}

// isoInterval is an interval as ISO 8601 has it.
var isoInterval = regexp.MustCompile(`^P((?:-?\d+[YMWD])*)(?:T((?:-?\d+(?:[.,]\d{1,6})?[HMS])+))?$`)

var isoPart = regexp.MustCompile(`(-?)(\d+)(?:[.,](\d+))?([YMWDHS])`)

// ParseInterval reads an interval as CAST does. What its parts are must be clear from the dashes and colons between them.
func ParseInterval(text string) (Interval, error) {
	if match := isoInterval.FindStringSubmatch(text); match != nil && text != "P" {
		return parseISO(match[1], match[2])
	}
	for _, parts := range []struct{ from, to string }{
		{"YEAR", "SECOND"},
		{"YEAR", "MINUTE"},
		{"YEAR", "HOUR"},
		{"YEAR", "DAY"},
		{"YEAR", "MONTH"},
		{"MONTH", "SECOND"},
		{"MONTH", "MINUTE"},
		{"MONTH", "HOUR"},
		{"DAY", "SECOND"},
		{"DAY", "MINUTE"},
		{"HOUR", "SECOND"},
	} {
		if of, err := ParseIntervalParts(text, parts.from, parts.to); !errors.Is(err, errInterval) {
			return of, err
		}
	}
	return Interval{}, errInterval
}

func parseISO(date, clock string) (Interval, error) {
	var of Interval
	for i, half := range []string{date, clock} {
		units := map[string]string{"Y": "YEAR", "M": "MONTH", "W": "WEEK", "D": "DAY"}
		if i == 1 {
			units = map[string]string{"H": "HOUR", "M": "MINUTE", "S": "SECOND"}
		}
		for _, part := range isoPart.FindAllStringSubmatch(half, -1) {
			sign := int64(1)
			if part[1] == "-" {
				sign = -1
			}
			if part[3] != "" && part[4] != "S" {
				return Interval{}, errInterval
			}
			if err := of.add(units[part[4]], part[2], sign); err != nil {
				return Interval{}, err
			}
			if part[3] != "" {
				fraction, _ := strconv.ParseInt((part[3] + strings.Repeat("0", 6))[:6], 10, 64) // digits only
				of.Micros += sign * fraction
			}
		}
	}
	return of.inRange()
}
