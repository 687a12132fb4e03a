package googlesql

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func timeFunctions() []function {
	functions := []function{
		{name: "CURRENT_TIMESTAMP", result: "TIMESTAMP", duckdb: form{sql: "CAST($now AS TIMESTAMP)"}, note: "@now (D1)"},
		{name: "CURRENT_DATETIME", result: "DATETIME", duckdb: form{sql: "CAST($now AS TIMESTAMP)"}, note: "@now (D1)"},
		{name: "CURRENT_DATE", result: "DATE", duckdb: form{sql: "CAST(CAST($now AS TIMESTAMP) AS DATE)"}, note: "@now (D1)"},
		{name: "CURRENT_TIME", result: "TIME", duckdb: form{sql: "CAST(CAST($now AS TIMESTAMP) AS TIME)"}, note: "@now (D1)"},
		{name: "CURRENT_DATETIME", params: "STRING", result: "DATETIME", check: checkZone, duckdb: form{by: currentIn}},
		{name: "CURRENT_DATE", params: "STRING", result: "DATE", check: checkZone, duckdb: form{by: currentIn}},
		{name: "CURRENT_TIME", params: "STRING", result: "TIME", check: checkZone, duckdb: form{by: currentIn}},
		{name: "TIMESTAMP", params: "TIMESTAMP | DATETIME", result: "TIMESTAMP", duckdb: form{sql: "{0}"}},
		{name: "TIMESTAMP", params: "DATE", result: "TIMESTAMP", duckdb: form{sql: "CAST({0} AS TIMESTAMP)"}},
		{name: "TIMESTAMP", params: "STRING", result: "TIMESTAMP", duckdb: form{by: timeFromText}},
		{name: "TIMESTAMP", params: "DATETIME, STRING | DATE, STRING | STRING, STRING", result: "TIMESTAMP", check: checkZone, duckdb: form{by: fromZone}},
		{name: "DATETIME", params: "TIMESTAMP", result: "DATETIME", duckdb: form{sql: "{0}"}},
		{name: "DATETIME", params: "STRING", result: "DATETIME", duckdb: form{by: timeFromText}},
		{name: "DATETIME", params: "TIMESTAMP, STRING", result: "DATETIME", check: checkZone, duckdb: form{by: localTime}},
		{name: "DATETIME", params: "DATE", result: "DATETIME", duckdb: form{sql: "CAST({0} AS TIMESTAMP)"}},
		{name: "DATETIME", params: "DATE, TIME", result: "DATETIME", duckdb: form{sql: "({0} + {1})"}},
		{name: "DATETIME", params: "INT64, INT64, INT64, INT64, INT64, INT64", result: "DATETIME", duckdb: made("make_timestamp({0}, {1}, {2}, {3}, {4}, CAST({5} AS DOUBLE))")},
		{name: "DATE", params: "DATE", result: "DATE", duckdb: form{sql: "{0}"}},
		{name: "DATE", params: "TIMESTAMP | DATETIME", result: "DATE", duckdb: form{sql: "CAST({0} AS DATE)"}},
		{name: "DATE", params: "STRING", result: "DATE", duckdb: form{by: dateFromText}},
		{name: "DATE", params: "TIMESTAMP, STRING", result: "DATE", check: checkZone, duckdb: form{by: localTime}},
		{name: "DATE", params: "INT64, INT64, INT64", result: "DATE", duckdb: made("make_date({0}, {1}, {2})")},
		{name: "TIME", params: "TIME", result: "TIME", duckdb: form{sql: "{0}"}},
		{name: "TIME", params: "TIMESTAMP | DATETIME", result: "TIME", duckdb: form{sql: "CAST({0} AS TIME)"}},
		{name: "TIME", params: "TIMESTAMP, STRING", result: "TIME", check: checkZone, duckdb: form{by: localTime}},
		{name: "TIME", params: "INT64, INT64, INT64", result: "TIME", duckdb: form{sql: "CASE WHEN {0} = 24 THEN {!An hour is from 0 to 23} ELSE make_time({0}, {1}, CAST({2} AS DOUBLE)) END"}},
		{name: "STRING", params: "TIMESTAMP | DATE | DATETIME | TIME | TIMESTAMP, STRING", result: "STRING", check: checkTextZone, duckdb: form{by: timeText}},
		{name: "UNIX_SECONDS", params: "TIMESTAMP", result: "INT64", duckdb: form{sql: "(epoch_us(date_trunc('second', {0})) // 1000000)"}},
		{name: "UNIX_MILLIS", params: "TIMESTAMP", result: "INT64", duckdb: form{sql: "(epoch_us(date_trunc('millisecond', {0})) // 1000)"}},
		{name: "UNIX_MICROS", params: "TIMESTAMP", result: "INT64", duckdb: form{sql: "epoch_us({0})"}},
		{name: "UNIX_DATE", params: "DATE", result: "INT64", duckdb: form{sql: "date_diff('day', DATE '1970-01-01', {0})"}},
		{name: "DATE_FROM_UNIX_DATE", params: "INT64", result: "DATE", duckdb: made("(DATE '1970-01-01' + CAST({0} AS INTEGER))")},
		{name: "TIMESTAMP_SECONDS", params: "INT64", result: "TIMESTAMP", duckdb: form{sql: sinceEpoch("SECONDS", 1_000_000)}},
		{name: "TIMESTAMP_MILLIS", params: "INT64", result: "TIMESTAMP", duckdb: form{sql: sinceEpoch("MILLIS", 1_000)}},
		{name: "TIMESTAMP_MICROS", params: "INT64", result: "TIMESTAMP", duckdb: form{sql: sinceEpoch("MICROS", 1)}},
		{name: "LAST_DAY", params: "DATE | DATE, PART | DATETIME | DATETIME, PART", result: "DATE", check: checkLastDay, duckdb: form{by: lastDay}},
		{name: "TIMESTAMP_BUCKET", params: "TIMESTAMP, INTERVAL", result: "TIMESTAMP", duckdb: made("time_bucket({1}, {0}, TIMESTAMP '1950-01-01')")},
		{name: "DATETIME_BUCKET", params: "DATETIME, INTERVAL", result: "DATETIME", duckdb: made("time_bucket({1}, {0}, TIMESTAMP '1950-01-01')")},
		{name: "DATE_BUCKET", params: "DATE, INTERVAL", result: "DATE", duckdb: made("CAST(time_bucket({1}, {0}, DATE '1950-01-01') AS DATE)")},
		{name: truncArrayName, params: "INT64, STRING", result: "ARRAY<TIMESTAMP>", check: checkTruncArray, duckdb: form{sql: truncArray}, size: sizeOf("8 * CAST({0} AS DOUBLE) * epoch(" + truncBack + ") / epoch(" + truncStep + ")"), note: "Logflare's helper, under any dataset (D2)"},
	}
	for _, typ := range []string{"TIMESTAMP", "DATETIME", "DATE", "TIME"} {
		functions = append(functions,
			function{name: typ + "_TRUNC", params: typ + ", PART", result: typ, check: checkTruncate, duckdb: form{by: truncate}},
			function{name: typ + "_ADD", params: typ + ", INTERVAL", result: typ, duckdb: form{by: shift}},
			function{name: typ + "_SUB", params: typ + ", INTERVAL", result: typ, duckdb: form{by: shift}},
			function{name: typ + "_DIFF", params: typ + ", " + typ + ", PART", result: "INT64", check: checkDifference, duckdb: form{by: difference}},
			function{name: "FORMAT_" + typ, params: "STRING, " + typ, result: "STRING", check: checkTimeFormat, duckdb: form{by: formatTime}},
			function{name: "PARSE_" + typ, params: "STRING, STRING", result: typ, check: checkTimeToParse, duckdb: form{by: parseTime}})
	}
	return append(functions,
		function{name: "DATE_TRUNC", params: "DATETIME, PART | TIMESTAMP, PART", result: "DATETIME | TIMESTAMP", check: checkTruncate, duckdb: form{by: truncate}},
		function{name: "FORMAT_TIMESTAMP", params: "STRING, TIMESTAMP, STRING", result: "STRING", check: checkTimeFormat, duckdb: form{by: formatTime}},
		function{name: "PARSE_TIMESTAMP", params: "STRING, STRING, STRING", result: "TIMESTAMP", check: checkTimeToParse, duckdb: form{by: parseTime}},
		function{name: "TIMESTAMP_TRUNC", params: "TIMESTAMP, PART, STRING", result: "TIMESTAMP", check: checkTruncate, duckdb: form{by: truncate}})
}

