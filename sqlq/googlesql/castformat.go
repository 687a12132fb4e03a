package googlesql

import (
	"slices"
	"strconv"
	"strings"
)

// formatElement is an element of the format of a time in CAST … FORMAT.
type formatElement struct {
	name string
	// of is the type that a value must have a part of: DATE, TIME or, for time zones, TIMESTAMP.
	of kind
	// sql is a template of the value in {0}, and of its distance from UTC in minutes in {1}.
	sql string
	// hasLetters means that the result takes the letter case of the element: DAY, Day or day.
	hasLetters bool
	// part is what the element sets of a time that is read; empty if none is read of it.
	part timePart
	// digits are the most digits that are read; 0 if no number is.
	digits int
}

// formatElements returns the elements. An element that begins with another one is before it.
func formatElements() []formatElement {
	const fraction = "printf('%06d', microsecond({0}) % 1000000)"
	elements := []formatElement{
		{name: "YYYY", of: dateKind, sql: "printf('%04d', year({0}))", part: yearPart, digits: 4},
		{name: "YYY", of: dateKind, sql: "printf('%03d', year({0}) % 1000)", part: yearPart, digits: 3},
		{name: "YY", of: dateKind, sql: "printf('%02d', year({0}) % 100)", part: yearPart, digits: 2},
		{name: "Y,YYY", of: dateKind, part: yearPart},
		{name: "Y", of: dateKind, sql: "printf('%d', year({0}) % 10)", part: yearPart, digits: 1},
		{name: "RRRR", of: dateKind, sql: "printf('%04d', year({0}))", part: yearPart, digits: 4},
		{name: "RR", of: dateKind, sql: "printf('%02d', year({0}) % 100)", part: yearPart, digits: 2},
		{name: "MONTH", of: dateKind, sql: "monthname({0})", hasLetters: true, part: monthPart},
		{name: "MON", of: dateKind, sql: "left(monthname({0}), 3)", hasLetters: true, part: monthPart},
		{name: "MM", of: dateKind, sql: "printf('%02d', month({0}))", part: monthPart, digits: 2},
		{name: "MI", of: timeKind, sql: "printf('%02d', minute({0}))", part: minutePart, digits: 2},
		{name: "DAY", of: dateKind, sql: "dayname({0})", hasLetters: true},
		{name: "DY", of: dateKind, sql: "left(dayname({0}), 3)", hasLetters: true},
		{name: "DDD", of: dateKind, sql: "printf('%03d', dayofyear({0}))"},
		{name: "DD", of: dateKind, sql: "printf('%02d', day({0}))", part: dayPart, digits: 2},
		{name: "D", of: dateKind, sql: "printf('%d', dayofweek({0}) + 1)"},
		{name: "HH24", of: timeKind, sql: "printf('%02d', hour({0}))", part: hourPart, digits: 2},
		{name: "HH12", of: timeKind, sql: "printf('%02d', (hour({0}) + 11) % 12 + 1)", part: halfDayPart, digits: 2},
		{name: "HH", of: timeKind, sql: "printf('%02d', (hour({0}) + 11) % 12 + 1)", part: halfDayPart, digits: 2},
		{name: "SSSSS", of: timeKind, sql: "printf('%05d', hour({0}) * 3600 + minute({0}) * 60 + second({0}))", part: daySecondPart, digits: 5},
		{name: "SS", of: timeKind, sql: "printf('%02d', second({0}))", part: secondPart, digits: 2},
		{name: "A.M.", of: timeKind, sql: meridian("A.M.", "P.M."), hasLetters: true, part: meridianPart},
		{name: "P.M.", of: timeKind, sql: meridian("A.M.", "P.M."), hasLetters: true, part: meridianPart},
		{name: "AM", of: timeKind, sql: meridian("AM", "PM"), hasLetters: true},
		{name: "PM", of: timeKind, sql: meridian("AM", "PM"), hasLetters: true},
		{name: "TZH", of: timestampKind, sql: "printf('%s%02d', CASE WHEN {1} < 0 THEN '-' ELSE '+' END, abs({1}) // 60)", part: zoneHourPart, digits: 2},
		{name: "TZM", of: timestampKind, sql: "printf('%02d', abs({1}) % 60)", part: zoneMinutePart, digits: 2},
	}
	for digits := 1; digits <= 9; digits++ {
		elements = append(elements, formatElement{name: "FF" + itoa(digits), of: timeKind, sql: "rpad(left(" + fraction + ", " + itoa(digits) + "), " + itoa(digits) + ", '0')", part: fractionPart, digits: digits})
	}
	return elements
}

func meridian(morning, afternoon string) string {
	return "CASE WHEN hour({0}) < 12 THEN '" + morning + "' ELSE '" + afternoon + "' END"
}

