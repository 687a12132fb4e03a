package googlesql

import "strings"

// timeRead reads a text as a time by a format. What the format lacks is the year and the month of now, the first day, and 0.
func (p *printer) timeRead(n *cast, of, zone value) fragment {
	r := &duckdbTimeReading{newTimeReading(n.format, n.to), of, text("year(", toLocal(zone, plain(truncNow)), ")")}
	conditions := []fragment{text("regexp_full_match(", of, ", "+quoteText(r.pattern)+")")}
	for _, bounded := range []struct {
		part   timePart
		bounds string
	}{
		{monthPart, "1 AND 12"},
		{dayPart, "1 AND 31"},
		{hourPart, "0 AND 23"},
		{halfDayPart, "1 AND 12"},
		{minutePart, "0 AND 59"},
		{secondPart, "0 AND 59"},
		{daySecondPart, "0 AND 86399"},
		{zoneMinutePart, "0 AND 59"},
	} {
		if r.has(bounded.part) {
			conditions = append(conditions, text(r.number(bounded.part, ""), " BETWEEN "+bounded.bounds))
		}
	}
	if r.isZoned() {
		conditions = append(conditions, text("abs(", r.offset(), ") <= "+itoa(int(mostOffset.Minutes()))))
	}
	return text("CASE WHEN ", list(" AND ", conditions), " THEN ", r.time(n.to, zone), " WHEN ", of, " IS NOT NULL THEN ", raise("The text does not have the format"), " END")
}

// duckdbTimeReading writes the parts of a text.
type duckdbTimeReading struct {
	*timeReading
	of value
	// year is the current year.
	year fragment
}

// group is the text of a part.
func (r *duckdbTimeReading) group(part timePart) fragment {
	return text("regexp_extract(", r.of, ", "+quoteText("^"+r.pattern+"$")+", "+itoa(r.parts[part].group)+")")
}

// number is a part as a number; otherwise if the format does not have it. It is NULL for a text that does not have the format.
func (r *duckdbTimeReading) number(part timePart, otherwise string) fragment {
	if !r.has(part) {
		return plain(otherwise)
	}
	name, group := r.parts[part].name, r.group(part)
	integer := func(of fragment) fragment { return text("TRY_CAST(", of, " AS BIGINT)") }
	switch {
	case name == "Y,YYY":
		return integer(text("replace(", group, ", ',', '')"))
	case name == "MON" || name == "MONTH":
		names := each(monthsInCapitals(), func(_ int, month string) string { return month[:3] })
		return text("list_position(['"+strings.Join(names, "', '")+"'], left(upper(", group, "), 3))")
	case part == meridianPart:
		return text("CASE WHEN upper(left(", group, ", 1)) = 'P' THEN 12 ELSE 0 END")
	case part == zoneHourPart:
		return integer(text("substr(", group, ", 2)"))
	case part == fractionPart && r.parts[part].digits < 6:
		digits := itoa(r.parts[part].digits)
		return text("CAST(round(TRY_CAST('0.' || ", group, " AS DECIMAL(10, 9)), "+digits+") * 1000000 AS BIGINT)")
	case part == fractionPart:
		return integer(text("rpad(left(", group, ", 6), 6, '0')"))
	}
	return integer(group)
}

// yearOf is the year, of which the format can have the last digits.
func (r *duckdbTimeReading) yearOf() fragment {
	number := r.number(yearPart, "")
	switch part := r.parts[yearPart]; {
	case !r.has(yearPart):
		return r.year
	case part.name == "RR":
		return text("(", r.year, " // 100 * 100 + ", number, " + CASE WHEN ", number, " < 50 AND ", r.year, " % 100 >= 50 THEN 100 WHEN ", number, " >= 50 AND ", r.year, " % 100 < 50 THEN -100 ELSE 0 END)")
	case part.digits > 0 && part.digits < 4:
		power := "1" + strings.Repeat("0", part.digits)
		return text("(", r.year, " // "+power+" * "+power+" + ", number, ")")
	}
	return number
}

// time is the time that all parts make.
func (r *duckdbTimeReading) time(to *dataType, zone value) fragment {
	hour := r.number(hourPart, "0")
	if r.has(halfDayPart) {
		hour = text("(", r.number(halfDayPart, ""), " % 12 + ", r.number(meridianPart, ""), ")")
	}
	seconds := text("(", hour, " * 3600 + ", r.number(minutePart, "0"), " * 60 + ", r.number(secondPart, "0"), ")")
	if r.has(daySecondPart) {
		seconds = r.number(daySecondPart, "")
	}
	micros := text("(", seconds, " * 1000000 + ", r.number(fractionPart, "0"), ")")
	if to.is(timeKind) {
		return text("CASE WHEN ", micros, " < 86400000000 THEN CAST(TIMESTAMP '1970-01-01' + to_microseconds(", micros, ") AS TIME) ELSE ", raise("The TIME is outside a day"), " END")
	}
	month := r.number(monthPart, "")
	if !r.has(monthPart) {
		month = text("month(", toLocal(zone, plain(truncNow)), ")")
	}
	date := text("make_date(", r.yearOf(), ", ", month, ", ", r.number(dayPart, "1"), ")")
	if to.is(dateKind) {
		return inYears(date, to)
	}
	local := text("(", date, " + to_microseconds(", micros, "))")
	switch {
	case r.isZoned():
		local = text("(", local, " - to_minutes(", r.offset(), "))")
	case to.is(timestampKind):
		local = fromLocal(zone, local)
	}
	return inYears(local, to)
}

func (r *duckdbTimeReading) isZoned() bool { return r.has(zoneHourPart) || r.has(zoneMinutePart) }

// offset is how many minutes the zone in the text is from UTC.
func (r *duckdbTimeReading) offset() fragment {
	minutes := text("(", r.number(zoneHourPart, "0"), " * 60 + ", r.number(zoneMinutePart, "0"), ")")
	if !r.has(zoneHourPart) {
		return minutes
	}
	return text("CASE WHEN ", r.group(zoneHourPart), " LIKE '-%' THEN -", minutes, " ELSE ", minutes, " END")
}