// sinceEpoch makes a time of a number of units since 1970. A time that no TIMESTAMP has is an error: milliseconds that are
// taken for seconds would else be a time in the year 55000.
func sinceEpoch(unit string, micros int64) string {
	least := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / micros
	most := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / micros
	return fmt.Sprintf("CASE WHEN {0} >= %d AND {0} < %d THEN make_timestamp({0} * %d)", least, most, micros) +
		" WHEN {0} IS NOT NULL THEN {!TIMESTAMP_" + unit + " is outside the years 1 to 9999} END"
}

// dateParts are the parts of a time, with DuckDB's names.
var dateParts = []string{ //nolint:gochecknoglobals // It is constant.
	"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "DAYOFWEEK", "DAYOFYEAR", "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR", "DATE", "DATETIME", "TIME",
}

func isDatePart(name string) bool { return slices.Contains(dateParts, strings.ToUpper(name)) }

// weekdays are the days that a week can begin with, by their distance from Monday, with which DuckDB's begins.
var weekdays = []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"} //nolint:gochecknoglobals // It is constant.

// shiftOf returns how many days after Monday a week begins: on Sunday unless a day is written.
func (p part) shiftOf() string {
	day := slices.Index(weekdays, or(p.weekday, "SUNDAY"))
	if day < 0 {
		fail(p.place, "%s is no day of the week", p.weekday)
	}
	return itoa(day)
}

