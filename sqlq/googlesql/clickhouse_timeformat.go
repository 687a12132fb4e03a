package googlesql

import (
	"regexp"
	"strconv"
	"strings"
)

// clickhouseElements are the elements of [timeElements] in the spelling of formatDateTime.
var clickhouseElements = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"%A": "%W", "%a": "%a", "%B": "%M", "%b": "%b", "%h": "%b", "%d": "%d", "%m": "%m", "%E4Y": "%Y", "%Y": "%Y", "%F": "%Y-%m-%d", "%y": "%y", "%j": "%j",
	"%D": "%m/%d/%y", "%x": "%m/%d/%y", "%V": "%V", "%G": "%G", "%u": "%u", "%w": "%w", "%H": "%H", "%I": "%I", "%M": "%i", "%S": "%S", "%p": "%p",
	"%T": "%H:%i:%S", "%X": "%H:%i:%S", "%R": "%H:%i", "%E0S": "%S", "%%": "%%", "%n": "\n", "%t": "\t",
}

// clickhouseComposed has the elements of [composed] in ClickHouse's SQL: {0} is the local time.
var clickhouseComposed = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"%U":   "leftPad(toString(intDiv(toDayOfYear({0}) + 6 - toDayOfWeek({0}) % 7, 7)), 2, '0')",
	"%W":   "leftPad(toString(intDiv(toDayOfYear({0}) + 7 - toDayOfWeek({0}), 7)), 2, '0')",
	"%e":   "leftPad(toString(toDayOfMonth({0})), 2, ' ')",
	"%C":   "leftPad(toString(intDiv(toYear({0}), 100)), 2, '0')",
	"%Q":   "toString(toQuarter({0}))",
	"%g":   "right(formatDateTime({0}, '%G'), 2)",
	"%k":   "leftPad(toString(toHour({0})), 2, ' ')",
	"%l":   "leftPad(toString((toHour({0}) + 11) % 12 + 1), 2, ' ')",
	"%P":   "lower(formatDateTime({0}, '%p'))",
	"%E*S": "replaceRegexpOne(formatDateTime({0}, '%S.%f'), '\\\\.?0*$', '')",
	"%E1S": "left(formatDateTime({0}, '%S.%f'), 4)", "%E2S": "left(formatDateTime({0}, '%S.%f'), 5)", "%E3S": "left(formatDateTime({0}, '%S.%f'), 6)",
	"%E4S": "left(formatDateTime({0}, '%S.%f'), 7)", "%E5S": "left(formatDateTime({0}, '%S.%f'), 8)", "%E6S": "formatDateTime({0}, '%S.%f')",
	"%c": "concat(formatDateTime({0}, '%a %b '), leftPad(toString(toDayOfMonth({0})), 2, ' '), formatDateTime({0}, ' %H:%i:%S %Y'))",
}

// formatTime writes a time by a format.
func (c *clickhouseCall) formatTime() clickhouseValue {
	utc := c.args[1].sql
	if len(c.args) < 3 {
		return c.value(c.formattedTime(utc, utc))
	}
	return c.value(c.p.let(c.p.toLocal(c.args[2], utc), func(local string) string { return c.formattedTime(utc, local) }))
}

// formattedTime writes a time, which is local in a zone.
func (c *clickhouseCall) formattedTime(utc, local string) string {
	var parts []string
	var run strings.Builder
	flush := func() {
		if run.Len() > 0 {
			parts = append(parts, "formatDateTime("+local+", "+clickhouseText(run.String())+")")
		}
		run.Reset()
	}
	for _, element := range splitElements(c.args[0].literal.text) {
		written, isElement := clickhouseElements[element]
		switch {
		case element[0] != '%':
			run.WriteString(element)
			continue
		case isElement:
			run.WriteString(written)
			continue
		}
		flush()
		switch element {
		case "%s":
			parts = append(parts, "toString("+floorOf(clickhouseMicros(utc), "1000000")+")")
		case "%z":
			parts = append(parts, c.p.offsetText(utc, local, "", false))
		case "%Ez":
			parts = append(parts, c.p.offsetText(utc, local, ":", false))
		case "%Z":
			parts = append(parts, "if("+local+" IS NULL, NULL, 'UTC')")
		default:
			parts = append(parts, strings.ReplaceAll(clickhouseComposed[element], "{0}", local))
		}
	}
	flush()
	switch len(parts) {
	case 0:
		return "if(" + utc + " IS NULL, NULL, '')"
	case 1:
		return parts[0]
	}
	return "concat(" + strings.Join(parts, ", ") + ")"
}

// splitElements splits a format into its elements and the characters between them, as [call.elements] does.
func splitElements(format string) []string {
	c := call{args: []value{{constant: &literal{text: format}}}}
	return c.elements()
}