// castFormat resolves CAST(x AS type FORMAT format).
func (r *resolver) castFormat(x *castExpr, s *scope) value {
	format, isConstant := x.format.(*literal)
	if !isConstant || format.kind != stringKind {
		fail(x.format.offset(), "the format of CAST must be a constant STRING")
	}
	of, to := r.expression(x.x, s), x.to.of()
	if of.typ.is(nullKind) {
		of = coerce(of, scalar(ifElse(to.is(stringKind), timestampKind, stringKind)))
	}
	isZoned := of.typ.is(timestampKind) && to.is(stringKind) || of.typ.is(stringKind) && to.is(timestampKind)
	if x.zone != nil && !isZoned {
		fail(x.zone.offset(), "AT TIME ZONE of CAST is for a TIMESTAMP that becomes a STRING, or the opposite")
	}
	node := &cast{at: x.place, of: of, to: to, safe: x.safe, format: format}
	if x.zone != nil {
		node.zone = coerce(r.expression(x.zone, s), scalar(stringKind))
		zoneOffset(node.zone)
	}
	switch {
	case to.is(stringKind) && of.typ.is(dateKind, datetimeKind, timeKind, timestampKind):
		for _, step := range formatSteps(format, of.typ) {
			if step.element != nil && step.element.sql == "" {
				fail(format.place, "the element %s is for a STRING that becomes a time", step.element.name)
			}
		}
	case to.is(stringKind) && of.typ.is(bytesKind):
		checkBytes(format, "HEX", "BASE16", "BASE64", "BASE2", "ASCII", "UTF8", "UTF-8")
	case to.is(bytesKind) && of.typ.is(stringKind):
		checkBytes(format, "HEX", "BASE16", "BASE64", "ASCII", "UTF8", "UTF-8")
	case of.typ.is(stringKind) && to.is(dateKind, datetimeKind, timeKind, timestampKind):
		checkRead(format, to)
	case to.is(stringKind) && of.typ.isNumeric():
		newNumberFormat(format)
	default:
		fail(x.format.offset(), "CAST of a value of type %s AS %s takes no FORMAT", of.typ, to)
	}
	return newValue(to, x.place, node, of)
}

// formatStep is an element of a format as it is written, or a text.
type formatStep struct {
	element *formatElement
	text    string
}

// formatSteps returns the steps of a format. It fails for one that values of a type do not take.
func formatSteps(format *literal, typ *dataType) []formatStep {
	var steps []formatStep
	elements := formatElements()
	upper := strings.Map(func(r rune) rune { return ifElse(r >= 'a' && r <= 'z', r-'a'+'A', r) }, format.text) // as long as the text
	for at := 0; at < len(format.text); {
		rest := format.text[at:]
		switch index := slices.IndexFunc(elements, func(e formatElement) bool { return strings.HasPrefix(upper[at:], e.name) }); {
		case index >= 0:
			element := &elements[index]
			element.check(format.place, typ)
			steps = append(steps, formatStep{element, rest[:len(element.name)]})
			at += len(element.name)
		case rest[0] == '"':
			quoted, length := quotedFormat(rest)
			if length == 0 {
				fail(format.place, "the text in the format has no end; close it with \"")
			}
			steps = append(steps, formatStep{text: quoted})
			at += length
		case strings.IndexByte("-./,';: ", rest[0]) >= 0:
			steps = append(steps, formatStep{text: rest[:1]})
			at++
		default:
			fail(format.place, "the format of CAST does not take %q; it takes YYYY, MM, MON, DD, DAY, HH24, HH12, MI, SS, FF1 to FF9, AM, TZH, TZM and others, and text in double quotes", rest)
		}
	}
	return steps
}

// check fails if values of a type have no such part.
func (e formatElement) check(at place, typ *dataType) {
	lacks := e.of == dateKind && typ.is(timeKind) || e.of == timeKind && typ.is(dateKind) || e.of == timestampKind && !typ.is(timestampKind)
	if lacks {
		fail(at, "the format of CAST has %s, which a %s does not have", e.name, typ)
	}
}

// quotedFormat returns a text in double quotes, and how long it is in the format; zero if it has no end.
func quotedFormat(format string) (text string, length int) {
	var out strings.Builder
	for i := 1; i < len(format); i++ {
		switch {
		case format[i] == '\\' && i+1 < len(format):
			i++
			out.WriteByte(format[i])
		case format[i] == '"':
			return out.String(), i + 1
		default:
			out.WriteByte(format[i])
		}
	}
	return "", 0
}

// checkBytes fails for a format of bytes that is none of several.
func checkBytes(format *literal, formats ...string) {
	if !slices.Contains(formats, strings.ToUpper(format.text)) {
		fail(format.place, "the format %s of bytes is not supported; there are HEX, BASE64, ASCII and UTF-8", strconv.Quote(format.text))
	}
}