// only fails unless the part is one of the parts.
func (p part) only(function string, parts ...string) {
	if !slices.Contains(parts, p.name) {
		fail(p.place, "%s does not take %s; it takes %s", function, p.name, strings.Join(parts, ", "))
	}
}

var (
	clockParts    = []string{"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"}       //nolint:gochecknoglobals // It is constant.
	calendarParts = []string{"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"}                      //nolint:gochecknoglobals // It is constant.
	dayParts      = slices.Concat(clockParts, []string{"DAY", "WEEK"})                       //nolint:gochecknoglobals // It is constant.
	allParts      = slices.Concat(clockParts, calendarParts, []string{"ISOWEEK", "ISOYEAR"}) //nolint:gochecknoglobals // It is constant.
)

// partsOf are the parts that a function of a type takes.
func partsOf(name string) []string {
	typ, verb, _ := strings.Cut(strings.TrimPrefix(name, "GENERATE_"), "_")
	switch {
	case verb == "BUCKET" && typ == "TIMESTAMP":
		return dayParts
	case typ == "TIME":
		return clockParts
	case typ == "TIMESTAMP" && verb != "TRUNC":
		return append(slices.Clone(clockParts), "DAY")
	case typ == "DATE" && verb == "TRUNC", typ == "DATE" && verb == "DIFF":
		return append(slices.Clone(calendarParts), "ISOWEEK", "ISOYEAR")
	case typ == "DATE":
		return calendarParts
	case verb == "TRUNC", verb == "DIFF":
		return allParts
	}
	return slices.Concat(clockParts, calendarParts)
}

// timeFromText reads a text as CAST does.
func timeFromText(_ *printer, c *call) fragment { return castFromText(c.args[0].node, c.typ) }

// dateFromText reads the date of a text, which can have a time.
func dateFromText(_ *printer, c *call) fragment {
	return text("CAST(", castFromText(c.args[0].node, scalar(datetimeKind)), " AS DATE)")
}

// checkTextZone fails if the zone of a text is none.
func checkTextZone(c *call) {
	if len(c.args) > 1 {
		checkZone(c)
	}
}

// checkTruncate fails for a part that a function does not cut to, and for a zone that is none.
func checkTruncate(c *call) {
	c.part.only(c.name, partsOf(c.typ.String()+"_TRUNC")...)
	c.part.shiftOf()
	if len(c.args) > 2 {
		checkZone(c)
	}
}

// truncate cuts a time to the beginning of a part, in a time zone if one is given.
func truncate(p *printer, c *call) fragment {
	of := c.args[0].node
	if c.typ.kind == timeKind {
		return text("CAST(date_trunc('"+strings.ToLower(c.part.name)+"', DATE '1970-01-01' + ", of, ") AS TIME)")
	}
	if len(c.args) < 3 {
		cut := c.asDate(truncated(c.part, of))
		if c.part.name == "WEEK" && !p.isStored(of) { // which can begin before year 1
			cut = inYears(cut, c.typ)
		}
		return cut
	}
	local := toLocal(c.args[2], of)
	switch {
	case c.part.name == "HOUR": // what is cut off is the same in any hour of the zone
		return text("(", of, " - (", local, " - date_trunc('hour', ", local, ")))")
	case slices.Contains(clockParts, c.part.name):
		return truncated(c.part, of)
	}
	return inYears(fromLocal(c.args[2], text("CAST(", truncated(c.part, local), " AS TIMESTAMP)")), c.typ)
}

// isStored reports whether a node is a column of a table or a subquery, rather than what an array was split into.
func (p *printer) isStored(n node) bool {
	r, ok := n.(*reference)
	if !ok || p.column(n) != "" {
		return false
	}
	_, isArray := r.owner.(*arraySource)
	return !isArray
}