// offsetText writes how far a local time is from UTC, as the function of its name does for DuckDB.
func (p *clickhousePrinter) offsetText(utc, local, colon string, isShort bool) string {
	return p.let("intDiv("+clickhouseMicros(local)+" - "+clickhouseMicros(utc)+", 60000000)", func(minutes string) string {
		rest := "concat('" + colon + "', leftPad(toString(abs(" + minutes + ") % 60), 2, '0'))"
		if isShort {
			rest = "if(" + minutes + " % 60 = 0, '', " + rest + ")"
		}
		return "concat(if(" + minutes + " < 0, '-', '+'), leftPad(toString(intDiv(abs(" + minutes + "), 60)), 2, '0'), " + rest + ")"
	})
}

// timeText is the text of a time, of a TIMESTAMP in a zone if one is given.
func (c *clickhouseCall) timeText() clickhouseValue {
	if len(c.args) < 2 {
		return c.value(c.p.castToText(c.args[0]))
	}
	utc := c.args[0].sql
	return c.value(c.p.let(c.p.toLocal(c.args[1], utc), func(local string) string {
		return "concat(" + clickhouseDatetimeText(local) + ", " + c.p.offsetText(utc, local, ":", true) + ")"
	}))
}

// clickhouseDatetimeText has as many digits of the second as it takes: none, three or six.
func clickhouseDatetimeText(of string) string {
	return "multiIf(" + clickhouseMicros(of) + " % 1000000 = 0, substring(toString(" + of + "), 1, 19), " + clickhouseMicros(of) + " % 1000 = 0, substring(toString(" + of + "), 1, 23), toString(" + of + "))"
}

// parsedTime are the parts of a time as expressions; empty for those that a format lacks.
type parsedTime struct {
	year, month, day, yearDay, hour, minute, second, micros, isAfternoon, offset string
	isHalfDay                                                                    bool
}

// build makes the time of the parts, and the condition of those that no time has.
func (t parsedTime) build(typ *dataType) (sql, outside string) {
	or0 := func(part, otherwise string) string { return ifElse(part == "", otherwise, part) }
	var conditions []string
	days := ""
	if !typ.is(timeKind) {
		year, month, day := or0(t.year, "1970"), or0(t.month, "1"), or0(t.day, "1")
		date := "makeDate32(" + year + ", " + month + ", " + day + ")"
		if t.year != "" {
			conditions = append(conditions, year+" < 1", year+" > 9999")
		}
		if t.month != "" {
			conditions = append(conditions, month+" < 1", month+" > 12")
		}
		if t.day != "" {
			conditions = append(conditions, day+" < 1", day+" > 31", year+" BETWEEN 1900 AND 2299 AND toDayOfMonth("+date+") != "+day)
		}
		days = "toInt64(toInt32(" + date + "))"
		if t.yearDay != "" {
			days = "(toInt64(toInt32(makeDate32(" + year + ", 1, 1))) + " + t.yearDay + " - 1)"
			conditions = append(conditions, t.yearDay+" < 1", t.yearDay+" > 366")
		}
	}
	hour := or0(t.hour, "0")
	if t.hour != "" {
		if t.isHalfDay {
			conditions = append(conditions, hour+" < 1", hour+" > 12")
		} else {
			conditions = append(conditions, hour+" > 23")
		}
	}
	if t.isHalfDay {
		hour += " % 12"
		if t.isAfternoon != "" {
			hour = "(" + hour + " + if(" + t.isAfternoon + ", 12, 0))"
		}
	}
	if t.minute != "" {
		conditions = append(conditions, t.minute+" > 59")
	}
	if t.second != "" {
		conditions = append(conditions, t.second+" > 59")
	}
	clock := "((" + hour + " * 60 + " + or0(t.minute, "0") + ") * 60 + " + or0(t.second, "0") + ") * 1000000 + " + or0(t.micros, "0")
	if t.hour == "" && t.minute == "" && t.second == "" && t.micros == "" {
		clock = ""
	}
	if t.offset != "" {
		clock = ifElse(clock == "", "0", clock) + " - " + t.offset + " * 60000000"
	}
	switch {
	case typ.is(dateKind):
		sql = "CAST(toInt32(" + days + ") AS Date32)"
	case typ.is(timeKind):
		sql = "fromUnixTimestamp64Micro(toInt64(" + ifElse(clock == "", "0", clock) + "), 'UTC')"
	default:
		sql = "fromUnixTimestamp64Micro(toInt64(" + days + " * " + clickhouseDayMicros + ifElse(clock == "", "", " + "+clock) + "), 'UTC')"
	}
	return sql, strings.Join(conditions, " OR ")
}

// clickhouseMonths are the months by their first three letters.
const clickhouseMonths = "['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']"

// Names of months and days in a text.
const (
	monthNames = `(?i:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)`
	dayNames   = `(?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun)`
)

