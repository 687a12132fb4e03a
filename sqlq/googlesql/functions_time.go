package googlesql

import (
	"slices"
	"strings"
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

// checkDifference fails for a part that a function does not count.
func checkDifference(c *call) {
	c.part.only(c.name, partsOf(c.name)...)
	c.part.shiftOf()
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

// intervalParts are the parts that INTERVAL takes, in the order of the alphabet.
var intervalParts = []string{"DAY", "HOUR", "MICROSECOND", "MILLISECOND", "MINUTE", "MONTH", "QUARTER", "SECOND", "WEEK", "YEAR"} //nolint:gochecknoglobals // It is constant.

// resolve resolves INTERVAL n PART.
func (x *intervalExpr) resolve(r *resolver, s *scope) value {
	if x.isBetween {
		return x.between(r, s)
	}
	if !slices.Contains(intervalParts, x.from.name) {
		fail(x.from.place, "INTERVAL does not take %s; it takes %s", x.from.name, strings.Join(intervalParts, ", "))
	}
	n, typ := coerce(r.expression(x.x, s), scalar(int64Kind)), scalar(intervalKind)
	return newValue(typ, x.place, &call{function: operator("INTERVAL"), at: x.place, args: []value{n}, typ: typ, part: x.from}, n)
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