// asDate makes a date of the timestamp that DuckDB returns for one.
func (c *call) asDate(sql fragment) fragment {
	if c.typ.kind == dateKind {
		return text("CAST(", sql, " AS DATE)")
	}
	return sql
}

func truncated(p part, of fragment) fragment {
	switch p.name {
	case "ISOWEEK":
		return text("date_trunc('week', ", of, ")")
	case "WEEK":
		days := p.shiftOf()
		return text("(date_trunc('week', ", of, " - INTERVAL "+days+" DAY) + INTERVAL "+days+" DAY)")
	}
	return text("date_trunc('"+strings.ToLower(p.name)+"', ", of, ")")
}

// shift adds an interval, or takes it away.
func shift(_ *printer, c *call) fragment {
	op := ifElse(strings.HasSuffix(c.name, "_SUB"), " - ", " + ")
	return inYears(c.asDate(text("(", c.args[0], op, c.args[1], ")")), c.typ)
}

// made is a template of a time that must be in the years that GoogleSQL has.
func made(sql string) form {
	return form{by: func(_ *printer, c *call) fragment { return inYears(c.template(sql), c.typ) }}
}

// inYears is a time that is an error outside the years 1 to 9999, which DuckDB does not end with.
func inYears(sql fragment, typ *dataType) fragment {
	bounds := "TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
	switch {
	case typ.is(dateKind):
		bounds = "DATE '0001-01-01' AND DATE '9999-12-31'"
	case !typ.is(datetimeKind, timestampKind):
		return sql
	}
	return timeWithin{sql, bounds, raise("The " + typ.String() + " is outside the years 1 to 9999")}
}

// timeWithin is a time between two others.
type timeWithin struct {
	fragment
	bounds  string
	failure fragment
}

func (b timeWithin) print(p *printer) {
	if p.safe { // DuckDB computes what occurs twice before TRY
		text("list_extract(list_transform([", b.fragment, `], lambda "#t": CASE WHEN "#t" BETWEEN `+b.bounds+` THEN "#t" END), 1)`).print(p)
		return
	}
	text("CASE WHEN ", b.fragment, " NOT BETWEEN "+b.bounds+" THEN ", b.failure, " ELSE ", b.fragment, " END").print(p)
}

// checkDifference fails for a part that a function does not count.
func checkDifference(c *call) {
	c.part.only(c.name, partsOf(c.name)...)
	c.part.shiftOf()
}

// difference counts parts between two times: whole ones between TIMESTAMPs, and boundaries between the others.
func difference(_ *printer, c *call) fragment {
	a, b, unit := c.args[0].node, c.args[1].node, strings.ToLower(c.part.name)
	switch {
	case strings.HasPrefix(c.name, "TIMESTAMP"):
		return text("date_sub('"+unit+"', ", b, ", ", a, ")")
	case c.part.name == "WEEK" || c.part.name == "ISOWEEK":
		return text("(date_diff('day', ", truncated(c.part, b), ", ", truncated(c.part, a), ") // 7)")
	}
	return text("date_diff('"+unit+"', ", b, ", ", a, ")")
}

// truncArrayName is the function that Logflare adds to datasets.
const truncArrayName = "GENERATE_TIMESTAMP_TRUNC_ARRAY"

// checkTruncArray fails for a constant label that is none.
func checkTruncArray(c *call) {
	if label := c.args[1].constant; label != nil {
		back, step, _ := strings.Cut(strings.ToUpper(label.text), "_")
		parts := slices.Concat(clockParts, []string{"DAY"})
		if !slices.Contains(parts, back) || !slices.Contains(parts, step) {
			fail(c.args[1].at, "the label %q is not two parts such as DAY_HOUR", label.text)
		}
	}
}

// truncArray is Logflare's helper: for length N and label X_Y the times from trunc(now - N X, Y) to
// trunc(now, Y), one for each Y (D2).
const truncArray = "generate_series(date_trunc(" + truncPart + ", " + truncNow + " - {0} * " + truncBack + "), date_trunc(" + truncPart + ", " + truncNow +
	"), " + truncStep + ")"

// The parts of the label of truncArray: how far back one unit is, and the step.
const (
	truncNow  = "CAST($now AS TIMESTAMP)"
	truncPart = "split_part(lower({1}), '_', 2)"
	truncBack = "CAST('1 ' || split_part(lower({1}), '_', 1) AS INTERVAL)"
	truncStep = "CAST('1 ' || " + truncPart + " AS INTERVAL)"
)

// checkLastDay fails for a part whose last day is not known. Without a part, it is the month.
func checkLastDay(c *call) {
	if c.part.name == "" {
		c.part.name = "MONTH"
	}
	c.part.only(c.name, "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR")
	c.part.shiftOf()
}