// parseTime reads a time by a format.
func (c *clickhouseCall) parseTime() clickhouseValue {
	if c.args[0].isNull() {
		return c.value("CAST(NULL AS " + c.typ.clickhouse() + ")")
	}
	format := c.args[0].literal.text
	if format == "%s" && c.typ.is(timestampKind) {
		return c.value(c.p.timeOfMicros("toInt128(" + c.p.castFromText(c.args[1], scalar(int64Kind)) + ") * 1000000"))
	}
	var pattern strings.Builder
	var t parsedTime
	group := 0
	next := func(syntax string) string {
		pattern.WriteString("(" + syntax + ")")
		group++
		return groupOf(strconv.Itoa(group))
	}
	number := func(syntax string) string { return "toInt64OrZero(trimLeft(" + next(syntax) + "))" }
	var read func(elements []string)
	read = func(elements []string) {
		for _, element := range elements {
			if composite, ok := map[string]string{
				"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%X": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y", "%x": "%m/%d/%y", "%c": "%a %b %e %H:%M:%S %Y",
			}[element]; ok {
				read(splitElements(composite))
				continue
			}
			switch element {
			case "%Y", "%E4Y":
				t.year = number("[0-9]{1,4}")
			case "%y":
				n := number("[0-9]{1,2}")
				t.year = "(" + n + " + if(" + n + " < 69, 2000, 1900))"
			case "%m":
				t.month = number("[0-9]{1,2}")
			case "%b", "%B", "%h":
				t.month = "toInt64(indexOf(" + clickhouseMonths + ", lower(substring(" + next(monthNames) + ", 1, 3))))"
			case "%d", "%e":
				t.day = number(" ?[0-9]{1,2}")
			case "%j":
				t.yearDay = number("[0-9]{1,3}")
			case "%a", "%A":
				pattern.WriteString(dayNames)
			case "%H", "%k":
				t.hour = number(" ?[0-9]{1,2}")
			case "%I", "%l":
				t.hour, t.isHalfDay = number(" ?[0-9]{1,2}"), true
			case "%M":
				t.minute = number("[0-9]{1,2}")
			case "%S", "%E0S":
				t.second = number("[0-9]{1,2}")
			case "%E*S", "%E3S", "%E6S", "%E1S", "%E2S", "%E4S", "%E5S":
				t.second = number("[0-9]{1,2}")
				pattern.WriteString(`(?:\.`)
				t.micros = "toInt64OrZero(rightPad(substring(" + next("[0-9]+") + ", 1, 6), 6, '0'))"
				pattern.WriteString(")?")
			case "%p", "%P":
				t.isAfternoon = "lower(" + next("[aApP][mM]") + ") = 'pm'"
			case "%z", "%Ez":
				zone := next(`[+-][0-9]{1,2}(?::?[0-9]{2})?` + ifElse(element == "%Ez", "|[zZ]", ""))
				t.offset = clickhouseOffset(zone)
			case "%%":
				pattern.WriteString("%")
			case "%n", "%t", " ":
				pattern.WriteString(`\s*`)
			default:
				if element[0] == '%' {
					c.refuse("a format without " + element)
				}
				pattern.WriteString(regexp.QuoteMeta(element))
			}
		}
	}
	read(splitElements(format))
	return c.value(c.p.parsedTime(c.args[1].sql, `^\s*`+pattern.String()+`\s*\z`, group, t, c))
}

// clickhouseOffset is how many minutes the text of an offset is from UTC.
func clickhouseOffset(zone string) string {
	return "(if(startsWith(" + zone + ", '-'), -1, 1) * (toInt64OrZero(extract(" + zone + ", '^[+-]([0-9]{1,2})')) * 60 + toInt64OrZero(extract(" + zone + ", '^[+-][0-9]{1,2}:?([0-9]{2})$'))))"
}

// clickhouseGroups stands for the groups that a text is matched to, and groupOf is one of them.
const clickhouseGroups = letBegin + "groups" + letEnd

func groupOf(i string) string { return clickhouseGroups + "[" + i + "]" }

// parsedTime reads a text whose groups have the parts of a time.
func (p *clickhousePrinter) parsedTime(text, pattern string, count int, t parsedTime, c *clickhouseCall) string {
	if count == 0 {
		pattern = "(" + pattern + ")"
	}
	sql := p.let("extractGroups("+notNullJSON(text)+", "+clickhouseText(pattern)+")", func(groups string) string {
		return strings.ReplaceAll(p.timeOfGroups(text, t, c), clickhouseGroups, groups)
	})
	if len(c.args) > 2 && t.offset == "" {
		return p.fromLocal(c.args[2], sql)
	}
	return sql
}

// timeOfGroups is the time that the groups of a text have, as a value of the type that the call returns.
func (p *clickhousePrinter) timeOfGroups(text string, t parsedTime, c *clickhouseCall) string {
	const groups = clickhouseGroups
	sql, outside := t.build(ifElse(c.typ.is(timestampKind), scalar(datetimeKind), c.typ))
	isNo := text + " IS NOT NULL AND empty(" + groups + ")"
	if outside != "" {
		isNo += " OR notEmpty(" + groups + ") AND (" + outside + ")"
	}
	if t.year != "" {
		sql = p.always("notEmpty("+groups+") AND ("+t.year+" BETWEEN 1 AND 1899 OR "+t.year+" BETWEEN 2300 AND 9999)", outsideYears, sql)
	}
	return p.raiseIf(isNo, "a text does not match the format, or has a part that no "+c.typ.String()+" has", "if("+text+" IS NULL, NULL, "+sql+")")
}
