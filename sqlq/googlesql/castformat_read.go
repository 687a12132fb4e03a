package googlesql

import (
	"regexp"
	"strings"
)

// timePart is what an element of a format sets of a time that is read.
type timePart string

const (
	yearPart       timePart = "year"
	monthPart      timePart = "month"
	dayPart        timePart = "day"
	hourPart       timePart = "hour"
	halfDayPart    timePart = "hour of 12"
	meridianPart   timePart = "A.M. or P.M."
	minutePart     timePart = "minute"
	secondPart     timePart = "second"
	daySecondPart  timePart = "second of the day"
	fractionPart   timePart = "fraction"
	zoneHourPart   timePart = "hour of the zone"
	zoneMinutePart timePart = "minute of the zone"
)

// readPart is an element of a format with the group of the pattern that it is.
type readPart struct {
	*formatElement
	group int
}

// timeReading is how a text is read by a format.
type timeReading struct {
	// pattern matches the text, with a group for each element.
	pattern string
	parts   map[timePart]readPart
}

// checkRead fails for a format that no time is read by.
func checkRead(format *literal, to *dataType) {
	newTimeReading(format, to)
}

// newTimeReading returns how texts are read by a format. It fails for one that sets a part twice, or leaves open which is meant.
func newTimeReading(format *literal, to *dataType) *timeReading {
	r := &timeReading{parts: make(map[timePart]readPart)}
	steps := formatSteps(format, to)
	var pattern strings.Builder
	for i, step := range steps {
		switch {
		case step.element != nil:
			r.add(*step.element, format)
			pattern.WriteString("(" + step.element.pattern(precedesDigits(steps[i+1:])) + ")")
		case step.text == " ":
			if i == 0 || steps[i-1].text != " " || steps[i-1].element != nil { // several are as one
				pattern.WriteString(`\s+`)
			}
		default:
			pattern.WriteString(regexp.QuoteMeta(step.text))
		}
	}
	r.pattern = `\s*` + pattern.String() + `\s*`
	r.check(format)
	return r
}

// add adds an element as the next group of the pattern.
func (r *timeReading) add(element formatElement, format *literal) {
	if element.part == "" {
		fail(format.place, "the element %s is for a time that becomes a STRING", element.name)
	}
	if before, isSet := r.parts[element.part]; isSet {
		fail(format.place, "the format of CAST sets the %s twice, with %s and %s", element.part, before.name, element.name)
	}
	r.parts[element.part] = readPart{&element, len(r.parts) + 1}
}

// check fails for elements that cannot stand together.
func (r *timeReading) check(format *literal) {
	for _, pair := range []struct{ a, b timePart }{
		{hourPart, halfDayPart},
		{hourPart, meridianPart},
		{daySecondPart, hourPart},
		{daySecondPart, halfDayPart},
		{daySecondPart, minutePart},
		{daySecondPart, secondPart},
	} {
		if r.has(pair.a) && r.has(pair.b) {
			fail(format.place, "the format of CAST has %s and %s, of which one is enough", r.parts[pair.a].name, r.parts[pair.b].name)
		}
	}
	if r.has(halfDayPart) != r.has(meridianPart) {
		fail(format.place, "the format of CAST needs HH12 with A.M. or P.M., or HH24 alone")
	}
}

func (r *timeReading) has(part timePart) bool {
	_, has := r.parts[part]
	return has
}

// precedesDigits reports whether what follows an element begins with a digit, so that the element has all of its own.
func precedesDigits(steps []formatStep) bool {
	switch {
	case len(steps) == 0:
		return false
	case steps[0].element != nil:
		return (steps[0].element.digits > 0 || steps[0].element.name == "Y,YYY") && steps[0].element.part != zoneHourPart
	case steps[0].text == "":
		return precedesDigits(steps[1:])
	}
	return steps[0].text[0] >= '0' && steps[0].text[0] <= '9'
}

// pattern matches the text of an element, which has all of its digits if others follow.
func (e formatElement) pattern(isExact bool) string {
	digits := "[0-9]{1," + itoa(e.digits) + "}"
	switch {
	case isExact:
		digits = "[0-9]{" + itoa(e.digits) + "}"
	case e.name == "YYYY" || e.name == "RRRR":
		digits = "[0-9]{1,5}"
	case e.part == fractionPart:
		digits = "[0-9]{1,9}"
	}
	switch {
	case e.name == "Y,YYY":
		return "[0-9]{1,2},[0-9]{3}"
	case e.name == "MONTH":
		return "(?i:" + strings.Join(monthsInCapitals(), "|") + ")"
	case e.name == "MON":
		return "(?i:" + strings.Join(each(monthsInCapitals(), func(_ int, name string) string { return name[:3] }), "|") + ")"
	case e.part == meridianPart:
		return `(?i:[AP]\.M\.)`
	case e.part == zoneHourPart:
		return "[-+ ]" + digits
	}
	return digits
}

func monthsInCapitals() []string {
	return []string{"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"}
}