// lastDay is the day before the next part begins.
func lastDay(_ *printer, c *call) fragment {
	begin := text("CAST(", truncated(c.part, c.args[0].node), " AS TIMESTAMP)")
	next := text(begin, " + INTERVAL 1 "+strings.TrimPrefix(c.part.name, "ISO"))
	if c.part.name == "ISOYEAR" { // it has 52 or 53 weeks
		next = text("date_trunc('isoyear', ", begin, " + INTERVAL 372 DAY)")
	}
	return inYears(text("CAST(", next, " - INTERVAL 1 DAY AS DATE)"), c.typ)
}

// intervalParts are the parts that INTERVAL takes, in the order of the alphabet.
var intervalParts = []string{"DAY", "HOUR", "MICROSECOND", "MILLISECOND", "MINUTE", "MONTH", "QUARTER", "SECOND", "WEEK", "YEAR"} //nolint:gochecknoglobals // It is constant.

// resolve resolves INTERVAL n PART.
func (x *intervalExpr) resolve(r *resolver, s *scope) value {
	if x.isBetween {
		fail(x.place, "an interval of two parts is not supported; add two intervals")
	}
	if !slices.Contains(intervalParts, x.from.name) {
		fail(x.from.place, "INTERVAL does not take %s; it takes %s", x.from.name, strings.Join(intervalParts, ", "))
	}
	n, typ := coerce(r.expression(x.x, s), scalar(int64Kind)), scalar(intervalKind)
	return newValue(typ, x.place, &call{function: operator("INTERVAL"), at: x.place, args: []value{n}, typ: typ, part: x.from}, n)
}

// intervalOf writes INTERVAL n PART.
func intervalOf(_ *printer, c *call) fragment {
	n, unit := c.args[0], "to_"+strings.ToLower(c.part.name)+"s"
	switch {
	case n.constant != nil:
		return text(unit + "(" + n.constant.text + ")")
	case slices.Contains(calendarParts, c.part.name):
		return text(unit+"(CAST(", n, " AS INTEGER))")
	}
	return text(unit+"(", n, ")")
}

// resolve resolves EXTRACT(part FROM x).
func (x *extractExpr) resolve(r *resolver, s *scope) value {
	of, typ := r.expression(x.x, s), scalar(int64Kind)
	if of.typ.kind == dynamicKind {
		of = coerce(of, scalar(timestampKind))
	}
	if !of.typ.is(timestampKind, datetimeKind, dateKind, timeKind, intervalKind) {
		fail(of.at, "EXTRACT takes a time, not a value of type %s", of.typ)
	}
	c := &call{function: operator("EXTRACT"), at: x.place, args: []value{of}, typ: typ, part: x.part}
	if x.zone != nil {
		c.zone = coerce(r.expression(x.zone, s), scalar(stringKind))
		zoneOffset(c.zone)
	}
	switch {
	case of.typ.is(dateKind) && slices.Contains(clockParts, x.part.name):
		fail(x.part.place, "EXTRACT does not take %s of a DATE", x.part.name)
	case !slices.Contains(dateParts, x.part.name):
		fail(x.part.place, "EXTRACT does not take %s%s", x.part.name, didYouMean(x.part.name, dateParts))
	case slices.Contains([]string{"DATE", "DATETIME", "TIME"}, x.part.name):
		c.typ = scalar(typeNames()[x.part.name])
	}
	x.part.shiftOf()
	return newValue(c.typ, x.place, c, of)
}

// extractedPart writes EXTRACT(part FROM x).
func extractedPart(_ *printer, c *call) fragment {
	of := fragment(c.args[0].node)
	if c.zone.node != nil {
		of = toLocal(c.zone, of)
	}
	switch c.part.name {
	case "DATE", "DATETIME", "TIME":
		return text("CAST(", of, " AS "+c.typ.duck()+")")
	case "DAYOFWEEK":
		return text("(dayofweek(", of, ") + 1)")
	case "DAYOFYEAR":
		return text("dayofyear(", of, ")")
	case "WEEK":
		start := text("(dayofyear(", of, ") + 6 - (isodow(", of, ") - 1 - "+c.part.shiftOf()+" + 7) % 7)")
		return text("(", start, " // 7)")
	case "ISOWEEK":
		return text("weekofyear(", of, ")")
	case "MICROSECOND":
		return text("(microsecond(", of, ") % 1000000)")
	case "MILLISECOND":
		return text("(millisecond(", of, ") % 1000)")
	}
	return text(strings.ToLower(c.part.name)+"(", of, ")")
}
